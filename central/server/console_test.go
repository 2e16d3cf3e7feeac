package server

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/central/admincli"
	"galla/central/console"
	"galla/central/keys"
	"galla/central/staff"
	"galla/central/store"
	"galla/shared/localname"
)

// TestWhereTheConsoleAnswers: on the loopback interface, or over TLS.
func TestWhereTheConsoleAnswers(t *testing.T) {
	cfg := testConfig(t)
	stop := serving(t, cfg)
	name, err := localname.Read(filepath.Join(cfg.Data, "central"))
	if err != nil {
		t.Fatal(err)
	}
	var address strings.Builder
	if err := admincli.ConsoleAddress(cfg.CLIConfig(), cfg.AdminAddr, &address); err != nil {
		t.Fatal(err)
	}
	if says := body(t)(here(cfg, nil).Get(strings.TrimSpace(address.String()))); !strings.Contains(says, "Sign in") {
		t.Errorf("under its own name, %s: %s", address.String(), says)
	}
	if status, says := get(t, "http://"+cfg.AdminAddr+"/console/"); status != http.StatusMisdirectedRequest || !strings.Contains(says, "galla-central console") || strings.Contains(says, name) {
		t.Errorf("under the name of every program of the machine: HTTP %d: %s", status, says)
	}
	if status, _ := get(t, "http://"+cfg.Addr+"/console/"); status == http.StatusOK {
		t.Error("the direct address serves the console")
	}
	stop()
	db, err := admincli.OpenStore(t.Context(), cfg.CLIConfig(), store.Config{Node: "test", Logger: cfg.Logger})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	keyring, err := keys.Load(cfg.keyConfig())
	if err != nil {
		t.Fatal(err)
	}
	vault, err := staff.NewVault(db, db, keyring.VendorMasters, cfg.Rand)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := newConsole(t.Context(), cfg, keyring, db, vault, nil, console.ReportParts{}, name)
	if err != nil {
		t.Fatal(err)
	}
	seen, _, err := newTelemetry(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	// An address of all interfaces, as in a container: requests from outside are refused
	// whatever their Host header, and a forwarded port works.
	handler := adminServer{console: pages, metrics: seen, log: cfg.Logger}.handler(false)
	for _, c := range []struct {
		local, host string
		want        int
	}{
		{"10.1.2.3:7101", "10.1.2.3:7101", http.StatusMisdirectedRequest}, {"10.1.2.3:7101", "localhost:7101", http.StatusMisdirectedRequest},
		{"127.0.0.1:7101", "evil.example:7101", http.StatusMisdirectedRequest}, {"127.0.0.1:7101", "localhost:7101", http.StatusMisdirectedRequest},
		{"10.1.2.3:7101", name + ":7101", http.StatusMisdirectedRequest}, {"127.0.0.1:7101", name + ":7101", http.StatusOK},
	} {
		at, err := net.ResolveTCPAddr("tcp", c.local)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/console/sign-in", "/console/set-up"} {
			w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
			r.Host = c.host
			handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, at)))
			if w.Code != c.want {
				t.Errorf("%s at %s, called %s: HTTP %d", path, c.local, c.host, w.Code)
			}
		}
	}
}

// TestSandboxStaffSignIn: the sandbox's staff sign in with their public passwords and keys;
// production refuses such a database.
func TestSandboxStaffSignIn(t *testing.T) {
	cfg := testConfig(t)
	stop := serving(t, cfg)
	for _, p := range sandboxStaff() {
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		if page := signIn(t, here(cfg, unsecured{jar}), cfg, cfg.AdminAddr, "/console/", p); !strings.Contains(page, "Sign out") || !strings.Contains(page, string(p.Role)) {
			t.Errorf("%s is not signed in:\n%s", p.Login, page)
		}
	}
	stop()
	cfg.Sandbox = false
	if err := Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "staff member sandbox-admin") {
		t.Errorf("production starts on it: %v", err)
	}
}

// signIn signs somebody in under the installation's own name, and returns the page after it.
func signIn(t *testing.T, client *http.Client, cfg Config, addr, root string, p staff.Preset) string {
	t.Helper()
	origin := ownOrigin(t, cfg, addr)
	page := body(t)(client.Get(origin + root + "sign-in"))
	token := regexp.MustCompile(`name="csrf" value="([^"]+)"`).FindStringSubmatch(page)
	if token == nil {
		t.Fatalf("no form:\n%s", page)
	}
	code, err := staff.NewFactor(p.Login, p.Factor).CodeAt(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodPost, origin+root+"sign-in", strings.NewReader(url.Values{
		"csrf": {token[1]}, "login": {p.Login}, "password": {p.Password.Reveal()}, "code": {code.Reveal()},
	}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", origin)
	return body(t)(client.Do(r))
}

// ownOrigin is an address of the central under the installation's own name.
func ownOrigin(t *testing.T, cfg Config, addr string) string {
	t.Helper()
	name, err := localname.Read(filepath.Join(cfg.Data, "central"))
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	return "http://" + net.JoinHostPort(name, port)
}

// TestPortal: the direct address serves the portal under the installation's own name, and
// its files as they are made; elsewhere it serves neither.
func TestPortal(t *testing.T) {
	cfg := testConfig(t)
	stop := serving(t, cfg)
	defer stop()
	if status, _ := get(t, "http://"+cfg.Addr+"/portal/sign-in"); status != http.StatusMisdirectedRequest {
		t.Errorf("under the name of every program of the machine: HTTP %d", status)
	}
	for _, p := range sandboxPeople() {
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		client := here(Config{AdminAddr: cfg.Addr}, unsecured{jar})
		if page := signIn(t, client, cfg, cfg.Addr, "/portal/", p.Preset); !strings.Contains(page, "Sign out") || !strings.Contains(page, "Today at") {
			t.Fatalf("%s is not signed in:\n%s", p.Login, page)
		}
		origin := ownOrigin(t, cfg, cfg.Addr)
		reply, err := client.Get(origin + "/portal/operations.csv")
		if err != nil {
			t.Fatal(err)
		}
		file := body(t)(reply, nil)
		if reply.Header.Get("Content-Type") != "text/csv; charset=utf-8" || !strings.HasPrefix(file, "id,createdAt,merchantId,") {
			t.Errorf("the file is %s: %s", reply.Header.Get("Content-Type"), file)
		}
		reply, err = client.Get(origin + "/portal/keys")
		if err != nil {
			t.Fatal(err)
		}
		page := body(t)(reply, nil)
		if policy := reply.Header.Values("Content-Security-Policy"); len(policy) != 1 || !strings.Contains(policy[0], "style-src 'self'") || strings.Contains(policy[0], "script") {
			t.Errorf("the policy is %q", policy)
		}
		own := map[central.VendorID]string{vendorV1: "000000000001", vendorV2: "000000000002"}[p.vendor]
		if !strings.Contains(page, "d0000000-0000-4000-8000-"+own) || strings.Count(page, "d0000000-0000-4000-8000-") != strings.Count(page, "d0000000-0000-4000-8000-"+own) {
			t.Errorf("%s sees these keys:\n%s", p.Login, page)
		}
	}
	if status, _ := get(t, "http://"+cfg.AdminAddr+"/portal/"); status == http.StatusOK {
		t.Error("the administration address serves the portal")
	}
}

// here is a browser that resolves every name to the admin address, as browsers do with
// names below .localhost.
func here(cfg Config, jar http.CookieJar) *http.Client {
	return &http.Client{Jar: jar, Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, cfg.AdminAddr)
	}}}
}

// unsecured returns Secure cookies over plain HTTP to the loopback address, as browsers
// do and Go's jar does not.
type unsecured struct{ http.CookieJar }

func (j unsecured) SetCookies(u *url.URL, cookies []*http.Cookie) {
	for _, c := range cookies {
		c.Secure = false
	}
	j.CookieJar.SetCookies(u, cookies)
}

func body(t *testing.T) func(*http.Response, error) string {
	return func(reply *http.Response, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = reply.Body.Close() }()
		text, err := io.ReadAll(reply.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}
