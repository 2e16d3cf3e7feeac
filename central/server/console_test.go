package server

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
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

	"galla/central/credential"
	"galla/central/office"
	"galla/central/operator"
	"galla/central/store"
	"galla/shared/localname"
)

// TestTheConsoleStandsWhereNobodyListens: on the loopback interface, or over TLS.
func TestTheConsoleStandsWhereNobodyListens(t *testing.T) {
	cfg := testConfig(t)
	stop := serving(t, cfg)
	name, err := localname.Read(filepath.Join(cfg.Data, "central"))
	if err != nil {
		t.Fatal(err)
	}
	var address strings.Builder
	if err := office.ConsoleAddress(cfg.Office(), cfg.AdminAddr, &address); err != nil {
		t.Fatal(err)
	}
	if says := body(t)(here(cfg, nil).Get(strings.TrimSpace(address.String()))); !strings.Contains(says, "Sign in") {
		t.Errorf("under its own name, %s: %s", address.String(), says)
	}
	if status, says := get(t, "http://"+cfg.AdminAddr+"/console/"); status != http.StatusMisdirectedRequest || !strings.Contains(says, "galla-central console") || strings.Contains(says, name) {
		t.Errorf("under the name of every program of the machine: HTTP %d: %s", status, says)
	}
	if status, _ := get(t, "http://"+cfg.Addr+"/console/"); status == http.StatusOK {
		t.Error("the console stands on the direct address")
	}
	stop()
	db, err := office.OpenStore(t.Context(), cfg.Office(), store.Config{Node: "test", Logger: cfg.Logger})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	keys, err := credential.Load(cfg.credentials())
	if err != nil {
		t.Fatal(err)
	}
	pages, err := newConsole(t.Context(), cfg, keys, db)
	if err != nil {
		t.Fatal(err)
	}
	seen, _, err := newWatch(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	// An address of all interfaces, as in a container: whoever comes from outside is
	// refused, whatever they say, and a port that is forwarded leads to it.
	handler := admin{console: pages, watch: seen, log: cfg.Logger}.handler(false)
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

// TestSandboxOperatorsSignIn: whoever starts a sandbox can sign in with its public
// password and key; production refuses a database that they open.
func TestSandboxOperatorsSignIn(t *testing.T) {
	cfg := testConfig(t)
	stop := serving(t, cfg)
	for _, p := range sandboxOperators() {
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		name, err := localname.Read(filepath.Join(cfg.Data, "central"))
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(cfg.AdminAddr)
		origin := "http://" + net.JoinHostPort(name, port)
		client, base := here(cfg, unsecured{jar}), origin+"/console/"
		page := body(t)(client.Get(base + "sign-in"))
		token := regexp.MustCompile(`name="csrf" value="([^"]+)"`).FindStringSubmatch(page)
		if token == nil {
			t.Fatalf("no form:\n%s", page)
		}
		code, err := operator.NewFactor(p.Login, p.Factor).CodeAt(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequest(http.MethodPost, base+"sign-in", strings.NewReader(url.Values{
			"csrf": {token[1]}, "login": {p.Login}, "password": {p.Password.Reveal()}, "code": {code.Reveal()},
		}.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", origin)
		if page := body(t)(client.Do(r)); !strings.Contains(page, "Sign out") || !strings.Contains(page, string(p.Role)) {
			t.Errorf("%s is not signed in:\n%s", p.Login, page)
		}
	}
	stop()
	cfg.Sandbox = false
	if err := Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "operator sandbox-admin") {
		t.Errorf("production starts on it: %v", err)
	}
}

// here is a browser that is led to the administration's address by every name, as
// browsers are by those below .localhost.
func here(cfg Config, jar http.CookieJar) *http.Client {
	return &http.Client{Jar: jar, Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, cfg.AdminAddr)
	}}}
}

// unsecured gives cookies back over plain HTTP to the loopback address, as
// browsers do, and Go's jar does not.
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

// TestEither: one address speaks plainly to probes and TLS to people; what says
// nothing keeps nobody out, and an end ends all of it.
func TestEither(t *testing.T) {
	folder := t.TempDir()
	pool := x509.NewCertPool()
	pool.AddCert(renew(t, folder, time.Now().Add(100*time.Hour)))
	shown, err := credential.Open(filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key"), testConfig(t).Logger)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e, plain, shaken := newEither(l, shown)
	ctx, end := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { e.run(ctx); close(over) }()
	server := &http.Server{ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		say(w, http.StatusOK, map[bool]string{true: "over TLS", false: "plainly"}[r.TLS != nil])
	})}
	served := make(chan error, 2)
	for _, l := range []net.Listener{plain, shaken} {
		go func() { served <- server.Serve(l) }()
	}
	silent, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	overTLS := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true}}
	for range 3 {
		if says := body(t)(http.Get("http://" + l.Addr().String())); says != "plainly\n" {
			t.Errorf("a probe hears %q", says)
		}
		if says := body(t)(overTLS.Get("https://" + l.Addr().String())); says != "over TLS\n" {
			t.Errorf("a browser hears %q", says)
		}
	}
	old, err := tls.Dial("tcp", l.Addr().String(), &tls.Config{RootCAs: pool, MaxVersion: tls.VersionTLS12})
	if err == nil {
		_ = old.Close()
		t.Error("TLS 1.2 is spoken")
	}
	end()
	<-over
	for range 2 {
		<-served
	}
	_ = silent.SetReadDeadline(time.Now().Add(startTime))
	if _, err := bufio.NewReader(silent).ReadByte(); err != io.EOF {
		t.Errorf("the silent connection: %v", err)
	}
	if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
		t.Error("the address is open still")
	}
}
