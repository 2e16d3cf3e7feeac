package uplink

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/shared/wire"
	"galla/shared/wsconn"
)

// watcher collects the terminals at which something may have changed: new events, or a
// revocation. One goroutine reads all of them together, so that idle terminals cost one
// read for each thousand of them and Poll.
type watcher struct {
	wake chan struct{}

	mu  sync.Mutex
	due map[central.TerminalID]struct{}
	all bool // every connected terminal is due
}

func newWatcher() *watcher {
	return &watcher{wake: make(chan struct{}, 1), due: map[central.TerminalID]struct{}{}}
}

// look makes a terminal due; "": all of them. It does not wait.
func (w *watcher) look(id central.TerminalID) {
	w.mu.Lock()
	if id == "" {
		w.all = true
	} else {
		w.due[id] = struct{}{}
	}
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// take returns the terminals that are due, of those that are connected.
func (w *watcher) take(connected map[central.TerminalID]*session) []central.TerminalID {
	w.mu.Lock()
	defer w.mu.Unlock()
	var ids []central.TerminalID
	if w.all {
		for id := range connected {
			ids = append(ids, id)
		}
	} else {
		for id := range w.due {
			if connected[id] != nil {
				ids = append(ids, id)
			}
		}
	}
	w.all, w.due = false, map[central.TerminalID]struct{}{}
	return ids
}

// watchTerminals looks at the terminals that are due, and at all of them each Poll, until
// ctx ends.
func (s *Server) watchTerminals(ctx context.Context) {
	defer s.notifier.WatchTerminals(s.watcher.look)()
	poll := time.NewTicker(s.cfg.Poll)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-poll.C:
			s.watcher.look("")
		case <-s.watcher.wake:
		}
		s.mu.Lock()
		ids := s.watcher.take(s.current)
		s.mu.Unlock()
		for part := range slices.Chunk(ids, accounts.MaxTogether) {
			if err := s.try("watcher", func() error { return s.checkTerminals(ctx, part) }); err != nil && ctx.Err() == nil {
				s.log.Error("it can't be read yet which terminals have events or are revoked", "error", err)
				time.AfterFunc(feedRetry, func() {
					for _, id := range part {
						s.watcher.look(id)
					}
				})
			}
		}
	}
}

// checkTerminals ends the sessions of revoked terminals, and feeds those with events.
func (s *Server) checkTerminals(ctx context.Context, ids []central.TerminalID) error {
	ctx, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	checks, err := s.store.CheckTerminals(ctx, ids)
	if err != nil {
		return fmt.Errorf("check %d terminals: %w", len(ids), err)
	}
	found := map[central.TerminalID]accounts.TerminalCheck{}
	for _, c := range checks {
		found[c.Terminal] = c
	}
	for _, id := range ids {
		s.mu.Lock()
		x := s.current[id]
		s.mu.Unlock()
		if x == nil {
			continue
		}
		if c, ok := found[id]; !ok || c.Revoked {
			x.end(wire.CloseRevoked, revoked)
		} else {
			x.eventsStored(c.OldestEvent, c.NewestEvent)
		}
	}
	return nil
}

// pingTurn is how often the connections are looked through for quiet ones.
const pingTurn = time.Second

// quietTime counts the turns in which nothing came from a terminal.
type quietTime struct {
	heard int64
	turns int
}

// pingDue reports, once a turn, whether the terminal should be pinged: it has said nothing
// for longer than PingEvery, after which a counter sends a ping of its own.
func (q *quietTime) pingDue(heard int64) bool {
	if heard != q.heard {
		q.heard, q.turns = heard, 0
		return false
	}
	q.turns++
	if q.turns <= int(wsconn.PingEvery/pingTurn) {
		return false
	}
	q.turns = 0
	return true
}

// pingQuiet pings the terminals that say nothing, until ctx ends: no connection has a
// timer of its own.
func (s *Server) pingQuiet(ctx context.Context) {
	turn := time.NewTicker(pingTurn)
	defer turn.Stop()
	var quiet []*session
	for {
		select {
		case <-ctx.Done():
			return
		case <-turn.C:
		}
		s.mu.Lock()
		for x := range s.sessions {
			if x.quiet.pingDue(x.conn.Heard()) {
				quiet = append(quiet, x)
			}
		}
		s.mu.Unlock()
		for _, x := range quiet {
			x.runGuarded("pinger", x.conn.Ping)
		}
		clear(quiet)
		quiet = quiet[:0]
	}
}
