package reports

import (
	"context"
	"time"

	"galla/central"
	"galla/central/reconcile"
	"galla/shared/ist"
	"galla/shared/money"
)

// Dimension is what volumes are counted by.
type Dimension string

// The dimensions. All counts every operation under the empty name.
const (
	ByAll      Dimension = "all"
	ByBank     Dimension = "bank"
	ByMerchant Dimension = "merchant"
)

// Volume counts operations of one kind under one name: an IIN or a merchant's id.
type Volume struct {
	Name      string
	LegalName string // of a merchant
	Kind      central.Kind

	Operations, Succeeded int64
	Failed                int64 // the reversed ones included
	Refused               int64
	Amount                money.Paise // of those that succeeded
}

// Add adds the counts and the amount of another.
func (v *Volume) Add(o Volume) {
	v.Operations += o.Operations
	v.Succeeded += o.Succeeded
	v.Failed += o.Failed
	v.Refused += o.Refused
	v.Amount += o.Amount
}

// Earning sums up what operations of a merchant earned; reversals are subtracted.
type Earning struct {
	Merchant   central.MerchantID
	LegalName  string
	Vendor     central.VendorID // whose commission it is
	VendorName string

	Earned, Reversed                                   int64
	Amount, Charge, GST, ProviderCost, Commission, TDS money.Paise
}

// Add adds the counts and the amounts of another.
func (e *Earning) Add(o Earning) {
	e.Earned += o.Earned
	e.Reversed += o.Reversed
	e.Amount += o.Amount
	e.Charge += o.Charge
	e.GST += o.GST
	e.ProviderCost += o.ProviderCost
	e.Commission += o.Commission
	e.TDS += o.TDS
}

// Settled sums up lines of a settlement file. Amounts are those of executed lines.
type Settled struct {
	Lines         int64
	Amount        money.Paise
	Matched       int64 // lines without a case
	MatchedAmount money.Paise
	Cases         int64
}

// Add adds the counts and the amounts of another.
func (s *Settled) Add(o Settled) {
	s.Lines += o.Lines
	s.Amount += o.Amount
	s.Matched += o.Matched
	s.MatchedAmount += o.MatchedAmount
	s.Cases += o.Cases
}

// SettledKey names a line of the settlement report.
type SettledKey struct {
	Day      ist.Day
	File     int                // its number; 0: there is no file of the day
	Merchant central.MerchantID // empty: the central has no operation of the lines
	Kind     central.Kind
}

// SettledRow is a line of the settlement report.
type SettledRow struct {
	SettledKey
	LegalName string
	Settled
}

// SettledDay is a day with a settlement file in force.
type SettledDay struct {
	Day    ist.Day
	File   int
	Summed bool // false: it is summed up within minutes
	Settled
}

// DayFigures are the figures of one day.
type DayFigures struct {
	Day      ist.Day
	Volumes  map[Dimension][]Volume
	Earnings []Earning
	ClosedAt time.Time
}

// DayStore sums up days. central.ErrNotFound: no operation has an outcome.
type DayStore interface {
	// FirstOutcome returns the day of the first outcome, or a day before it.
	FirstOutcome(ctx context.Context) (ist.Day, error)
	// ClosedDays returns the first and the last closed day; empty: none is closed. All days
	// between them are closed.
	ClosedDays(ctx context.Context) (Range, error)
	// VolumesOfDay sums up the operations that had their outcome on a day, by ByBank or
	// ByMerchant.
	VolumesOfDay(ctx context.Context, day ist.Day, by Dimension) ([]Volume, error)
	// EarningsOfDay sums up what was earned and reversed on a day.
	EarningsOfDay(ctx context.Context, day ist.Day) ([]Earning, error)
	// OutcomesOfDay counts the outcomes of a day of the last month, and what its closing
	// counted.
	OutcomesOfDay(ctx context.Context, day ist.Day) (now, closed int64, err error)
	// CloseDay records the figures of a day, in several transactions, the last of which
	// closes the day. It may be called again, after a part or the whole.
	CloseDay(ctx context.Context, f DayFigures) error
}

// SettlementStore sums up settlement files.
type SettlementStore interface {
	// FilesToSum lists the files in force without sums.
	FilesToSum(ctx context.Context, limit int) ([]SettledDay, error)
	// SettlementLines lists lines of a file, those after a number, in its order.
	SettlementLines(ctx context.Context, day ist.Day, file, after, limit int) ([]reconcile.Line, error)
	// SaveFileSums records the sums of a file, in several transactions, the last of which
	// makes them count. It may be called again with the same sums.
	SaveFileSums(ctx context.Context, day ist.Day, file int, rows []SettledRow) error
	// OperationsByReference and ListCases are those of package reconcile.
	OperationsByReference(ctx context.Context, references []central.Reference) ([]reconcile.Operation, error)
	ListCases(ctx context.Context, day ist.Day, file, after, limit int) ([]reconcile.Case, error)
}

// FigureStore reads figures of closed days. Lists have at most limit entries, those after a
// key, in its order.
type FigureStore interface {
	ClosedDays(ctx context.Context) (Range, error)
	// Volumes adds up volumes by name and kind; a name of nil means all names.
	Volumes(ctx context.Context, r Range, by Dimension, name *string, after Volume, limit int) ([]Volume, error)
	// Earnings adds up earnings by merchant and vendor; an empty merchant means all.
	Earnings(ctx context.Context, r Range, merchant central.MerchantID, after Earning, limit int) ([]Earning, error)
	// EarningTotal adds up all earnings.
	EarningTotal(ctx context.Context, r Range) (Earning, error)
	// SettledDays lists the days with a settlement file in force.
	SettledDays(ctx context.Context, r Range) ([]SettledDay, error)
	// SettledRows lists the sums of files in force by day, merchant and kind; an empty
	// merchant means all.
	SettledRows(ctx context.Context, r Range, merchant central.MerchantID, after SettledKey, limit int) ([]SettledRow, error)
	// OpenCases counts the undecided cases of files.
	OpenCases(ctx context.Context, r Range) (map[SettledKey]int64, error)
}
