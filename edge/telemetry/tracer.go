// Package telemetry makes spans of a counter's operations (shared/telemetry), from
// the click to the final outcome.
//
// It promises that it changes nothing: a wrapped method is called once, with the
// same arguments, and its results are returned as they are. Spans contain nothing
// of customer, agent or body: only route, state and times.
//
// Data enters by the interfaces of package edge: Queue, for money and records, and
// Link and Receiver, for enquiries, which are not stored. It leaves through a
// telemetry.Recorder, with times by the central's clock.
package telemetry

import (
	"sync"
	"time"

	"galla/edge"
	"galla/shared/op"
	"galla/shared/telemetry"
	"galla/shared/wire"
)

// maxEnquiries bounds the enquiries whose start is remembered: far above the window.
// Further ones have no span.
const maxEnquiries = 256

// Tracer records a counter's operations. Its methods are safe for concurrent use. A nil
// Tracer wraps nothing.
type Tracer struct {
	spans telemetry.Recorder
	now   func() time.Time

	mu        sync.Mutex
	link      edge.Link
	enquiries map[op.ID]pendingEnquiry
}

type pendingEnquiry struct {
	route op.RouteID
	sent  time.Time
}

// New creates a Tracer. now is the computer's clock.
func New(spans telemetry.Recorder, now func() time.Time) *Tracer {
	return &Tracer{spans: spans, now: now, enquiries: map[op.ID]pendingEnquiry{}}
}

// Queue wraps the counter's queue.
func (w *Tracer) Queue(next edge.Queue) edge.Queue {
	if w == nil {
		return next
	}
	return &queue{next, w}
}

type queue struct {
	edge.Queue
	tracer *Tracer
}

// Change implements edge.Queue.
func (q *queue) Change(id op.ID, change func(*edge.Record) error) (edge.Record, error) {
	var before op.State
	r, err := q.Queue.Change(id, captureState(&before, change))
	if err == nil {
		q.tracer.recordStep(r, before)
	}
	return r, err
}

// ApplyEvent implements edge.Queue. If the event was applied before, change does not
// run, and nothing is recorded.
func (q *queue) ApplyEvent(cursor int64, id op.ID, change func(*edge.Record) error) (edge.Record, error) {
	var before op.State
	r, err := q.Queue.ApplyEvent(cursor, id, captureState(&before, change))
	if err == nil && before != "" {
		q.tracer.recordStep(r, before)
	}
	return r, err
}

func captureState(before *op.State, change func(*edge.Record) error) func(*edge.Record) error {
	return func(r *edge.Record) error {
		*before = r.State
		return change(r)
	}
}

func (w *Tracer) recordStep(r edge.Record, before op.State) {
	if before == r.State {
		return
	}
	ready := r.CreatedAt
	if !r.CapturedAt.IsZero() {
		ready = r.CapturedAt
	}
	s := telemetry.Span{Operation: r.ID, Parent: telemetry.Root, Route: r.Route, Outcome: string(r.State)}
	switch {
	case before == op.Reserved && r.State == op.Queued:
		w.recordSpan(s, telemetry.Capture, r.CreatedAt, ready)
	case before == op.Reserved && r.State == op.Sent:
		w.recordSpan(s, telemetry.Capture, r.CreatedAt, ready)
		w.recordSpan(s, telemetry.Queue, ready, r.SentAt)
	case before == op.Queued && r.State == op.Sent:
		w.recordSpan(s, telemetry.Queue, ready, r.SentAt)
	case awaitsCentral(before) && !awaitsCentral(r.State):
		s.Kind, s.HTTP = telemetry.Client, r.HTTP
		w.recordSpan(s, telemetry.Uplink, r.SentAt, w.now())
	}
	if r.State.Final() {
		s.Parent, s.Kind, s.HTTP = "", telemetry.Internal, r.HTTP
		w.recordSpan(s, telemetry.Root, r.CreatedAt, r.EndedAt)
	}
}

// awaitsCentral reports whether the central has not answered yet.
func awaitsCentral(s op.State) bool { return s == op.Sent || s == op.Accepted || s == op.Unknown }

// recordSpan sets a span's times, by the central's clock.
func (w *Tracer) recordSpan(s telemetry.Span, step telemetry.Step, from, to time.Time) {
	w.mu.Lock()
	link := w.link
	w.mu.Unlock()
	var ahead time.Duration
	if link != nil {
		ahead = link.State().Offset
	}
	s.Step, s.Name = step, string(step)
	s.Start, s.End = from.Add(ahead), to.Add(ahead)
	if step == telemetry.Root && s.Route != "" {
		s.Name = "press " + string(s.Route)
	}
	w.spans.Record(s)
}

// Link wraps the uplink.
func (w *Tracer) Link(next edge.Link) edge.Link {
	if w == nil {
		return next
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.link = next
	return &link{next, w}
}

type link struct {
	edge.Link
	tracer *Tracer
}

// Send implements edge.Link.
func (l *link) Send(f wire.Frame) error {
	if f.T == wire.TOp {
		l.tracer.enquirySent(f)
	}
	return l.Link.Send(f)
}

func (w *Tracer) enquirySent(f wire.Frame) {
	route, known := op.Find(f.Route)
	if !known || route.Class == op.Money || route.Class == op.Record {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.enquiries) < maxEnquiries {
		w.enquiries[f.ID] = pendingEnquiry{f.Route, w.now()}
	}
}

// Receiver wraps the counter.
func (w *Tracer) Receiver(next edge.Receiver) edge.Receiver {
	if w == nil {
		return next
	}
	return &receiver{next, w}
}

type receiver struct {
	edge.Receiver
	tracer *Tracer
}

// Receive implements edge.Receiver.
func (r *receiver) Receive(f wire.Frame) error {
	err := r.Receiver.Receive(f)
	if f.T == wire.TOutcome {
		r.tracer.enquiryAnswered(f)
	}
	return err
}

// Disconnected implements edge.Receiver: an enquiry on a lost connection has no
// answer, and is repeated under another id.
func (r *receiver) Disconnected(cause error) {
	r.tracer.mu.Lock()
	clear(r.tracer.enquiries)
	r.tracer.mu.Unlock()
	r.Receiver.Disconnected(cause)
}

func (w *Tracer) enquiryAnswered(f wire.Frame) {
	w.mu.Lock()
	a, known := w.enquiries[f.ID]
	delete(w.enquiries, f.ID)
	w.mu.Unlock()
	if !known {
		return
	}
	now := w.now()
	s := telemetry.Span{Operation: f.ID, Route: a.route, Outcome: string(f.State), HTTP: f.HTTP}
	on := s
	on.Parent, on.Kind = telemetry.Root, telemetry.Client
	w.recordSpan(on, telemetry.Uplink, a.sent, now)
	w.recordSpan(s, telemetry.Root, pressTime(f.ID, a.sent), now)
}

// pressTime returns when an id was created, which is the time of the click: a UUIDv7
// begins with it.
func pressTime(id op.ID, sent time.Time) time.Time {
	if at, ok := id.Time(); ok && at.Before(sent) {
		return at
	}
	return sent
}
