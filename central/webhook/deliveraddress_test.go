package webhook_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"galla/central/webhook"
)

// TestTLS: certificates are checked.
func TestTLS(t *testing.T) {
	r := sandboxRig(t)
	x := &receiver{}
	s := httptest.NewTLSServer(x)
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	defer s.Close()
	r.at(merchant1, s.URL)
	if got := r.once(owe(t, r.db, merchant1)); got.State != webhook.StateWaiting || !strings.Contains(got.Detail, "unknown authority") {
		t.Errorf("an unknown authority: %+v", got)
	}
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	r.deliverer.Client().Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
	if got := r.once(owe(t, r.db, merchant1)); got.State != webhook.StateDelivered {
		t.Errorf("a known authority: %+v", got)
	}
	port := s.Listener.Addr().(*net.TCPAddr).Port
	must(t, r.db.SetEndpoint(context.Background(), webhook.OfMerchant(merchant1), fmt.Sprintf("https://localhost:%d/", port), []string{webhook.EventFinished}, time.Now()))
	if got := r.once(owe(t, r.db, merchant1)); got.State != webhook.StateWaiting || !strings.Contains(got.Detail, "for another host") {
		t.Errorf("another name: %+v", got)
	}
	plain := serve(t, x)
	must(t, r.db.SetEndpoint(context.Background(), webhook.OfMerchant(merchant1), strings.Replace(plain.URL, "http:", "https:", 1), []string{webhook.EventFinished}, time.Now()))
	if got := r.once(owe(t, r.db, merchant1)); got.State != webhook.StateWaiting || !strings.Contains(got.Detail, "does not speak TLS") {
		t.Errorf("no TLS: %+v", got)
	}
	if n := len(x.all()); n != 1 {
		t.Errorf("%d requests came through, want 1", n)
	}
}

// names is a name server whose answers a test sets.
type names struct {
	mu      sync.Mutex
	answers []netip.Addr
	asked   atomic.Int64
}

func (n *names) say(answers ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.answers = nil
	for _, text := range answers {
		n.answers = append(n.answers, netip.MustParseAddr(text))
	}
}

// resolver starts a name server.
func (n *names) resolver(t testing.TB) *net.Resolver {
	t.Helper()
	socket, err := net.ListenPacket("udp4", "127.0.0.1:0")
	must(t, err)
	var wg sync.WaitGroup
	wg.Go(func() {
		query := make([]byte, 512)
		for {
			size, from, err := socket.ReadFrom(query)
			if err != nil {
				return
			}
			_, _ = socket.WriteTo(n.reply(query[:size]), from)
		}
	})
	t.Cleanup(func() { _ = socket.Close(); wg.Wait() })
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp4", socket.LocalAddr().String())
	}}
}

// reply answers a query with the addresses of the asked kind (RFC 1035).
func (n *names) reply(query []byte) []byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked.Add(1)
	end := 12
	for query[end] != 0 {
		end += int(query[end]) + 1
	}
	question := query[12 : end+5]
	kind := binary.BigEndian.Uint16(question[len(question)-4:])
	var list []byte
	count := 0
	for _, ip := range n.answers {
		want := uint16(1)
		if ip.Is6() {
			want = 28
		}
		if kind != want {
			continue
		}
		raw := ip.AsSlice()
		list = append(list, 0xc0, 12)
		list = binary.BigEndian.AppendUint16(list, kind)
		list = append(list, 0, 1, 0, 0, 0, 0, 0, byte(len(raw)))
		list = append(list, raw...)
		count++
	}
	out := append([]byte{}, query[:2]...)
	out = append(out, 0x81, 0x80, 0, 1, 0, byte(count), 0, 0, 0, 0)
	return append(append(out, question...), list...)
}

// TestPrivateAddresses: no connection is made to an address that is not public, also if a
// name's addresses change. Outside a sandbox, this machine is such an address.
func TestPrivateAddresses(t *testing.T) {
	var connections atomic.Int64
	x := &receiver{}
	s := httptest.NewUnstartedServer(x)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.StartTLS()
	defer s.Close()
	port := s.Listener.Addr().(*net.TCPAddr).Port
	host := fmt.Sprintf("https://hook.shop.example:%d/", port)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())

	n := &names{}
	outside := newRig(t, openSQLite(t, filepath.Join(t.TempDir(), "central.db"), "node-a"), webhook.Config{Resolver: n.resolver(t)})
	outside.deliverer.Client().Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots, ServerName: "example.com"}
	outside.at(merchant1, host)
	for _, answers := range [][]string{
		{"127.0.0.1"}, {"::1"}, {"::ffff:127.0.0.1"}, {"10.1.2.3", "127.0.0.1"}, {"169.254.169.254"}, {"100.64.0.1"}, {"fd00::1"}, {"64:ff9b::7f00:1"},
	} {
		n.say(answers...)
		got := outside.once(owe(t, outside.db, merchant1))
		if got.State != webhook.StateWaiting || !strings.Contains(got.Detail, "public internet") {
			t.Errorf("%v: %+v", answers, got)
		}
		for _, address := range answers {
			if strings.Contains(got.Detail, address) {
				t.Errorf("what is said names the address %s: %q", address, got.Detail)
			}
		}
	}
	n.say()
	if got := outside.once(owe(t, outside.db, merchant1)); !strings.Contains(got.Detail, "can't be resolved") {
		t.Errorf("no address: %+v", got)
	}
	if connections.Load() != 0 || n.asked.Load() == 0 {
		t.Fatalf("%d connections were made, %d names asked", connections.Load(), n.asked.Load())
	}

	// The same name is good first and leads inside afterwards.
	inside := newRig(t, openSQLite(t, filepath.Join(t.TempDir(), "central.db"), "node-a"), webhook.Config{Sandbox: true, Resolver: n.resolver(t)})
	inside.deliverer.Client().Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots, ServerName: "example.com"}
	inside.at(merchant1, host)
	n.say("127.0.0.1")
	if got := inside.once(owe(t, inside.db, merchant1)); got.State != webhook.StateDelivered {
		t.Fatalf("the name's good address: %+v", got)
	}
	inside.deliverer.Close()
	n.say("10.1.2.3", "192.168.0.1")
	if got := inside.once(owe(t, inside.db, merchant1)); got.State != webhook.StateWaiting || !strings.Contains(got.Detail, "public internet") {
		t.Errorf("the name's other address: %+v", got)
	}
	if c := connections.Load(); c != 1 {
		t.Errorf("%d connections, want 1", c)
	}
}

// TestNoProxy: a proxy of the environment is not used.
func TestNoProxy(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	r := sandboxRig(t)
	if r.deliverer.Client().Transport.(*http.Transport).Proxy != nil {
		t.Error("a proxy is used")
	}
}
