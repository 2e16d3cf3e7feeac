package rdcrypto

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"galla/shared/files"
)

// Names of the two files of the test authority inside its folder.
const (
	AuthorityCertFile = "authority.crt" // PEM certificate: simulator and bank read it
	AuthorityKeyFile  = "authority.key" // PEM PKCS#8, mode 0600: only the bank needs it
)

// authorityYears is how long a test authority lives: longer than anyone keeps
// a sandbox's data folder, so that expiry is no part of the sandbox.
const authorityYears = 10

// keyBits is the RSA size that the specification prescribes.
const keyBits = 2048

// maxAuthorityFile bounds what is read as a certificate or key; a PEM of
// either is under 2 KiB.
const maxAuthorityFile = 64 << 10

// ErrAuthority is returned, wrapped with the file and the fault, when the
// authority's folder holds something that is no usable pair.
var ErrAuthority = errors.New("test authority is unusable")

// EnsureAuthority loads the test authority from dir, and makes it first where
// it is absent. Any number of programs may call it at the same moment: all get
// the same pair. The key is written first, under its final name only when it
// is complete on disk; a program that finds a key without a certificate makes
// the certificate, so that a crash in between heals itself.
//
// A certificate without its key, a file that cannot be parsed, a pair that does
// not belong together and an expired certificate are errors that wrap
// ErrAuthority and name the file; nothing is overwritten then.
//
// random feeds the certificate's serial number and signature.
func EnsureAuthority(dir string, random io.Reader) (*x509.Certificate, *rsa.PrivateKey, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, fmt.Errorf("making the authority's folder: %w", err)
	}
	key, err := ensureKey(dir, random)
	if err != nil {
		return nil, nil, err
	}
	cert, err := ensureCert(dir, key, random)
	if err != nil {
		return nil, nil, err
	}
	pub, ok := cert.PublicKey.(*rsa.PublicKey)
	if !ok || !pub.Equal(&key.PublicKey) {
		return nil, nil, fmt.Errorf("%w: %s and %s in %s do not belong together; remove both to make a new authority",
			ErrAuthority, AuthorityCertFile, AuthorityKeyFile, dir)
	}
	if time.Now().After(cert.NotAfter) {
		return nil, nil, fmt.Errorf("%w: the certificate in %s ended on %s; remove the folder to make a new authority",
			ErrAuthority, dir, cert.NotAfter.UTC().Format(time.DateOnly))
	}
	return cert, key, nil
}

func ensureKey(dir string, random io.Reader) (*rsa.PrivateKey, error) {
	path := filepath.Join(dir, AuthorityKeyFile)
	key, err := loadKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if _, err := os.Stat(filepath.Join(dir, AuthorityCertFile)); err == nil {
		// The key is always linked before the certificate, so a second look
		// tells a lost key from a pair that another program made just now.
		if key, err := loadKey(path); !errors.Is(err, fs.ErrNotExist) {
			return key, err
		}
		return nil, fmt.Errorf("%w: %s has %s but no %s; restore the key, or remove the certificate to make a new authority",
			ErrAuthority, dir, AuthorityCertFile, AuthorityKeyFile)
	}
	fresh, err := rsa.GenerateKey(random, keyBits)
	if err != nil {
		return nil, fmt.Errorf("making the authority's key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(fresh)
	if err != nil {
		return nil, fmt.Errorf("encoding the authority's key: %w", err)
	}
	if err := files.WriteOnce(path, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600); err != nil {
		return nil, fmt.Errorf("writing the authority's key: %w", err)
	}
	return loadKey(path) // ours, or that of the program that was first
}

func ensureCert(dir string, key *rsa.PrivateKey, random io.Reader) (*x509.Certificate, error) {
	path := filepath.Join(dir, AuthorityCertFile)
	cert, err := LoadCertificate(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return cert, err
	}
	der, err := selfSigned(key, pkix.Name{
		CommonName:   "Galla Sandbox Authority",
		Organization: []string{"Simulated encryption authority; protects nothing"},
	}, time.Now().AddDate(authorityYears, 0, 0), random)
	if err != nil {
		return nil, fmt.Errorf("making the authority's certificate: %w", err)
	}
	if err := files.WriteOnce(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644); err != nil {
		return nil, fmt.Errorf("writing the authority's certificate: %w", err)
	}
	return LoadCertificate(path)
}

// DeviceCertificate makes the self-signed certificate that a simulated device
// shows as mc: valid from now for the given life (30 days on an L0 device).
func DeviceCertificate(key *rsa.PrivateKey, name string, life time.Duration, random io.Reader) (*x509.Certificate, error) {
	der, err := selfSigned(key, pkix.Name{
		CommonName:   name,
		Organization: []string{"Simulated Device Provider"},
	}, time.Now().Add(life), random)
	if err != nil {
		return nil, fmt.Errorf("making the device's certificate: %w", err)
	}
	return x509.ParseCertificate(der)
}

func selfSigned(key *rsa.PrivateKey, subject pkix.Name, ends time.Time, random io.Reader) ([]byte, error) {
	serial, err := rand.Int(random, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, fmt.Errorf("drawing a serial number: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: serial.Add(serial, big.NewInt(1)),
		Subject:      subject,
		NotBefore:    time.Now(),
		NotAfter:     ends,
		KeyUsage:     x509.KeyUsageKeyEncipherment | x509.KeyUsageDigitalSignature,
	}
	return x509.CreateCertificate(random, template, template, &key.PublicKey, key)
}

// LoadCertificate reads a PEM certificate with an RSA key of at least 2048
// bits. A missing file is fs.ErrNotExist; anything else unusable wraps
// ErrAuthority.
func LoadCertificate(path string) (*x509.Certificate, error) {
	der, err := readPEM(path, "CERTIFICATE")
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrAuthority, path, err)
	}
	if pub, ok := cert.PublicKey.(*rsa.PublicKey); !ok || pub.N.BitLen() < keyBits {
		return nil, fmt.Errorf("%w: %s holds no RSA key of %d bits", ErrAuthority, path, keyBits)
	}
	return cert, nil
}

func loadKey(path string) (*rsa.PrivateKey, error) {
	der, err := readPEM(path, "PRIVATE KEY")
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("%w: %s is no PKCS#8 private key", ErrAuthority, path)
	}
	key, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%w: %s holds no RSA key", ErrAuthority, path)
	}
	return key, nil
}

func readPEM(path, kind string) ([]byte, error) {
	content, err := files.ReadBounded(path, maxAuthorityFile)
	if err != nil {
		return nil, fmt.Errorf("reading the test authority: %w", err)
	}
	block, _ := pem.Decode(content)
	if block == nil || block.Type != kind {
		return nil, fmt.Errorf("%w: %s holds no complete PEM block %q", ErrAuthority, path, kind)
	}
	return block.Bytes, nil
}
