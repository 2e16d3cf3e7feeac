package server

import (
	"fmt"
	"net"
	"net/netip"
)

// ParseProxies reads networks of proxies, or single addresses of them. All
// addresses are never trusted: whoever calls could then say who it is.
func ParseProxies(texts []string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if address, single := netip.ParseAddr(text); single == nil {
			prefix, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil || prefix.Bits() == 0 {
			return nil, fmt.Errorf("trusted proxy %q: want an address or a network such as 10.1.2.0/24, and not all of them", text)
		}
		out = append(out, prefix.Masked())
	}
	return out, nil
}

// NodeName is the name of a central that was given none: the only one on a
// file is central-1. Among several on one PostgreSQL it is the host and the
// port of the direct routes, which no two programs of a host have.
func NodeName(given, host, addr string, shared bool) string {
	switch {
	case given != "":
		return given
	case !shared:
		return "central-1"
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return host
	}
	return host + "-" + port
}
