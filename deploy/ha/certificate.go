//go:build linux

package ha

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// certificateLife is how long a test's certificates are valid: longer than any
// test.
const certificateLife = 24 * time.Hour

// authority signs the hosts' certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	rand io.Reader
	last int64 // serial number given
}

func newAuthority(rand io.Reader) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand)
	if err != nil {
		return nil, fmt.Errorf("make the authority's key: %w", err)
	}
	a := &authority{key: key, rand: rand}
	template := a.template("galla database authority")
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("make the authority: %w", err)
	}
	a.cert, err = x509.ParseCertificate(der)
	return a, err
}

func (a *authority) template(name string) *x509.Certificate {
	a.last++
	return &x509.Certificate{
		SerialNumber: big.NewInt(a.last), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(certificateLife),
	}
}

// publish writes the authority's certificate.
func (a *authority) publish(file string) error {
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw}), 0o644)
}

// issue writes ca.crt, host.crt and host.key into a folder, for a host that is
// both a server and a client of its neighbours.
func (a *authority) issue(folder, name string, address net.IP) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), a.rand)
	if err != nil {
		return fmt.Errorf("make a host's key: %w", err)
	}
	template := a.template(name)
	// etcd compares a peer's certificate with the address that the peer connects from;
	// on the loopback it is always the same.
	template.DNSNames, template.IPAddresses = []string{name}, []net.IP{address, net.IPv4(127, 0, 0, 1)}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	cert, err := x509.CreateCertificate(a.rand, template, a.cert, key.Public(), a.key)
	if err != nil {
		return fmt.Errorf("make the certificate of %s: %w", name, err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	err = a.publish(filepath.Join(folder, "ca.crt"))
	for file, block := range map[string]pem.Block{"host.crt": {Type: "CERTIFICATE", Bytes: cert}, "host.key": {Type: "PRIVATE KEY", Bytes: private}} {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, file), pem.EncodeToMemory(&block), 0o600))
	}
	return err
}
