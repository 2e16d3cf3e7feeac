package webhook_test

import (
	"net/netip"
	"strings"
	"testing"

	"galla/central/webhook"
)

func TestAddresses(t *testing.T) {
	for text, want := range map[string]bool{
		"93.184.216.34": true, "8.8.8.8": true, "100.63.255.255": true, "100.128.0.0": true, "172.32.0.1": true, "192.0.1.1": true, "223.255.255.255": true,
		"2606:2800:220:1:248:1893:25c8:1946": true, "2400:cb00::1": true, "::ffff:93.184.216.34": true,

		"127.0.0.1": false, "127.8.9.10": false, "0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "172.16.0.1": false, "172.31.255.255": false,
		"192.168.1.1": false, "100.64.0.1": false, "100.127.255.255": false, "100.100.100.200": false, "169.254.169.254": false, "168.63.129.16": false,
		"192.0.0.192": false, "192.0.2.7": false, "198.18.0.1": false, "198.19.255.255": false, "198.51.100.7": false, "203.0.113.7": false,
		"224.0.0.1": false, "239.255.255.255": false, "240.0.0.1": false, "255.255.255.255": false, "192.88.99.1": false,
		"::": false, "::1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::ffff:169.254.169.254": false, "::127.0.0.1": false,
		"64:ff9b::7f00:1": false, "64:ff9b:1::1": false, "2002:7f00:1::1": false, "2001::1": false, "2001:db8::1": false, "100::1": false,
		"fc00::1": false, "fd00:ec2::254": false, "fe80::1": false, "fec0::1": false, "ff02::1": false, "fe80::1%eth0": false, "3fff::1": false, "4000::1": false,
		"2606:2800:220:1::1%eth0": false,
	} {
		ip := netip.MustParseAddr(text)
		if got := webhook.AddressAllowed(ip, false); got != want {
			t.Errorf("%s: allowed %v, want %v", text, got, want)
		}
		if got, want := webhook.AddressAllowed(ip, true), want || text == "127.0.0.1" || text == "127.8.9.10" || text == "::1" || text == "::ffff:127.0.0.1"; got != want {
			t.Errorf("%s in a sandbox: allowed %v, want %v", text, got, want)
		}
	}
	if webhook.AddressAllowed(netip.Addr{}, true) {
		t.Error("no address is allowed")
	}
}

func TestControl(t *testing.T) {
	for _, c := range []struct {
		network, address string
		want             bool
	}{
		{"tcp4", "93.184.216.34:443", true}, {"tcp6", "[2400:cb00::1]:443", true},
		{"tcp4", "127.0.0.1:443", false}, {"tcp6", "[::ffff:10.0.0.1]:443", false}, {"tcp6", "[fe80::1%eth0]:443", false},
		{"udp4", "93.184.216.34:443", false}, {"unix", "/run/docker.sock", false}, {"tcp4", "somewhere:443", false}, {"tcp4", "", false},
	} {
		if err := webhook.DialControl(false)(c.network, c.address, nil); (err == nil) != c.want {
			t.Errorf("%s %s: %v", c.network, c.address, err)
		}
	}
}

func TestURLs(t *testing.T) {
	for url, want := range map[string]bool{
		"https://shop.example/events": true, "https://shop.example": true, "https://shop.example:8443/a?token=b": true, "https://93.184.216.34/": true,
		"HTTPS://shop.example/": true,

		"": false, "shop.example": false, "/events": false, "http://shop.example/": false, "ftp://shop.example/": false, "https://": false,
		"https:shop.example": false, "https://user@shop.example/": false, "https://user:password@shop.example/": false, "https://shop.example/#a": false,
		"https://shop.example/#": false, "https://shop.example/a b": false, "https://shop.example/\n": false, "https://shop.example/\x00": false,
		"https://127.0.0.1/": false, "https://[::1]/": false, "https://10.0.0.1/": false, "https://[fe80::1%25eth0]/": false, "https://169.254.169.254/latest": false,
		"https://shop.example:port/": false, "file:///etc/passwd": false, "https://shop.example/" + strings.Repeat("a", webhook.MaxURL): false,
	} {
		if err := webhook.CheckURL(url, false); (err == nil) != want {
			t.Errorf("%q: %v, want it taken: %v", url, err, want)
		}
	}
	for url, want := range map[string]bool{
		"http://127.0.0.1:7400/galla": true, "http://localhost:7400": true, "http://[::1]:7400/": true, "https://shop.example/": true,
		"http://10.0.0.1/": false, "http://169.254.169.254/": false, "ws://127.0.0.1/": false,
	} {
		if err := webhook.CheckURL(url, true); (err == nil) != want {
			t.Errorf("%q in a sandbox: %v, want it taken: %v", url, err, want)
		}
	}
	if got := webhook.RedactURL("https://shop.example:8443/hook?token=Canary"); got != "https://shop.example:8443/…" {
		t.Errorf("a URL is shown as %q", got)
	}
}

func FuzzCheckURL(f *testing.F) {
	for _, url := range []string{"https://shop.example/events", "http://127.0.0.1/", "https://[::1%25lo]/", "https://a@b/", "https://0x7f.1/", "https://１２７.0.0.1/"} {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := webhook.CheckURL(text, false)
		if err == nil && !strings.HasPrefix(strings.ToLower(text), "https://") {
			t.Fatalf("%q was taken", text)
		}
		if err == nil && webhook.CheckURL(text, true) != nil {
			t.Fatalf("%q is taken, but not in a sandbox", text)
		}
		if err != nil && len(text) > 8 && strings.Contains(err.Error(), text) {
			t.Fatalf("the error quotes the URL")
		}
		_ = webhook.RedactURL(text)
	})
}
