package server

import (
	"fmt"
	"net"
	"net/netip"
)

// ParseProxies parses networks or single addresses of proxies. The network of all
// addresses is an error: any caller could then forge its address.
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

// NodeName returns the given name, or a default: central-1 on SQLite, where it is the only
// node; on PostgreSQL the host and the port of the direct routes, which are unique.
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
