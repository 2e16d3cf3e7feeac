package recovery

import (
	"context"
	"time"
)

// Restoration is a restore of the database from a backup.
type Restoration struct {
	At       time.Time // of the restore
	BackupAt time.Time // start of the backup; zero: not known
	// Gap means that operations may have been recorded after the backup began: the
	// database lacks them, and the bank may have executed them.
	Gap bool
	// ReleasedAt is when a person declared the gap handled; zero: not yet.
	ReleasedAt time.Time
}

// HeldIdentity is an identity that a caller used after a restore and that may have been
// used in its gap.
type HeldIdentity struct {
	Caller, Identity string
	At               time.Time // of the first request
}

// RestorationStore stores restorations.
type RestorationStore interface {
	// ListRestorations lists at most 1000 restorations, newest first.
	ListRestorations(ctx context.Context) ([]Restoration, error)
	// HoldIdentity records an identity for a person; a second time changes nothing.
	HoldIdentity(ctx context.Context, h HeldIdentity) error
}
