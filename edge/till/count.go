package till

import (
	"fmt"
	"strconv"

	"galla/shared/money"
)

// maxPieces bounds the notes of one kind: a drawer holds some hundreds, and a
// slip of the finger is to be seen.
const maxPieces = 9999

// Denominations gives the notes and coins that are counted, largest first.
func Denominations() []money.Paise {
	rupees := []money.Paise{500, 200, 100, 50, 20, 10, 5, 2, 1}
	for i := range rupees {
		rupees[i] *= money.Rupee
	}
	return rupees
}

// Pile is how many notes or coins there are of one denomination.
type Pile struct {
	Of     money.Paise `json:"of"`
	Pieces int         `json:"pieces"`
}

// Count is the cash in the drawer, as it was counted.
type Count []Pile

// Total is what the count amounts to.
func (c Count) Total() money.Paise {
	var sum money.Paise
	for _, p := range c {
		sum += p.Of * money.Paise(p.Pieces)
	}
	return sum
}

// CountError says which denomination was not counted rightly.
type CountError struct{ Of money.Paise }

func (e *CountError) Error() string {
	return fmt.Sprintf("the number of ₹%d must be between 0 and %d", e.Of/money.Rupee, maxPieces)
}

// ParseCount reads a count from a form: value gives what stands for a
// denomination; empty is none. Errors are *CountError.
func ParseCount(value func(of money.Paise) string) (Count, error) {
	var c Count
	for _, of := range Denominations() {
		s := value(of)
		if s == "" {
			continue
		}
		n, err := strconv.ParseUint(s, 10, 32)
		if err != nil || n > maxPieces {
			return nil, &CountError{Of: of}
		}
		if n > 0 {
			c = append(c, Pile{Of: of, Pieces: int(n)})
		}
	}
	return c, nil
}
