package keys

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"galla/shared/seal"
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

// TestRenewal: a renewed certificate is used without a restart, and after a failed renewal
// the former one stays in use.
func TestRenewal(t *testing.T) {
	folder := t.TempDir()
	var log bytes.Buffer
	cert, private, logger := filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key"), slog.New(slog.NewTextHandler(&log, nil))
	if _, err := OpenCertificate(cert, private, logger); err == nil {
		t.Error("missing files are accepted")
	}
	first := renew(t, folder, time.Now().Add(100*time.Hour))
	c, err := OpenCertificate(cert, private, logger)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	c.now = func() time.Time { return now }
	shows := func(want *x509.Certificate, when string) {
		t.Helper()
		got, err := c.getCertificate(nil)
		if err != nil || !got.Leaf.Equal(want) {
			t.Errorf("%s the certificate until %v is shown, %v; want that until %v", when, got.Leaf.NotAfter, err, want.NotAfter)
		}
	}
	second := renew(t, folder, time.Now().Add(200*time.Hour))
	shows(first, "right after the renewal")
	now = now.Add(certificateRecheck)
	shows(second, "a little later")
	if err := os.WriteFile(private, []byte("half of a ke"), 0o600); err != nil {
		t.Fatal(err)
	}
	now = now.Add(certificateRecheck)
	shows(second, "after a renewal that went wrong")
	renew(t, folder, time.Now().Add(-time.Hour))
	now = now.Add(certificateRecheck)
	shows(second, "after a renewal that had ended before it came")
	if err := os.Remove(cert); err != nil {
		t.Fatal(err)
	}
	now = now.Add(certificateRecheck)
	shows(second, "after the file was lost")
	third := renew(t, folder, time.Now().Add(300*time.Hour))
	now = now.Add(certificateRecheck)
	shows(third, "after the next one")
	if n := strings.Count(log.String(), "level=ERROR"); n != 2 {
		t.Errorf("the log has %d faults, want 2:\n%s", n, log.String())
	}
	if _, err := OpenCertificate(private, cert, logger); err == nil {
		t.Error("a swapped pair is accepted")
	}
}

// TestRandomKeysAreAccepted: no random key counts as weak.
func TestRandomKeysAreAccepted(t *testing.T) {
	raw := make([]byte, seal.KeySize)
	for range 20_000 {
		if _, err := rand.Read(raw); err != nil {
			t.Fatal(err)
		}
		if !looksRandom(raw) {
			t.Fatalf("%x counts as weak", raw)
		}
	}
}
