package screen

import (
	"bytes"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// visitor is a browser without scripts: it keeps cookies, sends forms with the
// page's token, and follows nothing by itself. Everything that it was answered
// is searched for Aadhaar numbers when the test ends.
type visitor struct {
	t    *testing.T
	f    *fake
	s    *Screen
	base string
	http *http.Client
	csrf string
	seen *ledger // every reply, head and body, and the log
}

// ledger is a buffer that many goroutines write to.
type ledger struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *ledger) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// visit serves a screen over a fake counter, and opens it.
func visit(t *testing.T) *visitor {
	t.Helper()
	v := &visitor{t: t, f: newFake(), seen: &ledger{}}
	cfg := testConfig()
	cfg.Rand = rand.Reader
	cfg.Logger = slog.New(slog.NewTextHandler(v.seen, nil))
	var err error
	if v.s, err = New(v.f, cfg); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(v.s.Handler())
	t.Cleanup(srv.Close)
	t.Cleanup(v.s.close)
	v.base = srv.URL
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v.http = &http.Client{Jar: jar, Transport: srv.Client().Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	t.Cleanup(v.search)
	return v
}

// unlocked is visit with the right PIN given.
func unlocked(t *testing.T) *visitor {
	t.Helper()
	v := visit(t)
	v.get("/unlock", http.StatusOK)
	v.post("/unlock", http.StatusSeeOther, "pin", rightPIN)
	v.get("/", http.StatusOK)
	return v
}

// search fails the test for every Aadhaar number that a reply or a log line
// held.
func (v *visitor) search() {
	text := v.seen.b.String()
	for _, number := range []string{customerAadhaar, agentAadhaar} {
		for _, shape := range []string{number, number[:4] + " " + number[4:8] + " " + number[8:], number[:8], url.QueryEscape(number)} {
			if i := strings.Index(text, shape); i >= 0 {
				v.t.Errorf("an Aadhaar number was answered or logged: …%s…", strings.ReplaceAll(text[max(0, i-100):min(len(text), i+100)], shape, "(here)"))
			}
		}
	}
	if strings.Contains(text, "AadharNo") {
		v.t.Error("a request's body was answered or logged")
	}
}

var metaToken = regexp.MustCompile(`<meta name="csrf" content="([^"]+)">`)

// A text whose variable was not filled in, or a key without a text; and the
// attributes whose variables a script fills in.
var (
	bareText   = regexp.MustCompile(`\{[a-z]+\}|[>" ](?:told|status|form|field|fact|kind|home|unlock|day|step|rd|error|operations|receipt|time|number)\.[a-z-]+(?:\.[a-z-]+)*[<" ]|%![a-z]`)
	scriptText = regexp.MustCompile(`data-(?:spelling|wait-text)="[^"]*"`)
)

// in is the visitor in a subtest.
func (v *visitor) in(t *testing.T) *visitor {
	sub := *v
	sub.t = t
	return &sub
}

// do sends a request and gives the reply with its body read.
func (v *visitor) do(r *http.Request) (*http.Response, string) {
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
	_ = reply.Header.Write(v.seen)
	_, _ = v.seen.Write(body)
	if strings.HasPrefix(reply.Header.Get("Content-Type"), "text/html") {
		if bare := bareText.Find(scriptText.ReplaceAll(body, nil)); bare != nil {
			v.t.Errorf("%s %s shows %q, which is no text for people", r.Method, r.URL.Path, bare)
		}
	}
	if m := metaToken.FindSubmatch(body); m != nil && len(m[1]) > 0 {
		v.csrf = string(m[1])
	}
	return reply, string(body)
}

func (v *visitor) request(method, path string, body io.Reader) *http.Request {
	v.t.Helper()
	r, err := http.NewRequest(method, v.base+path, body)
	if err != nil {
		v.t.Fatal(err)
	}
	return r
}

// get opens a page and wants a status.
func (v *visitor) get(path string, status int) string {
	v.t.Helper()
	reply, body := v.do(v.request(http.MethodGet, path, nil))
	if reply.StatusCode != status {
		v.t.Fatalf("GET %s: HTTP %d, want %d: %s", path, reply.StatusCode, status, body)
	}
	return body
}

// leads opens a page and gives where it leads.
func (v *visitor) leads(path string) string {
	v.t.Helper()
	reply, body := v.do(v.request(http.MethodGet, path, nil))
	if reply.StatusCode != http.StatusSeeOther {
		v.t.Fatalf("GET %s: HTTP %d: %s", path, reply.StatusCode, body)
	}
	return reply.Header.Get("Location")
}

// form makes the request of a form with the page's token.
func (v *visitor) form(path string, fields ...string) *http.Request {
	v.t.Helper()
	values := url.Values{"csrf": {v.csrf}}
	for i := 0; i < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	r := v.request(http.MethodPost, path, strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", v.base)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return r
}

// post sends a form and wants a status; it gives the body, or where it leads.
func (v *visitor) post(path string, status int, fields ...string) string {
	v.t.Helper()
	reply, body := v.do(v.form(path, fields...))
	if reply.StatusCode != status {
		v.t.Fatalf("POST %s: HTTP %d, want %d: %s", path, reply.StatusCode, status, body)
	}
	if status == http.StatusSeeOther {
		return reply.Header.Get("Location")
	}
	return body
}

// has fails unless a page holds every text.
func has(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("%q is not on the page:\n%s", text, page)
		}
	}
}

func hasNot(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(page, text) {
			t.Errorf("%q is on the page:\n%s", text, page)
		}
	}
}

var heading = regexp.MustCompile(`<h1[^>]*>([^<]*)</h1>`)

// says gives the page's first heading.
func says(t *testing.T, page string) string {
	t.Helper()
	m := heading.FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("the page has no heading:\n%s", page)
	}
	return strings.NewReplacer("&#39;", "'", "&#34;", `"`).Replace(m[1])
}

// testRand is randomness for tests that need none in particular.
type testRand struct{}

func (testRand) Read(p []byte) (int, error) { return rand.Read(p) }
