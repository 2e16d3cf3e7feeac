package httpapi

import (
	"context"

	"github.com/valyala/fasthttp"

	"galla/central"
	"galla/central/ratelimit"
)

// enrolRate is how many wrong enrolment codes a network may send, at all nodes
// together. Right ones do not count: a shop's terminals share an address.
var enrolRate = ratelimit.Rate{PerSecond: 10. / 60, Burst: 10}

// enrolPrefix stands before a network in the shared table of rates.
const enrolPrefix = "enrol:"

// enrolTerminal handles POST /terminals/enrol.
func (s *Server) enrolTerminal(ctx context.Context, fctx *fasthttp.RequestCtx, call central.Request) error {
	ended, wait, err := s.enrolAttempts.Begin(ctx, s.networkOf(fctx))
	switch {
	case err != nil:
		return busyError(err)
	case wait > 0:
		return &central.Error{Fault: central.TooMany, Message: "Too many wrong enrolment codes from this network; try again later", RetryAfter: wait}
	}
	reply := s.handler.Handle(ctx, call)
	if err := ended(reply.HTTP == fasthttp.StatusUnauthorized); err != nil {
		s.log.Error("a wrong enrolment code can't be counted", "request", requestID(fctx), "error", err)
	}
	writeReply(fctx, reply)
	return nil
}
