package telemetry

import (
	"context"
	"time"

	"galla/central"
	"galla/shared/op"
	"galla/shared/telemetry"
)

// Entrance names an entrance in metrics.
type Entrance string

// The entrances.
const (
	Direct  Entrance = "direct"
	Gateway Entrance = "gateway"
	Uplink  Entrance = "uplink"
)

// Outcomes of requests that are no operation, or that created none.
const (
	answered = "answered" // below 400
	rejected = "rejected" // 4xx
	faulty   = "fault"    // ours: 5xx; where the bank can't be reached, the operation failed
)

// WrapHandler measures the requests of one entrance.
func (w *Metrics) WrapHandler(entrance Entrance, next central.Handler) central.Handler {
	return &meteredHandler{Handler: next, metrics: w, entrance: entrance}
}

type meteredHandler struct {
	central.Handler
	metrics  *Metrics
	entrance Entrance
}

// Handle measures central.Handler.Handle.
func (c *meteredHandler) Handle(ctx context.Context, in central.Request) central.Reply {
	w, begun := c.metrics, time.Now()
	operation := in.ID
	next := in.OnAccepted
	in.OnAccepted = func(id op.ID) {
		operation = id
		if next != nil {
			next(id)
		}
	}
	// A request without an operation is traced by its request id, if that is a
	// valid trace id.
	named := operation
	if id, err := op.ParseID(in.RequestID); err == nil && named == "" {
		named = id
	}
	ctx = withLogScope(ctx, logScope{request: in.RequestID, operation: operation, trace: named})
	reply := c.Handler.Handle(ctx, in)

	end := time.Now()
	outcome := outcomeLabel(reply)
	w.requests.WithLabelValues(string(c.entrance), w.routeLabel(in.Route.ID), outcome).Inc()
	w.requestSeconds.WithLabelValues(string(c.entrance), w.classLabel(in.Route.ID)).Observe(secondsBetween(begun, end))
	if reply.Replayed {
		w.replayed.WithLabelValues(string(c.entrance)).Inc()
	}
	if operation == "" {
		operation = named
	}
	s := telemetry.Span{
		Operation: operation, Step: telemetry.Call, Kind: telemetry.Server, Name: w.routeLabel(in.Route.ID), Start: begun, End: end,
		Route: in.Route.ID, Outcome: outcome, HTTP: reply.HTTP, Entrance: string(c.entrance), Failed: reply.HTTP >= 500,
	}
	if c.entrance == Uplink {
		s.Parent = telemetry.Uplink
	}
	if reply.Replayed {
		s.Key = in.RequestID // another request for the same operation
	}
	w.recordSpan(s)
	return reply
}

// outcomeLabel returns the state of the reply's operation, or the class of its status code.
func outcomeLabel(r central.Reply) string {
	switch r.State {
	case op.Received, op.Sent, op.Pending, op.Succeeded, op.Failed, op.Reversed, op.Refused:
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
