package rdcrypto

import (
	"crypto/rand"
	"crypto/x509"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestEnsureAuthority(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "authority")
	// Several programs start at the same moment.
	var wg sync.WaitGroup
	certs := make([]*x509.Certificate, 4)
	for i := range certs {
		wg.Go(func() {
			cert, key, err := EnsureAuthority(dir, rand.Reader)
			if err != nil {
				t.Error(err)
				return
			}
			if !key.PublicKey.Equal(cert.PublicKey) {
				t.Error("key and certificate differ")
			}
			certs[i] = cert
		})
	}
	wg.Wait()
	for _, c := range certs {
		if c == nil || !c.Equal(certs[0]) {
			t.Fatal("two programs got different authorities")
		}
	}
	info, err := os.Stat(filepath.Join(dir, AuthorityKeyFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key file: %v %v", info.Mode(), err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
	again, _, err := EnsureAuthority(dir, rand.Reader)
	if err != nil || !again.Equal(certs[0]) {
		t.Errorf("a second start made another authority: %v", err)
	}
}

func TestEnsureAuthorityFaults(t *testing.T) {
	h := testKeys(t)
	fresh := func(t *testing.T) (dir, crt, key string) {
		dir = t.TempDir()
		if _, _, err := EnsureAuthority(dir, rand.Reader); err != nil {
			t.Fatal(err)
		}
		return dir, filepath.Join(dir, AuthorityCertFile), filepath.Join(dir, AuthorityKeyFile)
	}
	dir, crt, key := fresh(t)
	keep := map[string][]byte{}
	for _, f := range []string{crt, key} {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		keep[f] = b
	}
	restore := func() {
		for f, b := range keep {
			if err := os.WriteFile(f, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, otherCrt, _ := fresh(t)
	other, err := os.ReadFile(otherCrt)
	if err != nil {
		t.Fatal(err)
	}
	faults := map[string]func() error{
		"half a key":              func() error { return os.WriteFile(key, keep[key][:200], 0o600) },
		"half a certificate":      func() error { return os.WriteFile(crt, keep[crt][:200], 0o600) },
		"empty certificate":       func() error { return os.WriteFile(crt, nil, 0o600) },
		"key lost":                func() error { return os.Remove(key) },
		"certificate of another":  func() error { return os.WriteFile(crt, other, 0o600) },
		"certificate in key file": func() error { return os.WriteFile(key, keep[crt], 0o600) },
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			restore()
			if err := fault(); err != nil {
				t.Fatal(err)
			}
			if _, _, err := EnsureAuthority(dir, rand.Reader); !errors.Is(err, ErrAuthority) {
				t.Errorf("got %v", err)
			}
		})
	}
	restore()
	if err := os.Remove(crt); err != nil {
		t.Fatal(err)
	}
	cert, _, err := EnsureAuthority(dir, rand.Reader)
	if err != nil {
		t.Fatalf("a key without a certificate must heal: %v", err)
	}
	if cert.Equal(h.authority) {
		t.Error("not the folder's authority")
	}
}
