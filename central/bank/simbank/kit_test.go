package simbank

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"galla/central/bank/network"
	"galla/central/bank/simbank/books"
	"galla/rdservice/rdcrypto"
	"galla/shared/secret"
)

// Kit is what the tests of this folder share: a test authority, a device, and
// the making of PidData.
type Kit struct {
	Cert *x509.Certificate
	Key  *rsa.PrivateKey

	device *rsa.PrivateKey
	mc     *x509.Certificate
	spent  *x509.Certificate // ended long ago
}

// TheKit is made once: its keys take a moment.
var TheKit = sync.OnceValue(func() *Kit {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	dir, err := os.MkdirTemp("", "galla-simbank-kit")
	must(err)
	defer func() { must(os.RemoveAll(dir)) }()
	k := &Kit{}
	k.Cert, k.Key, err = rdcrypto.EnsureAuthority(dir, rand.Reader)
	must(err)
	k.device, err = rsa.GenerateKey(rand.Reader, 2048)
	must(err)
	k.mc, err = rdcrypto.DeviceCertificate(k.device, "SIM", 100*365*24*time.Hour, rand.Reader)
	must(err)
	k.spent, err = rdcrypto.DeviceCertificate(k.device, "SIM", -100*365*24*time.Hour, rand.Reader)
	must(err)
	return k
})

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		child()
		return
	}
	// Each check of the walk opens files and syncs them; -rapid.checks asks for more.
	if err := flag.Set("rapid.checks", "15"); err != nil {
		panic(err)
	}
	TheKit() // outside of every bubble
	goleak.VerifyTestMain(m)
}

// Capture is the PidData of a resident's finger at a moment; change may spoil
// it before it is signed and sealed, or afterwards.
func (k *Kit) Capture(t testing.TB, at time.Time, aadhaar, finger string, change ...func(*Parts)) secret.PidData {
	t.Helper()
	p := &Parts{At: at, Raw: rdcrypto.Template(aadhaar, finger), Device: k.mc, Seal: k.Cert}
	for _, c := range change {
		c(p)
	}
	block, err := rdcrypto.Block(p.At, "", "dc-1", []rdcrypto.Sample{{Type: "FMR", Posh: "UNKNOWN", Raw: p.Raw}}, k.device, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p.Sealed, err = rdcrypto.Seal(block, p.At, p.Seal, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p.DC = "dc-1"
	for _, c := range change {
		c(p)
	}
	return secret.NewPidData(fmt.Sprintf(`<?xml version="1.0"?><PidData><Resp errCode="0" errInfo="" fCount="1" fType="2" nmPoints="61" qScore="80"/>`+
		`<DeviceInfo dpId="SIM.GALLA" rdsId="SIM.GALLA.001" rdsVer="1.0.0" dc="%s" mi="SIM" mc="%s"/>`+
		`<Skey ci="%s">%s</Skey><Hmac>%s</Hmac><Data type="X">%s</Data></PidData>`,
		p.DC, base64.StdEncoding.EncodeToString(p.Device.Raw), p.Sealed.CI, p.Sealed.Skey, p.Sealed.Hmac, p.Sealed.Data))
}

// Spent is a device certificate that has ended.
func (k *Kit) Spent() *x509.Certificate { return k.spent }

// Parts are what PidData is made of.
type Parts struct {
	At     time.Time
	Raw    []byte
	Device *x509.Certificate
	Seal   *x509.Certificate // whose key the session key is sealed for
	Sealed rdcrypto.Sealed
	DC     string
}

// Wire is a network address in memory, which can be listened at anew.
type Wire struct {
	mu sync.Mutex
	at *memory
}

type memory struct {
	accept chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (m *memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.accept:
		return c, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error {
	m.once.Do(func() { close(m.closed) })
	return nil
}

func (m *memory) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "memory"} }

// Listen has the form of Config.ListenNetwork.
func (w *Wire) Listen(context.Context) (net.Listener, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = &memory{accept: make(chan net.Conn), closed: make(chan struct{})}
	return w.at, nil
}

// Dial has the form of bank.Config.DialContext.
func (w *Wire) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	w.mu.Lock()
	m := w.at
	w.mu.Unlock()
	if m == nil {
		return nil, syscall.ECONNREFUSED
	}
	near, far := net.Pipe()
	select {
	case m.accept <- far:
		return near, nil
	case <-m.closed:
		return nil, syscall.ECONNREFUSED
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// NetworkKey is the key that the tests share with the bank.
func NetworkKey() secret.Key { return secret.NewKey([]byte("a key of the test, 32 bytes long")) }

// NewTestConfig is a bank in memory with its books in a folder of the test.
func NewTestConfig(t testing.TB) (cfg Config, public, wire *Wire) {
	t.Helper()
	public, wire = &Wire{}, &Wire{}
	k := TheKit()
	return Config{
		DataDir: t.TempDir(), NetworkKey: NetworkKey(), AuthorityKey: k.Key, AuthorityCert: k.Cert,
		ListenPublic: public.Listen, ListenNetwork: wire.Listen, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler),
	}, public, wire
}

// Open makes a bank without running it; it is closed with the test.
func Open(t testing.TB, cfg Config) *Bank {
	t.Helper()
	b, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// Services are the services that a test plays: they keep what reached them.
type Services struct {
	// Say is the answer; nil means a success with the kind as its data.
	Say func(t network.Transaction) (network.Answer, books.Delivery, error)
	// Texts are the inbox; nil means the books' own.
	Texts func(mobile string) ([]Message, error)

	books     *books.Books
	mu        sync.Mutex
	executed  []network.Transaction
	consulted []network.Transaction
}

// UseServices puts played services into a bank that does not run yet.
func UseServices(b *Bank, s *Services) {
	s.books = b.Books
	b.services = s
}

// Took gives what reached them since the last call.
func (s *Services) Took() (executed, consulted []network.Transaction) {
	s.mu.Lock()
	defer s.mu.Unlock()
	executed, consulted = s.executed, s.consulted
	s.executed, s.consulted = nil, nil
	return executed, consulted
}

// Execute records a transaction and answers it.
func (s *Services) Execute(_ context.Context, t network.Transaction) (network.Answer, books.Delivery, error) {
	s.mu.Lock()
	s.executed = append(s.executed, t)
	s.mu.Unlock()
	return s.say(t)
}

// Consult records a consultation and answers it.
func (s *Services) Consult(_ context.Context, t network.Transaction) (network.Answer, books.Delivery, error) {
	s.mu.Lock()
	s.consulted = append(s.consulted, t)
	s.mu.Unlock()
	return s.say(t)
}

func (s *Services) say(t network.Transaction) (network.Answer, books.Delivery, error) {
	if s.Say != nil {
		return s.Say(t)
	}
	return ServiceAnswer(t), books.Delivery{}, nil
}

// ServiceAnswer is a success with the kind as its data.
func ServiceAnswer(t network.Transaction) network.Answer {
	return network.Answer{
		Reference: t.Reference, Status: network.Success, Code: network.CodeApproved, Message: "SUCCESS", STAN: t.STAN,
		Data: []byte(`{"kind":"` + string(t.Kind) + `"}`),
	}
}

// Inbox gives Texts, or what the books have.
func (s *Services) Inbox(ctx context.Context, mobile string) ([]Message, error) {
	if s.Texts != nil {
		return s.Texts(mobile)
	}
	found, err := s.books.Inbox(ctx, mobile)
	var out []Message
	for _, m := range found {
		out = append(out, Message{At: m.At, Text: m.Text})
	}
	return out, err
}

// Start runs a bank until the test, or the function that it gives, ends it.
func Start(t testing.TB, b *Bank) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// Aadhaar parses a number of the test.
func Aadhaar(t interface{ Fatal(...any) }, s string) secret.Aadhaar {
	a, err := secret.ParseAadhaar(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
