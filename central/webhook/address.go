package webhook

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"unicode"
)

// maxURL bounds an endpoint's URL, in bytes.
const maxURL = 2048

// errAddress says that a receiver's address is not public. It does not contain the
// address, which would show a merchant the internal network.
var errAddress = errors.New("its name resolves to an address that is not on the public internet, and callbacks are sent to public addresses only")

// CheckURL checks whether a URL can be an endpoint. The addresses of its name are checked
// when it is dialled.
func CheckURL(text string, sandbox bool) error {
	u, err := parseURL(text)
	if err != nil {
		return err
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !sandbox) {
		return errors.New("a callback's URL begins with https://")
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !addressAllowed(ip, sandbox) {
		return errors.New("a callback's URL names a host on the public internet")
	}
	return nil
}

// parseURL parses a URL. Errors do not quote it: merchants put tokens into URLs.
func parseURL(text string) (*url.URL, error) {
	if len(text) > maxURL || strings.ContainsFunc(text, func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) || unicode.IsSpace(r) }) {
		return nil, fmt.Errorf("a callback's URL has at most %d characters, all of them printable", maxURL)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Opaque != "" || u.Hostname() == "":
		return nil, errors.New("a callback's URL is https://host/path")
	case u.User != nil:
		return nil, errors.New("a callback's URL has no user and no password: the signature says who sends it")
	case u.Fragment != "" || strings.HasSuffix(text, "#"):
		return nil, errors.New("a callback's URL has no fragment")
	case strings.Contains(u.Hostname(), "%"):
		return nil, errors.New("a callback's URL has no zone in its address")
	}
	return u, nil
}

// dialControl is a net.Dialer.Control that checks each address right before the
// connection, after the name was resolved.
func dialControl(sandbox bool) func(network, address string, c syscall.RawConn) error {
	return func(network, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || (network != "tcp4" && network != "tcp6") || !addressAllowed(to.Addr(), sandbox) {
			return errAddress
		}
		return nil
	}
}

// reserved are ranges of global unicast form that callbacks are not sent to: the
// special-purpose registries of IANA (RFC 6890 and its successors), and the metadata
// services of clouds.
var reserved = prefixes(
	"0.0.0.0/8",        // this network
	"10.0.0.0/8",       // private
	"100.64.0.0/10",    // carriers' own (CGNAT), and a cloud's metadata
	"127.0.0.0/8",      // loopback
	"168.63.129.16/32", // a cloud's wire server
	"169.254.0.0/16",   // link-local, and most clouds' metadata
	"172.16.0.0/12",    // private
	"192.0.0.0/24",     // protocol assignments, and a cloud's metadata
	"192.0.2.0/24",     // documentation
	"192.31.196.0/24",  // AS112
	"192.52.193.0/24",  // AMT
	"192.88.99.0/24",   // 6to4 relays
	"192.168.0.0/16",   // private
	"192.175.48.0/24",  // AS112
	"198.18.0.0/15",    // benchmarks
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"224.0.0.0/4",      // multicast
	"240.0.0.0/4",      // reserved, and broadcast

	// IPv6 addresses outside 2000::/3 are refused anyway; these are the exceptions in it:
	"2001::/23",     // protocol assignments: Teredo, ORCHID and others
	"2001:db8::/32", // documentation
	"2002::/16",     // 6to4: carries IPv4 addresses
	"2620:4f:8000::/48",
	"3fff::/20", // documentation
)

// globalUnicast is the assigned part of IPv6.
var globalUnicast = netip.MustParsePrefix("2000::/3")

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, text := range list {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// addressAllowed reports whether callbacks may be sent to an address. An IPv4 address in
// IPv6 notation is checked as IPv4.
func addressAllowed(ip netip.Addr, sandbox bool) bool {
	if ip.Zone() != "" {
		return false
	}
	ip = ip.Unmap()
	if sandbox && ip.IsLoopback() {
		return true
	}
	if !ip.IsValid() || !ip.IsGlobalUnicast() || ip.Is6() && !globalUnicast.Contains(ip) {
		return false
	}
	return !slices.ContainsFunc(reserved, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// RedactURL returns scheme and host of a URL, for people: the rest may contain a token.
func RedactURL(text string) string {
	u, err := parseURL(text)
	if err != nil {
		return "a URL that can't be read"
	}
	return u.Scheme + "://" + u.Host + "/…"
}
