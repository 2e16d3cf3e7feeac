package network

import (
	"slices"

	"galla/shared/money"
)

// Limits of the messages' texts, in bytes. Each is a multiple of what the
// field carries, so that only nonsense is cut off.
const (
	maxReference = 40  // ours have 18
	maxParty     = 32  // MID, TID and kind; ours have at most 20
	maxIIN       = 16  // six digits; a wrong one is the bank's to refuse (92)
	maxCustomer  = 256 // a name, in any script
	maxDegrees   = 32  // a coordinate
)

// MaxBody is the largest request in bytes: the interface's own limit of 1 MiB
// holds the PidData, quoted as JSON, and the network's own members are small.
const MaxBody = 1<<20 + 16<<10

// MaxReply is the largest reply in bytes: a mini statement of a hundred lines
// has under 4 KiB.
const MaxReply = 64 << 10

// ValidReference tells whether a text can be a reference: 1 to 40 capital
// letters, digits and hyphens.
func ValidReference(s string) bool {
	if s == "" || len(s) > maxReference {
		return false
	}
	for _, c := range []byte(s) {
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// ValidIIN tells whether a text has the form of an issuer identification
// number: six digits.
func ValidIIN(s string) bool { return len(s) == 6 && digits(s) }

// Known tells whether the protocol declares the kind.
func (k Kind) Known() bool {
	return slices.Contains([]Kind{Withdrawal, Balance, MiniStatement, Purchase, AgentAuth, CashDeposit}, k)
}

// Faults names the members of a transaction that break the protocol, all of
// them; nil: none. An unknown kind and a malformed IIN are no faults here,
// since both have response codes of their own.
func (t Transaction) Faults() []string {
	var out []string
	add := func(bad bool, name string) {
		if bad {
			out = append(out, name)
		}
	}
	add(!ValidReference(t.Reference), "reference")
	add(len(t.STAN) != 6 || !digits(t.STAN), "stan")
	add(!name(string(t.Kind), maxParty), "kind")
	add(t.NotAfter.UnixMilli() <= 0, "notAfter")
	add(!name(t.MID, maxParty), "mid")
	add(!name(t.TID, maxParty), "tid")
	add(len(t.IIN) > maxIIN, "iin")
	add(t.Amount < 0 || t.Amount > money.Max, "amountPaise")
	add(t.Aadhaar.IsZero(), "aadhaar")
	add(t.PidData.IsZero(), "pidData")
	add(len(t.Customer) > maxCustomer, "customer")
	add(len(t.Latitude) > maxDegrees, "latitude")
	add(len(t.Longitude) > maxDegrees, "longitude")
	add(t.InlineFor != "" && (t.Kind != AgentAuth || !ValidReference(t.InlineFor) || t.InlineFor == t.Reference), "inlineFor")
	return out
}

// name tells whether a text is printable ASCII without spaces, not empty and
// not longer than max.
func name(s string, max int) bool {
	for _, c := range []byte(s) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return s != "" && len(s) <= max
}

func digits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
