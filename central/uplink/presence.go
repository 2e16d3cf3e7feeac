package uplink

import (
	"context"
	"time"

	"github.com/gorilla/websocket"

	"galla/central/duty"
	"galla/shared/wire"
)

// maxFault bounds the words that are kept of why a connection ended, in bytes.
const maxFault = 200

// sayHere notes that this node serves terminals until ctx ends, and then that it
// does not any more.
func (s *Server) sayHere(ctx context.Context) {
	since := time.Now()
	tick := time.NewTicker(duty.NodeEvery)
	defer tick.Stop()
	for {
		look, cancel := context.WithTimeout(ctx, storeWait)
		err := s.store.NodeHere(look, since, time.Now())
		cancel()
		if err != nil && ctx.Err() == nil {
			s.log.Warn("this node can't note that it serves terminals: they look gone in the console", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownWait)
			defer cancel()
			if err := s.store.NodeGone(last); err != nil {
				s.log.Warn("this node can't note that it stops; its terminals look gone when it is silent", "error", err)
			}
			return
		}
	}
}

// said gives what the terminal's hello said.
func (x *session) said() report {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.report
}

// noteHello writes down that the terminal is here, and what it said.
func (x *session) noteHello() {
	r := x.said()
	ctx, cancel := context.WithTimeout(x.ctx, storeWait)
	defer cancel()
	err := x.server.store.Met(ctx, x.terminal.ID, duty.Presence{ConnectedAt: r.at, Version: r.version, Unresolved: r.unresolved, Ahead: r.ahead})
	if err != nil && x.ctx.Err() == nil {
		x.log.Warn("the terminal's hello can't be noted", "error", err)
	}
}

// noteLeft writes down that the terminal is not here any more, and what it was
// that ended the connection. A node that stops has no time for its terminals one
// by one: that it is gone says the same.
func (x *session) noteLeft() {
	x.mu.Lock()
	code, words, r := x.code, x.words, x.report
	x.mu.Unlock()
	if code == websocket.CloseGoingAway {
		return
	}
	fault := printable(words, maxFault)
	if x.parted || code == closeReplaced || code == wire.CloseRevoked {
		fault = ""
	}
	ctx, cancel := context.WithTimeout(x.server.life, storeWait)
	defer cancel()
	if err := x.server.store.Left(ctx, x.terminal.ID, r.at, time.Now(), fault); err != nil && ctx.Err() == nil {
		x.log.Warn("that the terminal left can't be noted", "error", err)
	}
}
