package duty

import (
	"context"
	"time"

	"galla/central"
	"galla/shared/op"
)

const day = 24 * time.Hour

// BodiesKept is how long after an operation's end its reply and the reasons of
// its history stay in the database. LeastBodiesKept is the least that the
// schema takes.
const (
	BodiesKept      = 180 * day
	LeastBodiesKept = 30 * day
)

// Leftover names what has no use any more.
type Leftover string

// The leftovers.
const (
	SpentTokens      Leftover = "spent-tokens"
	EnrolmentCodes   Leftover = "enrolment-codes"
	GatewayMessages  Leftover = "gateway-messages"
	AgentSessions    Leftover = "agent-sessions"
	RevokedEvents    Leftover = "events-of-revoked-terminals"
	DeliveredCalls   Leftover = "delivered-callbacks"
	GivenUpCalls     Leftover = "given-up-callbacks"
	FullRates        Leftover = "full-rates"
	QuotaReservation Leftover = "quota-reservations"
	QuotaUsage       Leftover = "quota-usage"
)

// Keeping says for how long a leftover is kept after it lost its use.
type Keeping struct {
	What Leftover
	For  time.Duration // after its end
	Why  string
}

// Keepings lists what is purged, in the order in which it must be.
func Keepings() []Keeping {
	return []Keeping{
		{SpentTokens, time.Hour, "a terminal's token lives for a minute; the hour covers clocks that differ"},
		{GatewayMessages, time.Hour, "a message that is too old is refused for its age; the hour covers clocks that differ"},
		{EnrolmentCodes, 30 * day, "a code that expired is worth nothing; a month, for the question who enrolled a terminal"},
		{AgentSessions, BodiesKept, "a session that expired lets nothing through; as long as bodies, for the question whether the agent had proved himself"},
		{FullRates, day, "a caller's rate is full again after seconds; a day covers the slowest, and clocks that differ"},
		{RevokedEvents, day, "a revoked terminal is never told anything again; a day, in which somebody may still look at what it was owed"},
		{DeliveredCalls, 30 * day, "a merchant who missed one asks for a replay within days"},
		{GivenUpCalls, BodiesKept, "nobody was told: as long as bodies, for a replay when the merchant's program is mended"},
		// A month has at most 31 days: what began forty days ago lies in a month
		// that is over, so that one comparison serves days and months.
		{QuotaReservation, 40 * day, "nothing counts against a period that is over, and what a late failure or a refund gives back to it is of no use to anybody; the rest is for the question why an operation was refused"},
		{QuotaUsage, 40 * day, "as its reservations"},
	}
}

// Purges is what a purge needs of the database.
type Purges interface {
	// Purge forgets at most limit rows of a leftover that ended before the
	// given moment, in one transaction, and tells how many.
	Purge(ctx context.Context, what Leftover, before time.Time, limit int) (int, error)
}

// Finished is a final operation with its history, oldest step first.
type Finished struct {
	Operation central.Operation
	Steps     []central.Step
}

// Archive is a file that bodies went to.
type Archive struct {
	File       string // its name in the folder of archives
	SHA256     string // of the file, in hex
	Month      string // Indian, in which its operations ended: 2026-11
	Operations int    // lines of the file
	Node       string // who wrote it
	At         time.Time
}

// Shrinking is the one change of a final operation: what stands in an archive
// leaves the row.
type Shrinking struct {
	ID        op.ID
	CreatedAt time.Time // of the operation
	Was       []byte    // the stored reply that was archived
	Reply     []byte    // the short reply that takes its place
}

// Archives is what the archive needs of the database.
type Archives interface {
	// Finished lists operations that ended before the given moment and are not
	// archived, in the order of their end and id, those after the given ones
	// only; at most limit.
	Finished(ctx context.Context, before, afterEnd time.Time, afterID op.ID, limit int) ([]Finished, error)
	// Shrink records an archive and takes the bodies of operations that stand
	// in it out of their rows, in one transaction. An operation that is archived
	// already, or whose reply is not the one that was archived, stays as it is.
	// It tells how many it changed.
	Shrink(ctx context.Context, a Archive, list []Shrinking) (int, error)
	// Archived lists the archives by their names, those after the given one
	// only; at most limit.
	Archived(ctx context.Context, after string, limit int) ([]Archive, error)
}

// Restoration is a database put back from a copy.
type Restoration struct {
	At       time.Time // when it was put back
	BackupAt time.Time // when the copy was begun; zero: nobody knows
	// Gap says that operations may have been recorded after the copy: the
	// database does not know them, and the bank may have executed them.
	Gap bool
	// ReleasedAt is when a person said that the gap is looked after; zero: not
	// yet.
	ReleasedAt time.Time
}

// Held is an identity that was asked for after a restoration and that may have
// been used in its gap.
type Held struct {
	Caller, Identity string
	At               time.Time // when it was first asked for
}

// Restorations is what the database remembers of having been put back.
type Restorations interface {
	// Restorations lists them, the latest first; at most 1000.
	Restorations(ctx context.Context) ([]Restoration, error)
	// Hold notes an identity for a person to look after; noting it again
	// changes nothing.
	Hold(ctx context.Context, h Held) error
}
