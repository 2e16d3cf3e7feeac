package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"
)

// headerForwarded is where each proxy adds the address that it was called from.
const headerForwarded = "X-Forwarded-For"

// maxHops limits the proxies that are followed; the header is the caller's text.
const maxHops = 16

// clientIP returns where a request comes from, as far as proxies are trusted.
func (s *Server) clientIP(fctx *fasthttp.RequestCtx) net.IP {
	peer := fctx.RemoteIP()
	if len(s.cfg.Trusted) == 0 {
		return peer
	}
	var forwarded []string
	for _, value := range fctx.Request.Header.PeekAll(headerForwarded) {
		forwarded = append(forwarded, string(value))
	}
	return clientIPOf(peer, forwarded, s.cfg.Trusted)
}

// NetworkOf returns the network of a net/http request, by the rules of this
// package: the address, or the /64 of an IPv6 address, behind the trusted proxies.
func NetworkOf(r *http.Request, trusted []netip.Prefix) string {
	from, _ := parseHop(r.RemoteAddr)
	return networkName(clientIPOf(from.AsSlice(), r.Header.Values(headerForwarded), trusted))
}

// clientIPOf follows the hops that proxies report, from the nearest to the
// farthest, as long as the reporter is trusted. The first untrusted one is where the
// request comes from: the caller wrote everything before it. If a trusted proxy
// reports no valid address, the request counts as the proxy's own.
func clientIPOf(peer net.IP, forwarded []string, trusted []netip.Prefix) net.IP {
	hops := strings.Split(strings.Join(forwarded, ","), ",")
	slices.Reverse(hops)
	at, ok := netip.AddrFromSlice(peer)
	if !ok {
		return peer
	}
	at = at.Unmap()
	for _, hop := range hops[:min(len(hops), maxHops)] {
		if !inNetworks(at, trusted) {
			break
		}
		next, ok := parseHop(strings.TrimSpace(hop))
		if !ok {
			break
		}
		at = next
	}
	return at.AsSlice()
}

// parseHop reads a hop: an address, or one with a port. Zones are dropped: they
// would make many addresses of one.
func parseHop(hop string) (netip.Addr, bool) {
	at, err := netip.ParseAddr(hop)
	if err != nil {
		with, err := netip.ParseAddrPort(hop)
		if err != nil {
			return netip.Addr{}, false
		}
		at = with.Addr()
	}
	return at.WithZone("").Unmap(), true
}

func inNetworks(at netip.Addr, networks []netip.Prefix) bool {
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(at) })
}
