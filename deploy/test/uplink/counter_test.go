package uplink

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"galla/edge"
	"galla/shared/op"
	"galla/shared/wire"
)

// fakeCounter is the counter behind its uplink: it keeps what is reported to it, and
// asks for what it does not know. It never sends an operation twice.
type fakeCounter struct {
	terminal string
	line     edge.Link

	mu        sync.Mutex
	states    map[op.ID]op.State
	order     []op.ID
	cursor    int64
	applied   int // events that changed something
	crashed   int // events that must come again
	lostCount int
	faults    []string
	// crashAt, if set, makes the counter die after an event was applied and before its
	// cursor was kept.
	crashAt func() bool
}

func newFakeCounter(terminal string) *fakeCounter {
	return &fakeCounter{terminal: terminal, states: map[op.ID]op.State{}}
}

func (l *fakeCounter) fault(format string, args ...any) {
	l.faults = append(l.faults, l.terminal+": "+fmt.Sprintf(format, args...))
}

// create makes an operation that waits for the connection.
func (l *fakeCounter) create(id op.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.states[id] = op.Queued
	l.order = append(l.order, id)
}

// sendQueued sends what is queued and asks for what is unknown, as far as the window
// and the connection allow.
func (l *fakeCounter) sendQueued(ask bool) {
	link := l.line.State()
	if !link.Online {
		return
	}
	l.mu.Lock()
	var frames []wire.Frame
	flying := 0
	for _, id := range l.order {
		if s := l.states[id]; s == op.Sent || s == op.Accepted {
			flying++
		}
	}
	for _, id := range l.order {
		switch s := l.states[id]; {
		case s == op.Queued && flying < link.Window:
			flying++
			l.states[id] = op.Sent // written before it is given
			frames = append(frames, wire.Frame{T: wire.TOp, ID: id, Route: op.Withdrawal, Body: []byte(`{"TxnAmount":500}`)})
		case ask && (s == op.Unknown || s == op.Accepted):
			frames = append(frames, wire.Frame{T: wire.TAsk, ID: id})
		}
	}
	l.mu.Unlock()
	for _, f := range frames {
		if l.line.Send(f) != nil {
			l.forget(f.ID)
		}
	}
}

func (l *fakeCounter) forget(id op.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.states[id] == op.Sent {
		l.states[id] = op.Unknown
	}
}

func (l *fakeCounter) Hello() (wire.Frame, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ids []op.ID
	for _, id := range l.order {
		if s := l.states[id]; s != op.Queued && !s.Final() {
			ids = append(ids, id)
		}
	}
	return wire.Frame{Cursor: l.cursor, Unresolved: ids}, nil
}

func (l *fakeCounter) Welcome(w wire.Frame) error {
	for _, f := range w.Outcomes {
		l.outcome(f)
	}
	l.sendQueued(true)
	return nil
}

func (l *fakeCounter) Receive(f wire.Frame) error {
	switch f.T {
	case wire.TAccepted:
		l.mu.Lock()
		if s := l.states[f.ID]; s == op.Sent || s == op.Unknown {
			l.states[f.ID] = op.Accepted
		}
		l.mu.Unlock()
	case wire.TOutcome:
		l.outcome(f)
	case wire.TUnseen:
		l.mu.Lock()
		switch s := l.states[f.ID]; s {
		case op.Unknown, op.Sent:
			l.states[f.ID] = op.NotSent
		case op.NotSent:
		default:
			l.fault("unseen %s, which is %q", f.ID, s)
		}
		l.mu.Unlock()
	case wire.TEvent:
		return l.event(f)
	}
	return nil
}

var errDied = errors.New("died before the cursor was kept")

func (l *fakeCounter) event(f wire.Frame) error {
	l.outcome(f)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.crashAt != nil && l.crashAt() {
		l.crashed++
		return errDied
	}
	switch {
	case f.Cursor > l.cursor+1:
		l.fault("event %d came after %d", f.Cursor, l.cursor)
	case f.Cursor == l.cursor+1:
		l.applied++
	}
	l.cursor = max(l.cursor, f.Cursor)
	return nil
}

func (l *fakeCounter) outcome(f wire.Frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	old, mine := l.states[f.ID]
	if !mine || (f.HTTP < 400 && !strings.Contains(string(f.Reply), l.terminal)) {
		l.fault("frame %s of another terminal: %s", f.T, f.Reply)
	}
	if old.Final() && old != f.State && f.State != op.Pending {
		l.fault("%s was %s and is reported as %s", f.ID, old, f.State)
	}
	if !old.Final() {
		l.states[f.ID] = f.State
	}
}

func (l *fakeCounter) Disconnected(error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lostCount++
	for id, s := range l.states {
		if s == op.Sent {
			l.states[id] = op.Unknown
		}
	}
}

// open is the number of operations that have not ended.
func (l *fakeCounter) open() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, s := range l.states {
		if !s.Final() {
			n++
		}
	}
	return n
}

// events is the cursor of the last event applied.
func (l *fakeCounter) events() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cursor
}

// work runs the send loop until stopped, as the counter does.
func (l *fakeCounter) work(stop <-chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-stop:
			return
		case <-tick.C:
			l.sendQueued(n%45 == 0)
		}
	}
}
