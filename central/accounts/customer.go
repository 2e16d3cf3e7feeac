package accounts

import (
	"context"
	"fmt"
	"time"

	"galla/central"
)

// CustomerName identifies a customer of the bank in a request. Customers belong to the
// bank and not to a merchant: any party may name one, and what it may do depends on the
// steps that it passed with the customer.
type CustomerName string

// CustomerByEnrolment names a customer by the onboarding's referenceid.
func CustomerByEnrolment(reference string) CustomerName {
	return CustomerName("referenceid:" + reference)
}

// CustomerByRemitter names a customer by the remitter's id.
func CustomerByRemitter(sender string) CustomerName { return CustomerName("sender:" + sender) }

// CustomerKey is a keyed hash of a customer's mobile number.
type CustomerKey [32]byte

// Customers stores what merchants did with the bank's customers.
type Customers interface {
	// NameCustomer records a name of a customer.
	NameCustomer(ctx context.Context, name CustomerName, customer CustomerKey, at time.Time) error
	// AliasCustomer records another name of a known customer; it does nothing if known
	// is not recorded.
	AliasCustomer(ctx context.Context, name, known CustomerName, at time.Time) error
	// ProveCustomer records that a merchant passed an OTP or finger step with a
	// customer. central.Operations.Finish records it for successful transfers.
	ProveCustomer(ctx context.Context, merchant central.MerchantID, name CustomerName, at time.Time) error
	// CustomerProven reports whether it did, by any name of the same customer.
	CustomerProven(ctx context.Context, merchant central.MerchantID, name CustomerName) (bool, error)
	// CountLookup counts that a merchant looks a customer up. *LookupError: it looked up
	// most other customers within an hour. The same customer, and a customer with whom
	// the merchant passed a step, are not counted.
	CountLookup(ctx context.Context, merchant central.MerchantID, customer CustomerKey, most int, at time.Time) error
}

// LookupWindow is the period in which distinct customers are counted.
const LookupWindow = time.Hour

// LookupError says that a merchant is over its limit of lookups.
type LookupError struct {
	Limit int
	Wait  time.Duration // until the oldest lookup no longer counts
}

func (e *LookupError) Error() string {
	return fmt.Sprintf("This shop has looked up %d customers within an hour who have not given it an OTP or a finger, which is the limit; nothing was asked of the bank", e.Limit)
}

// Lookups counts a merchant's lookups, for people.
type Lookups struct {
	LastHour  int // distinct customers
	Refused   int64
	RefusedAt time.Time // of the last refusal; zero: none
}

// CorrespondentKind tells business correspondents from their agents.
type CorrespondentKind string

// The kinds.
const (
	BusinessCorrespondent CorrespondentKind = "bc"
	CorrespondentAgent    CorrespondentKind = "agent"
)

// Correspondents stores which party registered business correspondents and their agents.
// central.Operations.Finish records it with the success.
type Correspondents interface {
	// CorrespondentOwner returns the party (central.Principal.Party), or central.ErrNotFound.
	CorrespondentOwner(ctx context.Context, kind CorrespondentKind, id string) (party string, err error)
}
