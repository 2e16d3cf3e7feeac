package duty

import (
	"context"
	"time"

	"galla/central"
)

// Presence is what a terminal's connection said of the terminal, by the last
// hello, and how that connection ended.
type Presence struct {
	// Node is where it connected, at ConnectedAt; empty: it never did.
	Node        string
	ConnectedAt time.Time
	// Version is the terminal's program's, by its own word.
	Version string
	// Unresolved is how many operations it had without a last word at the hello.
	Unresolved int
	// Ahead is its clock minus ours.
	Ahead time.Duration
	// LeftAt is when that connection ended; zero: by the node's last word it has
	// not.
	LeftAt time.Time
	// Fault is why a connection last ended that should not have; empty: none did.
	Fault   string
	FaultAt time.Time
}

// NodeSilence is how long a node may not have said that it is there before its
// terminals count as gone: three times NodeEvery and a little.
const (
	NodeEvery   = 15 * time.Second
	NodeSilence = 50 * time.Second
)

// Presences is where nodes write down which terminals are connected to them. A
// terminal is online while its connection has not ended and its node says that it
// is there: a node that died says nothing, and one that was started anew says
// since when.
type Presences interface {
	// Met notes a hello: who the terminal is connected to, and what it said. Fault
	// and FaultAt stay. central.ErrNotFound: there is no such terminal.
	Met(ctx context.Context, id central.TerminalID, p Presence) error
	// Left notes that the connection ended that began at a moment on this node; a
	// fault, if it is not empty, says why. Where the terminal has connected since,
	// only the fault is noted.
	Left(ctx context.Context, id central.TerminalID, connected, at time.Time, fault string) error
	// NodeHere notes that this node serves terminals, and since when.
	NodeHere(ctx context.Context, since, at time.Time) error
	// NodeGone notes that it does not any more.
	NodeGone(ctx context.Context) error
}
