package credential

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"
)

// certificateLook is how often a handshake looks whether the files of the
// certificate have changed: soon after a renewal, and rarely enough to cost
// nothing.
const certificateLook = 10 * time.Second

// Certificate is what public listeners show, read anew when its files
// change. Connections that are open go on.
type Certificate struct {
	certFile, keyFile string
	log               *slog.Logger
	now               func() time.Time

	mu      sync.Mutex
	current *tls.Certificate
	stamp   string    // of the files that were read last, whatever came of it
	looked  time.Time // at the stamp
}

// Open reads a certificate, with its chain, and its key from PEM files. Without
// files it gives nil, which is a Certificate as well: whoever stands in front
// ends TLS.
func Open(certFile, keyFile string, log *slog.Logger) (*Certificate, error) {
	if certFile == "" && keyFile == "" {
		return nil, nil
	}
	c := &Certificate{certFile: certFile, keyFile: keyFile, log: log, now: time.Now}
	stamp, err := c.stampOf()
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	current, err := c.read()
	if err != nil {
		return nil, err
	}
	c.current, c.stamp, c.looked = current, stamp, c.now()
	return c, nil
}

// stampOf tells files apart from what they were before.
func (c *Certificate) stampOf() (string, error) {
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

// read reads both files and judges the certificate.
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
		return nil, fmt.Errorf("certificate %s is valid from %s to %s, and now is not between: renew it, or see to the clock", c.certFile,
			pair.Leaf.NotBefore.UTC().Format(time.RFC3339), pair.Leaf.NotAfter.UTC().Format(time.RFC3339))
	}
	return &pair, nil
}

// get gives the certificate for a handshake. Files that can't be read leave the
// one that is in use: a renewal may be half done.
func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if now.Sub(c.looked).Abs() < certificateLook {
		return c.current, nil
	}
	c.looked = now
	stamp, err := c.stampOf()
	if err != nil || stamp == c.stamp {
		return c.current, nil
	}
	c.stamp = stamp
	fresh, err := c.read()
	if err != nil {
		c.log.Error("the new certificate is not used; the former one goes on", "error", err)
		return c.current, nil
	}
	c.current = fresh
	c.log.Info("the certificate was read anew", "until", fresh.Leaf.NotAfter.UTC())
	return c.current, nil
}

// Ends tells until when the certificate is valid; false: there is none.
func (c *Certificate) Ends() (time.Time, bool) {
	if c == nil {
		return time.Time{}, false
	}
	current, _ := c.get(nil) // it never fails
	return current.Leaf.NotAfter, true
}

// Guard wraps a public listener: TLS 1.3 where there is a certificate.
func (c *Certificate) Guard(l net.Listener) net.Listener {
	if c == nil {
		return l
	}
	return tls.NewListener(l, &tls.Config{
		MinVersion: tls.VersionTLS13, GetCertificate: c.get, NextProtos: []string{"http/1.1"},
	})
}
