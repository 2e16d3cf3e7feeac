package door

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"
)

// headerForwarded is where proxies in front write who called them, each behind
// what it was told.
const headerForwarded = "X-Forwarded-For"

// maxHops bounds the proxies that a call is followed through; nobody has so
// many, and the text is the caller's.
const maxHops = 16

// origin gives where a request comes from, as far as it can be believed.
func (d *Door) origin(fctx *fasthttp.RequestCtx) net.IP {
	peer := fctx.RemoteIP()
	if len(d.cfg.Trusted) == 0 {
		return peer
	}
	var told []string
	for _, value := range fctx.Request.Header.PeekAll(headerForwarded) {
		told = append(told, string(value))
	}
	return originOf(peer, told, d.cfg.Trusted)
}

// NetworkOf names the network that a request of net/http comes from, by the rules
// of this door's own: the address, or the /64 of an IPv6 address, as far as the
// trusted proxies in front can be believed.
func NetworkOf(r *http.Request, trusted []netip.Prefix) string {
	from, _ := address(r.RemoteAddr)
	return network(originOf(from.AsSlice(), r.Header.Values(headerForwarded), trusted))
}

// originOf follows the hops that proxies tell of, from the nearest to the
// farthest, as long as whoever tells is trusted. The first that is not is where
// the call comes from: what stands before it, the caller has written. Where a
// trusted proxy tells nothing that is an address, the call is the proxy's.
func originOf(peer net.IP, told []string, trusted []netip.Prefix) net.IP {
	hops := strings.Split(strings.Join(told, ","), ",")
	slices.Reverse(hops)
	at, ok := netip.AddrFromSlice(peer)
	if !ok {
		return peer
	}
	at = at.Unmap()
	for _, hop := range hops[:min(len(hops), maxHops)] {
		if !within(at, trusted) {
			break
		}
		next, ok := address(strings.TrimSpace(hop))
		if !ok {
			break
		}
		at = next
	}
	return at.AsSlice()
}

// address reads a hop: an address, or one with a port. A zone is of no use
// here, and would make many addresses of one.
func address(hop string) (netip.Addr, bool) {
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

func within(at netip.Addr, networks []netip.Prefix) bool {
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(at) })
}
