package uplink

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"galla/central"
	"galla/shared/op"
	"galla/shared/wire"
)

const (
	// eventWindow is how many events may be on the line without a 'seen': more
	// would pile up where a terminal's disk is slow.
	eventWindow = 32
	// feedRetry is how long the feeder waits after the store failed it.
	feedRetry = 2 * time.Second
)

// feed is where a terminal's events stand on this connection.
type feed struct {
	news chan struct{} // told has changed

	mu   sync.Mutex
	sent []int64 // cursors on the line, in order, that were not seen yet
	last int64   // of the last event sent
	seen int64   // by the terminal's word
}

// seen notes that the terminal has applied its events up to the cursor.
func (x *session) seen(cursor int64) error {
	f := &x.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if cursor > f.last {
		return violation("seen %d, but the last event sent was %d", cursor, f.last)
	}
	f.seen = max(f.seen, cursor)
	for len(f.sent) > 0 && f.sent[0] <= cursor {
		f.sent = f.sent[1:]
	}
	select {
	case f.news <- struct{}{}:
	default:
	}
	return nil
}

// room is how many events may be sent.
func (f *feed) room() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return eventWindow - len(f.sent)
}

func (f *feed) onLine(cursor int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent, f.last = append(f.sent, cursor), cursor
}

// runFeed tells the terminal's events, forgets those that were seen, and ends
// the session when the terminal is revoked.
func (x *session) runFeed(cursor int64) {
	x.feed.mu.Lock()
	x.feed.last, x.feed.seen = cursor, cursor
	x.feed.mu.Unlock()
	rung, stop := x.server.bell.Watch(central.TerminalBell(x.terminal.ID))
	defer stop() // watched before the first look, so that no ring is missed

	x.noteHello()
	forgotten := int64(0)
	look := true
	timer := time.NewTimer(x.server.cfg.Poll)
	defer timer.Stop()
	for {
		wait := x.server.cfg.Poll
		err := x.feedOnce(look, &cursor, &forgotten)
		if x.ctx.Err() != nil {
			return
		}
		if err != nil {
			x.log.Error("a terminal's events can't be told; it is tried again", "error", err)
			wait = feedRetry
		}
		timer.Reset(wait)
		select {
		case <-x.ctx.Done():
			return
		case <-rung:
			look = true
		case <-timer.C:
			look = true
		case <-x.feed.news:
			look = err != nil
		}
	}
}

// feedOnce does what is due. look: the terminal's record is read as well.
func (x *session) feedOnce(look bool, cursor, forgotten *int64) error {
	if look {
		if err := x.checkRevoked(); err != nil {
			return err
		}
	}
	x.feed.mu.Lock()
	seen := x.feed.seen
	x.feed.mu.Unlock()
	if seen > *forgotten {
		ctx, cancel := context.WithTimeout(x.ctx, storeWait)
		err := x.server.store.Seen(ctx, x.terminal.ID, seen)
		cancel()
		if err != nil {
			return fmt.Errorf("forget events up to %d: %w", seen, err)
		}
		*forgotten = seen
	}
	for {
		more, err := x.tellEvents(cursor)
		if err != nil || !more {
			return err
		}
	}
}

// checkRevoked ends the session of a terminal that is no longer one.
func (x *session) checkRevoked() error {
	ctx, cancel := context.WithTimeout(x.ctx, storeWait)
	defer cancel()
	t, err := x.server.store.Terminal(ctx, x.terminal.ID)
	if errors.Is(err, central.ErrNotFound) || (err == nil && !t.RevokedAt.IsZero()) {
		x.end(wire.CloseRevoked, revoked)
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the terminal: %w", err)
	}
	return nil
}

// tellEvents sends the next events that there is room for; more says that
// there may be others.
func (x *session) tellEvents(cursor *int64) (more bool, err error) {
	room := x.feed.room()
	if room <= 0 || x.ctx.Err() != nil {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(x.ctx, storeWait)
	defer cancel()
	events, err := x.server.store.EventsAfter(ctx, x.terminal.ID, *cursor, room)
	if err != nil {
		return false, fmt.Errorf("read events after %d: %w", *cursor, err)
	}
	for _, e := range events {
		if e.Cursor <= *cursor || e.Terminal != x.terminal.ID {
			return false, fmt.Errorf("the store gave event %d after %d for another terminal or out of order", e.Cursor, *cursor)
		}
		f, err := x.eventFrame(ctx, e)
		if errors.Is(err, central.ErrNotFound) {
			// Waiting would hold up every later event for one that can't be told.
			x.log.Error("an event's operation is gone; the event is passed over", "cursor", e.Cursor, "operation", e.Operation)
			*cursor = e.Cursor
			continue
		}
		if err != nil {
			return false, err
		}
		x.feed.onLine(e.Cursor) // before it can be seen
		if !x.offer(f) {
			return false, nil
		}
		*cursor = e.Cursor
	}
	return len(events) == room, nil
}

// eventFrame makes the frame of an event; an outcome is read as it now is.
func (x *session) eventFrame(ctx context.Context, e central.Event) (wire.Frame, error) {
	f := wire.Frame{T: wire.TEvent, Cursor: e.Cursor, Kind: wire.EventKind(e.Kind)}
	if f.Kind != wire.EventOutcome {
		return f, nil
	}
	o, err := x.server.store.Operation(ctx, e.Operation)
	if err != nil {
		return wire.Frame{}, fmt.Errorf("read the operation of event %d: %w", e.Cursor, err)
	}
	if o.Terminal != x.terminal.ID {
		return wire.Frame{}, fmt.Errorf("event %d is about an operation of another terminal", e.Cursor)
	}
	outcome := outcomeOf(x.server.dispatcher.Outcome(o))
	f.ID, f.State, f.HTTP, f.Reply = op.ID(o.Identity), outcome.State, outcome.HTTP, outcome.Reply
	return f, nil
}
