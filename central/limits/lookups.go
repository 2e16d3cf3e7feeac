package limits

import (
	"fmt"

	"galla/central"
	"galla/central/rulefile"
)

// DefaultLookups is how many unknown customers a merchant may look up in an hour
// where the rules don't say: more than a busy counter serves.
const DefaultLookups = 60

// lookups is the limit of RuleSet.Lookups as the file has it.
type lookups struct {
	Hour      int                        `json:"hour"`
	Merchants map[central.MerchantID]int `json:"merchants"` // with a limit of their own
	Note      string                     `json:"note"`
}

func (l lookups) faults() (wrong []error) {
	check := func(what string, n int) {
		if n < 1 || n > maxCount {
			wrong = append(wrong, fmt.Errorf("lookups: %s: %d is not from 1 to %d", what, n, maxCount))
		}
	}
	check("hour", l.Hour)
	for merchant, n := range l.Merchants {
		check(fmt.Sprintf("merchants: %.40q", merchant), n)
	}
	if l.Note == "" || len(l.Note) > rulefile.MaxText {
		wrong = append(wrong, fmt.Errorf("lookups: note: is needed, with at most %d bytes: it says where the limit comes from", rulefile.MaxText))
	}
	return wrong
}

// Lookups is how many of the bank's customers a merchant may look up in an hour
// without their OTP or fingerprint; each customer counts once.
func (b *RuleSet) Lookups(merchant central.MerchantID) int {
	if n, own := b.lookups.Merchants[merchant]; own {
		return n
	}
	if b.lookups.Hour > 0 {
		return b.lookups.Hour
	}
	return DefaultLookups
}
