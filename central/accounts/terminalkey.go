package accounts

import (
	"context"

	"galla/central"
)

// TerminalKey is the public key that verifies a terminal's tokens. It never changes.
type TerminalKey struct {
	ID        central.TerminalID
	PublicKey []byte
}

// TerminalKeyStore lists the keys of terminals that are not revoked, for each node's
// cache.
type TerminalKeyStore interface {
	// TerminalKeys lists at most limit keys with ids above after, by id. Ids begin with
	// the time of enrolment (UUIDv7).
	TerminalKeys(ctx context.Context, after central.TerminalID, limit int) ([]TerminalKey, error)
}
