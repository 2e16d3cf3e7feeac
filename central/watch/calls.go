package watch

import (
	"context"
	"time"

	"galla/central"
	"galla/shared/op"
	"galla/shared/trace"
)

// Door is a way in, as metrics name it.
type Door string

// The doors.
const (
	Direct  Door = "direct"
	Gateway Door = "gateway"
	Uplink  Door = "uplink"
)

// Outcomes of calls that are no operation, and of those that became none.
const (
	answered = "answered" // below 400
	rejected = "rejected" // the caller's fault, or an honest no: 4xx
	faulty   = "fault"    // ours: 5xx; where the bank can't be reached, the operation failed
)

// Calls wraps the path that every call takes, for one door.
func (w *Watch) Calls(door Door, next central.Dispatcher) central.Dispatcher {
	return &calls{Dispatcher: next, watch: w, door: door}
}

type calls struct {
	central.Dispatcher
	watch *Watch
	door  Door
}

// Dispatch implements central.Dispatcher.
func (c *calls) Dispatch(ctx context.Context, in central.Call) central.Reply {
	w, begun := c.watch, time.Now()
	operation := in.ID
	tell := in.Accepted
	in.Accepted = func(id op.ID) {
		operation = id
		if tell != nil {
			tell(id)
		}
	}
	// A call that is no operation is traced by its request's id, where that can
	// be a trace's.
	named := operation
	if id, err := op.ParseID(in.RequestID); err == nil && named == "" {
		named = id
	}
	ctx = with(ctx, concern{request: in.RequestID, operation: operation, trace: named})
	reply := c.Dispatcher.Dispatch(ctx, in)

	end := time.Now()
	outcome := outcomeOf(reply)
	w.calls.WithLabelValues(string(c.door), w.route(in.Route.ID), outcome).Inc()
	w.callSeconds.WithLabelValues(string(c.door), w.class(in.Route.ID)).Observe(since(begun, end))
	if reply.Replayed {
		w.replayed.WithLabelValues(string(c.door)).Inc()
	}
	if operation == "" {
		operation = named
	}
	s := trace.Span{
		Operation: operation, Step: trace.Call, Kind: trace.Server, Name: w.route(in.Route.ID), Start: begun, End: end,
		Route: in.Route.ID, Outcome: outcome, HTTP: reply.HTTP, Door: string(c.door), Failed: reply.HTTP >= 500,
	}
	if c.door == Uplink {
		s.Parent = trace.Line
	}
	if reply.Replayed {
		s.Key = in.RequestID // another call about the same operation
	}
	w.span(s)
	return reply
}

// outcomeOf is a reply as a label.
func outcomeOf(r central.Reply) string {
	switch r.State {
	case op.Received, op.Dispatched, op.Pending, op.Succeeded, op.Failed, op.Reversed, op.Refused:
		return string(r.State)
	}
	switch {
	case r.HTTP < 400:
		return answered
	case r.HTTP < 500:
		return rejected
	}
	return faulty
}
