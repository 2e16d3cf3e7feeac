package settings

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func TestAddress(t *testing.T) {
	for text, want := range map[string]struct{ host, url string }{
		"":                          {"", ""},
		"127.0.0.1:7100":            {"127.0.0.1:7100", "http://127.0.0.1:7100"},
		" 127.0.0.1:7100 ":          {"127.0.0.1:7100", "http://127.0.0.1:7100"},
		"127.0.0.1:7100/":           {"127.0.0.1:7100", "http://127.0.0.1:7100"},
		"http://127.0.0.1:7100":     {"127.0.0.1:7100", "http://127.0.0.1:7100"},
		"http://127.0.0.1:7100/":    {"127.0.0.1:7100", "http://127.0.0.1:7100"},
		"HTTP://127.0.0.1:7100":     {"127.0.0.1:7100", "http://127.0.0.1:7100"},
		"ws://127.0.0.1:7102":       {"127.0.0.1:7102", "ws://127.0.0.1:7102"},
		"wss://uplink.example.in":   {"uplink.example.in:443", "wss://uplink.example.in"},
		"https://galla.example.in/": {"galla.example.in:443", "https://galla.example.in"},
		"localhost:7100":            {"localhost:7100", "http://localhost:7100"},
		"[::1]:7100":                {"[::1]:7100", "http://[::1]:7100"},
		"http://[::1]":              {"[::1]:80", "http://[::1]"},
		":7100":                     {":7100", "http://127.0.0.1:7100"},
		"http://:7100":              {":7100", "http://127.0.0.1:7100"},
		"127.0.0.1:0":               {"127.0.0.1:0", "http://127.0.0.1:0"},
	} {
		a, err := ParseAddress(text)
		if err != nil || a.HostPort() != want.host || a.URL() != want.url {
			t.Errorf("%q: %q, %q, %v; want %+v", text, a.HostPort(), a.URL(), err, want)
		}
	}
	for _, text := range []string{
		"127.0.0.1", "7100", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:70000", "http://127.0.0.1:0", "ftp://127.0.0.1:7100", "://127.0.0.1:7100",
		"http://127.0.0.1:7100/path", "127.0.0.1:7100?x=1", "http://a:b@127.0.0.1:7100", "::1:7100", "http://http://x:1", "a b:1", "http://",
	} {
		if a, err := ParseAddress(text); err == nil {
			t.Errorf("%q was read as %q", text, a)
		}
	}
}

func TestOrigins(t *testing.T) {
	for text, want := range map[Address]string{
		"":                      "",
		"http://127.0.0.1:7100": "http://127.0.0.1:7100 http://localhost:7100",
		"localhost:7100":        "http://127.0.0.1:7100 http://localhost:7100",
		":7100":                 "http://127.0.0.1:7100 http://localhost:7100",
		"0.0.0.0:7100":          "http://127.0.0.1:7100 http://localhost:7100",
		"[::1]:7100":            "http://127.0.0.1:7100 http://localhost:7100 http://[::1]:7100",
		"http://localhost":      "http://127.0.0.1 http://localhost",
		"https://galla.example": "https://galla.example",
		"10.1.2.3:443":          "http://10.1.2.3:443",
	} {
		if got := strings.Join(text.Origins(), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestAddressIsAFlag: kong reads it, from the command line, the environment and
// the default alike, and refuses what is none.
func TestAddressIsAFlag(t *testing.T) {
	type cli struct {
		Addr Address `env:"GALLA_SETTINGS_TEST_ADDR" default:"http://127.0.0.1:1"`
	}
	read := func(args ...string) (Address, error) {
		var c cli
		parser, err := kong.New(&c)
		if err != nil {
			t.Fatal(err)
		}
		_, err = parser.Parse(args)
		return c.Addr, err
	}
	if a, err := read(); err != nil || a.URL() != "http://127.0.0.1:1" {
		t.Errorf("default: %q, %v", a, err)
	}
	if a, err := read("--addr", "localhost:2/"); err != nil || a.URL() != "http://localhost:2" {
		t.Errorf("flag: %q, %v", a, err)
	}
	t.Setenv("GALLA_SETTINGS_TEST_ADDR", "localhost:3")
	if a, err := read(); err != nil || a.HostPort() != "localhost:3" {
		t.Errorf("environment: %q, %v", a, err)
	}
	t.Setenv("GALLA_SETTINGS_TEST_ADDR", "localhost")
	if a, err := read(); err == nil {
		t.Errorf("an address without a port was read as %q", a)
	}
	for _, with := range []string{"http://user:hidden@127.0.0.1:4", "user:hidden@127.0.0.1:4"} {
		if _, err := read("--addr", with); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("a user in the flag: %v", err)
		}
		t.Setenv("GALLA_SETTINGS_TEST_ADDR", with)
		a, err := read()
		if strings.Contains(fmt.Sprint(a, err), "hidden") || err == nil && a.Validate() == nil {
			t.Errorf("a user in the environment: %q, %v", a, err)
		}
	}
}
