package central

import (
	"context"
	"errors"
	"time"

	"galla/shared/op"
)

// Errors of the stores.
var (
	// ErrNotFound says that there is no such record.
	ErrNotFound = errors.New("no such record")
	// ErrState says that the record is no longer in a state that allows the
	// step: somebody else was first.
	ErrState = errors.New("the state does not allow this step")
	// ErrTaken says that a code, token or reference was used before.
	ErrTaken = errors.New("already used")
	// ErrVoid says that the credential of a call was suspended, or given another
	// secret, since it was judged.
	ErrVoid = errors.New("the credential is void")
	// ErrSameBand says that a slab's band is equal to another one's.
	ErrSameBand = errors.New("another slab of the same combination has the same band")
	// ErrBusy says that the store's queue is full: try again later.
	ErrBusy = errors.New("store is busy")
)

// Operations is where operations are kept. Each method is one durable
// transaction named after what happened: when it returns nil, a power cut does
// not undo it. Each change is conditional on the state it leaves (ErrState),
// and writes a Step of the operation's history.
type Operations interface {
	// Begin records a new operation in state received. If (Caller, Identity)
	// is known, nothing is written and the known operation is returned with
	// false; it may be a tombstone (Forsworn). ErrTaken: the reference is not
	// unique, draw another.
	//
	// If the identity is new and (Party, CallerRef) is known, the identity
	// becomes another name of that operation, which is returned with false; it
	// is for the caller to compare fingerprints. The name of a refund is its
	// Original, while it is done or under way; the identity of one that failed leads
	// to the newest made under it. Where a name leads to an operation
	// of the same fingerprint that is OTPRefused, o is the next Try of it. ErrState:
	// the identity and the CallerRef name two different operations.
	//
	// Every quota is counted in the same transaction; where one does not hold
	// the operation, nothing is written and the error is a *QuotaError.
	Begin(ctx context.Context, o Operation, quotas []Quota) (known Operation, isNew bool, err error)

	// Dispatch steps from received to dispatched, before anything is sent.
	Dispatch(ctx context.Context, id op.ID, at, bankNotAfter time.Time) error

	// Suspend steps from dispatched to pending and gives the operation its
	// pending reference, prefix and unix milliseconds of s.At, or the next
	// free number. Terminal's operations get no event: the door tells them.
	Suspend(ctx context.Context, s Suspension) (Operation, error)

	// Settle steps to a final state. If the operation was pending and has a
	// terminal, the event that tells it is written in the same transaction.
	// A final state other than succeeded gives the operation's quotas back.
	// A success carries out the operation's KYC and Reverses and writes the
	// settlement's Earning, in the same transaction.
	Settle(ctx context.Context, s Settlement) (Operation, error)

	// Operation gives one operation, or ErrNotFound.
	Operation(ctx context.Context, id op.ID) (Operation, error)

	// ByIdentity gives the newest attempt of a caller's identity, or ErrNotFound.
	ByIdentity(ctx context.Context, caller, identity string) (Operation, error)

	// ByReference gives a party's operation by its CallerRef, by our Reference
	// or by its PendingReference, whichever is set in by, or ErrNotFound.
	ByReference(ctx context.Context, party string, by ReferenceQuery) (Operation, error)

	// RefundOf gives the newest refund of a transfer that is not failed or
	// refused, or ErrNotFound.
	RefundOf(ctx context.Context, original Reference) (Operation, error)

	// Ask gives a caller's operation by its identity; if there is none, it
	// writes a tombstone for it, and from then on the identity is refused.
	Ask(ctx context.Context, caller, identity string, at time.Time) (known Operation, seen bool, err error)

	// Abandoned lists operations of the node (of any node, if empty) that were
	// begun before the given moment and are in the given state.
	Abandoned(ctx context.Context, node string, state op.State, before time.Time, limit int) ([]Operation, error)

	// Claim gives up to limit pending operations whose enquiry is due, each to
	// one claimer only: their NextEnquiry moves to leaseUntil. Stuck ones are
	// not given.
	Claim(ctx context.Context, now, leaseUntil time.Time, limit int) ([]Operation, error)

	// Postpone records an enquiry that gave no final answer, and when to ask
	// again. If stuck, the operation waits for a person from now on.
	Postpone(ctx context.Context, id op.ID, at, next time.Time, reason string, stuck bool) error

	// History gives the steps of an operation, oldest first.
	History(ctx context.Context, id op.ID) ([]Step, error)
}

// Evidence is for the operator of the central's own machine: whoever's
// operations they are. It stands behind no door.
type Evidence interface {
	// Find gives operations by any name that somebody may read out: the id, our
	// Reference, the PendingReference, the bank's RRN, the caller's own
	// reference or identity. Newest first.
	Find(ctx context.Context, name string, limit int) ([]Operation, error)
	// Waiting lists the pending operations: those that are stuck first, then the
	// oldest first.
	Waiting(ctx context.Context, limit int) ([]Operation, error)
}

// ReferenceQuery names an operation; exactly one field is set.
type ReferenceQuery struct {
	CallerRef string
	Reference Reference
	Pending   string
}

// Onboardings is where service-KYC records are kept.
type Onboardings interface {
	// KYC gives a merchant's service-KYC record, or ErrNotFound.
	KYC(ctx context.Context, merchant MerchantID, service Service) (ServiceKYC, error)
	// Approve notes the network's word on a submitted record, in one
	// transaction with the merchant's AEPSReady. ErrState: it is not submitted.
	// Approving twice changes nothing.
	Approve(ctx context.Context, merchant MerchantID, service Service, at time.Time) error
}

// Usage tells what of quotas is used.
type Usage interface {
	// Used gives for each quota the count and the sum used so far.
	Used(ctx context.Context, quotas []Quota) ([]Used, error)
}

// Administration is what vendors see and manage (section 4.6). All of it is
// scoped to the vendor: another vendor's records are ErrNotFound.
type Administration interface {
	// MerchantsOf lists a vendor's merchants that are not PENDING, oldest first,
	// and counts all of them.
	MerchantsOf(ctx context.Context, vendor VendorID, offset, limit int) (list []Merchant, total int, err error)
	// Newest lists the newest operations of a merchant.
	Newest(ctx context.Context, merchant MerchantID, limit int) ([]Operation, error)

	// Slabs lists a vendor's slabs that are not deleted, oldest first.
	Slabs(ctx context.Context, vendor VendorID) ([]Slab, error)
	// SlabsFor lists those of one combination, however it is written.
	SlabsFor(ctx context.Context, vendor VendorID, c Combination) ([]Slab, error)
	// AddSlab records a slab; where it is the default, the combination's
	// earlier default is unset in the same transaction. ErrSameBand: another
	// slab of the same combination has an equal band.
	AddSlab(ctx context.Context, s Slab) (Slab, error)
	// ChangeSlab alters the given fields under the rules of AddSlab.
	ChangeSlab(ctx context.Context, vendor VendorID, id SlabID, change SlabChange, at time.Time) (Slab, error)
	// RemoveSlab deletes a slab for the caller; it is kept for audit.
	RemoveSlab(ctx context.Context, vendor VendorID, id SlabID, at time.Time) error

	// EarningsOf sums a vendor's earnings of the Indian days from and to, both
	// included, by the given groups, in the groups' order.
	EarningsOf(ctx context.Context, vendor VendorID, from, to Day, by []EarningGroup) ([]EarningSum, error)
}

// Directory is where parties are kept.
type Directory interface {
	Client(ctx context.Context, clientID string) (Client, error)
	Merchant(ctx context.Context, id MerchantID) (Merchant, error)
	Vendor(ctx context.Context, id VendorID) (Vendor, error)
	// ClientNetwork tells when a client was last given a token in a network, to
	// the day; the zero time: never, or there is no such client.
	ClientNetwork(ctx context.Context, clientID, network string) (time.Time, error)
	// NoteClientNetwork notes that it is given one there.
	NoteClientNetwork(ctx context.Context, clientID, network string, at time.Time) error
}

// Terminals is where terminals and their codes are kept.
type Terminals interface {
	// AddCode stores the hash of an enrolment code, and who made it, as long as
	// both may. ErrState: the merchant is not approved, or the vendor of the
	// credential is suspended; ErrVoid: the credential is.
	AddCode(ctx context.Context, codeHash [32]byte, merchant MerchantID, by Credential, at, expires time.Time) error
	// Enrol uses up a code and records the terminal for its merchant, with a
	// new TID. ErrNotFound: no such code, used, or expired.
	Enrol(ctx context.Context, codeHash [32]byte, t Terminal) (Terminal, error)
	Terminal(ctx context.Context, id TerminalID) (Terminal, error)
	// TerminalsOf lists a merchant's terminals, oldest first.
	TerminalsOf(ctx context.Context, merchant MerchantID) ([]Terminal, error)
	// Revoke ends a terminal; revoking twice changes nothing.
	Revoke(ctx context.Context, id TerminalID, at time.Time) error
	// SpendToken records a single-use token id until it expires; ErrTaken if
	// it was spent before.
	SpendToken(ctx context.Context, id string, expires time.Time) error
}

// Sessions is where the agents' daily sessions are kept.
type Sessions interface {
	// Session gives the latest session of a terminal, or ErrNotFound. It may
	// have expired.
	Session(ctx context.Context, tid string) (AgentSession, error)
	OpenSession(ctx context.Context, s AgentSession) error
}

// Events is where terminals' events are kept until they are seen.
type Events interface {
	// EventsAfter gives a terminal's events after the cursor, in order.
	EventsAfter(ctx context.Context, t TerminalID, cursor int64, limit int) ([]Event, error)
	// Seen forgets a terminal's events up to and including the cursor.
	Seen(ctx context.Context, t TerminalID, cursor int64) error
}

// Store is a database. It hands out no transaction.
type Store interface {
	Operations
	Directory
	Terminals
	Sessions
	Events
	Onboardings
	Usage
	Administration
	Evidence
	VendorKeys
	Replays
}
