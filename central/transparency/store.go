package transparency

import (
	"context"
	"time"

	"galla/shared/checkpoint"
)

// Head is where a log ends.
type Head struct {
	Log        string // its id; empty: nothing was sealed yet
	Epoch      int64
	Size       int64
	Checkpoint string // the last one, signed; empty: there is none
}

// SignedAt is when the last checkpoint was signed, as it says itself; zero: there is none.
func (h Head) SignedAt() time.Time {
	c, _ := checkpoint.Unverified(h.Checkpoint)
	return c.At
}

// Tx is one transaction that changes the log.
type Tx interface {
	Head() (Head, error)
	// Tile reads a tile.
	Tile(level int, at int64) ([]byte, error)
	// Append writes the entries that begin at a number, and the tiles that have their
	// hashes. Log is the id of a log that begins with them.
	Append(log string, first int64, records []Record, tiles []Tile) error
	// AddCheckpoint writes a signed checkpoint of a size, in place of an earlier one of it.
	AddCheckpoint(size int64, at time.Time, signed string) error
}

// Sealed is an entry of the log.
type Sealed struct {
	Number int64
	Entry
	Erasable [32]byte
}

// Store stores the log, and reads the tables that it is about. Its methods may be called
// concurrently.
type Store interface {
	// UnsealedRecords lists records that have no entry: of Operation those that finished in
	// [from, to), of Open those that were created before to and have steps without one, of
	// Audit and Case those of [from, to). Oldest first, at most limit.
	UnsealedRecords(ctx context.Context, source Source, from, to time.Time, limit int) ([]Record, error)
	// SealedUntil gives the time up to which a source was sealed; the zero time: never.
	// SetSealedUntil moves it.
	SealedUntil(ctx context.Context, source Source) (time.Time, error)
	SetSealedUntil(ctx context.Context, source Source, until time.Time) error
	// ChangeLog runs do in one transaction. It may run do more than once.
	ChangeLog(ctx context.Context, do func(Tx) error) error

	// LogHead reads where the log ends.
	LogHead(ctx context.Context) (Head, error)
	// LogTile reads a tile.
	LogTile(ctx context.Context, level int, at int64) ([]byte, error)
	// LogEntries lists entries from a number on, in their order, at most limit.
	LogEntries(ctx context.Context, from int64, limit int) ([]Sealed, error)
	// LogRecords reads the content of entries as the tables have it now. What is not there is
	// missing in the result.
	LogRecords(ctx context.Context, list []Sealed) (map[Entry]Record, error)
	// LogCheckpoints lists the signed checkpoints from a size on, in order of size, at most limit.
	LogCheckpoints(ctx context.Context, from int64, limit int) ([]string, error)
}
