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

// Connected is a terminal's hello.
type Connected struct {
	Terminal central.TerminalID
	Presence // Node, LeftAt, Fault and FaultAt are not read
}

// Disconnected is the end of the connection that began at ConnectedAt on this node.
type Disconnected struct {
	Terminal        central.TerminalID
	ConnectedAt, At time.Time
	// Fault is the reason; empty: it ended as it should.
	Fault string
}

// TerminalCheck is what a node has to know of a terminal that is connected or wants to be.
type TerminalCheck struct {
	Terminal central.TerminalID
	Merchant central.MerchantID
	Revoked  bool
	// OldestEvent and NewestEvent are the cursors of its stored events; 0: none.
	OldestEvent, NewestEvent int64
}

// TokenUse is a single-use token id that is to be spent; it is kept until it expires.
type TokenUse struct {
	ID      string
	Expires time.Time
}

// PresenceStore stores which terminals are connected to which node. A terminal is online
// while its connection has not ended and its node is alive since before the connection.
// Its calls are for many terminals at once: at most MaxTogether.
type PresenceStore interface {
	// CheckTerminals reads what has to be known of terminals, in any order; one that does not
	// exist is left out.
	CheckTerminals(ctx context.Context, ids []central.TerminalID) ([]TerminalCheck, error)
	// SpendTokens records tokens as spent, in one commit. It tells for each, in their
	// order, whether it was fresh; one that comes twice is fresh once.
	SpendTokens(ctx context.Context, tokens []TokenUse) (fresh []bool, err error)
	// RecordPresence records hellos and then ends of connections, in one commit. Each
	// terminal may occur once in either. A hello keeps Fault and FaultAt. If a terminal
	// has connected again, only the fault of an end is recorded. Terminals that do not
	// exist are ignored.
	RecordPresence(ctx context.Context, came []Connected, left []Disconnected) error
	// NodeAlive records that this node serves terminals, since when, and how many are connected.
	NodeAlive(ctx context.Context, since, at time.Time, connected int) error
	// NodeStopped records that this node no longer serves terminals.
	NodeStopped(ctx context.Context) error
}

// MaxTogether is how many terminals one call of PresenceStore may be about.
const MaxTogether = 1000
