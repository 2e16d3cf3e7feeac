package central

import (
	"fmt"
	"time"

	"galla/shared/money"
)

// india is the zone of every date that people in the trade read. It has no
// daylight saving, so a fixed zone is exact.
var india = time.FixedZone("IST", 5*3600+1800)

// Day is a day in India, as 2026-11-21.
type Day string

// DayOf gives the Indian day of a moment.
func DayOf(at time.Time) Day { return Day(at.In(india).Format(time.DateOnly)) }

// MonthOf gives the Indian month of a moment, as 2026-11.
func MonthOf(at time.Time) string { return at.In(india).Format("2006-01") }

// Quota is one bound that an operation counts against, over a day or a month.
type Quota struct {
	// Key names what is counted, without personal data in the clear, such as
	// "remitter:…" or "customer-terminal:<HMAC>:GAL00001".
	Key    string
	Period string      // "2026-11-21" or "2026-11", in India
	Amount money.Paise // what this operation adds; 0 counts it only

	MaxCount int         // 0: no bound
	MaxSum   money.Paise // 0: no bound
	What     string      // for people, such as "this remitter's transfers today"
}

// noneNew is a quota that holds no operation: what is known is found, and nothing
// begins. Each operation has its own, so that none waits for another's.
func noneNew(o Operation) []Quota {
	return []Quota{{Key: "none new:" + string(o.ID), Period: "once", Amount: 2, MaxSum: 1, What: "new operations"}}
}

// Used is how much of a quota is used.
type Used struct {
	Count int
	Sum   money.Paise
}

// QuotaError says which quota does not hold an operation, and what is left of
// it.
type QuotaError struct {
	Quota Quota
	Used  Used
}

func (e *QuotaError) Error() string {
	q := e.Quota
	if q.MaxCount > 0 && e.Used.Count >= q.MaxCount {
		return fmt.Sprintf("The limit of %d for %s is reached; none is left", q.MaxCount, q.What)
	}
	left := max(0, q.MaxSum-e.Used.Sum)
	return fmt.Sprintf("The limit of %s rupees for %s is exceeded; %s rupees are left", q.MaxSum, q.What, left)
}

// LimitScope is what a limit bounds.
type LimitScope string

// The scopes. All but the first count over time, in Indian days and months.
const (
	PerTransaction         LimitScope = "transaction" // Min, Max, Step
	PerCustomerTerminalDay LimitScope = "customer-terminal-day"
	PerTerminalDay         LimitScope = "terminal-day"
	PerRemitterDay         LimitScope = "remitter-day"
	PerRemitterMonth       LimitScope = "remitter-month"
)

// Limit is one rule, as data with the days on which it is in force
// (domain.md). Amounts are paise; zero is no bound.
type Limit struct {
	Kinds []Kind
	Scope LimitScope
	Min   money.Paise
	Max   money.Paise
	Step  money.Paise
	Count int
	Sum   money.Paise
	From  Day // the first day in force; empty: it has always been
	Until Day // the first day no longer in force; empty: none
}

// Subject is an operation as limits see it. A key that is empty is not
// counted.
type Subject struct {
	Kind     Kind
	Amount   money.Paise
	Customer string // keyed hash of the Aadhaar number, hex; never the number
	TID      string // terminal at the bank network
	Sender   string // remitter
}
