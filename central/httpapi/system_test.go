package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/central/api"
	"galla/central/limits"
	"galla/central/payments"
	"galla/central/ratelimit"
	"galla/central/store"
	"galla/shared/password"
	"galla/shared/secret"
)

const (
	m1 = central.MerchantID("c0000000-0000-4000-8000-000000000001")
	m4 = central.MerchantID("c0000000-0000-4000-8000-000000000004")
	v1 = central.VendorID("b0000000-0000-4000-8000-000000000001")
	v2 = central.VendorID("b0000000-0000-4000-8000-000000000002")
	a1 = central.AggregatorID("a0000000-0000-4000-8000-000000000001")

	clientSecret = "sandbox-merchant-1"
	pid          = `<PidData><Resp errCode='0'/><Skey>c2tleQ==</Skey><Hmac>aG1hYw==</Hmac><Data>ZGF0YQ==</Data></PidData>`
	money        = `{"AadharNo":"999941057058","TxnAmount":500,"Latitude":"17.3","Longitude":"78.4","CustomerName":"Shivshankar","PidData":"` + pid + `"}`
)

// cheap is a hash of the least cost: the tests' many checks need not be slow.
func cheap(s string) string {
	text, err := password.Hash(secret.NewToken(s), strings.NewReader("salt of the test"), password.Cost{Memory: 64, Passes: 1, Lanes: 1})
	if err != nil {
		panic(err)
	}
	return text
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

func (w *logBuffer) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Buffer.String()
}

// system is a Server on a real port, with everything behind it but a bank.
type system struct {
	*Server
	directory *fakeDirectory
	executor  *fakeExecutor
	log       *logBuffer
	addr      string
	client    *http.Client
	stop      context.CancelFunc
	ended     chan error
}

func seed(b byte) secret.Key { return secret.NewKey(bytes.Repeat([]byte{b}, 32)) }

// memoryRates are shared rates without a database.
type memoryRates struct {
	mu      sync.Mutex
	buckets map[string]ratelimit.Bucket
}

func rates() *memoryRates { return &memoryRates{buckets: map[string]ratelimit.Bucket{}} }

func (r *memoryRates) TakeRateTokens(_ context.Context, name string, rate ratelimit.Rate, want int, now time.Time) (int, time.Duration, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	left, given, wait := r.buckets[name].Take(rate, want, now)
	if given > 0 {
		r.buckets[name] = left
	}
	return given, wait, nil
}

func (r *memoryRates) RateTokenWait(_ context.Context, name string, rate ratelimit.Rate, now time.Time) (time.Duration, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, _, wait := r.buckets[name].Take(rate, 1, now)
	return wait, nil
}

// ratesIn are those of a database of its own.
func ratesIn(t testing.TB, dir string) ratelimit.Buckets {
	t.Helper()
	db, err := store.OpenSQLite(context.Background(), filepath.Join(dir, "central.db"), store.Config{Node: "test", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func testConfig(log io.Writer) Config {
	return Config{
		Issuer: "https://galla.test", Audience: "galla", Keys: []secret.Key{seed(1), seed(2)}, Rates: rates(),
		Rand: rand.Reader, Logger: slog.New(slog.NewJSONHandler(log, nil)),
	}
}

// startServer starts a system; change alters its configuration and handler.
func startServer(t testing.TB, change func(*Config, *central.Handler)) *system {
	t.Helper()
	h := &system{
		directory: newFakeDirectory(), log: &logBuffer{}, ended: make(chan error, 1),
		executor: &fakeExecutor{known: map[string]central.Operation{}, began: make(chan struct{}, 16)},
	}
	cfg := testConfig(h.log)
	rules, err := limits.Sandbox()
	if err != nil {
		t.Fatal(err)
	}
	real, err := api.New(h.executor, fakeRegistry{}, h.directory, h.directory, h.directory, api.Config{
		Payments:       noPayments{},
		FingerprintKey: seed(7), UplinkURL: "ws://127.0.0.1/uplink", Audience: "galla",
		Limits: rules, UPIHandle: "galla", Rand: rand.Reader, Logger: cfg.Logger,
	})
	if err != nil {
		t.Fatal(err)
	}
	var handler central.Handler = real
	if change != nil {
		change(&cfg, &handler)
	}
	if h.Server, err = New(handler, h.directory, h.directory, cfg); err != nil {
		t.Fatal(err)
	}
	h.secrets.dummy = cheap("nobody's")
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	h.addr, h.stop = ln.Addr().String(), stop
	transport := &http.Transport{}
	h.client = &http.Client{Transport: transport, Timeout: 30 * time.Second}
	go func() { h.ended <- h.Run(ctx, ln) }()
	t.Cleanup(func() {
		stop()
		transport.CloseIdleConnections()
		if err := <-h.ended; err != nil {
			t.Errorf("Run: %v", err)
		}
		h.ended <- nil
	})
	return h
}

// answer is a reply as a caller sees it.
type answer struct {
	status int
	header http.Header
	body   []byte
	fields map[string]any
}

func (a answer) text(field string) string {
	s, _ := a.fields[field].(string)
	return s
}

func (h *system) do(t testing.TB, method, path, body string, headers ...string) answer {
	t.Helper()
	req, err := http.NewRequest(method, "http://"+h.addr+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	res, err := h.client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return checked(t, res, text)
}

// checked holds every reply to what all replies promise.
func checked(t testing.TB, res *http.Response, text []byte) answer {
	t.Helper()
	a := answer{status: res.StatusCode, header: res.Header, body: text}
	if res.Request != nil && res.Request.Method == http.MethodHead {
		return a
	}
	if err := json.Unmarshal(text, &a.fields); err != nil {
		t.Fatalf("HTTP %d is no JSON object: %v\n%s", res.StatusCode, err, text)
	}
	if got := res.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type is %q", got)
	}
	for _, name := range []string{"X-Request-Id", "X-Content-Type-Options", "Cache-Control", "Content-Security-Policy"} {
		if res.Header.Get(name) == "" {
			t.Errorf("HTTP %d has no %s", res.StatusCode, name)
		}
	}
	if res.Header.Get("Server") != "" {
		t.Errorf("the server names itself: %q", res.Header.Get("Server"))
	}
	return a
}

func expect(t testing.TB, a answer, status int, statusCode string) answer {
	t.Helper()
	if a.status != status || a.text("statusCode") != statusCode {
		t.Fatalf("HTTP %d %s; want %d, %s", a.status, a.body, status, statusCode)
	}
	return a
}

func form(pairs ...string) string {
	values := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		values.Add(pairs[i], pairs[i+1])
	}
	return values.Encode()
}

func (h *system) grant(t testing.TB, body string, headers ...string) answer {
	t.Helper()
	return h.do(t, "POST", "/oauth/token", body, append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
}

// token gives a Bearer header's value.
func (h *system) token(t testing.TB, client, clientSecret string) string {
	t.Helper()
	a := h.grant(t, form("grant_type", "client_credentials", "client_id", client, "client_secret", clientSecret))
	if a.status != 200 {
		t.Fatalf("no token: HTTP %d %s", a.status, a.body)
	}
	return "Bearer " + a.text("access_token")
}

func (h *system) merchantToken(t testing.TB) string {
	return h.token(t, "merchant-lakshmi", clientSecret)
}

// rawRequest sends bytes as they are and gives all replies until the peer closes.
func (h *system) rawRequest(t testing.TB, text string) []answer {
	t.Helper()
	c, err := net.Dial("tcp", h.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	if half, ok := c.(*net.TCPConn); ok {
		_ = half.CloseWrite()
	}
	var all []answer
	in := bufio.NewReader(c)
	for {
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return all
		}
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatalf("reply %d of %q: %v", len(all)+1, text, err)
		}
		all = append(all, checked(t, res, body))
	}
}

// request writes an HTTP request by hand.
func request(line string, headers []string, body string) string {
	return fmt.Sprintf("%s\r\nHost: galla\r\n%s\r\n\r\n%s", line, strings.Join(headers, "\r\n"), body)
}

// noPayments is a central that received nothing.
type noPayments struct{}

func (noPayments) AddCode(context.Context, payments.Code) error { return nil }
func (noPayments) Order(context.Context, central.MerchantID, string) ([]payments.Code, []payments.Payment, error) {
	return nil, nil, nil
}
func (noPayments) List(context.Context, payments.Filter) ([]payments.Payment, error) { return nil, nil }
