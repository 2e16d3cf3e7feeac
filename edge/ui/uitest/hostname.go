package uitest

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// Hostname is the host name of counters in tests.
const Hostname = "galla-testtesttesttest.localhost"

// Start serves a counter's pages on a port of the loopback address until the test ends.
// The server's URL has the counter's host name, which its client resolves.
func Start(t testing.TB, pages http.Handler) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(pages)
	t.Cleanup(srv.Close)
	srv.URL = WithHostname(srv.URL)
	srv.Client().Transport = LoopbackTransport()
	t.Cleanup(srv.Client().CloseIdleConnections)
	return srv
}

// WithHostname replaces the host of an address by Hostname.
func WithHostname(address string) string { return WithHost(address, Hostname) }

// WithHost replaces the host of an address.
func WithHost(address, name string) string {
	u, err := url.Parse(address)
	if err != nil || u.Port() == "" {
		panic("webtest: no address of a counter: " + address)
	}
	u.Host = net.JoinHostPort(name, u.Port())
	return u.String()
}

// LoopbackTransport returns a transport that resolves names below .localhost as browsers
// do: to the loopback address, without DNS.
func LoopbackTransport() *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err == nil && strings.HasSuffix(host, ".localhost") {
			address = net.JoinHostPort("127.0.0.1", port)
		}
		return dial(ctx, network, address)
	}
	return transport
}
