package e2e

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"galla/shared/localname"
)

// The sandbox's staff of the console (deploy/local/sandbox prints them).
const (
	operatorLogin    = "sandbox-operator"
	operatorPassword = "sandbox-console-1"
	operatorKey      = "EAQSEIZEEUTCOKBJFIVSYLJOF4YDCMRT"
	adminKey         = "AAAQEAYEAUDAOCAJBIFQYDIOB4IBCEQT"
)

// overLoopback sends Secure cookies over plain HTTP to the loopback address, as
// browsers do. Go's jar does not.
type overLoopback struct {
	http.CookieJar
	values map[string]string // by name, as they were set last
}

func (j overLoopback) SetCookies(u *url.URL, cookies []*http.Cookie) {
	for _, c := range cookies {
		c.Secure = false
		if c.Value != "" {
			j.values[c.Name] = c.Value
		}
	}
	j.CookieJar.SetCookies(u, cookies)
}

var (
	formToken  = regexp.MustCompile(`name="csrf" value="([^"]+)"`)
	operations = regexp.MustCompile(`/console/operations/[0-9a-f-]{36}`)
)

// consoleClient is a person at the console, with a browser without scripts.
type consoleClient struct {
	t       *testing.T
	base    string
	cookies overLoopback
	http    *http.Client
	token   string // of the last page's forms
	pages   strings.Builder
}

func (h *sandbox) newConsoleClient(t *testing.T) *consoleClient {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	kept := overLoopback{jar, map[string]string{}}
	name, err := localname.Read(filepath.Join(h.data, "central"))
	if err != nil {
		t.Fatal(err)
	}
	admin := h.env["GALLA_ADMIN_ADDR"]
	_, port, _ := net.SplitHostPort(admin)
	// Browsers resolve names below .localhost to this machine by themselves.
	there := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, admin)
	}}
	return &consoleClient{t: t, base: "http://" + net.JoinHostPort(name, port), cookies: kept, http: &http.Client{Jar: kept, Transport: there, Timeout: time.Minute}}
}

// do opens a page, or sends a form where there are fields.
func (o *consoleClient) do(method, path string, fields url.Values) string {
	o.t.Helper()
	var body io.Reader
	if fields != nil {
		fields.Set("csrf", o.token)
		body = strings.NewReader(fields.Encode())
	}
	r, err := http.NewRequest(method, o.base+path, body)
	if err != nil {
		o.t.Fatal(err)
	}
	if fields != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", o.base)
	}
	reply, err := o.http.Do(r)
	if err != nil {
		o.t.Fatal(err)
	}
	defer func() { _ = reply.Body.Close() }()
	page, err := io.ReadAll(reply.Body)
	if err != nil {
		o.t.Fatal(err)
	}
	if m := formToken.FindSubmatch(page); m != nil {
		o.token = string(m[1])
	}
	o.pages.Write(page)
	return string(page)
}

// signIn signs in, and adds the browser's cookies to the canaries.
func (o *consoleClient) signIn(c *secretScan, login, key string) {
	o.t.Helper()
	code, err := totp.GenerateCode(key, time.Now())
	if err != nil {
		o.t.Fatal(err)
	}
	o.do("GET", "/console/sign-in", nil)
	o.do("POST", "/console/sign-in", url.Values{"login": {login}, "password": {operatorPassword + "x"}, "code": {"000000"}})
	if page := o.do("POST", "/console/sign-in", url.Values{"login": {login}, "password": {operatorPassword}, "code": {code}}); !strings.Contains(page, "Sign out") {
		o.t.Fatalf("%s is not signed in:\n%s", login, page)
	}
	again, err := totp.GenerateCode(key, time.Now().Add(30*time.Second))
	if err != nil {
		o.t.Fatal(err)
	}
	o.do("POST", "/console/step-up", url.Values{"step_up": {"000000"}, "next": {"/console/me"}})
	if page := o.do("POST", "/console/step-up", url.Values{"step_up": {again}, "next": {"/console/me"}}); !strings.Contains(page, "Your access") {
		o.t.Fatalf("%s may do no privileged acts:\n%s", login, page)
	}
	c.add("the key of the second factor of "+login, key)
	for name, value := range o.cookies.values {
		c.add("the console's cookie "+name+" of "+login, value)
	}
}

// useConsole has a member of the staff sign in, wrongly and rightly, look for a
// customer's number, and read operations; and an admin type numbers into the wrong
// fields, and read the audit log. It checks the console's answers, and adds what the
// console must keep secret to the canaries.
func (h *sandbox) useConsole(t *testing.T, c *secretScan) (found []string) {
	t.Helper()
	o := h.newConsoleClient(t)
	o.signIn(c, operatorLogin, operatorKey)
	for _, text := range []string{choudhury, "of " + fatima, choudhury[8:]} {
		o.do("POST", "/console/find", url.Values{"text": {text}})
	}
	o.do("POST", "/console/operations", url.Values{"merchant": {agarwal}, "bank": {kapoor}, "least": {pandey}})
	// The remitter of h.remit, by the mobile number that the bank gave for the
	// remitter.
	if page := o.do("POST", "/console/find", url.Values{"text": {"+91 90000 00005"}}); !strings.Contains(page, ">Money transfer</td>") || !strings.Contains(page, ">Refund</td>") {
		t.Errorf("the remitter's transfer and refund are not found by the mobile number:\n%s", page)
	}
	read := operations.FindAllString(o.pages.String(), 3)
	if len(read) == 0 {
		t.Errorf("no operation of %s is found by its last four digits", choudhury[8:])
	}
	for _, path := range append(read, "/console/waiting", "/console/reconciliation", "/console/me") {
		o.do("GET", path, nil)
	}
	c.add("an operator's password", operatorPassword)

	a := h.newConsoleClient(t)
	a.signIn(c, "sandbox-admin", adminKey)
	for path, typed := range map[string]url.Values{
		"/console/merchants": {"legal_name": {"Shop of " + pandey}, "mid": {kapoor}, "mobile": {agarwal}}, "/console/vendors": {"legal_name": {fatima}},
		"/console/aggregators": {"legal_name": {choudhury}}, "/console/staff": {"login": {agarwal}, "name": {kapoor}, "role": {pandey}},
	} {
		a.do("POST", path, typed)
	}
	const vendor = "/console/vendors/b0000000-0000-4000-8000-000000000001"
	a.do("POST", vendor+"/slabs", url.Values{"paymentMethod": {fatima}, "provider": {kapoor}, "txnType": {choudhury}, "commissionRate": {agarwal}})
	// Wrong input is shown to the person who typed it, for correction.
	a.pages.Reset()
	for _, path := range []string{"/console/audit", "/console/audit.csv", "/console/day", "/console/terminals", "/console/merchants", "/console/vendors", vendor, vendor + "/slabs",
		"/console/merchants/c0000000-0000-4000-8000-000000000001", "/console/callbacks", "/console/float", "/console/staff"} {
		a.do("GET", path, nil)
	}
	if !strings.Contains(a.pages.String(), "vendor.add") {
		t.Error("the admin does not see the trail: the canary is blind")
	}
	return append(c.search("a page of the console", []byte(o.pages.String()), false), c.search("an admin's page of the console", []byte(a.pages.String()), false)...)
}
