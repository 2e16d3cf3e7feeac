package central

import (
	"context"
	"time"
)

// KeyID identifies a vendor's key in lists, logs and metrics, where the API key
// itself is never written.
type KeyID string

// VendorKey is a vendor's credential at the gateway: the API key that identifies
// it, and the key that seals its messages (gateway.md, section 10).
type VendorKey struct {
	ID     KeyID
	Vendor VendorID
	// ClientHash is the SHA-256 of the API key, which is not stored.
	ClientHash [32]byte
	// Hint is the end of the API key, at most four characters: people distinguish
	// a vendor's two keys by it.
	Hint      string
	Sealed    []byte // the 32 bytes, sealed under a master key (package seal)
	CreatedAt time.Time
	RevokedAt time.Time // zero: not revoked
	EndsAt    time.Time // the planned end; zero: none
	UsedAt    time.Time // zero: never; written with a delay of some seconds
	// Uses counts messages sealed under the key in either direction. It includes
	// all uses that nodes have leased (LeaseKeyUses), used or not.
	Uses int64
}

// Live tells whether messages under the key are accepted at a time.
func (k VendorKey) Live(at time.Time) bool {
	return k.RevokedAt.IsZero() && (k.EndsAt.IsZero() || at.Before(k.EndsAt))
}

// MaxLiveKeys is how many keys a vendor may have at one time: two, so that it
// can change keys without an outage.
const MaxLiveKeys = 2

// VendorKeys stores vendors' keys.
type VendorKeys interface {
	// AddVendorKey adds a key. ErrNotFound: no such vendor; ErrState: the vendor
	// has MaxLiveKeys already; ErrTaken: the id or API key is in use, or was.
	AddVendorKey(ctx context.Context, k VendorKey) error
	// VendorKeysOf lists a vendor's keys, revoked ones included, oldest first; an
	// empty vendor lists the keys of all.
	VendorKeysOf(ctx context.Context, vendor VendorID) ([]VendorKey, error)
	// LiveVendorKeys lists the keys that are not revoked, of all vendors. Those whose
	// planned end has passed may be among them.
	LiveVendorKeys(ctx context.Context) ([]VendorKey, error)
	// RevokeVendorKey ends a key; revoking twice changes nothing. ErrNotFound:
	// no such key.
	RevokeVendorKey(ctx context.Context, id KeyID, at time.Time) error
	// EndVendorKey plans the end of a vendor's live key, in place of an earlier plan.
	// ErrNotFound: the vendor has no such key; ErrState: the key has ended.
	EndVendorKey(ctx context.Context, vendor VendorID, id KeyID, at, ends time.Time) error
	// ResealVendorKey replaces a key's sealed form. ErrState: the stored form is
	// no longer was.
	ResealVendorKey(ctx context.Context, id KeyID, was, is []byte) error
	// LeaseKeyUses adds n to the uses of a key and gives the new count. ErrState:
	// the count would exceed bound, or the key is revoked.
	LeaseKeyUses(ctx context.Context, id KeyID, n, bound int64) (uses int64, err error)
	// RecordVendorKeyUse records when keys were last used. A time before the
	// recorded one changes nothing.
	RecordVendorKeyUse(ctx context.Context, seen map[KeyID]time.Time) error
}

// IV is the initialisation vector of a gateway message.
type IV [12]byte

// SealedMessage is a gateway message that was checked. Its IV is spent once, before its
// reply is told: by Create, in the transaction that records its operation, or by
// SpendIV.
type SealedMessage struct {
	Key     KeyID
	IV      IV
	Expires time.Time // when its record may be deleted
	Spent   Spending  // what Create did; set by the executor
}

// Spending is what became of a message's IV in Create.
type Spending int

// Values of Spending.
const (
	NotSpent     Spending = iota // Create was not called
	SpentNow                     // it is spent by this message
	SpentBefore                  // the message is a replay; nothing was recorded
	SpentPerhaps                 // Create failed, and may still have been committed
)

// ReplayProtection records accepted gateway messages for as long as their
// timestamps would be accepted again.
type ReplayProtection interface {
	// SpendIV records a message. ErrTaken: any node recorded it before.
	SpendIV(ctx context.Context, key KeyID, iv IV, expires time.Time) error
	// ForgetIVs deletes some expired records, and tells whether there may be more.
	ForgetIVs(ctx context.Context, now time.Time) (more bool, err error)
	// IVSpent tells whether a message is recorded.
	IVSpent(ctx context.Context, key KeyID, iv IV) (bool, error)
}

// GatewayMessage is a sealed message as it came over HTTP, before any check.
type GatewayMessage struct {
	Method string
	Target string // as sent, with ?query
	// Header gives all values of a header, in the order in which they were sent.
	Header func(name string) []string
	Body   []byte // as sent
	// Malformed says why the HTTP layer rejects the message; empty: it does not.
	Malformed string
	RequestID string // for the log, as the HTTP server chose it
}

// GatewayReply is the reply: sealed, or the plain 401 (gateway.md, section 7.1).
type GatewayReply struct {
	HTTP   int
	Header [][2]string // besides Content-Type, which is application/json
	Body   []byte
	// Authenticated tells that the sender proved its key. If not, the reply is
	// the plain 401.
	Authenticated bool
}
