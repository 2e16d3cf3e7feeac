package contract

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"galla/central/bank/simbank"
	"galla/central/server"
	"galla/deploy/test/finger"
	"galla/rdservice"
	"galla/rdservice/rdcrypto"
	"galla/rdservice/rdsim"
	"galla/shared/freeport"
	"galla/shared/seal"
)

// The sandbox's identities (sandbox.md, section 2).
const (
	vendor1     = "b0000000-0000-4000-8000-000000000001"
	vendor2     = "b0000000-0000-4000-8000-000000000002"
	merchant1   = "c0000000-0000-4000-8000-000000000001"
	merchant2   = "c0000000-0000-4000-8000-000000000002"
	merchant3   = "c0000000-0000-4000-8000-000000000003"
	merchant5   = "c0000000-0000-4000-8000-000000000005"
	aggregator1 = "a0000000-0000-4000-8000-000000000001"

	choudhury = "999941057058"
	agarwal   = "999971658847"
	fatima    = "999933119405"
	pandey    = "999955183433"
	kapoor    = "999990501894"
)

// secrets are the sandbox's credentials, by client.
var secrets = map[string]string{
	"agg-galla": "sandbox-aggregator-1", "vendor-sahyadri": "sandbox-vendor-1", "vendor-deccan": "sandbox-vendor-2",
	"merchant-lakshmi": "sandbox-merchant-1", "merchant-ganesh": "sandbox-merchant-2", "merchant-charminar": "sandbox-merchant-3",
	"merchant-nila": "sandbox-merchant-4", "merchant-saraswati": "sandbox-merchant-5",
}

// The callers, for short.
const (
	m1  = "merchant-lakshmi"   // AEPS onboarded, of vendor 1
	m2  = "merchant-ganesh"    // merchantinfo, not AEPS onboarded
	m3  = "merchant-charminar" // of vendor 2
	m4  = "merchant-nila"      // PENDING
	m5  = "merchant-saraswati" // no merchantinfo
	v1  = "vendor-sahyadri"
	v2  = "vendor-deccan" // no aggregator
	agg = "agg-galla"
)

// iins are the residents' banks.
var iins = map[string]string{choudhury: "990326", agarwal: "607094", fatima: "606985", pandey: "607027", kapoor: "608314"}

// bankWait is how long the central waits for the bank: the silent scenarios take as
// long.
const bankWait = 3 * time.Second

// timeScale shortens the bank's scenarios.
const timeScale = 0.05

// system is the sandbox in this process.
type system struct {
	central, bank, reader string // base URLs
	http                  *http.Client
	fingerReader          sync.Mutex
	documentWalk          *walk

	mu     sync.Mutex
	tokens map[string]string
	refs   int

	// cfg is the central's. stop ends it and returns when it has ended, start
	// runs it again and waits until it is ready.
	cfg         server.Config
	stop, start func() error
}

// running is the system that all tests share, made by TestMain.
var running = &system{tokens: map[string]string{}, http: &http.Client{Timeout: time.Minute}}

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "galla-contract-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(dir) }()
		ctx, cancel := context.WithCancel(context.Background())
		var ended sync.WaitGroup
		defer ended.Wait()
		defer cancel()
		if err := running.open(ctx, &ended, dir); err != nil {
			fmt.Fprintln(os.Stderr, "contracttest:", err)
			return 1
		}
		return running.documentWalk.compare(m.Run())
	}())
}

// open starts bank, reader and central.
func (h *system) open(ctx context.Context, ended *sync.WaitGroup, dir string) error {
	level := slog.LevelError
	if os.Getenv("GALLA_LOG") == "debug" {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	var addrs [6]string
	for i := range addrs {
		a, _, err := freeport.Take()
		if err != nil {
			return err
		}
		addrs[i] = a
	}
	key, err := seal.EnsureKeyFile(filepath.Join(dir, "keys", "bank-network.key"), rand.Reader)
	if err != nil {
		return err
	}
	cert, authority, err := rdcrypto.EnsureAuthority(filepath.Join(dir, "authority"), rand.Reader)
	if err != nil {
		return err
	}
	listen := func(addr string) func(context.Context) (net.Listener, error) {
		return func(ctx context.Context) (net.Listener, error) { return new(net.ListenConfig).Listen(ctx, "tcp", addr) }
	}
	bank, err := simbank.New(ctx, simbank.Config{
		DataDir: filepath.Join(dir, "bank"), NetworkKey: key, AuthorityKey: authority, AuthorityCert: cert,
		ListenPublic: listen(addrs[0]), ListenNetwork: listen(addrs[1]), TimeScale: timeScale, NotifyURL: "http://" + addrs[3], Rand: rand.Reader, Logger: log,
	})
	if err != nil {
		return err
	}
	device, err := rdsim.New(cert, rand.Reader, log, rdsim.Config{Address: addrs[2], CaptureTime: time.Millisecond})
	if err != nil {
		return err
	}
	l, err := rdsim.Listen(ctx, device)
	if err != nil {
		return err
	}
	part := func(name string, run func(context.Context) error) {
		ended.Go(func() {
			if err := run(ctx); err != nil && ctx.Err() == nil {
				fmt.Fprintf(os.Stderr, "contracttest: %s ended: %v\n", name, err)
			}
		})
	}
	part("bank", func(ctx context.Context) error { return errors.Join(bank.Run(ctx), bank.Close()) })
	part("reader", func(ctx context.Context) error { return l.Serve(ctx) })
	h.cfg = server.Config{
		Addr: addrs[3], AdminAddr: addrs[4], UplinkAddr: addrs[5], BankURL: "http://" + addrs[1], BankTimeout: bankWait,
		Data: dir, Sandbox: true, Node: "contract", Rand: rand.Reader, Logger: log,
	}
	if h.documentWalk, err = newWalk(); err != nil {
		return err
	}
	h.bank, h.reader, h.central = "http://"+addrs[0], l.Addresses()[0], "http://"+addrs[3]
	h.start = func() error {
		life, end := context.WithCancel(ctx)
		gone := make(chan error, 1)
		ended.Go(func() { gone <- server.Run(life, h.cfg) })
		h.stop = func() error { end(); return <-gone }
		return h.ready(ctx)
	}
	return h.start()
}

// ready waits until the central accepts requests.
func (h *system) ready(ctx context.Context) error {
	for range 600 {
		if resp, err := h.http.Get("http://" + h.cfg.AdminAddr + "/readyz"); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	return errors.New("the central is not ready after 30 seconds")
}

// token gives a client's access token.
func (h *system) token(t *testing.T, client string) string {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if token := h.tokens[client]; token != "" {
		return token
	}
	a := h.form(t, "/oauth/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {client}, "client_secret": {secrets[client]}})
	token, _ := a.body["access_token"].(string)
	if a.http != 200 || token == "" {
		t.Fatalf("token of %s: HTTP %d %s", client, a.http, a.raw)
	}
	h.tokens[client] = token
	return token
}

func (h *system) form(t *testing.T, path string, form url.Values) answer {
	t.Helper()
	return h.send(t, "POST", path, []byte(form.Encode()), "Content-Type", "application/x-www-form-urlencoded")
}

// answer is a reply.
type answer struct {
	t      *testing.T
	asked  string
	http   int
	header http.Header
	raw    []byte
	body   map[string]any // numbers are json.Number
}

// send makes one request; headers come in pairs.
func (h *system) send(t *testing.T, method, path string, body []byte, header ...string) answer {
	t.Helper()
	req, err := http.NewRequest(method, h.central+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := h.http.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{t: t, asked: method + " " + path, http: resp.StatusCode, header: resp.Header, raw: raw}
	decode := json.NewDecoder(bytes.NewReader(raw))
	decode.UseNumber()
	_ = decode.Decode(&a.body) // a reply that is no object has no fields
	if h.documentWalk != nil {
		h.documentWalk.recordReply(t, method, path, a)
	}
	return a
}

// call makes a call with a client's token; body is JSON text, a map, or nil.
func (h *system) call(t *testing.T, client, method, path string, body any, header ...string) answer {
	t.Helper()
	var text []byte
	switch b := body.(type) {
	case nil:
	case string:
		text = []byte(b)
	default:
		var err error
		if text, err = json.Marshal(b); err != nil {
			t.Fatal(err)
		}
	}
	return h.send(t, method, path, text, append([]string{"Authorization", "Bearer " + h.token(t, client)}, header...)...)
}

// jsonOf writes a body.
func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// fields is a body.
type fields = map[string]any

// with gives a copy of f with changes; nil takes a field out.
func with(f fields, changes fields) fields {
	out := fields{}
	for k, v := range f {
		out[k] = v
	}
	for k, v := range changes {
		if v == nil {
			delete(out, k)
		} else {
			out[k] = v
		}
	}
	return out
}

// finger captures a resident's finger as a merchant's program does.
func (h *system) finger(t *testing.T, aadhaar string) string {
	t.Helper()
	return h.capture(t, aadhaar, rdservice.Options{})
}

// capture is finger with options.
func (h *system) capture(t *testing.T, aadhaar string, options rdservice.Options) string {
	t.Helper()
	h.fingerReader.Lock()
	defer h.fingerReader.Unlock()
	pid, err := finger.Capture(t.Context(), h.reader, aadhaar, options)
	if err != nil {
		t.Fatal(err)
	}
	return pid.Reveal()
}

// aeps is the body of an AEPS transaction with a fresh capture.
func (h *system) aeps(t *testing.T, aadhaar, amount string) fields {
	t.Helper()
	return fields{
		"AadharNo": aadhaar, "TxnAmount": json.Number(amount), "Latitude": "18.5204", "Longitude": "73.8567",
		"CustomerName": "Customer", "PidData": h.finger(t, aadhaar), "BankName": iins[aadhaar],
	}
}

// ref gives a reference that was never used.
func (h *system) ref(kind string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refs++
	return fmt.Sprintf("%s-%d-%d", kind, os.Getpid(), h.refs)
}

// message is a text in a phone's inbox.
type message struct{ OTP, Text string }

// inbox reads the texts of a phone, newest first.
func (h *system) inbox(t *testing.T, mobile string) (list []message) {
	t.Helper()
	req, err := http.NewRequest("GET", h.bank+"/inbox/"+mobile, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json")
	resp, err := h.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	return list
}

// otp reads the newest one-time password from a phone's inbox.
func (h *system) otp(t *testing.T, mobile string) string {
	t.Helper()
	for _, m := range h.inbox(t, mobile) {
		if m.OTP != "" {
			return m.OTP
		}
	}
	t.Fatalf("no one-time password in the inbox of %s", mobile)
	return ""
}

// books reads JSON of the bank's public address.
func (h *system) books(t *testing.T, path string, into any) {
	t.Helper()
	resp, err := h.http.Get(h.bank + path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != 200 {
		t.Fatalf("GET %s: HTTP %d", path, resp.StatusCode)
	}
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
}

// eventually asks again until ok, for as long as the reconciler may take.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	eventuallyWithin(t, 20*time.Second, what, ok)
}

func eventuallyWithin(t *testing.T, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); time.Now().Before(end); {
		if ok() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("after %s still not: %s", limit, what)
}

// is checks the reply's HTTP status and statusCode.
// says checks the reply's message.
// data gives the reply's data.
// list gives the reply's data that is an array.
// bare checks that there is no data.
// wrong checks the names of the fields that are reported as wrong.
// text gives a field that must be a string, and not empty.
// number gives a field that must be a JSON number.
// boolField gives a field that must be a boolean.
