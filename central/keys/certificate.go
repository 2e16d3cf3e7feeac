package keys

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// certificateRecheck is how often handshakes check whether the files have changed.
const certificateRecheck = 10 * time.Second

// Certificate is the certificate of listeners, read again when its files change. Open
// connections are not affected.
type Certificate struct {
	certFile, keyFile string
	log               *slog.Logger
	now               func() time.Time

	mu          sync.Mutex
	current     *tls.Certificate
	fingerprint string    // of the files that were read last, valid or not
	checkedAt   time.Time // of the last check of the files
}

// OpenCertificate reads a certificate, with its chain, and its key from PEM files. Without
// files it returns nil, which is a valid Certificate: listeners then speak plain HTTP.
func OpenCertificate(certFile, keyFile string, log *slog.Logger) (*Certificate, error) {
	if certFile == "" && keyFile == "" {
		return nil, nil
	}
	c := &Certificate{certFile: certFile, keyFile: keyFile, log: log, now: time.Now}
	fingerprint, err := c.fileFingerprint()
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	current, err := c.read()
	if err != nil {
		return nil, err
	}
	c.current, c.fingerprint, c.checkedAt = current, fingerprint, c.now()
	return c, nil
}

// fileFingerprint changes when a file changes.
func (c *Certificate) fileFingerprint() (string, error) {
	out := ""
	for _, name := range []string{c.certFile, c.keyFile} {
		about, err := os.Stat(name)
		if err != nil {
			return "", err
		}
		out += fmt.Sprint(about.ModTime().UnixNano(), " ", about.Size(), " ")
	}
	return out, nil
}

// read reads both files and checks the certificate.
func (c *Certificate) read() (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return nil, fmt.Errorf("certificate %s with key %s can't be read as a pair: %w", c.certFile, c.keyFile, err)
	}
	if pair.Leaf == nil {
		if pair.Leaf, err = x509.ParseCertificate(pair.Certificate[0]); err != nil {
			return nil, fmt.Errorf("certificate %s: %w", c.certFile, err)
		}
	}
	if now := c.now(); now.After(pair.Leaf.NotAfter) || now.Before(pair.Leaf.NotBefore) {
		return nil, fmt.Errorf("certificate %s is valid from %s to %s, and not now: renew it, or correct the clock", c.certFile,
			pair.Leaf.NotBefore.UTC().Format(time.RFC3339), pair.Leaf.NotAfter.UTC().Format(time.RFC3339))
	}
	return &pair, nil
}

// getCertificate returns the certificate for a handshake. While the files can't be read, as
// during a renewal, the former one stays in use.
func (c *Certificate) getCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if now.Sub(c.checkedAt).Abs() < certificateRecheck {
		return c.current, nil
	}
	c.checkedAt = now
	fingerprint, err := c.fileFingerprint()
	if err != nil || fingerprint == c.fingerprint {
		return c.current, nil
	}
	c.fingerprint = fingerprint
	fresh, err := c.read()
	if err != nil {
		c.log.Error("the new certificate can't be used; the former one stays in use", "error", err)
		return c.current, nil
	}
	c.current = fresh
	c.log.Info("the certificate was read again", "until", fresh.Leaf.NotAfter.UTC())
	return c.current, nil
}

// NotAfter returns the end of the certificate's validity; false: there is no certificate.
func (c *Certificate) NotAfter() (time.Time, bool) {
	if c == nil {
		return time.Time{}, false
	}
	current, _ := c.getCertificate(nil) // it never fails
	return current.Leaf.NotAfter, true
}

// WrapListener wraps a listener with TLS 1.3 if there is a certificate.
func (c *Certificate) WrapListener(l net.Listener) net.Listener {
	if c == nil {
		return l
	}
	return tls.NewListener(l, &tls.Config{
		MinVersion: tls.VersionTLS13, GetCertificate: c.getCertificate, NextProtos: []string{"http/1.1"},
	})
}

// Client makes an HTTP client for a server on this machine, without the environment's
// proxy. With the server's certificate file it accepts that certificate only, whatever
// address it calls; "" is for plain HTTP.
func Client(certFile string) (*http.Client, error) {
	transport := &http.Transport{DisableKeepAlives: true}
	if certFile != "" {
		text, err := os.ReadFile(certFile)
		if err != nil {
			return nil, fmt.Errorf("read the certificate: %w", err)
		}
		block, _ := pem.Decode(text)
		if block == nil {
			return nil, fmt.Errorf("the certificate %s is no PEM file", certFile)
		}
		transport.TLSClientConfig = &tls.Config{
			MinVersion: tls.VersionTLS13, InsecureSkipVerify: true, // VerifyConnection compares the certificate itself
			VerifyConnection: func(c tls.ConnectionState) error {
				if !bytes.Equal(c.PeerCertificates[0].Raw, block.Bytes) {
					return fmt.Errorf("the server shows another certificate than %s", certFile)
				}
				return nil
			},
		}
	}
	return &http.Client{Transport: transport}, nil
}
