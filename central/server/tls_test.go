package server

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"galla/central/keys"
)

// renew writes a certificate for loopback that ends at a time, and returns it.
func renew(t *testing.T, folder string, ends time.Time) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(ends.UnixNano()), Subject: pkix.Name{CommonName: "galla"}, NotBefore: ends.Add(-1000 * time.Hour), NotAfter: ends,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"tls.crt": {Type: "CERTIFICATE", Bytes: raw}, "tls.key": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	leaf, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return leaf
}

// TestTLS: with a certificate the public addresses speak TLS 1.3 only; the admin address
// does not change.
func TestTLS(t *testing.T) {
	cfg := testConfig(t)
	folder := t.TempDir()
	leaf := renew(t, folder, time.Now().Add(100*time.Hour))
	cfg.TLSCert, cfg.TLSKey = filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key")
	if got := cfg.uplinkURL(); got != "wss://"+cfg.UplinkAddr+"/uplink" {
		t.Errorf("terminals get %s", got)
	}
	stop := serving(t, cfg)
	defer stop()
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true}}
	for _, url := range []string{"https://" + cfg.Addr + "/.well-known/jwks.json", "https://" + cfg.UplinkAddr + "/uplink"} {
		resp, err := client.Get(url)
		if err != nil {
			t.Fatalf("%s: %v", url, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if resp.TLS == nil || resp.TLS.Version != tls.VersionTLS13 || resp.StatusCode >= 500 {
			t.Errorf("%s: HTTP %d with %+v", url, resp.StatusCode, resp.TLS)
		}
		address := strings.Split(strings.TrimPrefix(url, "https://"), "/")[0]
		if c, err := tls.Dial("tcp", address, &tls.Config{RootCAs: roots, MaxVersion: tls.VersionTLS12}); err == nil {
			_ = c.Close()
			t.Errorf("%s speaks TLS 1.2", address)
		}
		if resp, err := http.Get("http://" + address + "/.well-known/jwks.json"); err == nil {
			_ = resp.Body.Close()
			t.Errorf("%s answers unencrypted: HTTP %d", address, resp.StatusCode)
		}
	}
	if _, metrics := get(t, "http://"+cfg.AdminAddr+"/metrics"); !strings.Contains(metrics, "galla_certificate_seconds 3") {
		t.Error("the metrics do not say how long the certificate is valid")
	}
}

// TestAdminTLS: the administration's address speaks TLS 1.3 or plain HTTP, as
// configured, and never both.
func TestAdminTLS(t *testing.T) {
	cfg := testConfig(t)
	folder := t.TempDir()
	renew(t, folder, time.Now().Add(100*time.Hour))
	cfg.AdminTLS = true
	if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "begins with https://") {
		t.Errorf("https without a certificate: %v", err)
	}
	cfg.TLSCert, cfg.TLSKey = filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, cfg) }()
	client, err := keys.Client(cfg.TLSCert)
	if err != nil {
		t.Fatal(err)
	}
	var resp *http.Response
	for begun := time.Now(); time.Since(begun) < startTime; time.Sleep(10 * time.Millisecond) {
		if resp, err = client.Get("https://" + cfg.AdminAddr + "/healthz"); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK || resp.TLS == nil || resp.TLS.Version != tls.VersionTLS13 {
		t.Errorf("over TLS: HTTP %d with %+v", resp.StatusCode, resp.TLS)
	}
	if resp, err := http.Get("http://" + cfg.AdminAddr + "/healthz"); err == nil {
		_ = resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			t.Error("plain HTTP is answered, too")
		}
	}
	if c, err := tls.Dial("tcp", cfg.AdminAddr, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12}); err == nil {
		_ = c.Close()
		t.Error("TLS 1.2 is spoken")
	}
	if id, ok := (&checkReport{}).runningCentral(t.Context(), cfg); !ok || id != os.Getpid() {
		t.Errorf("a check finds the running central as %d, %v", id, ok)
	}
	other := t.TempDir()
	renew(t, other, time.Now().Add(100*time.Hour))
	if client, err = keys.Client(filepath.Join(other, "tls.crt")); err != nil {
		t.Fatal(err)
	}
	if resp, err := client.Get("https://" + cfg.AdminAddr + "/healthz"); err == nil {
		_ = resp.Body.Close()
		t.Error("another certificate is accepted")
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Run = %v", err)
	}
}

func TestParseProxies(t *testing.T) {
	list, err := ParseProxies([]string{"10.1.2.3", "10.9.8.7/8", "2001:db8::/32"})
	if err != nil || len(list) != 3 || list[0].String() != "10.1.2.3/32" || list[1].String() != "10.0.0.0/8" {
		t.Errorf("%v, %v", list, err)
	}
	for _, text := range []string{"0.0.0.0/0", "::/0", "proxy.example", ""} {
		if _, err := ParseProxies([]string{text}); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
