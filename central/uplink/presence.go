package uplink

import (
	"context"
	"strings"
	"time"

	"github.com/gorilla/websocket"

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
		err := s.store.NodeAlive(look, since, time.Now())
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

// lastHello returns the terminal's last hello.
func (x *session) lastHello() helloReport {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.hello
}

// storeConnected records that the terminal is connected, and its hello.
func (x *session) storeConnected() {
	r := x.lastHello()
	ctx, cancel := context.WithTimeout(x.ctx, storeWait)
	defer cancel()
	err := x.server.store.TerminalConnected(ctx, x.terminal.ID, accounts.Presence{ConnectedAt: r.at, Version: r.version, Unresolved: r.unresolved, ClockAhead: r.clockAhead})
	if err != nil && x.ctx.Err() == nil {
		x.log.Warn("the terminal's hello can't be recorded", "error", err)
	}
}

// storeDisconnected records that the terminal is no longer connected, and why. A node
// that stops does not do this for each terminal: announceNode covers them.
func (x *session) storeDisconnected() {
	x.mu.Lock()
	code, words, r := x.code, x.reason, x.hello
	x.mu.Unlock()
	if code == websocket.CloseGoingAway {
		return
	}
	fault := printable.Line(words)
	fault = strings.ToValidUTF8(fault[:min(len(fault), maxStoredReason)], "")
	if x.peerClosed || code == closeReplaced || code == wire.CloseRevoked {
		fault = ""
	}
	ctx, cancel := context.WithTimeout(x.server.baseCtx, storeWait)
	defer cancel()
	if err := x.server.store.TerminalDisconnected(ctx, x.terminal.ID, r.at, time.Now(), fault); err != nil && ctx.Err() == nil {
		x.log.Warn("the end of the terminal's connection can't be recorded", "error", err)
	}
}
