//go:build linux

package works

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"galla/deploy/bench/load"
	"galla/deploy/bench/report"
	"galla/deploy/bench/stand"
	"galla/shared/envelope"
)

// The sandbox's vendor, whose merchants the stand's are (sandbox.md, section 2).
const (
	vendorClient = "vk_sandbox_sahyadri"
	vendorKey    = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
)

// unlimitedGateway are settings of a central whose vendors have no rate to speak of.
func unlimitedGateway() map[string]string {
	return map[string]string{"GALLA_GATEWAY_RATE": "100000", "GALLA_GATEWAY_BURST": "100000"}
}

// runGateway compares withdrawals through the gateway with direct ones. A withdrawal's body
// has about 4 KB, most of it the capture.
func runGateway(ctx context.Context, b *Bench) (err error) {
	s, err := b.open(ctx, "gateway", stand.Config{Merchants: merchants, Settings: unlimitedGateway()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	w, err := newWithdrawals(ctx, s)
	if err != nil {
		return err
	}
	g, err := newSealed(w)
	if err != nil {
		return err
	}
	got, err := b.interleave(ctx, side{"direct", w.measure(few, b.Span)}, side{"gateway", g.measure(few, b.Span)})
	if err != nil {
		return err
	}
	work := fmt.Sprintf("withdrawal of %.1f KB, gateway, %d connections", float64(len(w.body))/1e3, few)
	b.compare(work, "rate: gateway / direct", report.Bound{AtLeast: 0.95}, got["gateway"], got["direct"], rate)
	b.compare(work, "processor for one: gateway / direct", report.Bound{AtMost: 1.05}, got["gateway"], got["direct"], cpu)
	b.compare(work, "allocations for one: gateway / direct", report.Bound{}, got["gateway"], got["direct"], allocs)
	b.withdrawalFigures(work, got["gateway"])
	return nil
}

// sealed makes withdrawals through the gateway. Messages are sealed before the measured time:
// what a vendor's program needs for it is not the central's.
type sealed struct {
	w      *withdrawals
	key    *envelope.Key
	number atomic.Int64
	rate   float64 // the highest so far, a second
}

func newSealed(w *withdrawals) (*sealed, error) {
	key, err := envelope.ParseKey(vendorKey)
	if err != nil {
		return nil, err
	}
	k, err := envelope.New(key)
	return &sealed{w: w, key: k, rate: 1000}, err
}

// messages seals so many withdrawals, of all merchants in turn.
func (g *sealed) messages(n int) ([][]byte, error) {
	const path = "/process/aeps/withdrawal"
	var fields map[string]any
	if err := json.Unmarshal([]byte(g.w.body), &fields); err != nil {
		return nil, err
	}
	fields["TxnAmount"] = json.Number("100.00")
	var plain [][]byte
	for _, merchant := range g.w.stand.Merchants() {
		fields["merchantId"] = merchant
		text, err := json.Marshal(fields)
		if err != nil {
			return nil, err
		}
		plain = append(plain, text)
	}
	all := make([][]byte, n)
	for i := range all {
		id := fmt.Sprintf("0190c000-0000-4000-8000-%012d", g.number.Add(1))
		h, body, err := g.key.SealRequest("POST", path, vendorClient, id, time.Now(), plain[i%len(plain)], rand.Reader)
		if err != nil {
			return nil, err
		}
		all[i] = []byte(load.Post(g.w.stand.Direct, path, string(body), "X-Client-Id", h.ClientID, "X-Timestamp", h.Timestamp,
			"X-Request-Id", h.RequestID, "X-IV", h.IV, "X-Tag", h.Tag, "X-Checksum", h.Checksum))
	}
	return all, nil
}

// run makes withdrawals for a while, at most twice as many as the highest rate so far gives.
// A reply's status is the direct route's; the rest is sealed.
func (g *sealed) run(ctx context.Context, connections int, span time.Duration) (load.Result, error) {
	all, err := g.messages(int(2*g.rate*span.Seconds()) + connections)
	if err != nil {
		return load.Result{}, err
	}
	var next atomic.Int64
	r := load.Run(ctx, load.Plan{
		Addr: g.w.stand.Direct, Connections: connections, For: span,
		Good: func(r *fasthttp.Response) bool { return r.StatusCode() == fasthttp.StatusOK },
		Next: func(int) load.Requests {
			return func() []byte {
				if n := int(next.Add(1)) - 1; n < len(all) {
					return all[n]
				}
				return nil
			}
		},
	})
	g.rate = max(g.rate, r.Rate())
	return r, r.Check()
}

func (g *sealed) measure(connections int, span time.Duration) func(context.Context) (sample, error) {
	return sampled(g.w.stand.Usage, span, func(ctx context.Context, span time.Duration) (load.Result, error) {
		return g.run(ctx, connections, span)
	})
}
