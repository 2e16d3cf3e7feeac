package webtest

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// Name is the local name of the counters of tests.
const Name = "galla-testtesttesttest.localhost"

// Start serves a counter's pages on a port of the loopback address until the test
// ends. The server's URL has the counter's name in the address's place, and its
// client finds it.
func Start(t testing.TB, pages http.Handler) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(pages)
	t.Cleanup(srv.Close)
	srv.URL = Named(srv.URL)
	srv.Client().Transport = Loopback()
	t.Cleanup(srv.Client().CloseIdleConnections)
	return srv
}

// Named puts the counter's name into an address of the loopback address.
func Named(address string) string { return NamedAs(address, Name) }

// NamedAs is Named for a counter with a name of its own.
func NamedAs(address, name string) string {
	u, err := url.Parse(address)
	if err != nil || u.Port() == "" {
		panic("webtest: no address of a counter: " + address)
	}
	u.Host = net.JoinHostPort(name, u.Port())
	return u.String()
}

// Loopback gives a transport that finds names below .localhost where browsers do:
// at the loopback address, without asking a name server.
func Loopback() *http.Transport {
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
