package customer

import (
	"context"
	"fmt"
	"time"

	"galla/central"
)

// Name is what names a customer of the bank's in a call. Customers belong to
// the bank and not to a merchant: any party may name them, and what it may do then
// depends on what it went through with them.
type Name string

// EnrolmentName is a customer by the onboarding's referenceid.
func EnrolmentName(reference string) Name { return Name("referenceid:" + reference) }

// SenderName is a customer by the remitter's id.
func SenderName(sender string) Name { return Name("sender:" + sender) }

// Key is a keyed hash of a customer's mobile number, from which nobody
// without the key finds it.
type Key [32]byte

// Customers is what is known of merchants and the bank's customers.
type Customers interface {
	// NameCustomer records that the bank knows a customer by a name.
	NameCustomer(ctx context.Context, name Name, customer Key, at time.Time) error
	// AliasCustomer records that a name is of the customer of another name; nothing,
	// where that is not known.
	AliasCustomer(ctx context.Context, name, known Name, at time.Time) error
	// ProveCustomer records that a merchant passed an OTP or finger step with a
	// customer. Successful transfers record it by themselves (central.Operations.Settle).
	ProveCustomer(ctx context.Context, merchant central.MerchantID, name Name, at time.Time) error
	// CustomerProven tells whether it did, by this name or another one of the same
	// customer.
	CustomerProven(ctx context.Context, merchant central.MerchantID, name Name) (bool, error)
	// CountLookup counts that a merchant looks a customer up, and refuses it where
	// most others were looked up within an hour: *LookupError. The same customer again,
	// and one with whom the merchant passed a step, count nothing.
	CountLookup(ctx context.Context, merchant central.MerchantID, customer Key, most int, at time.Time) error
}

// LookupSpan is over which time distinct customers are counted.
const LookupSpan = time.Hour

// LookupError says that a merchant looked up as many strangers as it may.
type LookupError struct {
	Most int
	Wait time.Duration // until the first of them is an hour ago
}

func (e *LookupError) Error() string {
	return fmt.Sprintf("This shop has looked up %d customers within an hour who have not given it an OTP or a finger, which is the limit; nothing was asked of the bank", e.Most)
}

// Lookups are a merchant's, for people.
type Lookups struct {
	LastHour  int // distinct customers
	Refused   int64
	RefusedAt time.Time // the last one; zero: none
}

// Correspondent tells business correspondents from their agents.
type Correspondent string

// The kinds.
const (
	BusinessCorrespondent Correspondent = "bc"
	Agent                 Correspondent = "agent"
)

// Correspondents is where it is kept who registered business correspondents and
// their agents: central.Operations.Settle records it with the success.
type Correspondents interface {
	// CorrespondentOwner gives the party (central.Principal.Party), or central.ErrNotFound.
	CorrespondentOwner(ctx context.Context, kind Correspondent, id string) (party string, err error)
}
