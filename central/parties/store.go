package parties

import (
	"context"
	"time"

	"galla/central"
	"galla/central/duty"
	"galla/shared/money"
	"galla/shared/op"
)

// Aggregator is a company that vendors belong to.
type Aggregator struct {
	ID        central.AggregatorID
	LegalName string
}

// Terminal is a terminal with what is known of its connection.
type Terminal struct {
	central.Terminal
	duty.Presence
	MerchantName string
	// Online tells that its connection has not ended, and that its node said in
	// the last duty.NodeSilence that it is there.
	Online bool
}

// TerminalState chooses terminals of a list.
type TerminalState string

// The states of terminals.
const (
	AnyTerminal     TerminalState = ""
	OnlineTerminal  TerminalState = "online"
	OfflineTerminal TerminalState = "offline" // enrolled, not revoked, not connected
	RevokedTerminal TerminalState = "revoked"
)

// TerminalFilter chooses terminals.
type TerminalFilter struct {
	Client   string             // client_id of whose codes enrolled them; Merchant does not count then
	Merchant central.MerchantID // empty: of all
	State    TerminalState
	After    central.TerminalID // the last one of the page before
	// AfterRevoked tells that After was listed among the revoked ones: it may have been
	// revoked since, and the live ones behind it come all the same.
	AfterRevoked bool
	Alive        time.Time // a node that was silent since is gone
	Limit        int
}

// Next chooses the page behind one whose last terminal is given.
func (f TerminalFilter) Next(last Terminal) TerminalFilter {
	f.After, f.AfterRevoked = last.ID, !last.RevokedAt.IsZero()
	return f
}

// TerminalCount is how many terminals a client or a merchant has.
type TerminalCount struct{ Live, Revoked int }

// All is their number.
func (n TerminalCount) All() int { return n.Live + n.Revoked }

// Terminals is where the list of terminals is read.
type Terminals interface {
	// TerminalsBy lists terminals: those of a client or of a merchant the live ones
	// first, and the newest of them first, since people look for what somebody has just
	// enrolled; those of all in the order of their ids, which is that of their enrolment.
	TerminalsBy(ctx context.Context, f TerminalFilter) ([]Terminal, error)
	// TerminalCount counts those of the filter's client or merchant, in whatever state.
	TerminalCount(ctx context.Context, f TerminalFilter) (TerminalCount, error)
	// TerminalNow gives one, or central.ErrNotFound.
	TerminalNow(ctx context.Context, id central.TerminalID, alive time.Time) (Terminal, error)
}

// Filter chooses merchants or vendors, in the order of their names.
type Filter struct {
	Status central.MerchantStatus // empty: any; of merchants only
	Vendor central.VendorID       // empty: any; of merchants only
	// Text is a part of the name, in whatever case (of Latin letters), or the
	// whole id, MID or mobile number; empty: any.
	Text string
	// AfterName and AfterID are those of the last one of the page before.
	AfterName, AfterID string
	Limit              int
}

// Roll is where parties are kept. Each method that changes something is one
// transaction.
type Roll interface {
	Merchant(ctx context.Context, id central.MerchantID) (central.Merchant, error)
	Vendor(ctx context.Context, id central.VendorID) (central.Vendor, error)
	MerchantsBy(ctx context.Context, f Filter) ([]central.Merchant, error)
	VendorsBy(ctx context.Context, f Filter) ([]central.Vendor, error)
	// Aggregators lists all, by id; at most 1000.
	Aggregators(ctx context.Context) ([]Aggregator, error)
	// AddMerchant enters a merchant and allots it the next terminal number of the
	// network. central.ErrNotFound: no such vendor; central.ErrTaken: the id or the
	// MID is in use.
	AddMerchant(ctx context.Context, m central.Merchant) (central.Merchant, error)
	// SetMerchantStatus moves a merchant from one status to another; Active follows
	// it. Away from APPROVED, its open enrolment codes end. central.ErrState: it is
	// in another status; central.ErrNotFound.
	SetMerchantStatus(ctx context.Context, id central.MerchantID, from, to central.MerchantStatus) error
	// AddVendor enters a vendor. central.ErrNotFound: no such aggregator.
	AddVendor(ctx context.Context, v central.Vendor) error
	// SetVendorActive lets a vendor call, or not; where not, the open enrolment
	// codes of its programs end. central.ErrState: it is so already;
	// central.ErrNotFound.
	SetVendorActive(ctx context.Context, id central.VendorID, active bool) error
	AddAggregator(ctx context.Context, a Aggregator) error
}

// Changes is where what is known of parties is changed, from what it was:
// central.ErrState where it is not that any more, central.ErrNotFound where there
// is no such party, or none that it is to belong to.
type Changes interface {
	// ChangeMerchant changes name, mobile number, vendor, application, UPI address,
	// category code and settlement account.
	ChangeMerchant(ctx context.Context, was, is central.Merchant) error
	// ChangeVendor changes the name and the aggregator.
	ChangeVendor(ctx context.Context, was, is central.Vendor) error
	// ChangeAggregator changes the name.
	ChangeAggregator(ctx context.Context, was, is Aggregator) error
}

// Reading is what the network said of an aggregator's float.
type Reading struct {
	Aggregator central.AggregatorID
	At         time.Time
	Balance    money.Paise
	Source     string // a person's login, or Regularly
}

// Regularly is the source of the readings that nobody asked for.
const Regularly = "regularly"

// Readings is where readings of the float are kept.
type Readings interface {
	// AddReading keeps a reading; two of one millisecond are one.
	AddReading(ctx context.Context, r Reading) error
	// ReadingsSince lists an aggregator's readings, the newest first.
	ReadingsSince(ctx context.Context, a central.AggregatorID, from time.Time, limit int) ([]Reading, error)
}

// Tally is how many operations of a kind, begun in one hour of a day, are in a
// state, and what they amount to.
type Tally struct {
	Hour  int // from the day's beginning
	Kind  central.Kind
	State op.State
	Count int
	Sum   money.Paise
}

// Pace is how many operations of an issuing bank were answered within a step of
// time.
type Pace struct {
	IIN string
	// Step is how many StepLength the answer took, cut off; LastStep is that or
	// longer, Silent no answer at all: the operation became pending.
	Step  int
	Count int
}

// Steps of Pace.
const (
	StepLength = 100 * time.Millisecond
	LastStep   = 600
	Silent     = -1
)

// Figures is where operations are summed. They count those that move money:
// enquiries move nothing, and are in the metrics.
type Figures interface {
	// Tallies sums the operations that were begun from and before two moments.
	Tallies(ctx context.Context, from, to time.Time) ([]Tally, error)
	// Paces counts their answers by the issuing bank.
	Paces(ctx context.Context, from, to time.Time) ([]Pace, error)
}

// Store is all that this room needs of the database.
type Store interface {
	Terminals
	Roll
	Changes
	Clients
	Readings
	Figures
}
