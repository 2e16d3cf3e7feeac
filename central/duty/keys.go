package duty

import (
	"context"

	"galla/central"
)

// TerminalKey is the public key that a terminal signs its tokens with. It never
// changes.
type TerminalKey struct {
	ID        central.TerminalID
	PublicKey []byte
}

// TerminalKeys lists the keys of the terminals that are not revoked, so that each
// node knows them.
type TerminalKeys interface {
	// TerminalKeys gives those of ids beyond one, in the order of the ids, at most
	// limit. New terminals' ids begin with their moment (UUIDv7).
	TerminalKeys(ctx context.Context, after central.TerminalID, limit int) ([]TerminalKey, error)
}
