package webhook

import (
	"time"

	"galla/central"
	"galla/shared/op"
)

// Receiver gets callbacks: a merchant, or a vendor for those of its merchants that have no
// endpoint of their own. One of the two is set.
type Receiver struct {
	Merchant central.MerchantID
	Vendor   central.VendorID
}

// OfMerchant is a merchant as a receiver.
func OfMerchant(m central.MerchantID) Receiver { return Receiver{Merchant: m} }

// OfVendor is a vendor as a receiver.
func OfVendor(v central.VendorID) Receiver { return Receiver{Vendor: v} }

// ID is the party's id.
func (r Receiver) ID() string {
	if r.Vendor != "" {
		return string(r.Vendor)
	}
	return string(r.Merchant)
}

// Role is merchant or vendor.
func (r Receiver) Role() op.Role {
	if r.Vendor != "" {
		return op.Vendor
	}
	return op.Merchant
}

// String names the receiver in the database and in messages, such as "vendor:" with its id:
// as the party of a request.
func (r Receiver) String() string {
	return central.Principal{Role: r.Role(), Merchant: r.Merchant, Vendor: r.Vendor}.Caller()
}

// Endpoint is where a receiver gets callbacks.
type Endpoint struct {
	Receiver Receiver
	URL      string // empty: none
	Events   []string
	// DisabledAt is when its receiver answered 410 Gone; zero: it is enabled.
	DisabledAt time.Time
	Secrets    []Secret // the live ones, oldest first
}

// SecretID identifies a callback secret in lists and logs.
type SecretID string

// Secret signs a receiver's callbacks.
type Secret struct {
	ID        SecretID
	Receiver  Receiver
	Sealed    []byte // 32 bytes, sealed under a master key (package seal)
	CreatedAt time.Time
	EndsAt    time.Time // the end that is planned; zero: none
	RevokedAt time.Time // zero: it was not revoked
}

// Live tells whether a secret signs callbacks at a time.
func (s Secret) Live(at time.Time) bool {
	return s.RevokedAt.IsZero() && (s.EndsAt.IsZero() || at.Before(s.EndsAt))
}

// MaxSecrets is how many live secrets a receiver may have: two, so that it can replace one
// while it verifies every callback.
const MaxSecrets = 2
