package gateway

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"galla/central"
	"galla/central/accounts"
	"galla/central/api"
	"galla/central/cache"
	"galla/central/httpapi"
	"galla/central/keys"
	"galla/central/limits"
	"galla/central/selfservice"
	"galla/central/staff"
	"galla/central/store"
	"galla/central/store/pgtest"
	"galla/central/webhook"
	"galla/shared/envelope"
	"galla/shared/secret"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(withServer{m},
		// The HTTP server's own, which end by themselves after their next tick.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
}

// withServer runs the tests beside a server of PostgreSQL.
type withServer struct{ *testing.M }

func (w withServer) Run() int { return pgtest.Main(w.M.Run) }

const (
	v1 = central.VendorID("b0000000-0000-4000-8000-000000000001")
	v2 = central.VendorID("b0000000-0000-4000-8000-000000000002")
	m1 = "c0000000-0000-4000-8000-000000000001" // of v1
	m3 = "c0000000-0000-4000-8000-000000000003" // of v2

	apiKey1 = "vk_sandbox_sahyadri"
	apiKey2 = "vk_sandbox_deccan"
	keyID1  = central.KeyID("d0000000-0000-4000-8000-000000000001")
	keyID2  = central.KeyID("d0000000-0000-4000-8000-000000000002")

	plainRefusal = `{"statusCode":"03","message":"Not authenticated"}`
	withdrawal   = "/process/aeps/withdrawal"
	money        = `{"merchantId":"` + m1 + `","AadharNo":"999941057058","TxnAmount":500,"Latitude":"17.3","Longitude":"78.4","CustomerName":"Asha",` +
		`"PidData":"<PidData><Resp errCode='0'/><Skey>c2tleQ==</Skey><Hmac>aG1hYw==</Hmac><Data>ZGF0YQ==</Data></PidData>"}`
)

// counting gives the key whose bytes count up from first.
func counting(first byte) secret.Key {
	raw := make([]byte, envelope.KeySize)
	for i := range raw {
		raw[i] = first + byte(i)
	}
	return secret.NewKey(raw)
}

// fakeBank approves everything; hold makes it wait.
type fakeBank struct {
	sent atomic.Int64
	hold atomic.Pointer[chan struct{}]
}

func (b *fakeBank) Send(ctx context.Context, r central.BankRequest) (central.BankAnswer, error) {
	if r.Kind == central.KindWithdrawal { // and no authentication of the agent
		b.sent.Add(1)
	}
	if hold := b.hold.Load(); hold != nil && r.Kind == central.KindWithdrawal {
		select {
		case <-*hold:
		case <-ctx.Done():
			return central.BankAnswer{}, ctx.Err()
		}
	}
	return central.BankAnswer{Status: central.BankApproved, Code: "00", Message: "SUCCESS", STAN: r.STAN, RRN: "1", AuthCode: "A"}, nil
}

func (b *fakeBank) Enquire(context.Context, central.Reference) (central.BankAnswer, error) {
	return central.BankAnswer{}, errors.New("nobody asks")
}

func (b *fakeBank) Consult(context.Context, central.BankRequest) (central.BankAnswer, error) {
	return central.BankAnswer{Status: central.BankApproved, Code: "00", Message: "SUCCESS", Data: []byte(`{"status":"APPROVED"}`)}, nil
}

// logBuffer is a log that many may write.
type logBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (w *logBuffer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Buffer.Write(p)
}

func (w *logBuffer) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.String()
}

// system is a gateway behind a real HTTP server on a real port, over a real database,
// with everything but a bank.
type system struct {
	*Gateway
	watched  *watchedStore
	db       *store.DB
	keyStore *keys.VendorKeys
	bank     *fakeBank
	log      *logBuffer
	addr     string
	client   *http.Client
	vendor   *envelope.Key // of apiKey1
	calls    atomic.Int64  // that reached the handler
	quick    atomic.Bool   // the handler answers at once
}

// countingHandler counts what reaches a handler.
type countingHandler struct {
	central.Handler
	h *system
}

func (w *countingHandler) Handle(ctx context.Context, c central.Request) central.Reply {
	w.h.calls.Add(1)
	if strings.Contains(string(c.Body), `"panic":true`) {
		panic("as asked")
	}
	if w.h.quick.Load() {
		return central.Reply{HTTP: 200, Body: []byte(`{"statusCode":"00","message":"Transaction successful"}`)}
	}
	return w.Handler.Handle(ctx, c)
}

func testConfig(log io.Writer) Config {
	return Config{Rand: rand.Reader, Logger: slog.New(slog.NewJSONHandler(log, nil)), Explain: []central.KeyID{keyID1}}
}

func seed() store.Seed {
	merchant := func(id, mid string, v central.VendorID) central.Merchant {
		return central.Merchant{ID: central.MerchantID(id), MID: mid, LegalName: mid, Vendor: v, Status: central.MerchantApproved,
			HasInfo: true, AEPSReady: true, TID: mid[:3] + mid[5:], Mobile: "9000000001", Active: true}
	}
	return store.Seed{
		Vendors:   []central.Vendor{{ID: v1, LegalName: "One", Active: true}, {ID: v2, LegalName: "Two", Active: true}},
		Merchants: []central.Merchant{merchant(m1, "GAL0000001", v1), merchant(m3, "GAL0000003", v2)},
		KYC:       []central.ServiceKYC{{Merchant: m1, Service: central.ServiceAEPS, State: central.KYCApproved}},
	}
}

// startGateway starts a system.
func startGateway(t testing.TB, change func(*Config, *httpapi.Config)) *system {
	t.Helper()
	db, err := store.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "central.db"), store.Config{Node: "test", Logger: slog.New(slog.DiscardHandler)})
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	must(t, db.Seed(t.Context(), seed()))
	return startGatewayOn(t, db, change)
}

// watchedStore is what the gateway's watch reads. It can fail, and look like a database
// that another process changed.
type watchedStore struct {
	*store.DB
	fails   error
	changed atomic.Int64
}

func (s *watchedStore) Revisions(ctx context.Context) (cache.Revisions, error) {
	if s.fails != nil {
		return cache.Revisions{}, s.fails
	}
	return s.DB.Revisions(ctx)
}

func (s *watchedStore) Changes() int64 { return s.DB.Changes() + s.changed.Load() }

// newSelfService makes what vendors manage by themselves.
func newSelfService(t testing.TB, db *store.DB, ring *keys.VendorKeys) *selfservice.Service {
	t.Helper()
	log, err := staff.NewAuditLog(db, rand.Reader)
	must(t, err)
	vault, err := webhook.NewVault(db, []secret.Key{counting(1)}, rand.Reader)
	must(t, err)
	own, err := selfservice.New(selfservice.Parts{
		Keys: keys.NewAudited(ring, log), Clients: db, Secrets: accounts.NewAudited(accounts.NewClientIssuer(db, httpapi.HashSecret, rand.Reader), db, nil, log),
		Callbacks: webhook.NewAudited(db, vault, log, true), Merchants: db, Operations: db,
	})
	must(t, err)
	return own
}

// startGatewayOn starts a system on a database, as a further node.
func startGatewayOn(t testing.TB, db *store.DB, change func(*Config, *httpapi.Config)) *system {
	t.Helper()
	h := &system{db: db, bank: &fakeBank{}, log: &logBuffer{}}
	cfg := testConfig(h.log)
	rules, err := limits.Sandbox()
	must(t, err)
	notifier := central.NewNotifier()
	engine, err := central.NewEngine(db, h.bank, api.Renderer{}, notifier, central.EngineConfig{Node: "test", Rand: rand.Reader, Logger: cfg.Logger})
	must(t, err)
	h.keyStore, err = keys.NewVendorKeys(db, []secret.Key{counting(1)}, rand.Reader)
	must(t, err)
	handler, err := api.New(engine, central.NewTerminalRegistry(db, notifier, rand.Reader), db, db, db, api.Config{
		FingerprintKey: counting(9), UplinkURL: "ws://127.0.0.1/uplink", Audience: "galla", Limits: rules, UPIHandle: "galla",
		SelfService: newSelfService(t, db, h.keyStore), Rand: rand.Reader, Logger: cfg.Logger,
	})
	must(t, err)
	for _, k := range []keys.Issued{
		{ID: keyID1, Vendor: v1, APIKey: secret.NewToken(apiKey1), Key: counting(0)},
		{ID: keyID2, Vendor: v2, APIKey: secret.NewToken(apiKey2), Key: counting(0x40)},
	} {
		if err := h.keyStore.Put(t.Context(), k); err != nil && !errors.Is(err, central.ErrTaken) {
			t.Fatal(err)
		}
	}
	h.vendor, err = envelope.New(counting(0))
	must(t, err)
	outer := httpapi.Config{Issuer: "https://galla.test", Audience: "galla", Keys: []secret.Key{counting(3)}, Rates: db, Rand: rand.Reader, Logger: cfg.Logger}
	if change != nil {
		change(&cfg, &outer)
	}
	seen := &countingHandler{Handler: handler, h: h}
	h.watched = &watchedStore{DB: db}
	watch := cache.NewWatch(h.watched)
	h.Gateway, err = New(seen, db, h.keyStore, watch, cfg)
	must(t, err)
	outer.Gateway, outer.Explainer = h.Gateway, h.Gateway
	d, err := httpapi.New(seen, db, cache.NewParties(db, watch), outer)
	must(t, err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	h.addr = ln.Addr().String()
	transport := &http.Transport{MaxIdleConnsPerHost: 256}
	h.client = &http.Client{Transport: transport, Timeout: 30 * time.Second}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, run := range []func(context.Context) error{
		engine.Run, h.Run, func(ctx context.Context) error { return d.Run(ctx, ln) },
	} {
		running.Go(func() {
			if err := run(ctx); err != nil {
				t.Errorf("Run: %v", err)
			}
		})
	}
	t.Cleanup(func() {
		stop()
		transport.CloseIdleConnections()
		running.Wait()
	})
	// Before that, an operation gets 429.
	eventually(t, "the engine's start", engine.Running)
	return h
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// message is a sealed request, ready to be spoiled.
type message struct {
	method, path string
	headers      [][2]string
	body         []byte
	id           string
}

func newID() string { return uuid.NewString() }

func (h *system) seal(t testing.TB, method, path, plain string) message {
	t.Helper()
	return sealed(t, h.vendor, apiKey1, method, path, newID(), plain, time.Now())
}

func sealed(t testing.TB, key *envelope.Key, apiKey, method, path, id, plain string, at time.Time) message {
	t.Helper()
	head, body, err := key.SealRequest(method, path, apiKey, id, at, []byte(plain), rand.Reader)
	must(t, err)
	return message{method: method, path: path, body: body, id: id, headers: wire(head)}
}

func wire(h envelope.Headers) [][2]string {
	return [][2]string{
		{"X-Client-Id", h.ClientID}, {"X-Timestamp", h.Timestamp}, {"X-Request-Id", h.RequestID},
		{"X-IV", h.IV}, {"X-Tag", h.Tag}, {"X-Checksum", h.Checksum}, {"Content-Type", "application/json"},
	}
}

// with gives a copy with a header set; an empty value takes it away.
func (m message) with(name, value string) message {
	var headers [][2]string
	for _, h := range m.headers {
		if h[0] != name {
			headers = append(headers, h)
		} else if value != "" {
			headers = append(headers, [2]string{name, value})
		}
	}
	m.headers = headers
	return m
}

// and gives a copy with one more header.
func (m message) and(name, value string) message {
	m.headers = append(append([][2]string{}, m.headers...), [2]string{name, value})
	return m
}

func (m message) header(name string) string {
	for _, h := range m.headers {
		if h[0] == name {
			return h[1]
		}
	}
	return ""
}

// bytes writes a message as HTTP.
func (m message) bytes() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: galla\r\n", m.method, m.path)
	for _, h := range m.headers {
		fmt.Fprintf(&b, "%s: %s\r\n", h[0], h[1])
	}
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n", len(m.body))
	b.Write(m.body)
	return b.Bytes()
}

// answer is a reply as a vendor sees it.
type answer struct {
	status int
	header http.Header
	body   []byte // as sent
	plain  []byte // opened; nil where it is not sealed
	fields map[string]any
}

func (a answer) code() string {
	s, _ := a.fields["statusCode"].(string)
	return s
}

func (a answer) text(name string) string {
	s, _ := a.fields[name].(string)
	return s
}

// send sends a message over a connection of its own, byte by byte as it is.
func (h *system) send(t testing.TB, m message) answer {
	t.Helper()
	return h.raw(t, m.bytes(), m.method)
}

func (h *system) raw(t testing.TB, text []byte, method string) answer {
	t.Helper()
	res, body := h.bytes(t, text, method)
	return h.opened(t, res, body)
}

// exchange sends a message and gives the reply unopened.
func (h *system) exchange(t testing.TB, m message) (*http.Response, []byte) {
	t.Helper()
	return h.bytes(t, m.bytes(), m.method)
}

func (h *system) bytes(t testing.TB, text []byte, method string) (*http.Response, []byte) {
	t.Helper()
	c, err := net.Dial("tcp", h.addr)
	must(t, err)
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	go func() {
		_, _ = c.Write(text)
		_ = c.(*net.TCPConn).CloseWrite()
	}()
	res, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("no reply: %v", err)
	}
	body, err := io.ReadAll(res.Body)
	must(t, err)
	return res, body
}

// do sends a message over a connection that is kept.
func (h *system) do(t testing.TB, m message) answer {
	req, err := http.NewRequest(m.method, "http://"+h.addr+m.path, bytes.NewReader(m.body))
	must(t, err)
	for _, head := range m.headers {
		req.Header.Add(head[0], head[1])
	}
	res, err := h.client.Do(req)
	if err != nil {
		t.Error(err)
		return answer{}
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Error(err)
	}
	return h.opened(t, res, body)
}

// opened opens a sealed reply, and holds every reply to what all promise.
func (h *system) opened(t testing.TB, res *http.Response, body []byte) answer {
	t.Helper()
	a := answer{status: res.StatusCode, header: res.Header, body: body}
	text := body
	if res.Header.Get("X-Checksum") != "" {
		head := envelope.Headers{
			Timestamp: res.Header.Get("X-Timestamp"), RequestID: res.Header.Get("X-Request-Id"),
			IV: res.Header.Get("X-IV"), Tag: res.Header.Get("X-Tag"), Checksum: res.Header.Get("X-Checksum"),
		}
		payload, err := envelope.Payload(body)
		if err := errors.Join(err, head.Reply()); err != nil {
			t.Fatalf("HTTP %d: the reply's form: %v", res.StatusCode, err)
		}
		for _, first := range []byte{0, 0x40} {
			key, err := envelope.New(counting(first))
			must(t, err)
			if key.SignsReply(res.StatusCode, head, payload) {
				a.plain, err = key.Decrypt(head, payload)
				must(t, err)
			}
		}
		if a.plain == nil {
			t.Fatalf("HTTP %d: the reply is not signed", res.StatusCode)
		}
		text = a.plain
	}
	if err := json.Unmarshal(text, &a.fields); err != nil && len(text) > 0 {
		t.Fatalf("HTTP %d is no JSON: %s", res.StatusCode, text)
	}
	if got := res.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type is %q", got)
	}
	return a
}

// refusedPlain holds an answer to the one refusal.
func refusedPlain(t testing.TB, what string, a answer) {
	t.Helper()
	if a.status != 401 || string(a.body) != plainRefusal || a.header.Get("X-Checksum") != "" {
		t.Errorf("%s: HTTP %d %s, want the plain 401", what, a.status, a.body)
	}
}

// sealedAs holds an answer to a sealed one.
func sealedAs(t testing.TB, what string, a answer, status int, code string) {
	t.Helper()
	if a.status != status || a.plain == nil || a.code() != code {
		t.Errorf("%s: HTTP %d %s (sealed %t), want a sealed %d, %s", what, a.status, a.body, a.plain != nil, status, code)
	}
}

// checksum is gateway.md's, written out once more.
func checksum(key secret.Key, text string) string {
	derive := hmac.New(sha256.New, key.Reveal())
	derive.Write([]byte("galla/gateway/checksum/v1"))
	mac := hmac.New(sha256.New, derive.Sum(nil))
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}
