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
	// eventWindow is how many events may be sent without a 'seen', for terminals
	// with a slow disk.
	eventWindow = 32
	// feedRetry is how long the feeder waits after an error of the store.
	feedRetry = 2 * time.Second
)

// eventFeed is the state of a terminal's events on this connection.
type eventFeed struct {
	changed chan struct{} // seen has changed

	mu   sync.Mutex
	sent []int64 // cursors sent, in order, that were not seen yet
	last int64   // of the last event sent
	seen int64   // reported by the terminal
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
	select {
	case f.changed <- struct{}{}:
	default:
	}
	return nil
}

// capacity is how many more events may be sent.
func (f *eventFeed) capacity() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return eventWindow - len(f.sent)
}

func (f *eventFeed) markSent(cursor int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent, f.last = append(f.sent, cursor), cursor
}

// runFeed sends the terminal's events, deletes those that were seen, and ends the
// session when the terminal is revoked.
func (x *session) runFeed(cursor int64) {
	x.feed.mu.Lock()
	x.feed.last, x.feed.seen = cursor, cursor
	x.feed.mu.Unlock()
	rung, stop := x.server.notifier.Subscribe(central.TerminalTopic(x.terminal.ID))
	defer stop() // subscribed before the first read, so that no notification is missed

	x.storeConnected()
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
			x.log.Error("a terminal's events can't be sent yet", "error", err)
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
		case <-x.feed.changed:
			look = err != nil
		}
	}
}

// feedOnce does what is due. With look it reads the terminal's record, too.
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
		err := x.server.store.AcknowledgeEvents(ctx, x.terminal.ID, seen)
		cancel()
		if err != nil {
			return fmt.Errorf("forget events up to %d: %w", seen, err)
		}
		*forgotten = seen
	}
	for {
		more, err := x.sendEvents(cursor)
		if err != nil || !more {
			return err
		}
	}
}

// checkRevoked ends the session if the terminal was revoked.
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

// sendEvents sends the next events that fit into the window; more says that there
// may be others.
func (x *session) sendEvents(cursor *int64) (more bool, err error) {
	capacity := x.feed.capacity()
	if capacity <= 0 || x.ctx.Err() != nil {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(x.ctx, storeWait)
	defer cancel()
	events, err := x.server.store.EventsAfter(ctx, x.terminal.ID, *cursor, capacity)
	if err != nil {
		return false, fmt.Errorf("read events after %d: %w", *cursor, err)
	}
	for _, e := range events {
		if e.Cursor <= *cursor || e.Terminal != x.terminal.ID {
			return false, fmt.Errorf("the store gave event %d after %d for another terminal or out of order", e.Cursor, *cursor)
		}
		f, err := x.eventFrame(ctx, e)
		if errors.Is(err, central.ErrNotFound) {
			// Waiting would hold up every later event for one that can't be sent.
			x.log.Error("an event's operation does not exist; the event is skipped", "cursor", e.Cursor, "operation", e.Operation)
			*cursor = e.Cursor
			continue
		}
		if err != nil {
			return false, err
		}
		x.feed.markSent(e.Cursor) // before it can be seen
		if !x.queue(f) {
			return false, nil
		}
		*cursor = e.Cursor
	}
	return len(events) == capacity, nil
}

// eventFrame makes an event's frame; an outcome is read as it is now.
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
	outcome := outcomeOf(x.server.handler.CurrentReply(o))
	f.ID, f.State, f.HTTP, f.Reply = op.ID(o.Identity), outcome.State, outcome.HTTP, outcome.Reply
	return f, nil
}
