package httpapi

import (
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

func proxies() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("10.1.2.0/24"), netip.MustParsePrefix("2001:db8:1::/48")}
}

// TestOrigin: only trusted proxies are believed, and only as far as each tells
// of the next.
func TestOrigin(t *testing.T) {
	for name, c := range map[string]struct {
		peer      string
		forwarded []string
		want      string
	}{
		"no proxy":              {"203.0.113.9", nil, "203.0.113.9"},
		"an untrusted claim":    {"203.0.113.9", []string{"198.51.100.1"}, "203.0.113.9"},
		"one proxy":             {"10.1.2.3", []string{"198.51.100.1"}, "198.51.100.1"},
		"a chain":               {"10.1.2.3", []string{"198.51.100.1, 10.1.2.4"}, "198.51.100.1"},
		"two headers":           {"10.1.2.3", []string{"198.51.100.1", "10.1.2.4"}, "198.51.100.1"},
		"a forged beginning":    {"10.1.2.3", []string{"192.0.2.77, 198.51.100.1"}, "198.51.100.1"},
		"a forged proxy":        {"10.1.2.3", []string{"192.0.2.77, 10.1.2.9, 198.51.100.1"}, "198.51.100.1"},
		"nothing forwarded":     {"10.1.2.3", nil, "10.1.2.3"},
		"no address":            {"10.1.2.3", []string{"unknown"}, "10.1.2.3"},
		"no address behind one": {"10.1.2.3", []string{"unknown, 10.1.2.4"}, "10.1.2.4"},
		"with a port":           {"10.1.2.3", []string{"198.51.100.1:4711"}, "198.51.100.1"},
		"IPv6 with a port":      {"2001:db8:1::5", []string{"[2001:db8:9::1]:443"}, "2001:db8:9::1"},
		"IPv6 with a zone":      {"2001:db8:1::5", []string{"fe80::1%eth0"}, "fe80::1"},
		"an IPv4 in IPv6":       {"::ffff:10.1.2.3", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		"too many hops":         {"10.1.2.3", []string{"198.51.100.1" + strings.Repeat(",10.1.2.4", 2*maxHops)}, "10.1.2.4"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := clientIPOf(netip.MustParseAddr(c.peer), c.forwarded, proxies()); got.String() != c.want {
				t.Errorf("the call comes from %s, want %s", got, c.want)
			}
		})
	}
}

// FuzzOrigin: whatever is forwarded, the origin is an address, and an untrusted header
// is never believed.
func FuzzOrigin(f *testing.F) {
	f.Add("198.51.100.1, 10.1.2.4")
	f.Add("[2001:db8::1%eth0]:1,,,")
	f.Fuzz(func(t *testing.T, forwarded string) {
		if got := clientIPOf(netip.MustParseAddr("203.0.113.9"), []string{forwarded}, proxies()); got.String() != "203.0.113.9" {
			t.Errorf("an untrusted header was used: %s", got)
		}
		if got := clientIPOf(netip.MustParseAddr("10.1.2.3"), []string{forwarded}, proxies()); !got.IsValid() || got.Zone() != "" {
			t.Errorf("%s is no address", got)
		}
	})
}

// TestNetworkOf: the uplink counts unknown callers by the same networks.
func TestNetworkOf(t *testing.T) {
	proxy := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, c := range []struct{ remote, forwarded, want string }{
		{"10.0.0.7:4711", "203.0.113.9", "network:203.0.113.9"},
		{"10.0.0.7:4711", "6.6.6.6, 203.0.113.9", "network:203.0.113.9"},
		{"203.0.113.9:1", "6.6.6.6", "network:203.0.113.9"},
		{"[2001:db8:1:2:3:4:5:6]:1", "", "network:2001:db8:1:2::"},
		{"10.0.0.7:4711", "2001:db8:1:2:3:4:5:6", "network:2001:db8:1:2::"},
		{"10.0.0.7:4711", "", "network:10.0.0.7"},
	} {
		r := httptest.NewRequest("GET", "/uplink", nil)
		r.RemoteAddr = c.remote
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got := NetworkOf(r, proxy); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
