package webtest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// Visitor is a browser without scripts: it keeps cookies, sends forms with the
// page's token, and follows nothing by itself. Everything that it was answered
// is searched for Aadhaar numbers when the test ends.
type Visitor struct {
	T    testing.TB
	Base string
	HTTP *http.Client
	CSRF string  // of the last page
	Seen *Ledger // every reply, head and body, and what the log was given
}

// Numbers that no page may ever show in full: the public demo numbers of the
// customer and of the agent.
const (
	CustomerAadhaar = "999941057058"
	AgentAadhaar    = "999933119405"
)

// Ledger is a buffer that many goroutines write to.
type Ledger struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (l *Ledger) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String gives all that was written.
func (l *Ledger) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Visit gives a visitor of a server; without a transport it finds local names. What it was answered is searched when the
// test ends.
func Visit(t testing.TB, base string, transport http.RoundTripper) *Visitor {
	t.Helper()
	if transport == nil {
		transport = Loopback()
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v := &Visitor{T: t, Base: base, Seen: &Ledger{}}
	v.HTTP = &http.Client{Jar: jar, Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return v
}

// Search fails the test for every Aadhaar number that a reply or a log line
// held.
func (v *Visitor) Search() {
	v.T.Helper()
	text := v.Seen.String()
	for _, number := range []string{CustomerAadhaar, AgentAadhaar} {
		for _, shape := range []string{number, number[:4] + " " + number[4:8] + " " + number[8:], number[:8], url.QueryEscape(number)} {
			if i := strings.Index(text, shape); i >= 0 {
				v.T.Errorf("an Aadhaar number was answered or logged: …%s…", strings.ReplaceAll(text[max(0, i-100):min(len(text), i+100)], shape, "(here)"))
			}
		}
	}
	if strings.Contains(text, "AadharNo") {
		v.T.Error("a request's body was answered or logged")
	}
}

var metaToken = regexp.MustCompile(`<meta name="csrf" content="([^"]+)">`)

// A text whose variable was not filled in, or a key without a text; and the
// attributes whose variables a script fills in.
var (
	bareText   = regexp.MustCompile(`\{[a-z]+\}|[>" ](?:told|status|form|field|fact|kind|home|unlock|day|step|rd|error|operations|receipt|time|number)\.[a-z-]+(?:\.[a-z-]+)*[<" ]|%![a-z]`)
	dataKey    = regexp.MustCompile(`<[^>]* data-key="([^"]*)"`)
	scriptText = regexp.MustCompile(`data-(?:spelling|wait-(?:text|note))="[^"]*"`)
)

// In is the visitor in a subtest.
func (v *Visitor) In(t testing.TB) *Visitor {
	sub := *v
	sub.T = t
	return &sub
}

// Do sends a request and gives the reply with its body read.
func (v *Visitor) Do(r *http.Request) (*http.Response, string) {
	v.T.Helper()
	reply, err := v.HTTP.Do(r)
	if err != nil {
		v.T.Fatal(err)
	}
	defer func() { _ = reply.Body.Close() }()
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		v.T.Fatal(err)
	}
	_ = reply.Header.Write(v.Seen)
	_, _ = v.Seen.Write(body)
	if strings.HasPrefix(reply.Header.Get("Content-Type"), "text/html") {
		if bare := bareText.Find(scriptText.ReplaceAll(body, nil)); bare != nil {
			v.T.Errorf("%s %s shows %q, which is no text for people", r.Method, r.URL.Path, bare)
		}
		keys := map[string]bool{}
		for _, m := range dataKey.FindAllSubmatch(body, -1) {
			if keys[string(m[1])] {
				v.T.Errorf("%s %s has the key %q twice: nobody knows what it presses", r.Method, r.URL.Path, m[1])
			}
			keys[string(m[1])] = true
		}
	}
	if m := metaToken.FindSubmatch(body); m != nil && len(m[1]) > 0 {
		v.CSRF = string(m[1])
	}
	return reply, string(body)
}

// Request makes a request of a path of the counter.
func (v *Visitor) Request(method, path string, body io.Reader) *http.Request {
	v.T.Helper()
	r, err := http.NewRequest(method, v.Base+path, body)
	if err != nil {
		v.T.Fatal(err)
	}
	return r
}

// Get opens a page and wants a status.
func (v *Visitor) Get(path string, status int) string {
	v.T.Helper()
	reply, body := v.Do(v.Request(http.MethodGet, path, nil))
	if reply.StatusCode != status {
		v.T.Fatalf("GET %s: HTTP %d, want %d: %s", path, reply.StatusCode, status, body)
	}
	return body
}

// Leads opens a page and gives where it leads.
func (v *Visitor) Leads(path string) string {
	v.T.Helper()
	reply, body := v.Do(v.Request(http.MethodGet, path, nil))
	if reply.StatusCode != http.StatusSeeOther {
		v.T.Fatalf("GET %s: HTTP %d: %s", path, reply.StatusCode, body)
	}
	return reply.Header.Get("Location")
}

// Form makes the request of a form with the page's token.
func (v *Visitor) Form(path string, fields ...string) *http.Request {
	v.T.Helper()
	values := url.Values{"csrf": {v.CSRF}}
	for i := 0; i < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	r := v.Request(http.MethodPost, path, strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", v.Base)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return r
}

// Post sends a form and wants a status; it gives the body, or where it leads.
func (v *Visitor) Post(path string, status int, fields ...string) string {
	v.T.Helper()
	reply, body := v.Do(v.Form(path, fields...))
	if reply.StatusCode != status {
		v.T.Fatalf("POST %s: HTTP %d, want %d: %s", path, reply.StatusCode, status, body)
	}
	if status == http.StatusSeeOther {
		return reply.Header.Get("Location")
	}
	return body
}

// Has fails unless a page holds every text.
func Has(t testing.TB, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("%q is not on the page:\n%s", text, page)
		}
	}
}

// HasNot fails if a page holds one of the texts.
func HasNot(t testing.TB, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(page, text) {
			t.Errorf("%q is on the page:\n%s", text, page)
		}
	}
}

var heading = regexp.MustCompile(`<h1[^>]*>([^<]*)</h1>`)

// Says gives the page's first heading.
func Says(t testing.TB, page string) string {
	t.Helper()
	m := heading.FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("the page has no heading:\n%s", page)
	}
	return strings.NewReplacer("&#39;", "'", "&#34;", `"`).Replace(m[1])
}
