package accounts

import (
	"context"
	"time"

	"galla/central"
	"galla/shared/money"
	"galla/shared/op"
)

// Aggregator is a company that vendors belong to.
type Aggregator struct {
	ID        central.AggregatorID
	LegalName string
}

// Terminal is a terminal with its presence.
type Terminal struct {
	central.Terminal
	Presence
	MerchantName string
	// Online means that its connection has not ended and its node was alive within
	// NodeTimeout.
	Online bool
}

// TerminalState selects terminals of a list.
type TerminalState string

// The states of terminals.
const (
	AnyTerminal     TerminalState = ""
	OnlineTerminal  TerminalState = "online"
	OfflineTerminal TerminalState = "offline" // enrolled, not revoked, not connected
	RevokedTerminal TerminalState = "revoked"
)

// TerminalFilter selects terminals.
type TerminalFilter struct {
	Client   string             // client_id whose codes enrolled them; Merchant is ignored then
	Merchant central.MerchantID // empty: all
	State    TerminalState
	// Text is a part of the name, in any case of Latin letters, or the whole id or TID; empty:
	// any.
	Text  string
	After central.TerminalID // the last one of the previous page
	// AfterRevoked says that After was listed as revoked. If it was listed as live and
	// was revoked since, the remaining live ones still follow.
	AfterRevoked bool
	AliveSince   time.Time // nodes without a heartbeat since are dead
	Limit        int
}

// Next selects the page that follows a page with the given last terminal.
func (f TerminalFilter) Next(last Terminal) TerminalFilter {
	f.After, f.AfterRevoked = last.ID, !last.RevokedAt.IsZero()
	return f
}

// TerminalCount counts the terminals of a client or a merchant.
type TerminalCount struct{ Live, Revoked int }

// All counts live and revoked terminals.
func (n TerminalCount) All() int { return n.Live + n.Revoked }

// Terminals reads lists of terminals.
type Terminals interface {
	// TerminalsBy lists terminals: those of a client or a merchant with live ones first
	// and newest first, because people look for a new one; those of all by id, which is
	// the order of enrolment.
	TerminalsBy(ctx context.Context, f TerminalFilter) ([]Terminal, error)
	// TerminalsAmong lists the terminals of some ids that pass the filter, in any order;
	// where its page begins is not read.
	TerminalsAmong(ctx context.Context, ids []central.TerminalID, f TerminalFilter) ([]Terminal, error)
	// TerminalCount counts the terminals of the filter's client or merchant, in any state.
	TerminalCount(ctx context.Context, f TerminalFilter) (TerminalCount, error)
	// TerminalByName reads one by its id or TID, or central.ErrNotFound.
	TerminalByName(ctx context.Context, name string, alive time.Time) (Terminal, error)
	// TerminalWithPresence reads one, or central.ErrNotFound.
	TerminalWithPresence(ctx context.Context, id central.TerminalID, alive time.Time) (Terminal, error)
}

// Filter selects merchants or vendors, in the order of their names.
type Filter struct {
	Status central.MerchantStatus // empty: any; merchants only
	Vendor central.VendorID       // empty: any; merchants only
	Active string                 // a text of ActiveText; empty: any; vendors only
	// Text is a part of the name, in any case of Latin letters, or the whole id, MID,
	// TID or mobile number; empty: any.
	Text string
	// AfterName and AfterID are those of the last one of the previous page.
	AfterName, AfterID string
	Limit              int
}

// Parties stores parties. Each method that changes something is one transaction.
type Parties interface {
	Merchant(ctx context.Context, id central.MerchantID) (central.Merchant, error)
	Vendor(ctx context.Context, id central.VendorID) (central.Vendor, error)
	MerchantsBy(ctx context.Context, f Filter) ([]central.Merchant, error)
	VendorsBy(ctx context.Context, f Filter) ([]central.Vendor, error)
	// MerchantsAmong lists the merchants of some ids that pass the filter, in any order;
	// where its page begins is not read.
	MerchantsAmong(ctx context.Context, ids []central.MerchantID, f Filter) ([]central.Merchant, error)
	// Aggregators lists all, by id; at most 1000.
	Aggregators(ctx context.Context) ([]Aggregator, error)
	// AddMerchant adds a merchant and assigns it the next terminal number of the
	// network. central.ErrNotFound: no such vendor; central.ErrTaken: the id or the MID
	// is in use.
	AddMerchant(ctx context.Context, m central.Merchant) (central.Merchant, error)
	// SetMerchantStatus changes a merchant's status, and Active with it. When it leaves
	// APPROVED, its open enrolment codes end. central.ErrState: it has another status;
	// central.ErrNotFound.
	SetMerchantStatus(ctx context.Context, id central.MerchantID, from, to central.MerchantStatus) error
	// AddVendor adds a vendor. central.ErrNotFound: no such aggregator.
	AddVendor(ctx context.Context, v central.Vendor) error
	// SetVendorActive enables or suspends a vendor; a suspension ends the open enrolment
	// codes of its programs. central.ErrState: it is so already; central.ErrNotFound.
	SetVendorActive(ctx context.Context, id central.VendorID, active bool) error
	AddAggregator(ctx context.Context, a Aggregator) error
}

// PartyChanges changes parties from a known state. central.ErrState: the party differs
// from was; central.ErrNotFound: there is no such party, or no such vendor or aggregator
// that it should belong to.
type PartyChanges interface {
	// ChangeMerchant changes name, mobile number, vendor, application, UPI address,
	// category code and settlement account.
	ChangeMerchant(ctx context.Context, was, is central.Merchant) error
	// ChangeVendor changes the name and the aggregator.
	ChangeVendor(ctx context.Context, was, is central.Vendor) error
	// ChangeAggregator changes the name.
	ChangeAggregator(ctx context.Context, was, is Aggregator) error
}

// FloatReading is an aggregator's float as the network reported it.
type FloatReading struct {
	Aggregator central.AggregatorID
	At         time.Time
	Balance    money.Paise
	Source     string // a person's login, or ScheduledSource
}

// ScheduledSource is the source of scheduled readings.
const ScheduledSource = "regularly"

// FloatReadings stores readings of the float.
type FloatReadings interface {
	// AddFloatReading stores a reading; two of one millisecond are one.
	AddFloatReading(ctx context.Context, r FloatReading) error
	// FloatReadingsSince lists an aggregator's readings, newest first.
	FloatReadingsSince(ctx context.Context, a central.AggregatorID, from time.Time, limit int) ([]FloatReading, error)
}

// HourCount counts operations of a kind and state that were created in one hour of a period,
// and sums their amounts.
type HourCount struct {
	Hour  int // of the period, from 0
	Kind  central.Kind
	State op.State
	Count int
	Sum   money.Paise
}

// LatencyCount counts operations of an issuing bank that were created in one hour of a
// period, by the time of their answer.
type LatencyCount struct {
	Hour int // as in HourCount
	IIN  string
	// Step is the time of the answer in whole LatencySteps; LastLatencyStep is that or
	// longer; NoAnswer: the operation became pending without an answer.
	Step  int
	Count int
}

// Steps of LatencyCount.
const (
	LatencyStep     = 100 * time.Millisecond
	LastLatencyStep = 600
	NoAnswer        = -1
)

// Statistics sums operations that move money; enquiries are in the metrics only.
type Statistics interface {
	// HourCounts sums the operations created at from or later and before to.
	HourCounts(ctx context.Context, from, to time.Time) ([]HourCount, error)
	// LatencyCounts counts the answers of the same operations by issuing bank.
	LatencyCounts(ctx context.Context, from, to time.Time) ([]LatencyCount, error)
	// UnfinishedCounts counts all operations created at from or later and before to that have
	// no final state, of any kind: Kind and Sum are empty. It is quick, since these are few.
	UnfinishedCounts(ctx context.Context, from, to time.Time) ([]HourCount, error)
}

// Store is the part of the database that Service needs.
type Store struct {
	Terminals
	Parties
	PartyChanges
	Clients
	FloatReadings
	Statistics
	HealthStore
	StoredDays
}

// complete tells whether no part is missing.
func (s Store) complete() bool {
	return s.Terminals != nil && s.Parties != nil && s.PartyChanges != nil && s.Clients != nil && s.FloatReadings != nil && s.Statistics != nil && s.HealthStore != nil && s.StoredDays != nil
}
