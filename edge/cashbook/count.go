package cashbook

import (
	"fmt"
	"strconv"

	"galla/shared/money"
)

// MaxNotes bounds the notes of one denomination: a drawer holds some hundreds, and typing
// errors must be noticed.
const MaxNotes = 9999

// Denominations returns the notes and coins to count, largest first.
func Denominations() []money.Paise {
	rupees := []money.Paise{500, 200, 100, 50, 20, 10, 5, 2, 1}
	for i := range rupees {
		rupees[i] *= money.Rupee
	}
	return rupees
}

// NoteCount is how many notes or coins there are of one denomination.
type NoteCount struct {
	Denomination money.Paise `json:"of"`
	Pieces       int         `json:"pieces"`
}

// Count is the counted cash in the drawer.
type Count []NoteCount

// Total is the sum of the count.
func (c Count) Total() money.Paise {
	var sum money.Paise
	for _, p := range c {
		sum += p.Denomination * money.Paise(p.Pieces)
	}
	return sum
}

// CountError names the denomination with an invalid number.
type CountError struct{ Denomination money.Paise }

func (e *CountError) Error() string {
	return fmt.Sprintf("the number of ₹%d must be between 0 and %d", e.Denomination/money.Rupee, MaxNotes)
}

// ParseCount parses a count from a form: value returns the text for a denomination; empty
// is none. Error: *CountError.
func ParseCount(value func(of money.Paise) string) (Count, error) {
	var c Count
	for _, of := range Denominations() {
		s := value(of)
		if s == "" {
			continue
		}
		n, err := strconv.ParseUint(s, 10, 32)
		if err != nil || n > MaxNotes {
			return nil, &CountError{Denomination: of}
		}
		if n > 0 {
			c = append(c, NoteCount{Denomination: of, Pieces: int(n)})
		}
	}
	return c, nil
}
