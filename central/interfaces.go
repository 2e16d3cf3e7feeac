package central

import (
	"context"
	"errors"
	"time"

	"galla/shared/ist"
	"galla/shared/op"
)

// Errors of the stores.
var (
	// ErrNotFound says that there is no such record.
	ErrNotFound = errors.New("no such record")
	// ErrState says that the record is not, or no longer, in a state that allows
	// the step.
	ErrState = errors.New("the state does not allow this step")
	// ErrTaken says that a code, token or reference was used before.
	ErrTaken = errors.New("already used")
	// ErrReplayed says that the message of a new operation was accepted before.
	ErrReplayed = errors.New("the message was accepted before")
	// ErrCredentialRevoked says that the credential of a request was suspended, or
	// its secret was replaced, after it was checked.
	ErrCredentialRevoked = errors.New("the credential was revoked")
	// ErrSameBand says that another slab has an equal band.
	ErrSameBand = errors.New("another slab of the same combination has the same band")
	// ErrBusy says that the store's queue is full: try again later.
	ErrBusy = errors.New("store is busy")
)

// Operations stores operations. Each method is one durable transaction: when it
// returns nil, a power cut does not undo it. Each change is conditional on the
// state that it leaves (ErrState) and writes a Step of the operation's history.
type Operations interface {
	// Create records a new operation. If its State is sent, with SentAt and
	// BankNotAfter, it is created and marked sent in one commit; with any other
	// State it is created in received, and MarkSent follows. If (Caller, Identity)
	// is known, nothing is written and the known operation is returned with isNew
	// false; it may be a Tombstone. ErrTaken: the reference is in use; generate
	// another.
	//
	// If the identity is new and (Party, CallerRef) is known, the identity
	// becomes another name of that operation, which is returned with isNew false.
	// The caller compares the fingerprints. The name of a refund is its Original
	// while it is succeeded or under way; the identity of a failed refund leads to
	// the newest one created under it. If a name leads to an operation of the same
	// fingerprint that is OTPRefused, o becomes its next Attempt. ErrState: the
	// identity and the CallerRef name two different operations.
	//
	// Every quota is counted in the same transaction. If one has no room for the
	// operation, nothing is written and the error is a *QuotaError.
	//
	// If the operation has a Message, the same transaction spends its IV, whether the
	// operation is new or known. ErrReplayed: it is spent; nothing is written.
	Create(ctx context.Context, o Operation, quotas []Quota) (known Operation, isNew bool, err error)

	// MarkSent steps from received to sent, before anything is sent. It is for
	// operations that wait for something after Create.
	MarkSent(ctx context.Context, s SentUpdate) error

	// MarkPending steps from sent to pending and gives the operation its pending
	// reference: the prefix and the unix milliseconds of s.At, or a free number
	// soon after them. It writes no event: the terminal's session sends the pending reply.
	MarkPending(ctx context.Context, s PendingUpdate) (Operation, error)

	// Finish steps to a final state. In the same transaction: if the operation was
	// pending and has a terminal, the terminal's event is written. A final state
	// other than succeeded releases the operation's quotas. A success applies the
	// operation's KYC and Reverses and writes the outcome's Earning.
	Finish(ctx context.Context, s FinalOutcome) (Operation, error)

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

	// FindOrTombstone gives a caller's operation by its identity. If there is none,
	// it writes a tombstone, and the identity is refused from then on.
	FindOrTombstone(ctx context.Context, caller, identity string, at time.Time) (known Operation, seen bool, err error)

	// Unfinished gives a page of the operations that are in a state that is not
	// final, the oldest first.
	Unfinished(ctx context.Context, q UnfinishedQuery) ([]Operation, error)

	// ClaimEnquiries gives up to limit pending operations whose enquiry is due, each
	// to one caller only: their NextEnquiry moves to leaseUntil. Stuck ones are
	// left out.
	ClaimEnquiries(ctx context.Context, now, leaseUntil time.Time, limit int) ([]Operation, error)

	// PostponeEnquiry records an enquiry without a final answer, and the time of
	// the next. If stuck, the operation waits for staff from now on.
	PostponeEnquiry(ctx context.Context, id op.ID, at, next time.Time, reason string, stuck bool) error

	// History gives the steps of an operation, oldest first.
	History(ctx context.Context, id op.ID) ([]Step, error)
}

// OperationFinder finds operations of any caller. It is for staff only; no
// entrance uses it.
type OperationFinder interface {
	// FindByAnyName gives operations by any name that a person may have: the id,
	// our Reference, which is the network's id of a payment by UPI, the
	// PendingReference, the bank's RRN, the CallerRef, the identity, or the order of a
	// payment by UPI. Newest first.
	FindByAnyName(ctx context.Context, name string, limit int) ([]Operation, error)
	// ReceiptMessages gives the messages with the receipt of an operation, newest first.
	ReceiptMessages(ctx context.Context, of op.ID) ([]Operation, error)
	// ListPending lists the pending operations, stuck ones first, then the oldest
	// first.
	ListPending(ctx context.Context, limit int) ([]Operation, error)
}

// UnfinishedQuery chooses a page of unfinished operations.
type UnfinishedQuery struct {
	Node   string    // empty: of any
	State  op.State  // not final
	Before time.Time // created before; zero: at any time
	After  Operation // the last of the page before, of which CreatedAt and ID count; zero: the first page
	Limit  int
}

// ReferenceQuery names an operation; exactly one field is set.
type ReferenceQuery struct {
	CallerRef string
	Reference Reference
	Pending   string
}

// Onboardings stores service-KYC records.
type Onboardings interface {
	// KYC gives a merchant's service-KYC record, or ErrNotFound.
	KYC(ctx context.Context, merchant MerchantID, service Service) (ServiceKYC, error)
	// ApproveKYC records the network's approval of a submitted record and sets the
	// merchant's AEPSReady, in one transaction. ErrState: it is not submitted.
	// Approving twice changes nothing.
	ApproveKYC(ctx context.Context, merchant MerchantID, service Service, at time.Time) error
}

// VendorAdmin is what vendors see and manage (interface.md, section 4.6), each its
// own records only: another vendor's are ErrNotFound.
type VendorAdmin interface {
	// MerchantsOf lists a vendor's merchants that are not PENDING, oldest first,
	// and counts all of them.
	MerchantsOf(ctx context.Context, vendor VendorID, offset, limit int) (list []Merchant, total int, err error)
	// LatestOperations lists the newest operations of a merchant.
	LatestOperations(ctx context.Context, merchant MerchantID, limit int) ([]Operation, error)

	// Slabs lists a vendor's slabs that are not deleted, oldest first.
	Slabs(ctx context.Context, vendor VendorID) ([]Slab, error)
	// SlabsFor lists those of one combination, in upper or lower case.
	SlabsFor(ctx context.Context, vendor VendorID, c Combination) ([]Slab, error)
	// AddSlab adds a slab. If it is the default, the combination's earlier default
	// is unset in the same transaction. ErrSameBand: another slab of the same
	// combination has an equal band.
	AddSlab(ctx context.Context, s Slab) (Slab, error)
	// ChangeSlab changes the given fields, under the rules of AddSlab.
	ChangeSlab(ctx context.Context, vendor VendorID, id SlabID, change SlabChange, at time.Time) (Slab, error)
	// RemoveSlab marks a slab as deleted; the row stays for audit.
	RemoveSlab(ctx context.Context, vendor VendorID, id SlabID, at time.Time) error

	// EarningsOf sums a vendor's earnings of the Indian days from to to, both
	// included, by the given groups, in the groups' order.
	EarningsOf(ctx context.Context, vendor VendorID, from, to ist.Day, by []EarningGroup) ([]EarningSum, error)
}

// Directory reads parties.
type Directory interface {
	Client(ctx context.Context, clientID string) (Client, error)
	Merchant(ctx context.Context, id MerchantID) (Merchant, error)
	Vendor(ctx context.Context, id VendorID) (Vendor, error)
	// ClientNetworkSeenAt gives the day on which a client last got a token from a
	// network; the zero time: never, or there is no such client.
	ClientNetworkSeenAt(ctx context.Context, clientID, network string) (time.Time, error)
	// RecordClientNetwork records that it gets one.
	RecordClientNetwork(ctx context.Context, clientID, network string, at time.Time) error
}

// Terminals stores terminals and their enrolment codes.
type Terminals interface {
	// AddEnrolmentCode stores the hash of an enrolment code, and who made it.
	// ErrState: the merchant is not approved, or the credential's vendor is
	// suspended; ErrCredentialRevoked: the credential is.
	AddEnrolmentCode(ctx context.Context, codeHash [32]byte, merchant MerchantID, by Credential, at, expires time.Time) error
	// EnrolTerminal uses up a code and adds the terminal to the code's merchant, with
	// a new TID. ErrNotFound: the code is unknown, used or expired.
	EnrolTerminal(ctx context.Context, codeHash [32]byte, t Terminal) (Terminal, error)
	Terminal(ctx context.Context, id TerminalID) (Terminal, error)
	// TerminalsOf lists a merchant's terminals, oldest first.
	TerminalsOf(ctx context.Context, merchant MerchantID) ([]Terminal, error)
	// RevokeTerminal revokes a terminal; revoking twice changes nothing.
	RevokeTerminal(ctx context.Context, id TerminalID, at time.Time) error
}

// Sessions stores the agents' daily sessions.
type Sessions interface {
	// Session gives the latest session of a terminal, which may have expired, or
	// ErrNotFound.
	Session(ctx context.Context, tid string) (AgentSession, error)
	OpenSession(ctx context.Context, s AgentSession) error
}

// Events stores terminals' events until they are acknowledged.
type Events interface {
	// EventsAfter gives a terminal's events after the cursor, in order.
	EventsAfter(ctx context.Context, t TerminalID, cursor int64, limit int) ([]Event, error)
	// AcknowledgeEvents deletes a terminal's events up to and including the cursor.
	AcknowledgeEvents(ctx context.Context, t TerminalID, cursor int64) error
}
