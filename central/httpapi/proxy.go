package httpapi

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"

	"galla/central/ratelimit"
)

// headerForwarded is where each proxy adds the address that it was called from.
const headerForwarded = "X-Forwarded-For"

// maxHops limits the proxies that are followed; the header is the caller's text.
const maxHops = 16

// networkOf returns the network that a request comes from, as far as proxies are
// trusted. Requests without authentication are counted under this name.
func (s *Server) networkOf(fctx *fasthttp.RequestCtx) string {
	peer, _ := netip.AddrFromSlice(fctx.RemoteIP())
	var forwarded []string
	for _, value := range fctx.Request.Header.PeekAll(headerForwarded) {
		forwarded = append(forwarded, string(value))
	}
	return networkName(clientIPOf(peer, forwarded, s.cfg.Trusted))
}

// NetworkOf returns the network of a net/http request, by the rules of this
// package: the address, or the /64 of an IPv6 address, behind the trusted proxies.
func NetworkOf(r *http.Request, trusted []netip.Prefix) string {
	peer, _ := parseHop(r.RemoteAddr)
	return networkName(clientIPOf(peer, r.Header.Values(headerForwarded), trusted))
}

func networkName(ip netip.Addr) string { return "network:" + ratelimit.Network(ip) }

// clientIPOf follows the hops that proxies report, from the nearest to the
// farthest, as long as the reporter is trusted. The first untrusted one is where the
// request comes from: the caller wrote everything before it. If a trusted proxy
// reports no valid address, the request counts as the proxy's own.
func clientIPOf(at netip.Addr, forwarded []string, trusted []netip.Prefix) netip.Addr {
	hops := strings.Split(strings.Join(forwarded, ","), ",")
	slices.Reverse(hops)
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
	return at
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
