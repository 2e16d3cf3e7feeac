package settings

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// Address is where a program listens or whom it calls: host:port, with or without a
// scheme in front and a slash at the end. Every setting whose name ends in _ADDR has
// this type, in every program.
type Address string

var ports = map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443"}

// UnmarshalText implements encoding.TextUnmarshaler, with which kong reads a flag. An
// address has no user; a given one is masked here and refused later: kong's error for an
// invalid flag would quote the environment's value with the password.
func (a *Address) UnmarshalText(text []byte) error {
	if i := strings.LastIndexByte(string(text), '@'); i >= 0 {
		scheme, _, found := strings.Cut(string(text[:i]), "://")
		if found {
			scheme += "://"
		} else {
			scheme = ""
		}
		*a = Address(scheme + "***" + string(text[i:]))
		return nil
	}
	read, err := ParseAddress(string(text))
	if err != nil {
		return err
	}
	*a = read
	return nil
}

// Validate checks an address; kong calls it.
func (a Address) Validate() error {
	_, err := ParseAddress(string(a))
	return err
}

// ParseAddress reads an address; an empty one stays empty. The error does not
// quote what could be a password.
func ParseAddress(text string) (Address, error) {
	text = strings.TrimSuffix(strings.TrimSpace(text), "/")
	if text == "" {
		return "", nil
	}
	scheme, rest := Address(text).split()
	if _, known := ports[scheme]; !known && strings.Contains(text, "://") {
		return "", fmt.Errorf("the address begins with %q: it must be host:port, with http://, https://, ws:// or wss:// in front, or nothing", scheme+"://")
	}
	if strings.ContainsAny(rest, "/?#@ \\") {
		return "", fmt.Errorf("the address must be host:port, such as 127.0.0.1:7100, with or without a scheme, and without a path or a user")
	}
	host, port, err := net.SplitHostPort(Address(text).HostPort())
	if err != nil {
		return "", fmt.Errorf("%q must be host:port, such as 127.0.0.1:7100, with or without a scheme", text)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 && scheme != "" {
		return "", fmt.Errorf("%q: the port must be a number from 1 to 65535", text)
	}
	if _, err := url.Parse("http://" + net.JoinHostPort(host, port)); err != nil {
		return "", fmt.Errorf("%q has no host that can be called", text)
	}
	return Address(text), nil
}

func (a Address) split() (scheme, rest string) {
	text := strings.TrimSuffix(string(a), "/")
	if scheme, rest, found := strings.Cut(text, "://"); found {
		return strings.ToLower(scheme), rest
	}
	return "", text
}

// Scheme is the scheme in lower case; empty: none.
func (a Address) Scheme() string {
	scheme, _ := a.split()
	return scheme
}

// HostPort is the address to listen on. A missing port is the scheme's.
func (a Address) HostPort() string {
	scheme, rest := a.split()
	if port, ok := ports[scheme]; ok && !hasPort(rest) {
		return rest + ":" + port
	}
	return rest
}

// hasPort reports whether a host has a port; [::1] has none.
func hasPort(rest string) bool {
	return strings.LastIndexByte(rest, ':') > strings.LastIndexByte(rest, ']')
}

// URL is the address to call, without a slash at the end: http if no scheme was given.
// An empty one stays empty. A missing host, which means all addresses of this machine,
// becomes the loopback address.
func (a Address) URL() string {
	scheme, rest := a.split()
	if rest == "" {
		return ""
	}
	if scheme == "" {
		scheme = "http"
	}
	if strings.HasPrefix(rest, ":") {
		rest = "127.0.0.1" + rest
	}
	return scheme + "://" + rest
}

// Origins are those under which a browser on this machine knows pages that are served at
// the address. Where that is a loopback address, or all of this machine's, both usual
// names are among them.
func (a Address) Origins() []string {
	if a == "" {
		return nil
	}
	scheme := a.Scheme()
	if scheme == "" {
		scheme = "http"
	}
	host, port, err := net.SplitHostPort(a.HostPort())
	if err != nil {
		return nil
	}
	hosts := []string{host}
	if ip := net.ParseIP(host); host == "" || host == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified()) {
		hosts = []string{"127.0.0.1", "localhost"}
		if ip != nil && ip.To4() == nil {
			hosts = append(hosts, "::1")
		}
	}
	var list []string
	for _, h := range hosts {
		origin := scheme + "://" + net.JoinHostPort(h, port)
		list = append(list, strings.TrimSuffix(origin, ":"+ports[scheme])) // browsers leave the usual port out
	}
	return list
}
