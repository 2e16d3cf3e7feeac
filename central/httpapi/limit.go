package httpapi

import (
	"context"
	"time"

	"github.com/valyala/fasthttp"

	"galla/central"
	"galla/central/ratelimit"
)

// Prefixes of callers and clients in the shared table of rates.
const (
	callerPrefix        = "direct:"
	networkPrefix       = "open:" // before "network:…", on routes without authentication
	secretPrefix        = "secret:"
	secretDelayedPrefix = "secret-delayed:"
	secretClientPrefix  = "secret-client:"
	secretNetworkPrefix = "secret-network:"
)

// limiter limits the rate of each caller, over all nodes together. Before that, this
// node counts in memory: that protects the node and costs less than a request. While
// the database fails, only this count applies.
type limiter struct {
	local  *ratelimit.LocalLimiter
	shared *ratelimit.SharedLimiter
}

func newLimiter(cfg Config, prefix string) *limiter {
	each := ratelimit.Rate{PerSecond: cfg.Rate, Burst: cfg.Burst}
	return &limiter{ratelimit.NewLocalLimiter(each.PerSecond, each.Burst), ratelimit.NewSharedLimiter(cfg.Rates, each, prefix, time.Now)}
}

// allow counts one request of a caller; the error is TooMany, with the time after
// which the next one is allowed.
func (l *limiter) allow(ctx context.Context, caller string) error {
	if wait := l.local.Take(caller); wait > 0 {
		return central.NewTooMany(wait)
	}
	if _, wait, err := l.shared.Take(ctx, caller); err == nil && wait > 0 {
		l.local.GiveBack(caller) // it was refused, so this node does not count it
		return central.NewTooMany(wait)
	}
	return nil
}

// allowNetwork counts a request without authentication.
func (s *Server) allowNetwork(ctx context.Context, fctx *fasthttp.RequestCtx) error {
	return s.networkLimits.allow(ctx, s.networkOf(fctx))
}
