package telemetry

import (
	"context"
	"strconv"
	"strings"
	"time"

	"galla/central"
	"galla/shared/op"
	"galla/shared/telemetry"
)

// WrapStore measures steps of operations. The time in a state is observed by the node
// that moves the operation out of it, from the recorded times, so a restart loses
// nothing.
func (w *Metrics) WrapStore(next central.EngineStore) central.EngineStore {
	return &meteredStore{EngineStore: next, metrics: w}
}

type meteredStore struct {
	central.EngineStore
	metrics *Metrics
}

// Create remembers the reference of a new operation.
func (s *meteredStore) Create(ctx context.Context, o central.Operation, quotas []central.Quota) (central.Operation, bool, error) {
	known, isNew, err := s.EngineStore.Create(ctx, o, quotas)
	if err == nil && isNew {
		s.metrics.references.add(o.Reference, o.ID)
	}
	return known, isNew, err
}

// ClaimEnquiries remembers the references that the bank will be asked about.
func (s *meteredStore) ClaimEnquiries(ctx context.Context, now, until time.Time, limit int) ([]central.Operation, error) {
	list, err := s.EngineStore.ClaimEnquiries(ctx, now, until, limit)
	for _, o := range list {
		s.metrics.references.add(o.Reference, o.ID)
	}
	return list, err
}

// MarkPending measures central.Operations.MarkPending.
func (s *meteredStore) MarkPending(ctx context.Context, x central.PendingUpdate) (central.Operation, error) {
	o, err := s.EngineStore.MarkPending(ctx, x)
	if err == nil {
		s.metrics.observeState(o, op.Received, o.CreatedAt, o.SentAt)
		s.metrics.observeState(o, op.Sent, o.SentAt, x.At)
		s.metrics.countState(o, op.Pending)
	}
	return o, err
}

// Finish measures central.Operations.Finish.
func (s *meteredStore) Finish(ctx context.Context, x central.FinalOutcome) (central.Operation, error) {
	o, err := s.EngineStore.Finish(ctx, x)
	if err != nil {
		return o, err
	}
	w := s.metrics
	switch {
	case o.PendingReference != "":
		if at, ok := pendingSince(o.PendingReference); ok {
			w.observeState(o, op.Pending, at, x.At)
		}
	case o.SentAt.IsZero():
		w.observeState(o, op.Received, o.CreatedAt, x.At)
	default:
		w.observeState(o, op.Received, o.CreatedAt, o.SentAt)
		w.observeState(o, op.Sent, o.SentAt, x.At)
	}
	w.countState(o, x.To)
	return o, nil
}

// countState counts a step to a state.
func (w *Metrics) countState(o central.Operation, state op.State) {
	w.operations.WithLabelValues(w.routeLabel(o.Route), string(state)).Inc()
}

// observeState observes the time that an operation was in a state.
func (w *Metrics) observeState(o central.Operation, state op.State, from, to time.Time) {
	w.stateSeconds.WithLabelValues(string(state), w.classLabel(o.Route)).Observe(secondsBetween(from, to))
	parent := telemetry.Call
	if state == op.Pending && o.Terminal != "" {
		parent = telemetry.Root // the request that created it was answered long ago
	}
	w.recordSpan(telemetry.Span{
		Operation: o.ID, Step: telemetry.State, Key: string(state), Parent: parent, Name: string(state), Start: from, End: to,
		Route: o.Route, Outcome: string(o.State), Code: o.Code, BankKind: string(o.Kind),
	})
}

// pendingSince reads when a pending reference was given: it ends with that time in Unix
// milliseconds (central.Operations.MarkPending).
func pendingSince(reference string) (time.Time, bool) {
	ms, err := strconv.ParseInt(reference[strings.LastIndexByte(reference, '-')+1:], 10, 64)
	return time.UnixMilli(ms), err == nil && ms > 0
}
