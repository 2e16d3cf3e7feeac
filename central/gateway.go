package central

import (
	"context"
	"time"
)

// KeyID names a vendor's key in lists, logs and metrics. The API key's text is
// never written there.
type KeyID string

// VendorKey is a vendor's credential at the gateway: the API key that names
// it, and the key that seals its messages (gateway.md, 'Keys at rest').
type VendorKey struct {
	ID     KeyID
	Vendor VendorID
	// ClientHash is the SHA-256 of the API key, which is kept nowhere.
	ClientHash [32]byte
	// Hint is the end of the API key, at most four characters, by which people
	// tell a vendor's two keys apart.
	Hint      string
	Sealed    []byte // the 32 bytes, sealed under a master key (package seal)
	CreatedAt time.Time
	RevokedAt time.Time // zero: live
	UsedAt    time.Time // zero: never; some seconds behind
	// Uses counts messages sealed under the key in either direction. It counts
	// ahead: what a node has set aside for itself is in it, used or not.
	Uses int64
}

// MaxLiveKeys is how many keys a vendor may have at one time: two, so that it
// can change from one to the other without an outage.
const MaxLiveKeys = 2

// VendorKeys is where vendors' keys are kept.
type VendorKeys interface {
	// AddVendorKey records a key. ErrNotFound: no such vendor; ErrState: the
	// vendor has MaxLiveKeys already; ErrTaken: the id or API key is in use, or
	// was.
	AddVendorKey(ctx context.Context, k VendorKey) error
	// VendorKeysOf lists a vendor's keys, or everybody's where it is empty,
	// oldest first; revoked ones are among them.
	VendorKeysOf(ctx context.Context, vendor VendorID) ([]VendorKey, error)
	// LiveVendorKeys lists the keys that are not revoked, of all vendors, with
	// the edition of the list.
	LiveVendorKeys(ctx context.Context) (list []VendorKey, edition int64, err error)
	// VendorKeysEdition grows with every key that is added, revoked or sealed
	// anew, by whatever program.
	VendorKeysEdition(ctx context.Context) (int64, error)
	// RevokeVendorKey ends a key; revoking twice changes nothing. ErrNotFound:
	// no such key.
	RevokeVendorKey(ctx context.Context, id KeyID, at time.Time) error
	// ResealVendorKey replaces a key's sealed form. ErrState: it is no longer
	// what it was.
	ResealVendorKey(ctx context.Context, id KeyID, was, is []byte) error
	// LeaseUses sets n uses of a key aside, and gives the count with them.
	// ErrState: the count would go beyond bound, or the key is revoked.
	LeaseUses(ctx context.Context, id KeyID, n, bound int64) (uses int64, err error)
	// SawVendorKeys notes when keys were last used. Older moments than those
	// noted change nothing.
	SawVendorKeys(ctx context.Context, seen map[KeyID]time.Time) error
}

// IV is the initialisation vector of a gateway message.
type IV [12]byte

// Replays is where the messages that were accepted at the gateway are
// remembered for as long as their timestamps would be accepted again.
type Replays interface {
	// SpendIV records a message; ErrTaken if it was recorded before, by
	// whichever node. What had expired by now is forgotten on the way.
	SpendIV(ctx context.Context, key KeyID, iv IV, now, expires time.Time) error
	// SpentIV tells whether a message is recorded.
	SpentIV(ctx context.Context, key KeyID, iv IV) (bool, error)
}

// GatewayMessage is a sealed message as it came over HTTP, nothing of it
// believed yet.
type GatewayMessage struct {
	Method string
	Target string // as sent, with ?query
	// Header gives all values of a header, in the order in which they were sent.
	Header func(name string) []string
	Body   []byte // as sent
	// Malformed says what the HTTP layer objects to; empty: nothing.
	Malformed string
	RequestID string // for the log, by the door's judgement
}

// GatewayReply is what goes back: sealed, or the one refusal in plain.
type GatewayReply struct {
	HTTP   int
	Header [][2]string // besides Content-Type, which is application/json
	Body   []byte
	// Authenticated tells that the sender proved its key. If not, the reply
	// says nothing but that.
	Authenticated bool
}
