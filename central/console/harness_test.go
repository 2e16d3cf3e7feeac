package console

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central/accounts"
	"galla/central/reconcile"
	"galla/central/staff"
	"galla/central/store"
	"galla/shared/password"
	"galla/shared/secret"
)

var cheap = password.Cost{Memory: 8, Passes: 1, Lanes: 1}

// localName is the installation's own name.
const localName = "galla-abcdefghijklmnop.localhost"

const rightPassword = "green tea at four"

// harness is a console over a database, served over TLS.
type harness struct {
	db             *store.DB
	staff          *staff.Service
	vault          *staff.Vault
	reconciliation *reconcile.Service
	console        *Console
	server         *httptest.Server
	log            strings.Builder
	place          string // of the database
}

// factors are the second factors of the people, by login.
func key(login string) secret.Key {
	sum := sha256.Sum256([]byte(login))
	return secret.NewKey(sum[:20])
}

func newHarness(t testing.TB) *harness {
	t.Helper()
	h := &harness{}
	log := slog.New(slog.NewTextHandler(&h.log, nil))
	place := filepath.Join(t.TempDir(), "central.db")
	h.place = place
	begin(t, place)
	var err error
	if h.db, err = store.OpenSQLite(t.Context(), place, store.Config{Node: "test", Logger: slog.New(slog.DiscardHandler)}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.db.Close() })
	sum := sha256.Sum256([]byte("master"))
	if h.vault, err = staff.NewVault(h.db, h.db, []secret.Key{secret.NewKey(sum[:])}, rand.Reader); err != nil {
		t.Fatal(err)
	}
	if h.staff, err = staff.New(h.db.ForStaff(), h.vault, staff.Config{Rand: rand.Reader, Logger: log, Cost: cheap}); err != nil {
		t.Fatal(err)
	}
	for login, role := range map[string]staff.Role{"vikram": staff.Viewer, "ravi": staff.Operator, "meera": staff.Operator, "asha": staff.Admin} {
		err := h.staff.EnsurePreset(t.Context(), staff.Preset{
			Login: login, Name: strings.ToUpper(login[:1]) + login[1:] + " Rao", Role: role, Password: secret.NewToken(rightPassword), Factor: key(login),
		}, staff.Actor{From: "test"})
		if err != nil {
			t.Fatal(err)
		}
	}
	if h.reconciliation, err = reconcile.New(h.db, h.db, h.db, "central-1"); err != nil {
		t.Fatal(err)
	}
	parts := h.parts()
	parts.Reports = h.reportParts(t)
	if h.console, err = New(parts, Config{Node: "central-1", LocalName: localName, Rand: rand.Reader, Logger: log}); err != nil {
		t.Fatal(err)
	}
	h.server = httptest.NewTLSServer(h.console.Handler())
	h.server.URL = "https://example.com:443" // the test's certificate has the name, and its client leads there
	t.Cleanup(h.server.Close)
	return h
}

// sealedLog is a log that was verified an hour ago.
type sealedLog struct{}

func (sealedLog) LogState(context.Context) (LogState, error) {
	return LogState{Size: 12_345, SignedAt: time.Now().Add(-4 * time.Second), VerifiedAt: time.Now().Add(-time.Hour)}, nil
}

func (h *harness) parts() Parts {
	return Parts{Staff: h.staff, Vault: h.vault, Operations: h.db, Callbacks: h.db, Payments: h.db, CustomerKey: func(mobile string) accounts.CustomerKey { return accounts.CustomerByMobile(key("mobiles"), mobile) }, Reconciliation: reconcile.NewAudited(h.reconciliation, h.staff.AuditLog, h.vault, h.staff.Independent), Log: sealedLog{}}
}

// browser is a browser without scripts: it keeps cookies, sends forms with the page's
// token, and follows no redirects.
type browser struct {
	t    testing.TB
	h    *harness
	http *http.Client
	csrf string // of the last page
}

func (h *harness) browser(t testing.TB) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t: t, h: h, http: &http.Client{
		Jar: jar, Transport: h.server.Client().Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
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

func (v *browser) request(method, path string, body io.Reader) *http.Request {
	v.t.Helper()
	r, err := http.NewRequest(method, v.h.server.URL+path, body)
	if err != nil {
		v.t.Fatal(err)
	}
	return r
}

// get opens a page and expects a status; it returns the body, or the redirect's
// address.
func (v *browser) get(path string, status int) string {
	v.t.Helper()
	reply, body := v.do(v.request(http.MethodGet, path, nil))
	return v.wants(reply, body, status)
}

func (v *browser) wants(reply *http.Response, body string, status int) string {
	v.t.Helper()
	if reply.StatusCode != status {
		v.t.Fatalf("%s %s: HTTP %d, want %d: %s", reply.Request.Method, reply.Request.URL.Path, reply.StatusCode, status, body)
	}
	if status == http.StatusSeeOther {
		return reply.Header.Get("Location")
	}
	return body
}

// form makes the request of a form with the page's token.
func (v *browser) form(path string, fields ...string) *http.Request {
	v.t.Helper()
	values := url.Values{"csrf": {v.csrf}}
	for i := 0; i < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	r := v.request(http.MethodPost, path, strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", v.h.server.URL)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return r
}

// post sends a form and expects a status; it returns the body, or the redirect's
// address.
func (v *browser) post(path string, status int, fields ...string) string {
	v.t.Helper()
	reply, body := v.do(v.form(path, fields...))
	return v.wants(reply, body, status)
}

// enter signs in and types a code for privileged forms. A code is accepted once, so
// everybody signs in once in a test.
func (v *browser) enter(login string) *browser {
	v.t.Helper()
	return v.signsIn(login).proves(login)
}

// nextCode is the code after the present one, which the sign-in uses.
func (v *browser) nextCode(login string) string {
	v.t.Helper()
	code, err := staff.NewFactor(login, key(login)).CodeAt(time.Now().Add(30 * time.Second))
	if err != nil {
		v.t.Fatal(err)
	}
	return code.Reveal()
}

func (v *browser) proves(login string) *browser {
	v.t.Helper()
	if to := v.post("/console/step-up", http.StatusSeeOther, "step_up", v.nextCode(login), "next", "/console/me"); to != "/console/me" {
		v.t.Fatalf("the step-up leads to %s", to)
	}
	return v
}

func (v *browser) signsIn(login string) *browser {
	v.t.Helper()
	v.get("/console/sign-in", http.StatusOK)
	code, err := staff.NewFactor(login, key(login)).CodeAt(time.Now())
	if err != nil {
		v.t.Fatal(err)
	}
	if to := v.post("/console/sign-in", http.StatusSeeOther, "login", login, "password", rightPassword, "code", code.Reveal()); to != "/console/" {
		v.t.Fatalf("signing in leads to %s", to)
	}
	v.get("/console/me", http.StatusOK)
	return v
}

// did lists the audit log, oldest first.
func (h *harness) did(t testing.TB) (list []string) {
	t.Helper()
	entries, err := h.staff.Entries(t.Context(), staff.AuditQuery{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Person != "" {
			list = append([]string{fmt.Sprintf("%s %s/%s %s", e.Action, e.Person, e.Subject, e.Outcome)}, list...)
		}
	}
	return list
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

func base32Key(text string) ([]byte, error) {
	return base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(text)
}

// migrated is an empty database: each test copies it, since migrations take most of a
// test's time.
var migrated = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "galla-migrated")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	place := filepath.Join(folder, "central.db")
	db, err := store.OpenSQLite(context.Background(), place, store.Config{Node: "test", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(place)
})

// begin copies a migrated database to a place where there is none.
func begin(t testing.TB, place string) {
	t.Helper()
	if _, err := os.Stat(place); err == nil {
		return
	}
	content, err := migrated()
	if err == nil {
		err = os.WriteFile(place, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
