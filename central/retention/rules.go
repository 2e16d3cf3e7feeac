package retention

import (
	"context"
	"time"

	"galla/central"
	"galla/shared/op"
)

const day = 24 * time.Hour

// BodyRetention is how long after an operation's end its reply and the reasons of its
// history stay in the database. MinBodyRetention is the minimum; the schema enforces it.
const (
	BodyRetention    = 180 * day
	MinBodyRetention = 30 * day
)

// PurgeKind names a kind of rows that are purged.
type PurgeKind string

// The kinds.
const (
	SpentTokens        PurgeKind = "spent-tokens"
	EnrolmentCodes     PurgeKind = "enrolment-codes"
	GatewayMessages    PurgeKind = "gateway-messages"
	AgentSessions      PurgeKind = "agent-sessions"
	RevokedEvents      PurgeKind = "events-of-revoked-terminals"
	DeliveredCallbacks PurgeKind = "delivered-callbacks"
	GivenUpCallbacks   PurgeKind = "given-up-callbacks"
	FullRates          PurgeKind = "full-rates"
	QRCodes            PurgeKind = "upi-qr-codes"
	QuotaReservation   PurgeKind = "quota-reservations"
	QuotaUsage         PurgeKind = "quota-usage"
)

// PurgeRule is the retention of a kind of rows.
type PurgeRule struct {
	Kind  PurgeKind
	After time.Duration // after the row's end
	Why   string
}

// PurgeRules lists the kinds in the order in which they must be purged.
func PurgeRules() []PurgeRule {
	return []PurgeRule{
		{SpentTokens, time.Hour, "a terminal's token is valid for a minute; the hour covers clocks that differ"},
		{GatewayMessages, time.Hour, "an old message is refused for its age; the hour covers clocks that differ"},
		{EnrolmentCodes, 30 * day, "an expired code can't be used; a month, to find out who enrolled a terminal"},
		{AgentSessions, BodyRetention, "an expired session has no effect; as long as bodies, to find out whether the agent was authenticated"},
		{FullRates, day, "a caller's rate limit is full again after seconds; a day covers the slowest, and clocks that differ"},
		{RevokedEvents, day, "a revoked terminal gets no more events; a day, in which somebody may still look at them"},
		{DeliveredCallbacks, 30 * day, "a merchant that missed one asks for a replay within days"},
		{GivenUpCallbacks, BodyRetention, "as long as bodies, for a replay when the merchant's program is repaired"},
		{QRCodes, 400 * day, "an order can be paid for a week; a year and a month, in which a merchant asks for it. Payments stay"},
		// A month has at most 31 days: forty days ago is in a month that is over, so one
		// comparison serves days and months.
		{QuotaReservation, 40 * day, "a period that is over limits nothing any more, also after a late failure or a refund; the rest is to find out why an operation was refused"},
		{QuotaUsage, 40 * day, "as its reservations"},
	}
}

// Purger is the part of the database that Purge needs.
type Purger interface {
	// Purge deletes at most limit rows of a kind that ended before the given time, in one
	// transaction, and returns their number.
	Purge(ctx context.Context, what PurgeKind, before time.Time, limit int) (int, error)
}

// FinishedOperation is a final operation with its history, oldest step first.
type FinishedOperation struct {
	Operation central.Operation
	Steps     []central.Step
}

// Archive is a file with archived bodies.
type Archive struct {
	File       string // its name in the folder of archives
	SHA256     string // of the file, in hex
	Month      string // in India, in which its operations ended: 2026-11
	Operations int    // lines of the file
	Node       string // that wrote it
	At         time.Time
}

// BodyRemoval is the only change of a final operation: its archived body leaves the row.
type BodyRemoval struct {
	ID        op.ID
	CreatedAt time.Time // of the operation
	Archived  []byte    // the stored reply that was archived
	Reply     []byte    // the short reply that replaces it
}

// ArchiveStore is the part of the database that the archive needs.
type ArchiveStore interface {
	// UnarchivedOperations lists at most limit operations that ended before the given
	// time and are not archived, by end and id, after the given ones.
	UnarchivedOperations(ctx context.Context, before, afterEnd time.Time, afterID op.ID, limit int) ([]FinishedOperation, error)
	// RemoveBodies records an archive and replaces the bodies of its operations, in one
	// transaction. It skips operations that are archived already or whose reply is not
	// the archived one, and returns the number of changed ones.
	RemoveBodies(ctx context.Context, a Archive, list []BodyRemoval) (int, error)
	// ListArchives lists at most limit archives by name, after the given one.
	ListArchives(ctx context.Context, after string, limit int) ([]Archive, error)
}
