package uplink

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"galla/central"
	"galla/central/payments"
	"galla/shared/op"
	"galla/shared/wire"
)

const (
	// eventWindow is how many events may be sent without a 'seen', for terminals
	// with a slow disk.
	eventWindow = 32
	// feedRetry is how long the feeder waits after an error of the store.
	feedRetry = 2 * time.Second
)

// eventFeed is the state of a terminal's events on this connection. A feeder runs only
// while something is due.
type eventFeed struct {
	mu        sync.Mutex
	begun     bool    // the hello's cursor is known
	running   bool    // a feeder runs
	sent      []int64 // cursors sent, in order, that were not seen yet
	last      int64   // of the last event sent
	newest    int64   // in the store, as far as is known
	passed    int64   // events up to here were sent, or need not be
	seen      int64   // reported by the terminal
	forgotten int64   // events up to here were deleted
}

// begin starts at the cursor of the hello.
func (f *eventFeed) begin(cursor int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begun = true
	f.last, f.passed, f.seen, f.forgotten = cursor, cursor, cursor, cursor
}

// due reports whether a feeder has something to do. The caller holds mu.
func (f *eventFeed) due() bool {
	return f.seen > f.forgotten || f.newest > f.passed && len(f.sent) < eventWindow
}

// handleSeen records that the terminal has applied its events up to the cursor.
func (x *session) handleSeen(cursor int64) error {
	f := &x.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if cursor > f.last {
		return protocolError("seen %d, but the last event sent was %d", cursor, f.last)
	}
	f.seen = max(f.seen, cursor)
	for len(f.sent) > 0 && f.sent[0] <= cursor {
		f.sent = f.sent[1:]
	}
	if len(f.sent) == 0 {
		f.sent = nil
	}
	x.startFeeder()
	return nil
}

// eventsStored is called with the cursors of the oldest and the newest stored event of
// the terminal; 0: there are none.
func (x *session) eventsStored(oldest, newest int64) {
	f := &x.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.begun {
		return // the hello makes the terminal due again
	}
	f.newest = max(f.newest, newest)
	if oldest > 0 && oldest <= f.seen {
		f.forgotten = min(f.forgotten, oldest-1) // the hello's cursor, or an earlier connection
	}
	x.startFeeder()
}

// startFeeder starts a feeder if one is needed. The caller holds feed.mu.
func (x *session) startFeeder() {
	if f := &x.feed; !f.running && f.due() {
		f.running = x.startWorker("feeder", x.runFeed)
	}
}

// runFeed sends the terminal's events and deletes those that were seen, until nothing is
// due.
func (x *session) runFeed() {
	for {
		err := x.feedOnce()
		if x.ctx.Err() != nil {
			return
		}
		if err != nil {
			x.log().Error("a terminal's events can't be sent yet", "error", err)
			x.sleep(feedRetry)
			continue
		}
		x.feed.mu.Lock()
		x.feed.running = x.feed.due()
		running := x.feed.running
		x.feed.mu.Unlock()
		if !running {
			return
		}
	}
}

// feedOnce deletes what was seen, and sends the next events that fit into the window.
func (x *session) feedOnce() error {
	f := &x.feed
	f.mu.Lock()
	seen, forget := f.seen, f.seen > f.forgotten
	f.mu.Unlock()
	ctx, cancel := context.WithTimeout(x.ctx, storeWait)
	defer cancel()
	if forget {
		if err := x.server.store.AcknowledgeEvents(ctx, x.terminal, seen); err != nil {
			return fmt.Errorf("forget events up to %d: %w", seen, err)
		}
	}
	f.mu.Lock()
	if forget {
		f.forgotten = max(f.forgotten, seen)
	}
	after, newest, capacity := f.passed, f.newest, eventWindow-len(f.sent)
	f.mu.Unlock()
	if newest <= after || capacity <= 0 {
		return nil
	}
	events, err := x.server.store.EventsAfter(ctx, x.terminal, after, capacity)
	if err != nil {
		return fmt.Errorf("read events after %d: %w", after, err)
	}
	for _, e := range events {
		if err := x.sendEvent(ctx, e); err != nil {
			return err
		}
	}
	if len(events) < capacity { // there was none between these and the newest
		f.pass(newest)
	}
	return nil
}

// pass records that the events up to a cursor were sent, or need not be.
func (f *eventFeed) pass(cursor int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.passed = max(f.passed, cursor)
}

// sendEvent queues the next event.
func (x *session) sendEvent(ctx context.Context, e central.Event) error {
	f := &x.feed
	if e.Cursor <= f.passed || e.Terminal != x.terminal { // only a feeder changes passed, and this is the only one
		return fmt.Errorf("the store gave event %d after %d for another terminal or out of order", e.Cursor, f.passed)
	}
	frame, err := x.eventFrame(ctx, e)
	if errors.Is(err, central.ErrNotFound) {
		// Waiting would hold up every later event for one that can't be sent.
		x.log().Error("an event's operation or payment does not exist; the event is skipped", "cursor", e.Cursor, "operation", e.Operation)
		f.pass(e.Cursor)
		return nil
	}
	if err != nil {
		return err
	}
	f.mu.Lock()
	f.sent, f.last = append(f.sent, e.Cursor), e.Cursor // before it can be seen
	f.mu.Unlock()
	if !x.queue(frame) {
		return context.Canceled
	}
	f.pass(e.Cursor)
	return nil
}

// eventFrame makes an event's frame; an outcome or a payment is read as it is now.
func (x *session) eventFrame(ctx context.Context, e central.Event) (wire.Frame, error) {
	f := wire.Frame{T: wire.TEvent, Cursor: e.Cursor, Kind: wire.EventKind(e.Kind)}
	switch f.Kind {
	case wire.EventOutcome:
		return x.outcomeEvent(ctx, e, f)
	case wire.EventPayment:
		p, err := x.server.store.PaymentOf(ctx, e.Operation)
		if err != nil {
			return wire.Frame{}, fmt.Errorf("read the payment of event %d: %w", e.Cursor, err)
		}
		f.ID = e.Operation
		f.Data, err = wire.EncodePayment(paymentData(p, e.Operation))
		return f, err
	}
	return f, nil
}

// paymentData is a payment as terminals get it, in the event of it or of its return.
func paymentData(p payments.Payment, about op.ID) wire.Payment {
	d := wire.Payment{
		ID: p.ID, RRN: p.RRN, VPA: p.Payee, Order: p.Order, Amount: p.Amount, Match: string(p.Match), PayerName: p.PayerName, PayerVPA: p.PayerVPA,
		PaidAt: p.At.UnixMilli(), RecordedAt: p.RecordedAt.UnixMilli(),
	}
	if p.Refunded() {
		d.ReturnedAt = p.Refund.At.UnixMilli()
	}
	if about != p.Operation {
		d.Received = p.Operation
	}
	return d
}

func (x *session) outcomeEvent(ctx context.Context, e central.Event, f wire.Frame) (wire.Frame, error) {
	o, err := x.server.store.Operation(ctx, e.Operation)
	if err != nil {
		return wire.Frame{}, fmt.Errorf("read the operation of event %d: %w", e.Cursor, err)
	}
	if o.Terminal != x.terminal {
		return wire.Frame{}, fmt.Errorf("event %d is about an operation of another terminal", e.Cursor)
	}
	outcome := outcomeOf(x.server.handler.CurrentReply(o))
	f.ID, f.State, f.HTTP, f.Reply = op.ID(o.Identity), outcome.State, outcome.HTTP, outcome.Reply
	return f, nil
}
