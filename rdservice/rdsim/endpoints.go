package rdsim

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// endpoint is one address at which a device listens.
type endpoint struct {
	secure bool   // https
	host   string // host:port
}

func (at endpoint) String() string {
	if at.secure {
		return "https://" + at.host
	}
	return "http://" + at.host
}

// parseEndpoints reads addresses, with or without http:// or https://.
func parseEndpoints(addresses []string) ([]endpoint, error) {
	endpoints := make([]endpoint, len(addresses))
	for i, address := range addresses {
		text := address
		if !strings.Contains(text, "://") {
			text = "http://" + text
		}
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Port() == "" || strings.Trim(u.Path, "/") != "" || u.User != nil || u.RawQuery != "" {
			return nil, fmt.Errorf("%q is no address; it must look like http://127.0.0.1:11100 or https://127.0.0.1:11200", address)
		}
		if !isLoopback(u.Hostname()) {
			return nil, fmt.Errorf("%q is not a loopback address; an RD service answers its own computer only", address)
		}
		endpoints[i] = endpoint{u.Scheme == "https", u.Host}
	}
	return endpoints, nil
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// schemeOf is the scheme under which a request came.
func schemeOf(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

// selfSignedLife is how long the certificate of an https endpoint lives.
const selfSignedLife = 365 * 24 * time.Hour

// selfSigned makes the certificate of https endpoints, which nobody vouches for.
func selfSigned(random io.Reader) (*tls.Config, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), random)
	if err != nil {
		return nil, fmt.Errorf("making the key of the https address: %w", err)
	}
	now := time.Now()
	about := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "Galla simulated RD service"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(selfSignedLife),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(random, about, about, &key.PublicKey, key)
	if err != nil {
		return nil, fmt.Errorf("signing the certificate of the https address: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}, nil
}

// Listeners holds the addresses of devices that are open for requests.
type Listeners struct{ at []listening }

type listening struct {
	device   *Device
	endpoint endpoint
	listener net.Listener
}

// Listen takes every address of the devices, or none. A taken one is an error
// that names it and says what to do.
func Listen(ctx context.Context, devices ...*Device) (*Listeners, error) {
	o := &Listeners{}
	for _, d := range devices {
		for _, at := range d.endpoints {
			l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", at.host)
			if err != nil {
				return nil, errors.Join(fmt.Errorf("cannot listen at %s: %w; if another program holds it (an RD service, or a simulator"+
					" that still runs), stop that one, or choose another address with GALLA_RDSIM_ADDR or --device", at, err), o.Close())
			}
			at.host = l.Addr().String()
			o.at = append(o.at, listening{d, at, l})
		}
	}
	return o, nil
}

// Addresses lists the open addresses, each with its scheme, in the order of the
// devices and their Config.
func (o *Listeners) Addresses() []string {
	out := make([]string, len(o.at))
	for i, one := range o.at {
		out[i] = one.endpoint.String()
	}
	return out
}

// Close gives the addresses back; it is for an Open that is not served.
func (o *Listeners) Close() error {
	var errs []error
	for _, one := range o.at {
		errs = append(errs, one.listener.Close())
	}
	return errors.Join(errs...)
}

// Serve serves at all addresses until ctx ends; then it returns nil, after
// every request has ended. If one address fails, all end.
func (o *Listeners) Serve(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, len(o.at))
	for _, one := range o.at {
		go func() {
			defer stop()
			ended <- one.device.serve(ctx, one.listener, one.endpoint.secure)
		}()
	}
	var errs []error
	for range o.at {
		errs = append(errs, <-ended)
	}
	return errors.Join(errs...)
}

// Run listens at the device's addresses and serves until ctx ends; then it
// returns nil, after every request has ended. Errors are those of Listen.
func (d *Device) Run(ctx context.Context) error {
	o, err := Listen(ctx, d)
	if err != nil {
		return err
	}
	return o.Serve(ctx)
}
