package uitest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Client is a browser without scripts: it keeps cookies, sends forms with the page's
// token, and follows no redirects. When the test ends, all replies are searched for
// Aadhaar numbers.
type Client struct {
	T          testing.TB
	Base       string
	HTTP       *http.Client
	CSRF       string      // of the last page
	Transcript *Transcript // every reply, head and body, and the log
}

// Numbers that no page may ever show in full: the public demo numbers of customer and
// agent.
const (
	CustomerAadhaar = "999941057058"
	AgentAadhaar    = "999933119405"
)

// Transcript is a buffer for concurrent writers.
type Transcript struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (l *Transcript) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String returns everything written.
func (l *Transcript) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// NewClient returns a client of a server; without a transport it resolves local names. Its
// replies are searched when the test ends.
func NewClient(t testing.TB, base string, transport http.RoundTripper) *Client {
	t.Helper()
	if transport == nil {
		transport = LoopbackTransport()
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v := &Client{T: t, Base: base, Transcript: &Transcript{}}
	v.HTTP = &http.Client{Jar: jar, Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return v
}

// CheckNoSecrets fails the test for every Aadhaar number in a reply or log line.
func (v *Client) CheckNoSecrets() {
	v.T.Helper()
	text := v.Transcript.String()
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

// What no page may show: a text with an unfilled variable, and one that a template could
// not format. A script fills in the variables of some attributes.
var (
	unfilled   = regexp.MustCompile(`\{[a-z]+\}`)
	misformed  = regexp.MustCompile(`%![a-z]`)
	dataKey    = regexp.MustCompile(` data-key="([^"]*)"`)
	scriptText = regexp.MustCompile(`data-(?:spelling|wait-(?:text|note))="[^"]*"`)
)

// textKey is a key of the texts; its first part is one of textSections. Pages have many
// words, so the expression sees only those that begin as a key does.
var (
	textKey      = regexp.MustCompile(`^(?:\.[a-z-]+)+$`)
	textSections = strings.Fields(`app status form field fact kind home unlock signin op connection deadline rate finger consent statement step rd code error
		confirm settings cash operations receipt slip time number dayend history dmt onboarding upi users printer customer readers help precluded`)
)

// notForPeople returns the first thing on a page that is no text for people; nil: none.
func notForPeople(page []byte) []byte {
	page = scriptText.ReplaceAll(page, nil)
	for _, wrong := range []*regexp.Regexp{unfilled, misformed} {
		if found := wrong.Find(page); found != nil {
			return found
		}
	}
	for word := range bytes.FieldsFuncSeq(page, func(r rune) bool { return r == '>' || r == '<' || r == '"' || r == ' ' }) {
		if i := bytes.IndexByte(word, '.'); i > 0 && slices.Contains(textSections, string(word[:i])) && textKey.Match(word[i:]) {
			return word
		}
	}
	return nil
}

// WithT returns the client for a subtest.
func (v *Client) WithT(t testing.TB) *Client {
	sub := *v
	sub.T = t
	return &sub
}

// Do sends a request and returns the reply with its body.
func (v *Client) Do(r *http.Request) (*http.Response, string) {
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
	_ = reply.Header.Write(v.Transcript)
	_, _ = v.Transcript.Write(body)
	if strings.HasPrefix(reply.Header.Get("Content-Type"), "text/html") {
		if bare := notForPeople(body); bare != nil {
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

// Request makes a request for a path of the counter.
func (v *Client) Request(method, path string, body io.Reader) *http.Request {
	v.T.Helper()
	r, err := http.NewRequest(method, v.Base+path, body)
	if err != nil {
		v.T.Fatal(err)
	}
	return r
}

// Get requests a page and expects a status.
func (v *Client) Get(path string, status int) string {
	v.T.Helper()
	reply, body := v.Do(v.Request(http.MethodGet, path, nil))
	if reply.StatusCode != status {
		v.T.Fatalf("GET %s: HTTP %d, want %d: %s", path, reply.StatusCode, status, body)
	}
	return body
}

var staticFile = regexp.MustCompile(`"(/static/[^"]+)"`)

// Weight returns the size of a page with all the files that it names, in bytes.
func (v *Client) Weight(path string) int {
	v.T.Helper()
	page := v.Get(path, http.StatusOK)
	weight, counted := len(page), map[string]bool{}
	for _, m := range staticFile.FindAllStringSubmatch(page, -1) {
		if !counted[m[1]] {
			counted[m[1]] = true
			weight += len(v.Get(m[1], http.StatusOK))
		}
	}
	return weight
}

// GetRedirect requests a page and returns where it redirects to.
func (v *Client) GetRedirect(path string) string {
	v.T.Helper()
	reply, body := v.Do(v.Request(http.MethodGet, path, nil))
	if reply.StatusCode != http.StatusSeeOther {
		v.T.Fatalf("GET %s: HTTP %d: %s", path, reply.StatusCode, body)
	}
	return reply.Header.Get("Location")
}

// Form makes the request of a form with the page's token.
func (v *Client) Form(path string, fields ...string) *http.Request {
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

// Post sends a form and expects a status; it returns the body, or the redirect's target.
func (v *Client) Post(path string, status int, fields ...string) string {
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

// Contains fails unless a page has every text.
func Contains(t testing.TB, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("%q is not on the page:\n%s", text, page)
		}
	}
}

// NotContains fails if a page has one of the texts.
func NotContains(t testing.TB, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(page, text) {
			t.Errorf("%q is on the page:\n%s", text, page)
		}
	}
}

var heading = regexp.MustCompile(`<h1[^>]*>([^<]*)</h1>`)

// Heading returns the page's first heading.
func Heading(t testing.TB, page string) string {
	t.Helper()
	m := heading.FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("the page has no heading:\n%s", page)
	}
	return strings.NewReplacer("&#39;", "'", "&#34;", `"`).Replace(m[1])
}
