//go:build linux

package compose

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"galla/central/server"
	"galla/shared/freeport"
	"galla/shared/localname"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// certificate writes one for the loopback, with its key, as HAProxy wants it.
func certificate(t *testing.T, file string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	must(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...)
	must(t, os.WriteFile(file, text, 0o600))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return pool
}

// lines is a log with several writers.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// central runs a sandbox's central, which trusts the loopback as its proxy.
func central(t *testing.T, log io.Writer) server.Config {
	t.Helper()
	cfg := server.Config{
		Addr: freeport.For(t), AdminAddr: freeport.For(t), UplinkAddr: freeport.For(t), BankURL: "http://" + freeport.For(t), Data: t.TempDir(), Sandbox: true, Node: "test", Version: "v0",
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Rand: rand.Reader, Logger: slog.New(slog.NewJSONHandler(log, nil)),
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx, cfg) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the central ends with %v", err)
		}
	})
	return cfg
}

// proxy runs HAProxy with the operator's file. Only addresses and the certificate's
// place are replaced.
func proxy(t *testing.T, direct, uplink string, log io.Writer) (addr string, trust *x509.CertPool) {
	t.Helper()
	pemFile := filepath.Join(t.TempDir(), "haproxy.pem")
	trust, addr = certificate(t, pemFile), freeport.For(t)
	run(t, "haproxy.cfg", map[string]string{
		`"${CENTRAL}:7100"`: direct, `"${CENTRAL}:7102"`: uplink, "bind :8443": "bind " + addr, "/run/secrets/haproxy.pem": pemFile,
	}, log)
	return addr, trust
}

// run runs HAProxy with a file of the operator's, parts of which are replaced.
func run(t *testing.T, name string, replace map[string]string, log io.Writer) {
	t.Helper()
	text, err := os.ReadFile(name)
	must(t, err)
	replaced := string(text)
	for from, to := range replace {
		if !strings.Contains(replaced, from) {
			t.Fatalf("%s has no %s", name, from)
		}
		replaced = strings.ReplaceAll(replaced, from, to)
	}
	file := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(file, []byte(replaced), 0o600))
	program := "/usr/sbin/haproxy"
	if found, err := exec.LookPath("haproxy"); err == nil {
		program = found
	}
	cmd := exec.Command(program, "-db", "-f", file)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v: apt-get install --no-install-recommends haproxy", err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
}

// TestConsole checks that people on the machine reach the console by the port that the
// engine forwards, though the central sees no address but its loopback. They use the
// installation's name and the port, which is the central's own.
func TestConsole(t *testing.T) {
	log := &lines{}
	cfg := central(t, log)
	addr := freeport.For(t)
	run(t, "console.cfg", map[string]string{":7111": addr, "127.0.0.1:7101": cfg.AdminAddr}, log)
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, addr)
		},
	}}
	_, port, err := net.SplitHostPort(cfg.AdminAddr)
	must(t, err)
	for giveUp := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		name, err := localname.Read(filepath.Join(cfg.Data, "central")) // made by the start
		resp := new(http.Response)
		if err == nil {
			resp, err = client.Get("http://" + net.JoinHostPort(name, port) + "/console/sign-in")
		}
		if err == nil {
			text, err := io.ReadAll(resp.Body)
			must(t, errors.Join(err, resp.Body.Close()))
			if resp.StatusCode != http.StatusOK || !strings.Contains(string(text), `name="password"`) {
				t.Fatalf("HTTP %d: %s", resp.StatusCode, text)
			}
			return
		}
		if time.Now().After(giveUp) {
			t.Fatalf("%v\n%s", err, log)
		}
	}
}

// TestCallersAddress checks that a caller's own claim about its address is removed, and
// that the real address is passed instead.
func TestCallersAddress(t *testing.T) {
	heard := make(chan []string, 1)
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/said" {
			heard <- r.Header.Values("X-Forwarded-For")
		}
	}))
	defer echo.Close()
	line := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "the uplink's") }))
	defer line.Close()
	behind, log := strings.TrimPrefix(echo.URL, "http://"), &lines{}
	addr, trust := proxy(t, behind, strings.TrimPrefix(line.URL, "http://"), log)
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust}}}
	for giveUp := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		req, err := http.NewRequest("GET", "https://"+addr+"/said", nil)
		must(t, err)
		req.Header["X-Forwarded-For"] = []string{"203.0.113.7", "10.1.2.3"}
		resp, err := client.Do(req)
		if err == nil {
			_ = resp.Body.Close()
			break
		}
		if time.Now().After(giveUp) {
			t.Fatalf("%v\n%s", err, log)
		}
	}
	if got := <-heard; len(got) != 1 || got[0] != "127.0.0.1" {
		t.Errorf("the central gets %q", got)
	}
	// Terminals look for releases at the uplink's address; all else is the direct
	// entrance's.
	for path, want := range map[string]string{"/uplink": "the uplink's", "/updates/timestamp.json": "the uplink's", "/updates": "", "/metrics": "", "/console/": ""} {
		resp, err := client.Get("https://" + addr + path)
		must(t, err)
		text, err := io.ReadAll(resp.Body)
		must(t, errors.Join(err, resp.Body.Close()))
		if string(text) != want {
			t.Errorf("%s is answered with %q, want %q", path, text, want)
		}
	}
}

// TestProxy uses the central through compose's proxy, as the internet does.
func TestProxy(t *testing.T) {
	log := &lines{}
	cfg := central(t, log)
	addr, trust := proxy(t, cfg.Addr, cfg.UplinkAddr, log)
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust}}}
	get := func(path string, header ...string) (int, http.Header, string) {
		t.Helper()
		req, err := http.NewRequest("GET", "https://"+addr+path, nil)
		must(t, err)
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		resp, err := client.Do(req)
		if err != nil {
			return 0, nil, err.Error()
		}
		defer func() { _ = resp.Body.Close() }()
		text, err := io.ReadAll(resp.Body)
		must(t, err)
		return resp.StatusCode, resp.Header, string(text)
	}
	ready := time.After(time.Minute)
	for status := 0; status != http.StatusOK; {
		var said string
		if status, _, said = get("/openapi.json"); status != http.StatusOK {
			select {
			case <-ready:
				t.Fatalf("HTTP %d: %s\n%s", status, said, log)
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	if _, header, _ := get("/docs"); header.Get("Strict-Transport-Security") == "" {
		t.Error("browsers are not asked to stay with TLS")
	}
	for _, path := range []string{"/metrics", "/readyz", "/healthz"} {
		if status, _, _ := get(path); status != http.StatusNotFound {
			t.Errorf("%s can be reached from outside: HTTP %d", path, status)
		}
	}
	if old, err := tls.Dial("tcp", addr, &tls.Config{RootCAs: trust, MaxVersion: tls.VersionTLS12}); err == nil {
		_ = old.Close()
		t.Error("TLS 1.2 is spoken")
	}
	// The central asks a terminal who it is: so the uplink is what answers.
	_, resp, err := (&websocket.Dialer{TLSClientConfig: &tls.Config{RootCAs: trust}, HandshakeTimeout: 10 * time.Second}).Dial("wss://"+addr+"/uplink", nil)
	if err == nil || resp == nil || resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("the uplink answers an unknown caller: %v, %+v", err, resp)
	}
	if status, _, _ := get("/uplink/more"); status != http.StatusNotFound {
		t.Errorf("a path below the uplink: HTTP %d", status)
	}
	if status, _, said := get("/aeps/banks", "Authorization", "Bearer x"); status != http.StatusUnauthorized {
		t.Errorf("an unknown caller's request: HTTP %d: %s", status, said)
	}
}
