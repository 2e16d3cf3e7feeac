package limits

import (
	"fmt"

	"galla/central"
)

// DefaultLookups is how many strangers a merchant may look up in an hour where a
// book says nothing: more than a busy counter serves.
const DefaultLookups = 60

// lookups is how many of the bank's customers a merchant may look up in an hour who
// have not given it an OTP or a finger: each once.
type lookups struct {
	Hour      int                        `json:"hour"`
	Merchants map[central.MerchantID]int `json:"merchants"` // that have a limit of their own
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
	if l.Note == "" || len(l.Note) > maxNote {
		wrong = append(wrong, fmt.Errorf("lookups: note: is needed, with at most %d bytes: it says where the limit comes from", maxNote))
	}
	return wrong
}

// Lookups is how many of the bank's customers a merchant may look up in an hour who
// have not given it an OTP or a finger.
func (b *Book) Lookups(merchant central.MerchantID) int {
	if n, own := b.lookups.Merchants[merchant]; own {
		return n
	}
	if b.lookups.Hour > 0 {
		return b.lookups.Hour
	}
	return DefaultLookups
}
