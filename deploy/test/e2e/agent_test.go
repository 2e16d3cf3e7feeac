//go:build linux

package e2e

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"galla/edge/ui/uitest"
)

// agent works at the counter through the plain forms of its pages, as a browser without
// scripts does: fast, and through restarts of everything.
type agent struct {
	at     string // the counter's URL
	client *http.Client
}

// Texts that an agent reads on a page.
var (
	metaToken = regexp.MustCompile(`<meta name="csrf" content="([^"]+)">`)
	formField = regexp.MustCompile(`<input type="hidden" name="form" value="([^"]+)">`)
	opState   = regexp.MustCompile(`<article id="op"[^>]* data-state="([^"]+)"`)
	opTitle   = regexp.MustCompile(`<h1[^>]*>([^<]*)</h1>`)
	opPath    = regexp.MustCompile(`^/op/([0-9a-f-]{36})$`)
)

// errLocked means that the counter asks for the PIN.
var errLocked = errors.New("the counter is locked")

func newAgent(counter string) (*agent, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	transport := uitest.LoopbackTransport()
	transport.DisableKeepAlives = true
	return &agent{at: counter, client: &http.Client{Jar: jar, Timeout: 30 * time.Second, Transport: transport}}, nil
}

// fetch makes a request and gives the page at the end of its redirects.
func (a *agent) fetch(req *http.Request) (path, page string, err error) {
	resp, err := a.client.Do(req)
	if err != nil {
		return "", "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return "", "", err
	}
	path = resp.Request.URL.Path
	if path == "/unlock" && req.URL.Path != "/unlock" {
		return path, string(body), errLocked
	}
	if resp.StatusCode >= 400 {
		return path, string(body), fmt.Errorf("%s %s: HTTP %d: %s", req.Method, req.URL.Path, resp.StatusCode, alertOf(string(body)))
	}
	return path, string(body), nil
}

var alert = regexp.MustCompile(`(?s)class="alert"[^>]*>(.*?)</p>`)

func alertOf(page string) string {
	if m := alert.FindStringSubmatch(page); m != nil {
		return strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(m[1], " ")), " ")
	}
	return opTitle.FindString(page)
}

func (a *agent) get(path string) (string, string, error) {
	req, err := http.NewRequest("GET", a.at+path, nil)
	if err != nil {
		return "", "", err
	}
	return a.fetch(req)
}

// post sends a form of a page that was fetched.
func (a *agent) post(path, page string, fields ...string) (string, string, error) {
	token := metaToken.FindStringSubmatch(page)
	if token == nil {
		return "", "", fmt.Errorf("the page before %s has no token", path)
	}
	form := url.Values{"csrf": {token[1]}}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	req, err := http.NewRequest("POST", a.at+path, strings.NewReader(form.Encode()))
	if err != nil {
		return "", "", err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", a.at)
	return a.fetch(req)
}

// unlock enters the PIN.
func (a *agent) unlock(pin string) error {
	_, page, err := a.get("/unlock")
	if err != nil {
		return err
	}
	if path, _, err := a.post("/unlock", page, "pin", pin); err != nil || path == "/unlock" {
		return fmt.Errorf("unlock: %w", errors.Join(err, errLocked))
	}
	return nil
}

// cookie is the session that the counter gave.
func (a *agent) cookie(t *testing.T) string {
	t.Helper()
	u, err := url.Parse(a.at)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range a.client.Jar.Cookies(u) {
		if c.Name == "galla_session_"+u.Port() { // the other one is the language
			return c.Value
		}
	}
	t.Fatal("the counter gave no cookie of a session")
	return ""
}

// unlocked runs a step, entering the PIN when the counter asks for it.
func (a *agent) unlocked(step func() error) error {
	err := step()
	if !errors.Is(err, errLocked) {
		return err
	}
	if err := a.unlock("2580"); err != nil {
		return err
	}
	return step()
}

// signIn authenticates the agent for the day; the finger is on the reader.
func (a *agent) signIn(t *testing.T) {
	t.Helper()
	var id string
	waitUntil(t, "the day's authentication begins", time.Minute, func() bool {
		err := a.unlocked(func() error {
			_, page, err := a.get("/sign-in")
			if err != nil {
				return err
			}
			path, page, err := a.post("/sign-in", page)
			if err != nil {
				return err
			}
			if m := opPath.FindStringSubmatch(path); m != nil {
				id = m[1]
				_, _, err = a.post("/op/"+id+"/capture", page)
			}
			return err
		})
		return err == nil && id != ""
	})
	waitUntil(t, "the agent is signed in", time.Minute, func() bool {
		state, _, err := a.look(id)
		return err == nil && state == "succeeded"
	})
}

// begin creates a withdrawal and gives its id.
func (a *agent) begin(aadhaar string, paise int64) (id, page string, err error) {
	_, page, err = a.get("/new/withdrawal")
	if err != nil {
		return "", "", err
	}
	form := formField.FindStringSubmatch(page)
	if form == nil {
		return "", "", errors.New("the page has no form")
	}
	path, page, err := a.post("/new/withdrawal", page, "form", form[1], "aadhaar", aadhaar, "customer", "Customer",
		"iin", iins[aadhaar], "amount", fmt.Sprintf("%d.%02d", paise/100, paise%100), "consent", "yes")
	if err != nil {
		return "", "", err
	}
	m := opPath.FindStringSubmatch(path)
	if m == nil {
		return "", "", fmt.Errorf("begin: came to %s", path)
	}
	return m[1], page, nil
}

// capture starts the capture of an operation.
func (a *agent) capture(id, page string) error {
	_, _, err := a.post("/op/"+id+"/capture", page)
	return err
}

// look reads what the page says of an operation: its state, and the first words.
func (a *agent) look(id string) (state, title string, err error) {
	err = a.unlocked(func() error {
		_, page, err := a.get("/op/" + id)
		if err != nil {
			return err
		}
		s := opState.FindStringSubmatch(page)
		h := opTitle.FindStringSubmatch(page)
		if s == nil || h == nil {
			return fmt.Errorf("the page of %s shows no operation", id)
		}
		state, title = s[1], h[1]
		return nil
	})
	return state, title, err
}

// finalAtCounter reports whether a state of a page, as edge/outcome names it, never
// changes again by itself.
func finalAtCounter(state string) bool {
	switch state {
	case "succeeded", "given", "declined", "refused", "reversed", "unreached", "expired", "not-sent":
		return true
	}
	return false
}
