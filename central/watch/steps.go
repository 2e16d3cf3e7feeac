package watch

import (
	"context"
	"strconv"
	"strings"
	"time"

	"galla/central"
	"galla/shared/op"
	"galla/shared/trace"
)

// Steps wraps where operations are kept. What an operation's states took is
// counted when it leaves them, by the node that moved it, from the times on
// record: a restart loses no part of them.
func (w *Watch) Steps(next central.EngineStore) central.EngineStore {
	return &steps{EngineStore: next, watch: w}
}

type steps struct {
	central.EngineStore
	watch *Watch
}

// Begin implements central.Operations.
func (s *steps) Begin(ctx context.Context, o central.Operation, quotas []central.Quota) (central.Operation, bool, error) {
	known, isNew, err := s.EngineStore.Begin(ctx, o, quotas)
	if err == nil && isNew {
		s.watch.names.note(o.Reference, o.ID)
	}
	return known, isNew, err
}

// Claim implements central.Operations: the bank will be asked about these.
func (s *steps) Claim(ctx context.Context, now, until time.Time, limit int) ([]central.Operation, error) {
	list, err := s.EngineStore.Claim(ctx, now, until, limit)
	for _, o := range list {
		s.watch.names.note(o.Reference, o.ID)
	}
	return list, err
}

// Suspend implements central.Operations.
func (s *steps) Suspend(ctx context.Context, x central.Suspension) (central.Operation, error) {
	o, err := s.EngineStore.Suspend(ctx, x)
	if err == nil {
		s.watch.left(o, op.Received, o.CreatedAt, o.DispatchedAt)
		s.watch.left(o, op.Dispatched, o.DispatchedAt, x.At)
		s.watch.reached(o, op.Pending)
	}
	return o, err
}

// Settle implements central.Operations.
func (s *steps) Settle(ctx context.Context, x central.Settlement) (central.Operation, error) {
	o, err := s.EngineStore.Settle(ctx, x)
	if err != nil {
		return o, err
	}
	w := s.watch
	switch {
	case o.PendingReference != "":
		if at, ok := suspendedAt(o.PendingReference); ok {
			w.left(o, op.Pending, at, x.At)
		}
	case o.DispatchedAt.IsZero():
		w.left(o, op.Received, o.CreatedAt, x.At)
	default:
		w.left(o, op.Received, o.CreatedAt, o.DispatchedAt)
		w.left(o, op.Dispatched, o.DispatchedAt, x.At)
	}
	w.reached(o, x.To)
	return o, nil
}

// reached counts a step.
func (w *Watch) reached(o central.Operation, state op.State) {
	w.operations.WithLabelValues(w.route(o.Route), string(state)).Inc()
}

// left counts what an operation's state took.
func (w *Watch) left(o central.Operation, state op.State, from, to time.Time) {
	w.stateSeconds.WithLabelValues(string(state), w.class(o.Route)).Observe(since(from, to))
	parent := trace.Call
	if state == op.Pending && o.Terminal != "" {
		parent = trace.Root // the call that began it was answered long ago
	}
	w.span(trace.Span{
		Operation: o.ID, Step: trace.State, Key: string(state), Parent: parent, Name: string(state), Start: from, End: to,
		Route: o.Route, Outcome: string(o.State), Code: o.Code, BankKind: string(o.Kind),
	})
}

// suspendedAt reads from a pending reference when it was given: it ends with
// that moment's Unix milliseconds (central.Operations, Suspend).
func suspendedAt(reference string) (time.Time, bool) {
	ms, err := strconv.ParseInt(reference[strings.LastIndexByte(reference, '-')+1:], 10, 64)
	return time.UnixMilli(ms), err == nil && ms > 0
}
