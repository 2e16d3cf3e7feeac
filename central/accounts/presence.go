package accounts

import (
	"context"
	"time"

	"galla/central"
)

// Presence is what a terminal's last hello reported, and how that connection ended.
type Presence struct {
	// Node is the node that it connected to, at ConnectedAt; empty: it never did.
	Node        string
	ConnectedAt time.Time
	// Version is the version of its program, as it reported.
	Version string
	// Unresolved is how many operations without an outcome it reported.
	Unresolved int
	// ClockAhead is its clock minus ours.
	ClockAhead time.Duration
	// LeftAt is when that connection ended; zero: the node has not recorded an end.
	LeftAt time.Time
	// Fault is the reason of the last connection that ended by a fault; empty: none.
	Fault   string
	FaultAt time.Time
}

// Each node records every NodeHeartbeat that it is alive. After NodeTimeout without that,
// its terminals count as offline: three heartbeats and a little.
const (
	NodeHeartbeat = 15 * time.Second
	NodeTimeout   = 50 * time.Second
)

// PresenceStore stores which terminals are connected to which node. A terminal is online
// while its connection has not ended and its node is alive since before the connection.
type PresenceStore interface {
	// TerminalConnected records a hello. Fault and FaultAt stay. central.ErrNotFound:
	// there is no such terminal.
	TerminalConnected(ctx context.Context, id central.TerminalID, p Presence) error
	// TerminalDisconnected records that the connection which began at connected on this
	// node ended; fault is the reason, or empty. If the terminal has connected again,
	// only the fault is recorded.
	TerminalDisconnected(ctx context.Context, id central.TerminalID, connected, at time.Time, fault string) error
	// NodeAlive records that this node serves terminals, and since when.
	NodeAlive(ctx context.Context, since, at time.Time) error
	// NodeStopped records that this node no longer serves terminals.
	NodeStopped(ctx context.Context) error
}
