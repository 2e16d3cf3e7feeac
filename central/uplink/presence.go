package uplink

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"galla/central"
	"galla/central/accounts"
	"galla/shared/printable"
	"galla/shared/wire"
)

// maxStoredReason limits the stored reason why a connection ended, in bytes.
const maxStoredReason = 200

// announceNode records that this node serves terminals until ctx ends, and then that
// it stopped.
func (s *Server) announceNode(ctx context.Context) {
	since := time.Now()
	tick := time.NewTicker(accounts.NodeHeartbeat)
	defer tick.Stop()
	for {
		look, cancel := context.WithTimeout(ctx, storeWait)
		err := s.store.NodeAlive(look, since, time.Now(), s.Census().Connected)
		cancel()
		if err != nil && ctx.Err() == nil {
			s.log.Warn("this node can't record that it serves terminals: the console shows them as offline", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownWait)
			defer cancel()
			if err := s.store.NodeStopped(last); err != nil {
				s.log.Warn("this node can't record that it stops; the console shows that later", "error", err)
			}
			return
		}
	}
}

// presenceRecorder collects hellos and ends of connections. One goroutine writes what was
// collected while it wrote: alone a hello is written at once, and together many are
// written in one commit.
type presenceRecorder struct {
	wake chan struct{}

	mu     sync.Mutex
	came   map[central.TerminalID]accounts.Connected
	left   map[central.TerminalID]accounts.Disconnected
	closed bool
}

func newPresenceRecorder() *presenceRecorder {
	return &presenceRecorder{
		wake: make(chan struct{}, 1),
		came: map[central.TerminalID]accounts.Connected{}, left: map[central.TerminalID]accounts.Disconnected{},
	}
}

// addCame adds a hello. The latest one of a terminal counts.
func (r *presenceRecorder) addCame(c accounts.Connected) {
	r.mu.Lock()
	if before, ok := r.came[c.Terminal]; !ok || !before.ConnectedAt.After(c.ConnectedAt) {
		r.came[c.Terminal] = c
	}
	r.mu.Unlock()
	r.wakeWriter()
}

// addLeft adds the end of a connection. That of a terminal's latest connection counts, and
// the latest fault.
func (r *presenceRecorder) addLeft(d accounts.Disconnected) {
	r.mu.Lock()
	if before, ok := r.left[d.Terminal]; ok {
		if before.ConnectedAt.After(d.ConnectedAt) {
			d.ConnectedAt, d.At = before.ConnectedAt, before.At
		}
		if d.Fault == "" {
			d.Fault = before.Fault
		}
	}
	r.left[d.Terminal] = d
	r.mu.Unlock()
	r.wakeWriter()
}

// giveBack takes what could not be written, beside what came later.
func (r *presenceRecorder) giveBack(came []accounts.Connected, left []accounts.Disconnected) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range came {
		if _, later := r.came[c.Terminal]; !later {
			r.came[c.Terminal] = c
		}
	}
	for _, d := range left {
		later, ok := r.left[d.Terminal]
		if ok {
			later.Fault = cmp.Or(later.Fault, d.Fault)
			d = later
		}
		r.left[d.Terminal] = d
	}
}

// close lets the writer end when it has written everything.
func (r *presenceRecorder) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.wakeWriter()
}

func (r *presenceRecorder) wakeWriter() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// take returns what is to be written next.
func (r *presenceRecorder) take() (came []accounts.Connected, left []accounts.Disconnected, closed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, c := range r.came {
		if len(came) == accounts.MaxTogether {
			break
		}
		came = append(came, c)
		delete(r.came, id)
	}
	for id, d := range r.left {
		if len(left) == accounts.MaxTogether {
			break
		}
		if _, later := r.came[id]; later {
			continue // its hello is written first
		}
		left = append(left, d)
		delete(r.left, id)
	}
	return came, left, r.closed
}

// recordPresence writes until the recorder is closed. What can't be written is tried again,
// but not at the end.
func (s *Server) recordPresence(ctx context.Context) {
	for range s.presence.wake {
		for {
			came, left, closed := s.presence.take()
			if len(came)+len(left) == 0 {
				if closed {
					return
				}
				break
			}
			err := s.try("presence recorder", func() error {
				write, cancel := context.WithTimeout(ctx, storeWait)
				defer cancel()
				return s.store.RecordPresence(write, came, left)
			})
			if err == nil {
				continue
			}
			s.log.Warn("hellos and ends of connections can't be recorded", "hellos", len(came), "ends", len(left), "again", !closed, "error", err)
			if !closed {
				s.presence.giveBack(came, left)
				time.AfterFunc(feedRetry, s.presence.wakeWriter)
				break
			}
		}
	}
}

// lastHello returns the terminal's last hello.
func (x *session) lastHello() helloReport {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.hello
}

// recordCame records that the terminal is connected, and its hello.
func (x *session) recordCame() {
	r := x.lastHello()
	x.server.presence.addCame(accounts.Connected{Terminal: x.terminal, Presence: accounts.Presence{
		ConnectedAt: r.at, Version: r.version, Unresolved: r.unresolved, ClockAhead: r.clockAhead,
	}})
}

// recordLeft records that the terminal is no longer connected, and why. A node that stops
// does not do this for each terminal: announceNode covers them.
func (x *session) recordLeft() {
	code, words, _ := x.conn.Ended()
	if code == websocket.CloseGoingAway {
		return
	}
	fault := printable.Line(words)
	fault = strings.ToValidUTF8(fault[:min(len(fault), maxStoredReason)], "")
	if x.peerClosed || code == closeReplaced || code == wire.CloseRevoked {
		fault = ""
	}
	x.server.presence.addLeft(accounts.Disconnected{Terminal: x.terminal, ConnectedAt: x.lastHello().at, At: time.Now(), Fault: fault})
}
