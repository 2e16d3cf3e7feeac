package door

import (
	"context"

	"github.com/valyala/fasthttp"

	"galla/central"
	"galla/central/duty"
)

// enrolling is how many wrong enrolment codes a network may send, at all nodes
// together. A right one counts for nothing: a shop's counters share an address.
var enrolling = duty.Rate{PerSecond: 10. / 60, Burst: 10}

// enrolPrefix stands before a network in the table that nodes share.
const enrolPrefix = "enrol:"

// enrol dispatches a call of POST /terminals/enrol.
func (d *Door) enrol(ctx context.Context, fctx *fasthttp.RequestCtx, call central.Call) (central.Reply, error) {
	ended, wait, err := d.enrolments.Begin(ctx, network(d.origin(fctx)))
	switch {
	case err != nil:
		return central.Reply{}, orBusy(err)
	case wait > 0:
		return central.Reply{}, &central.Error{Fault: central.TooMany, Message: "Too many wrong enrolment codes from this network; try again later", RetryAfter: wait}
	}
	reply := d.dispatcher.Dispatch(ctx, call)
	if err := ended(reply.HTTP == fasthttp.StatusUnauthorized); err != nil {
		d.log.Error("a wrong enrolment code can't be counted for all nodes", "request", requestID(fctx), "error", err)
	}
	return reply, nil
}
