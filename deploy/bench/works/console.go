//go:build linux

package works

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/pquerna/otp/totp"

	"galla/deploy/bench/report"
	"galla/deploy/bench/stand"
	"galla/shared/localname"
)

// The sandbox's operator of the console (sandbox.md, section 2).
const (
	operatorLogin    = "sandbox-operator"
	operatorPassword = "sandbox-console-1"
	operatorKey      = "EAQSEIZEEUTCOKBJFIVSYLJOF4YDCMRT"
)

// console is a person at the console, with a browser without scripts.
type console struct {
	base    string
	http    *http.Client
	cookies map[string]string
	form    string // token of the last page's forms
}

// signIn signs an operator in.
func signIn(ctx context.Context, s *stand.Stand) (*console, error) {
	name, err := localname.Read(filepath.Join(s.Folder(), "central"))
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(s.Admin)
	if err != nil {
		return nil, err
	}
	c := &console{base: "http://" + net.JoinHostPort(name, port), cookies: map[string]string{}}
	// Browsers resolve names below .localhost to this machine by themselves.
	c.http = &http.Client{Timeout: 5 * time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, s.Admin)
		}}}
	code, err := totp.GenerateCode(operatorKey, time.Now())
	if err != nil {
		return nil, err
	}
	if _, err := c.open(ctx, "/console/sign-in", nil); err != nil {
		return nil, err
	}
	if _, err := c.open(ctx, "/console/sign-in", url.Values{"login": {operatorLogin}, "password": {operatorPassword}, "code": {code}}); err != nil {
		return nil, err
	}
	page, err := c.open(ctx, "/console/me", nil)
	if err == nil && !strings.Contains(page, "Sign out") {
		err = fmt.Errorf("%s is not signed in", operatorLogin)
	}
	return c, err
}

var formToken = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

// open gets a page, or sends a form where there are fields.
func (c *console) open(ctx context.Context, path string, fields url.Values) (string, error) {
	method, body := http.MethodGet, ""
	if fields != nil {
		fields.Set("csrf", c.form)
		method, body = http.MethodPost, fields.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	if fields != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", c.base)
	}
	for name, value := range c.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	reply, err := c.http.Do(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = reply.Body.Close() }()
	for _, cookie := range reply.Cookies() {
		c.cookies[cookie.Name] = cookie.Value
	}
	page, err := io.ReadAll(reply.Body)
	if err == nil && reply.StatusCode >= 400 {
		err = fmt.Errorf("%s %s: HTTP %d", method, path, reply.StatusCode)
	}
	if m := formToken.FindSubmatch(page); m != nil {
		c.form = string(m[1])
	}
	return string(page), err
}

// consolePages are what operators open most.
var consolePages = []struct {
	name, path string
	fields     url.Values
}{
	{"operations of a customer, by the last four digits", "/console/find", url.Values{"text": {customerLast4}}},
	{"the latest operations", "/console/operations", nil},
	{"failed operations of a vendor and a bank", "/console/operations?bank=990326&state=failed&vendor=b0000000-0000-4000-8000-000000000001", nil},
	{"how it stands now", "/console/now", nil},
	{"what waits", "/console/waiting", nil},
	{"the day", "/console/day", nil},
	{"reconciliation", "/console/reconciliation", nil},
}

// customerLast4 are those of the stand's customer.
const customerLast4 = "7058"

// comparePages opens pages of the console beside many operations, and without.
func (b *Bench) comparePages(ctx context.Context, work string, grown, small *console) error {
	for _, p := range consolePages {
		ratio := report.Ratio{Work: work, Of: "console, " + p.name + ": beside them / without"}
		var took []float64
		for range b.Rounds {
			var times [2]float64
			for i, c := range []*console{grown, small} {
				began := time.Now()
				if _, err := c.open(ctx, p.path, p.fields); err != nil {
					return fmt.Errorf("the console: %w", err)
				}
				times[i] = time.Since(began).Seconds()
			}
			ratio.Rounds, took = append(ratio.Rounds, times[0]/times[1]), append(took, times[0]*1e3)
		}
		b.Report.Ratios = append(b.Report.Ratios, ratio)
		b.figure(work, "console, %s: %.0f ms", p.name, report.Median(took))
	}
	return nil
}
