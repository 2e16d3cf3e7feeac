// Package watch sees a counter's operations on their way, and tells of them as
// spans (shared/trace): from the press of the button to the last word.
//
// It promises that watching changes nothing: what it wraps is called once, with
// the same arguments, and its results and errors are handed on as they came. It
// promises that what is told holds nothing of customer, agent or body: the
// route, the state and times.
//
// Data enters by the interfaces that package edge declares: the durable memory
// (Queue), in which money and records move, and the line in both directions
// (Line, Receiver), over which enquiries go that are kept nowhere. It leaves
// through a trace.Recorder. Times are told by the central's clock, as far as the
// line has measured the difference, so that both halves' spans fit together.
package watch

import (
	"sync"
	"time"

	"github.com/google/uuid"

	"galla/edge"
	"galla/shared/op"
	"galla/shared/trace"
	"galla/shared/wire"
)

// maxAsked bounds the enquiries whose moment is remembered: far above the
// window of what may be under way. Where it is full, further ones are not told.
const maxAsked = 256

// Watch tells of a counter's operations. Its methods may be called from many
// goroutines.
type Watch struct {
	spans trace.Recorder
	now   func() time.Time

	mu    sync.Mutex
	line  edge.Line
	asked map[op.ID]asking
}

// asking is an enquiry on the line.
type asking struct {
	route op.RouteID
	sent  time.Time
}

// New makes a watch. now gives the counter's clock.
func New(spans trace.Recorder, now func() time.Time) *Watch {
	return &Watch{spans: spans, now: now, asked: map[op.ID]asking{}}
}

// Queue wraps the counter's durable memory.
func (w *Watch) Queue(next edge.Queue) edge.Queue { return &queue{next, w} }

type queue struct {
	edge.Queue
	watch *Watch
}

// Change implements edge.Queue.
func (q *queue) Change(id op.ID, change func(*edge.Record) error) (edge.Record, error) {
	var before op.State
	r, err := q.Queue.Change(id, noting(&before, change))
	if err == nil {
		q.watch.moved(r, before)
	}
	return r, err
}

// Apply implements edge.Queue. Where the event was applied before, change does
// not run, and nothing is told.
func (q *queue) Apply(cursor int64, id op.ID, change func(*edge.Record) error) (edge.Record, error) {
	var before op.State
	r, err := q.Queue.Apply(cursor, id, noting(&before, change))
	if err == nil && before != "" {
		q.watch.moved(r, before)
	}
	return r, err
}

// noting notes the state that a change begins with.
func noting(before *op.State, change func(*edge.Record) error) func(*edge.Record) error {
	return func(r *edge.Record) error {
		*before = r.State
		return change(r)
	}
}

// moved tells of the steps that an operation has left behind.
func (w *Watch) moved(r edge.Record, before op.State) {
	if before == r.State {
		return
	}
	ready := r.CreatedAt
	if !r.CapturedAt.IsZero() {
		ready = r.CapturedAt
	}
	s := trace.Span{Operation: r.ID, Parent: trace.Root, Route: r.Route, Outcome: string(r.State)}
	switch {
	case before == op.Reserved && r.State == op.Queued:
		w.tell(s, trace.Capture, r.CreatedAt, ready)
	case before == op.Queued && r.State == op.Sent:
		w.tell(s, trace.Queue, ready, r.SentAt)
	case onLine(before) && !onLine(r.State):
		s.Kind, s.HTTP = trace.Client, r.HTTP
		w.tell(s, trace.Line, r.SentAt, w.now())
	}
	if r.State.Final() {
		s.Parent, s.Kind, s.HTTP = "", trace.Inside, r.HTTP
		w.tell(s, trace.Root, r.CreatedAt, r.EndedAt)
	}
}

// onLine tells whether the central has not said a word so far.
func onLine(s op.State) bool { return s == op.Sent || s == op.Accepted || s == op.Unknown }

// tell gives a span its times, by the central's clock.
func (w *Watch) tell(s trace.Span, step trace.Step, from, to time.Time) {
	w.mu.Lock()
	line := w.line
	w.mu.Unlock()
	var ahead time.Duration
	if line != nil {
		ahead = line.State().Offset
	}
	s.Step, s.Name = step, string(step)
	s.Start, s.End = from.Add(ahead), to.Add(ahead)
	if step == trace.Root && s.Route != "" {
		s.Name = "press " + string(s.Route)
	}
	w.spans.Record(s)
}

// Line wraps the uplink, as the counter gives frames to it.
func (w *Watch) Line(next edge.Line) edge.Line {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.line = next
	return &line{next, w}
}

type line struct {
	edge.Line
	watch *Watch
}

// Send implements edge.Line.
func (l *line) Send(f wire.Frame) error {
	if f.T == wire.TOp {
		l.watch.sent(f)
	}
	return l.Line.Send(f)
}

// sent remembers an enquiry. What is kept on disk is told from there.
func (w *Watch) sent(f wire.Frame) {
	route, known := op.Find(f.Route)
	if !known || route.Class == op.Money || route.Class == op.Record {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.asked) < maxAsked {
		w.asked[f.ID] = asking{f.Route, w.now()}
	}
}

// Receiver wraps the counter, as the line gives frames to it.
func (w *Watch) Receiver(next edge.Receiver) edge.Receiver { return &receiver{next, w} }

type receiver struct {
	edge.Receiver
	watch *Watch
}

// Receive implements edge.Receiver.
func (r *receiver) Receive(f wire.Frame) error {
	err := r.Receiver.Receive(f)
	if f.T == wire.TOutcome {
		r.watch.answered(f)
	}
	return err
}

// Lost implements edge.Receiver: an enquiry on a line that is lost has no
// answer, and is asked anew under another id.
func (r *receiver) Lost(cause error) {
	r.watch.mu.Lock()
	clear(r.watch.asked)
	r.watch.mu.Unlock()
	r.Receiver.Lost(cause)
}

// answered tells of an enquiry that has its answer.
func (w *Watch) answered(f wire.Frame) {
	w.mu.Lock()
	a, known := w.asked[f.ID]
	delete(w.asked, f.ID)
	w.mu.Unlock()
	if !known {
		return
	}
	now := w.now()
	s := trace.Span{Operation: f.ID, Route: a.route, Outcome: string(f.State), HTTP: f.HTTP}
	on := s
	on.Parent, on.Kind = trace.Root, trace.Client
	w.tell(on, trace.Line, a.sent, now)
	w.tell(s, trace.Root, pressed(f.ID, a.sent), now)
}

// pressed is when an id was minted, which is when the button was pressed: a
// UUIDv7 begins with that moment.
func pressed(id op.ID, sent time.Time) time.Time {
	u, err := uuid.Parse(string(id))
	if err != nil {
		return sent
	}
	if at := time.Unix(u.Time().UnixTime()); at.Before(sent) {
		return at
	}
	return sent
}
