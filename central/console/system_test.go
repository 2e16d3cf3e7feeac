package console_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central/bank/simbank"
	"galla/central/console"
	"galla/central/server"
	"galla/central/staff"
	"galla/central/store"
	"galla/rdservice/rdcrypto"
	"galla/shared/envelope"
	"galla/shared/freeport"
	"galla/shared/localname"
	"galla/shared/partner"
	"galla/shared/seal"
	"galla/shared/secret"
)

// The sandbox's parties (sandbox.md).
const (
	vendor    = "b0000000-0000-4000-8000-000000000001" // Sahyadri Fintech
	shop      = "c0000000-0000-4000-8000-000000000001" // Lakshmi Kirana Store, of it, approved
	newcomer  = "c0000000-0000-4000-8000-000000000004" // pending
	sandboxIn = "sandbox-console-1"
)

// system is a whole central with the sandbox's bank behind it.
type system struct {
	cfg  server.Config
	db   *store.DB // the central's database
	raw  *sql.DB   // the same, for rows that no method writes; nil where none are needed
	bank *simbank.Bank
	log  *lines
}

// lines is a log that is read while it is written.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// listening opens a loopback address.
func listening(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// runs runs a part until the test ends.
func runs(t testing.TB, name string, run func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("%s: %v", name, err)
		}
	})
}

// testAuthority is the test authority of fingerprint readers.
type testAuthority struct {
	cert *x509.Certificate
	key  *rsa.PrivateKey
}

// authority makes the one of all tests: an RSA key takes long to find.
var authority = sync.OnceValues(func() (testAuthority, error) {
	folder, err := os.MkdirTemp("", "galla-authority")
	if err != nil {
		return testAuthority{}, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	cert, key, err := rdcrypto.EnsureAuthority(folder, rand.Reader)
	return testAuthority{cert, key}, err
})

func newSystem(t testing.TB) *system {
	t.Helper()
	return newSystemOn(t, func(*server.Config, string) {})
}

// newSystemOn is newSystem with a database that prepare filled or replaced: it gets the
// central's settings and the place of a migrated SQLite database.
func newSystemOn(t testing.TB, prepare func(cfg *server.Config, place string)) *system {
	t.Helper()
	h := &system{log: &lines{}}
	data, quiet := t.TempDir(), slog.New(slog.DiscardHandler)
	public, line := listening(t), listening(t)
	h.cfg = server.Config{
		Addr: freeport.For(t), AdminAddr: freeport.For(t), UplinkAddr: freeport.For(t), BankURL: "http://" + line.Addr().String(), Data: data,
		Sandbox: true, Node: "central-1", Rand: rand.Reader, Logger: slog.New(slog.NewTextHandler(h.log, nil)),
	}
	key, err := seal.EnsureKeyFile(filepath.Join(data, "keys", "bank-network.key"), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	devices, err := authority()
	if err != nil {
		t.Fatal(err)
	}
	once := func(l net.Listener) func(context.Context) (net.Listener, error) {
		return func(context.Context) (net.Listener, error) { return l, nil }
	}
	bank, err := simbank.New(t.Context(), simbank.Config{
		DataDir: filepath.Join(data, "bank"), NetworkKey: key, AuthorityKey: devices.key, AuthorityCert: devices.cert,
		ListenPublic: once(public), ListenNetwork: once(line), TimeScale: 0.1, NotifyURL: "http://" + h.cfg.Addr, Rand: rand.Reader, Logger: quiet,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bank.Close() })
	h.bank = bank
	runs(t, "bank", bank.Run)
	place := filepath.Join(data, "central", "central.db")
	if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
		t.Fatal(err)
	}
	console.Begin(t, place)
	prepare(&h.cfg, place)
	runs(t, "central", func(ctx context.Context) error { return server.Run(ctx, h.cfg) })
	h.untilReady(t)
	if url := h.cfg.DatabaseURL.Reveal(); url != "" {
		h.db, err = store.OpenPostgres(t.Context(), url, store.Config{Node: "test", Logger: quiet})
	} else {
		h.db, err = store.OpenSQLite(t.Context(), place, store.Config{Node: "test", Logger: quiet})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.db.Close() })
	return h
}

func (h *system) untilReady(t testing.TB) {
	t.Helper()
	limit, end := context.WithTimeout(t.Context(), 2*time.Minute) // a busy machine
	defer end()
	for {
		reply, err := http.Get("http://" + h.cfg.AdminAddr + "/readyz")
		if err == nil {
			_ = reply.Body.Close()
			if reply.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-limit.Done():
			t.Fatalf("the central is not ready: %s", h.log)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// people are the sandbox's staff, with the first byte of their factors.
var people = map[staff.Role]byte{staff.Admin: 0, staff.Operator: 0x20, staff.Viewer: 0x40}

// code returns a person's present code.
func code(t testing.TB, role staff.Role) string { return codeAt(t, role, time.Now()) }

func nextCode(t testing.TB, role staff.Role) string {
	return codeAt(t, role, time.Now().Add(30*time.Second))
}

func codeAt(t testing.TB, role staff.Role, at time.Time) string {
	t.Helper()
	raw := make([]byte, 20)
	for i := range raw {
		raw[i] = people[role] + byte(i)
	}
	otp, err := staff.NewFactor("sandbox-"+string(role), secret.NewKey(raw)).CodeAt(at)
	if err != nil {
		t.Fatal(err)
	}
	return otp.Reveal()
}

// browser is a browser without scripts.
type browser struct {
	t    testing.TB
	base string
	http *http.Client
	csrf string // of the last page
}

func (h *system) browser(t testing.TB) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t: t, base: h.console(t), http: &http.Client{
		Jar: plainJar{jar}, Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, h.cfg.AdminAddr) // Go asks name servers for names of the machine itself
		}}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// console is where a browser opens it, without a path.
func (h *system) console(t testing.TB) string {
	t.Helper()
	name, err := localname.Read(filepath.Join(h.cfg.Data, "central"))
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(h.cfg.AdminAddr)
	return "http://" + net.JoinHostPort(name, port)
}

// plainJar gives secure cookies over the loopback interface, as browsers do.
type plainJar struct{ http.CookieJar }

func (j plainJar) Cookies(u *url.URL) []*http.Cookie {
	over := *u
	over.Scheme = "https"
	return j.CookieJar.Cookies(&over)
}

var token = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

func (v *browser) do(r *http.Request) (*http.Response, string) {
	v.t.Helper()
	reply, err := v.http.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = reply.Body.Close() }()
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	if m := token.FindSubmatch(body); m != nil {
		v.csrf = string(m[1])
	}
	return reply, string(body)
}

func (v *browser) wants(reply *http.Response, body string, status int) string {
	v.t.Helper()
	if reply.StatusCode != status {
		v.t.Fatalf("%s %s: HTTP %d, want %d: %s", reply.Request.Method, reply.Request.URL, reply.StatusCode, status, body)
	}
	if status == http.StatusSeeOther {
		return reply.Header.Get("Location")
	}
	return body
}

func (v *browser) get(path string, status int) string {
	v.t.Helper()
	r, err := http.NewRequest(http.MethodGet, v.base+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	reply, body := v.do(r)
	return v.wants(reply, body, status)
}

// form makes the request of a form with the last page's token.
func (v *browser) form(path string, fields ...string) *http.Request {
	v.t.Helper()
	values := url.Values{"csrf": {v.csrf}}
	for i := 0; i < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	r, err := http.NewRequest(http.MethodPost, v.base+path, strings.NewReader(values.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", v.base)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return r
}

func (v *browser) post(path string, status int, fields ...string) string {
	v.t.Helper()
	reply, body := v.do(v.form(path, fields...))
	return v.wants(reply, body, status)
}

// signsIn signs in without a code for privileged forms. Everybody does it once in a
// test, since a code is accepted once.
func (h *system) signsIn(t testing.TB, role staff.Role) *browser {
	t.Helper()
	v := h.browser(t)
	v.get("/console/sign-in", http.StatusOK)
	v.post("/console/sign-in", http.StatusSeeOther, "login", "sandbox-"+string(role), "password", sandboxIn, "code", code(t, role))
	v.get("/console/me", http.StatusOK)
	return v
}

// enter signs in and types a code for privileged forms.
func (h *system) enter(t testing.TB, role staff.Role) *browser {
	t.Helper()
	v := h.signsIn(t, role)
	v.post("/console/step-up", http.StatusSeeOther, "step_up", nextCode(t, role), "next", "/console/me")
	return v
}

// auditEntries lists the audit log's entries of an action, newest first.
func (h *system) auditEntries(t testing.TB, what staff.Action) (list []string) {
	t.Helper()
	entries, err := h.db.AuditEntries(t.Context(), staff.AuditQuery{Action: what, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, fmt.Sprintf("%s %s %s: %s→%s %s", e.Person, e.Subject, e.Outcome, e.Was, e.Became, e.Note))
	}
	return list
}

// call makes a request at the direct entrance as a client of the sandbox, and returns
// the HTTP status and the text of the reply.
func (h *system) call(t testing.TB, client, clientSecret, method, path, body string) (int, string) {
	t.Helper()
	bearer, status, text := h.token(t, client, clientSecret)
	if bearer == "" {
		return status, text
	}
	return h.as(t, bearer, method, path, body)
}

func (h *system) token(t testing.TB, client, clientSecret string) (bearer string, status int, text string) {
	t.Helper()
	reply, err := http.PostForm("http://"+h.cfg.Addr+"/oauth/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {client}, "client_secret": {clientSecret}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reply.Body.Close() }()
	var granted struct {
		Token   string `json:"access_token"`
		Message string `json:"message"`
	}
	if err := json.NewDecoder(reply.Body).Decode(&granted); err != nil {
		t.Fatal(err)
	}
	return granted.Token, reply.StatusCode, granted.Message
}

func (h *system) as(t testing.TB, bearer, method, path, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(method, "http://"+h.cfg.Addr+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+bearer)
	r.Header.Set("Content-Type", "application/json")
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reply.Body.Close() }()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, string(text)
}

// sealed makes a vendor's request at the gateway, as its program does, and returns
// what the opened reply says.
func (h *system) sealed(t testing.TB, method, route string, body any) (int, string) {
	t.Helper()
	key, err := envelope.ParseKey("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
	if err != nil {
		t.Fatal(err)
	}
	program, err := partner.New(partner.Config{BaseURL: "http://" + h.cfg.Addr, ClientID: "vk_sandbox_sahyadri", Key: key, Rand: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	reply, err := program.Call(t.Context(), method, route, body)
	if err != nil {
		t.Fatalf("%s %s, sealed: %v", method, route, err)
	}
	return reply.Status, reply.Code + " " + reply.Message
}

func has(t testing.TB, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("%q is not on the page:\n%s", text, page)
		}
	}
}

func hasNot(t testing.TB, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(page, text) {
			t.Errorf("%q is on the page:\n%s", text, page)
		}
	}
}
