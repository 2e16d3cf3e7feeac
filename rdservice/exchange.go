package rdservice

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"syscall"
	"time"
)

// The three methods of the RD protocol.
const (
	methodDiscover = "RDSERVICE"
	methodInfo     = "DEVICEINFO"
	methodCapture  = "CAPTURE"
)

// Names of the operations in errors.
const (
	opDiscover = "discover"
	opInfo     = "device info"
	opCapture  = "capture"
)

// maxHeader bounds a reply's HTTP header, in bytes; real ones have under 500.
const maxHeader = 16 << 10

// DialFunc opens a connection, as net.Dialer.DialContext does.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// httpClients are the two ways out: loopback accepts self-signed certificates and
// connects to nothing but loopback, elsewhere checks certificates as usual.
type httpClients struct {
	loopback, elsewhere *http.Client
}

func newHTTPClients(dial DialFunc) httpClients {
	here := dial
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
		here = (&net.Dialer{Control: onlyLoopback}).DialContext
	}
	// RD services on https sign their own certificates, and legacy ones know old
	// versions and suites only; nobody else can answer on this computer's
	// loopback address, nor listen in.
	selfSigned := &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, CipherSuites: everySuite()}
	return httpClients{
		loopback:  newHTTP(here, selfSigned),
		elsewhere: newHTTP(dial, &tls.Config{MinVersion: tls.VersionTLS12}),
	}
}

// everySuite lists the cipher suites that crypto/tls knows, the good ones first.
func everySuite() []uint16 {
	var ids []uint16
	for _, suite := range slices.Concat(tls.CipherSuites(), tls.InsecureCipherSuites()) {
		ids = append(ids, suite.ID)
	}
	return ids
}

// newHTTP makes a client without the habits that hurt RD services: kept
// connections, proxies, redirects, compression. Without kept connections
// net/http never sends a request twice.
func newHTTP(dial DialFunc, config *tls.Config) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil,
			DialContext:            bounded(dial),
			TLSClientConfig:        config,
			DisableKeepAlives:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxHeader,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// requestKey finds a request's context in that of its dial.
type requestKey struct{}

// bounded ends a dial together with its request; net/http would go on with it,
// for the sake of a later request.
func bounded(dial DialFunc) DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if request, ok := ctx.Value(requestKey{}).(context.Context); ok {
			ctx = request
		}
		return dial(ctx, network, address)
	}
}

// onlyLoopback refuses to connect to another computer, whatever a name
// resolved to.
func onlyLoopback(_, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil || !isLoopback(host) {
		return fmt.Errorf("%s is not this computer", address)
	}
	return nil
}

// exchange is one request and its whole reply.
type exchange struct {
	op     string
	method string
	base   *url.URL
	path   string
	body   []byte
	wait   time.Duration
}

// do performs the exchange. Errors are *Error.
func (d httpClients) do(ctx context.Context, x exchange) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, x.wait)
	defer cancel()
	fail := func(detail string, kind error) error {
		return &Error{Op: x.op, Address: x.base.String(), Kind: kind, Detail: detail}
	}
	// A nil *bytes.Reader is no nil io.Reader, so the body is set only if there is one.
	var body io.Reader
	if x.body != nil {
		body = bytes.NewReader(x.body)
	}
	req, err := http.NewRequestWithContext(context.WithValue(ctx, requestKey{}, ctx), x.method, x.base.String()+x.path, body)
	if err != nil {
		return nil, fail("its path cannot be requested", ErrReply)
	}
	req.Header.Set("User-Agent", "Galla")
	if body != nil {
		req.Header.Set("Content-Type", "text/xml")
	}
	client := d.elsewhere
	if isLoopback(x.base.Hostname()) {
		client = d.loopback
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fail(classify(ctx, err))
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return nil, fail(fmt.Sprintf("HTTP %d; redirects are not followed", resp.StatusCode), ErrStatus)
	case resp.StatusCode != http.StatusOK:
		return nil, fail(fmt.Sprintf("HTTP %d", resp.StatusCode), ErrStatus)
	}
	reply, err := io.ReadAll(io.LimitReader(resp.Body, MaxReply+1))
	switch {
	case err != nil:
		return nil, fail(classify(ctx, err))
	case len(reply) > MaxReply:
		return nil, fail(fmt.Sprintf("more than %d bytes", MaxReply), ErrTooLarge)
	}
	return reply, nil
}
