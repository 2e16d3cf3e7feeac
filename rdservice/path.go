package rdservice

import (
	"fmt"
	"net"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode"
)

// maxPath bounds an interface's path, in bytes; real ones have under 60.
const maxPath = 512

// parseAddress reads the address of an RD service, with or without a scheme,
// and gives it in the one form that this package uses as its name.
func parseAddress(s string) (*url.URL, error) {
	text := strings.TrimSpace(s)
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %q", ErrAddress, s)
	}
	port, err := strconv.Atoi(u.Port())
	switch {
	case u.Scheme != "http" && u.Scheme != "https",
		err != nil, port < 1, port > 65535, u.Hostname() == "",
		u.User != nil, strings.Trim(u.Path, "/") != "", u.RawQuery != "", u.Fragment != "":
		return nil, fmt.Errorf("%w: %q; it must look like http://127.0.0.1:11100", ErrAddress, s)
	}
	host := strings.ToLower(u.Hostname())
	if host == "localhost" {
		host = "127.0.0.1"
	}
	return &url.URL{Scheme: u.Scheme, Host: net.JoinHostPort(host, strconv.Itoa(port))}, nil
}

// isLoopback tells whether a host, without port, is this computer.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// normalPath turns an interface's path as makers write it into a clean path on
// the probed service: white space goes, doubled slashes become one, a leading
// one is added, and a host and port in front (a whole URL, '127.0.0.1:11100/x',
// '/127.0.0.1:11100/x') are taken off. Whatever port stands there, the probed
// one is used. A host that is neither the probed one nor loopback is
// ErrForeignHost. The result is empty where the path is empty.
func normalPath(raw string, probed *url.URL) (string, error) {
	s := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, strings.ReplaceAll(raw, `\`, "/"))
	switch {
	case s == "":
		return "", nil
	case len(s) > maxPath:
		return "", replyError("an interface's path is longer than %d bytes", maxPath)
	case strings.ContainsFunc(s, unicode.IsControl):
		return "", replyError("an interface's path holds control characters")
	}
	// Cleaning can bring a host to the front (/x/../127.0.0.1:11100/y), so the
	// result must be its own normal form.
	for range maxPasses {
		clean, err := cleanPath(s, probed)
		if err != nil {
			return "", err
		}
		if clean == s {
			return s, nil
		}
		s = clean
	}
	return "", replyError("an interface's path has no normal form")
}

// maxPasses bounds the search for a normal form; two passes are the rule.
const maxPasses = 4

func cleanPath(s string, probed *url.URL) (string, error) {
	s, err := withoutHost(s, probed)
	if err != nil {
		return "", err
	}
	s, _, _ = strings.Cut(s, "#")
	s, query, hasQuery := strings.Cut(s, "?")
	s = path.Clean("/" + s)
	if hasQuery {
		s += "?" + query
	}
	if _, err := url.ParseRequestURI(s); err != nil {
		return "", replyError("an interface's path cannot be requested")
	}
	return s, nil
}

// withoutHost takes scheme, host and port off a path, if any stand there.
func withoutHost(s string, probed *url.URL) (string, error) {
	rest, sure := s, false
	for _, scheme := range []string{"http:", "https:"} {
		bare := strings.TrimLeft(s, "/")
		if len(bare) >= len(scheme) && strings.EqualFold(bare[:len(scheme)], scheme) {
			rest, sure = bare[len(scheme):], true
		}
	}
	if !sure && strings.Contains(strings.SplitN(s, "?", 2)[0], "://") {
		return "", fmt.Errorf("%w: a path names a scheme that is not HTTP", ErrForeignHost)
	}
	// Two slashes in front start a host by the rules of URLs, but mostly they
	// are a slip: only what looks like a host is one.
	doubled := strings.HasPrefix(rest, "//")
	rest = strings.TrimLeft(rest, "/")
	head, tail := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		head, tail = rest[:i], rest[i:]
	}
	host, named := hostOf(head)
	if !named && (sure || doubled && strings.Contains(head, ".")) {
		host, named = head, true
	}
	if !named {
		return s, nil
	}
	same := strings.EqualFold(host, probed.Hostname())
	if !same && !(isLoopback(host) && isLoopback(probed.Hostname())) {
		return "", fmt.Errorf("%w: %s", ErrForeignHost, clip(host))
	}
	if tail == "" {
		tail = "/"
	}
	return tail, nil
}

// hostOf tells whether a path's first segment is certainly a host: an address,
// localhost, or anything with a port or a user in it.
func hostOf(segment string) (host string, ok bool) {
	if strings.Contains(segment, "@") {
		return segment, true // a user name before a host: never loopback
	}
	host = segment
	if i := strings.LastIndexByte(segment, ':'); i >= 0 && !strings.HasSuffix(segment, "]") {
		if _, err := strconv.ParseUint(segment[i+1:], 10, 16); err == nil || segment[i+1:] == "" {
			return strings.Trim(segment[:i], "[]"), true
		}
	}
	host = strings.Trim(host, "[]")
	return host, strings.EqualFold(host, "localhost") || net.ParseIP(host) != nil
}
