package telemetry

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"galla/edge"
	"galla/shared/op"
	"galla/shared/telemetry"
	"galla/shared/wire"
)

type recorded []telemetry.Span

func (r *recorded) Record(s telemetry.Span) { *r = append(*r, s) }

// memory is a queue with one record.
type memory struct {
	edge.Queue
	record edge.Record
	err    error
}

func (m *memory) Change(_ op.ID, change func(*edge.Record) error) (edge.Record, error) {
	if m.err != nil {
		return edge.Record{}, m.err
	}
	r := m.record
	if err := change(&r); err != nil {
		return edge.Record{}, err
	}
	m.record = r
	return r, nil
}

// ApplyEvent does what a queue does with an event: a cursor that was applied changes
// nothing.
func (m *memory) ApplyEvent(cursor int64, id op.ID, change func(*edge.Record) error) (edge.Record, error) {
	if cursor == 0 {
		return m.record, nil
	}
	return m.Change(id, change)
}

type cable struct {
	given  []wire.Frame
	offset time.Duration
	err    error
}

func (c *cable) State() edge.LinkState { return edge.LinkState{Online: true, Offset: c.offset} }
func (c *cable) Send(f wire.Frame) error {
	c.given = append(c.given, f)
	return c.err
}

type counter struct {
	edge.Receiver
	got []wire.Type
	err error
}

func (c *counter) Receive(f wire.Frame) error { c.got = append(c.got, f.T); return c.err }
func (c *counter) Disconnected(error)         { c.got = append(c.got, "lost") }

const one op.ID = "018bcfe5-6800-7b3a-8f4e-1a2b3c4d5e6f" // minted at pressedAt

func pressedAt() time.Time { return time.UnixMilli(1_700_000_000_000) }

func recordedSpans(spans recorded) []string {
	var out []string
	for _, s := range spans {
		out = append(out, fmt.Sprintf("%s < %s: %v+%v %s %d", s.Name, s.Parent, s.Start.Sub(pressedAt()), s.End.Sub(s.Start), s.Outcome, s.HTTP))
	}
	return out
}

// TestWithdrawalSpans: each step that an operation leaves behind is a span,
// by the central's clock, also where the last word comes as an event.
func TestWithdrawalSpans(t *testing.T) {
	var spans recorded
	now := pressedAt()
	w := New(&spans, func() time.Time { return now })
	w.Link(&cable{offset: time.Hour})
	begun := pressedAt()
	m := &memory{record: edge.Record{ID: one, Route: op.Withdrawal, State: op.Reserved, CreatedAt: begun}}
	q := w.Queue(m)
	step := func(after time.Duration, change func(*edge.Record)) {
		t.Helper()
		now = begun.Add(after)
		if _, err := q.Change(one, func(r *edge.Record) error { change(r); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	step(2*time.Second, func(r *edge.Record) { r.State, r.CapturedAt = op.Queued, now })
	step(5*time.Second, func(r *edge.Record) { r.State, r.SentAt = op.Sent, now })
	step(6*time.Second, func(r *edge.Record) { r.State = op.Accepted })
	step(7*time.Second, func(r *edge.Record) { r.PrintCount++ }) // no step of the way
	step(20*time.Second, func(r *edge.Record) { r.State, r.HTTP = op.Pending, 202 })
	now = begun.Add(80 * time.Second)
	end := func(r *edge.Record) error { r.State, r.HTTP, r.EndedAt = op.Succeeded, 200, now; return nil }
	for _, cursor := range []int64{7, 0} {
		if _, err := q.ApplyEvent(cursor, one, end); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"capture < press: 1h0m0s+2s queued 0",
		"queue < press: 1h0m2s+3s sent 0",
		"uplink < press: 1h0m5s+15s pending 202",
		"press POST /aeps/withdrawal < : 1h0m0s+1m20s succeeded 200",
	}
	if got := recordedSpans(spans); !slices.Equal(got, want) {
		t.Errorf("recorded was\n%q\nwant\n%q", got, want)
	}
}

// TestEnquirySpans: what is stored nowhere is traced by its frames, and begins
// with the moment that its id holds. What is kept on disk is not traced twice,
// and what the loss of the connection ended has no answer.
func TestEnquirySpans(t *testing.T) {
	var spans recorded
	now := pressedAt().Add(3 * time.Second)
	w := New(&spans, func() time.Time { return now })
	under := &cable{}
	l := w.Link(under)
	c := &counter{}
	r := w.Receiver(c)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(l.Send(wire.Frame{T: wire.TOp, ID: one, Route: op.Balance}))
	must(l.Send(wire.Frame{T: wire.TOp, ID: "money", Route: op.Withdrawal}))
	must(l.Send(wire.Frame{T: wire.TAsk, ID: "asked"}))
	now = now.Add(time.Second)
	must(r.Receive(wire.Frame{T: wire.TAccepted, ID: one}))
	must(r.Receive(wire.Frame{T: wire.TOutcome, ID: one, State: op.Succeeded, HTTP: 200}))
	must(r.Receive(wire.Frame{T: wire.TOutcome, ID: one, State: op.Succeeded, HTTP: 200}))
	must(r.Receive(wire.Frame{T: wire.TOutcome, ID: "money", State: op.Succeeded, HTTP: 200}))
	must(l.Send(wire.Frame{T: wire.TOp, ID: "lost", Route: op.Balance}))
	r.Disconnected(errors.New("cut"))
	must(r.Receive(wire.Frame{T: wire.TOutcome, ID: "lost", State: op.Succeeded, HTTP: 200}))
	want := []string{"uplink < press: 3s+1s succeeded 200", "press POST /aeps/balance < : 0s+4s succeeded 200"}
	if got := recordedSpans(spans); !slices.Equal(got, want) {
		t.Errorf("recorded was\n%q\nwant\n%q", got, want)
	}
	if len(under.given) != 4 || len(c.got) != 6 {
		t.Errorf("%d frames were given to the uplink, and %v to the counter", len(under.given), c.got)
	}
}

// TestWatchingChangesNothing: errors are handed on as they came, and the memory
// of enquiries is bounded.
func TestWatchingChangesNothing(t *testing.T) {
	var spans recorded
	w := New(&spans, time.Now)
	broken := errors.New("the disk is full")
	q := w.Queue(&memory{err: broken})
	if _, err := q.Change(one, func(*edge.Record) error { return nil }); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := q.ApplyEvent(1, one, func(*edge.Record) error { return nil }); !errors.Is(err, broken) {
		t.Error(err)
	}
	l := w.Link(&cable{err: edge.ErrOffline})
	for i := range 2 * maxEnquiries {
		if err := l.Send(wire.Frame{T: wire.TOp, ID: op.ID(fmt.Sprint(i)), Route: op.Balance}); !errors.Is(err, edge.ErrOffline) {
			t.Fatal(err)
		}
	}
	if err := w.Receiver(&counter{err: broken}).Receive(wire.Frame{T: wire.TEvent}); !errors.Is(err, broken) {
		t.Error(err)
	}
	if len(w.enquiries) != maxEnquiries || len(spans) != 0 {
		t.Errorf("%d enquiries are remembered, %d spans recorded", len(w.enquiries), len(spans))
	}
}
