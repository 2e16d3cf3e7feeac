package store

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"galla/central"
	"galla/shared/op"
	"galla/shared/wire"
)

// walkState is the store under a random walk and the small model beside it.
type walkState struct {
	s     *DB
	place string
	now   time.Time

	operations []*modelled
	tombstones map[string]bool // identities
	references map[string]bool // pending references
	terminal   central.Terminal
	cursor     int64 // the newest given out
	events     []central.Event
}

type modelled struct {
	o     central.Operation
	steps []central.Step
}

// TestWalk takes random steps, with restarts and crashes between them, and
// compares every record with the model after each.
func TestWalk(t *testing.T) { onBoth(t, walk) }

func walk(t *testing.T, on kind) {
	rapid.Check(t, func(rt *rapid.T) {
		w := &walkState{place: on.seeded(t), now: t0, tombstones: map[string]bool{}, references: map[string]bool{}}
		w.open(rt)
		defer func() { w.s.Close() }()
		hash := sha256.Sum256([]byte("code"))
		w.must(rt, w.s.AddEnrolmentCode(background, hash, merchant1, central.Credential{}, t0, t0.Add(time.Hour)))
		var err error
		w.terminal, err = w.s.EnrolTerminal(background, hash, newTerminal(1))
		w.must(rt, err)
		rt.Repeat(map[string]func(*rapid.T){
			"":         w.compare,
			"begin":    w.begin,
			"ask":      w.ask,
			"step":     w.step,
			"advance":  w.advance,
			"postpone": w.postpone,
			"claim":    w.claim,
			"seen":     w.seen,
			"restart":  w.restart,
		})
	})
}

func (w *walkState) must(t *rapid.T, err error) {
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}

func (w *walkState) open(t *rapid.T) {
	cfg := testConfig()
	cfg.Readers = 1 // there are many restarts
	s, err := openPlace(w.place, cfg)
	w.must(t, err)
	w.s = s
}

func (w *walkState) tick(t *rapid.T) time.Time {
	w.now = w.now.Add(time.Duration(rapid.IntRange(0, 3_000_000).Draw(t, "nanoseconds")))
	return w.now
}

func (w *walkState) identity(t *rapid.T) string {
	return rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h"}).Draw(t, "identity")
}

func (w *walkState) find(identity string) *modelled {
	for _, m := range w.operations {
		if m.o.Identity == identity {
			return m
		}
	}
	return nil
}

func (w *walkState) any(t *rapid.T) *modelled {
	if len(w.operations) == 0 {
		t.Skip("no operation to take a step with")
	}
	return w.operations[rapid.IntRange(0, len(w.operations)-1).Draw(t, "operation")]
}

func (w *walkState) begin(t *rapid.T) {
	o := newOperation()
	o.Identity, o.CreatedAt = w.identity(t), w.tick(t)
	if rapid.Bool().Draw(t, "with a terminal") {
		o.Terminal = w.terminal.ID
	}
	if rapid.Bool().Draw(t, "sent at once") {
		o.State, o.SentAt, o.BankNotAfter = op.Sent, o.CreatedAt, o.CreatedAt.Add(time.Second)
	}
	got, isNew, err := w.s.Create(background, o, nil)
	w.must(t, err)
	if m := w.find(o.Identity); m != nil {
		w.same(t, "a known operation", got, m.o, isNew, false)
		return
	}
	if w.tombstones[o.Identity] {
		w.same(t, "a tombstone", got, tombstoneOf(o.Caller, o.Identity), isNew, false)
		return
	}
	o = asCreated(o)
	w.same(t, "a new operation", got, o, isNew, true)
	steps := []central.Step{{At: o.CreatedAt, Node: testNode, To: op.Received}}
	if o.State == op.Sent {
		steps = append(steps, central.Step{At: o.SentAt, Node: testNode, From: op.Received, To: op.Sent})
	}
	w.operations = append(w.operations, &modelled{o: o, steps: steps})
}

func (w *walkState) same(t *rapid.T, what string, got, want central.Operation, flag, wantFlag bool) {
	if fmt.Sprint(got) != fmt.Sprint(want) || flag != wantFlag {
		t.Fatalf("%s: %v\n got %+v\nwant %+v, %v", what, flag, got, want, wantFlag)
	}
}

func (w *walkState) ask(t *rapid.T) {
	o := newOperation()
	o.Identity = w.identity(t)
	got, seen, err := w.s.FindOrTombstone(background, o.Caller, o.Identity, w.tick(t))
	w.must(t, err)
	if m := w.find(o.Identity); m != nil {
		w.same(t, "a known operation", got, m.o, seen, true)
		return
	}
	w.tombstones[o.Identity] = true
	w.same(t, "a tombstone", got, tombstoneOf(o.Caller, o.Identity), seen, false)
}

// advance takes a legal step, so that walks get far; step takes any.
func (w *walkState) advance(t *rapid.T) {
	m := w.any(t)
	var legal []op.State
	for _, to := range allStates {
		if central.CanTransition(m.o.State, to) {
			legal = append(legal, to)
		}
	}
	if legal == nil {
		t.Skip("the operation is final")
	}
	w.take(t, m, rapid.SampledFrom(legal).Draw(t, "to"))
}

func (w *walkState) step(t *rapid.T) {
	w.take(t, w.any(t), rapid.SampledFrom(allStates[1:]).Draw(t, "to"))
}

func (w *walkState) take(t *rapid.T, m *modelled, to op.State) {
	at := w.tick(t)
	reason := ""
	after := m.o
	after.State = to
	var got central.Operation
	var err error
	switch to {
	case op.Sent:
		after.SentAt, after.BankNotAfter = truncateToMillis(at), truncateToMillis(at.Add(time.Second))
		err = w.s.MarkSent(background, central.SentUpdate{ID: m.o.ID, At: at, BankNotAfter: at.Add(time.Second)})
		got = after
	case op.Pending:
		reason = "no answer"
		number := at.UnixMilli()
		for w.references["P-"+strconv.FormatInt(number, 10)] {
			number++
		}
		after.PendingReference, after.NextEnquiry = "P-"+strconv.FormatInt(number, 10), truncateToMillis(at.Add(5*time.Millisecond))
		got, err = w.s.MarkPending(background, central.PendingUpdate{ID: m.o.ID, At: at, Reason: reason, Prefix: "P-", NextEnquiry: at.Add(5 * time.Millisecond)})
	default:
		reason = "the bank's word"
		after.FinishedAt, after.NextEnquiry = truncateToMillis(at), time.Time{}
		after.Code, after.RRN, after.HTTP, after.Reply = "51", "1234", 200, []byte(to)
		got, err = finish(w.s, central.FinalOutcome{
			ID: m.o.ID, To: to, At: at, Reason: reason, HTTP: 200, Reply: []byte(to),
			Answer: central.BankAnswer{Code: "51", RRN: "1234"},
		})
	}
	if legal := central.CanTransition(m.o.State, to); legal != (err == nil) {
		t.Fatalf("step from %s to %s: legal %v, error %v", m.o.State, to, legal, err)
	}
	if err != nil {
		return
	}
	w.same(t, "after the step", got, after, true, true)
	if m.o.State == op.Pending && m.o.Terminal != "" {
		w.cursor++
		w.events = append(w.events, central.Event{
			Cursor: w.cursor, Terminal: w.terminal.ID, Kind: string(wire.EventOutcome), Operation: m.o.ID, At: truncateToMillis(at),
		})
	}
	if to == op.Pending {
		w.references[after.PendingReference] = true
	}
	m.steps = append(m.steps, central.Step{At: truncateToMillis(at), Node: testNode, From: m.o.State, To: to, Reason: reason})
	m.o = after
}

func (w *walkState) postpone(t *rapid.T) {
	m, at, stuck := w.any(t), w.tick(t), rapid.IntRange(0, 4).Draw(t, "stuck") == 0
	err := w.s.PostponeEnquiry(background, m.o.ID, at, at.Add(time.Millisecond), "in progress", stuck)
	if pending := m.o.State == op.Pending; pending != (err == nil) {
		t.Fatalf("postpone in state %s: %v", m.o.State, err)
	}
	if err != nil {
		return
	}
	m.o.Enquiries++
	m.o.NextEnquiry = truncateToMillis(at.Add(time.Millisecond))
	if stuck && m.o.StuckAt.IsZero() {
		m.o.StuckAt = truncateToMillis(at)
	}
	m.steps = append(m.steps, central.Step{At: truncateToMillis(at), Node: testNode, From: op.Pending, To: op.Pending, Reason: "in progress"})
}

func (w *walkState) claim(t *rapid.T) {
	at, limit := w.tick(t), rapid.IntRange(0, 3).Draw(t, "limit")
	lease := at.Add(2 * time.Millisecond)
	got, err := w.s.ClaimEnquiries(background, at, lease, limit)
	w.must(t, err)
	due := 0
	for _, m := range w.operations {
		if m.o.State != op.Pending || !m.o.StuckAt.IsZero() || m.o.NextEnquiry.After(truncateToMillis(at)) {
			continue
		}
		due++
		if slices.ContainsFunc(got, func(o central.Operation) bool { return o.ID == m.o.ID }) {
			m.o.NextEnquiry = truncateToMillis(lease)
		}
	}
	if len(got) != min(due, limit) {
		t.Fatalf("claimed %d of %d due, limit %d", len(got), due, limit)
	}
	for _, o := range got {
		w.same(t, "claimed", o, w.find(o.Identity).o, true, true)
	}
}

func (w *walkState) seen(t *rapid.T) {
	cursor := int64(rapid.IntRange(0, int(w.cursor)+1).Draw(t, "cursor"))
	w.must(t, w.s.AcknowledgeEvents(background, w.terminal.ID, cursor))
	w.events = slices.DeleteFunc(w.events, func(e central.Event) bool { return e.Cursor <= cursor })
}

func (w *walkState) restart(t *rapid.T) {
	end := w.s.Close
	if rapid.Bool().Draw(t, "crash") {
		end = w.s.Abandon
	}
	w.must(t, end())
	w.open(t)
}

// compare reads everything back.
func (w *walkState) compare(t *rapid.T) {
	pending, stuck := 0, 0
	for _, m := range w.operations {
		got, err := w.s.Operation(background, m.o.ID)
		w.must(t, err)
		w.same(t, "read", got, m.o, true, true)
		steps, err := w.s.History(background, m.o.ID)
		w.must(t, err)
		if !slices.Equal(steps, m.steps) {
			t.Fatalf("history of %s:\n got %v\nwant %v", m.o.ID, steps, m.steps)
		}
		if m.o.State == op.Pending {
			pending++
			if !m.o.StuckAt.IsZero() {
				stuck++
			}
		}
	}
	backlog, err := w.s.Backlog(background)
	w.must(t, err)
	if backlog.Pending.Count != pending || backlog.Stuck.Count != stuck {
		t.Fatalf("backlog %+v, want %d pending and %d stuck", backlog, pending, stuck)
	}
	events, err := w.s.EventsAfter(background, w.terminal.ID, 0, 1000)
	w.must(t, err)
	if !slices.Equal(events, w.events) {
		t.Fatalf("events:\n got %v\nwant %v", events, w.events)
	}
}
