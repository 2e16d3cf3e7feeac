package central

import (
	"fmt"

	"galla/shared/ist"
	"galla/shared/money"
)

// Quota is a limit that an operation counts against, over a day or a month.
type Quota struct {
	// Key identifies what is counted, without personal data in the clear:
	// "remitter:…" or "customer-terminal:<HMAC>:GAL00001".
	Key    string
	Period string      // "2026-11-21" or "2026-11", in India
	Amount money.Paise // of this operation; 0: it is only counted

	MaxCount int         // 0: no limit
	MaxSum   money.Paise // 0: no limit
	What     string      // for messages, such as "this remitter's transfers today"
}

// refuseNewQuota is a quota without room: Create finds a known operation and
// creates none. Each operation has its own key, so that none waits for another.
func refuseNewQuota(o Operation) []Quota {
	return []Quota{{Key: "none new:" + string(o.ID), Period: "once", Amount: 2, MaxSum: 1, What: "new operations"}}
}

// Used is how much of a quota is used up.
type Used struct {
	Count int
	Sum   money.Paise
}

// Full reports whether there is no room for the operation beside what is used.
func (q Quota) Full(used Used) bool {
	return q.MaxCount > 0 && used.Count >= q.MaxCount || q.MaxSum > 0 && used.Sum > q.MaxSum-q.Amount
}

// QuotaError says which quota has no room for an operation, and what is used.
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

// LimitScope is what a limit applies to.
type LimitScope string

// The scopes. All but the first count over an Indian day or month.
const (
	PerTransaction         LimitScope = "transaction" // Min, Max, Step
	PerCustomerTerminalDay LimitScope = "customer-terminal-day"
	PerTerminalDay         LimitScope = "terminal-day"
	PerRemitterDay         LimitScope = "remitter-day"
	PerRemitterMonth       LimitScope = "remitter-month"
	PerMerchantDay         LimitScope = "merchant-day"
	PerMerchantMonth       LimitScope = "merchant-month"
)

// Limit is one rule (domain.md, sections 6 and 7). Zero: no limit.
type Limit struct {
	Kinds    []Kind
	Scope    LimitScope
	Min      money.Paise
	Max      money.Paise
	Step     money.Paise
	Count    int
	Sum      money.Paise
	ist.Days // on which it is in force
}

// LimitSubject is what limits need of an operation. An empty field is not counted.
type LimitSubject struct {
	Kind     Kind
	Amount   money.Paise
	Customer string // keyed hash of the Aadhaar number, hex; never the number
	TID      string // terminal at the bank network
	Sender   string // remitter
	Merchant MerchantID
}
