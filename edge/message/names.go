package message

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"galla/shared/printable"
	"galla/shared/secret"
)

// WrongName says why a text may not be a name of at most max characters; empty: it
// may. The rule is the central's. The text is stored in the clear, so an Aadhaar
// number that was typed into the wrong field is no name, however it is spaced.
func WrongName(text string, max int) string {
	if _, err := printable.Name(text, max); err != nil || holdsAadhaar(text) {
		return fmt.Sprintf("Enter at most %d characters that can be seen, and no Aadhaar number", max)
	}
	return ""
}

// WrongNames says of each field that holds a name, and should not hold this one,
// what to enter, in the order of the fields.
func (f Fields) WrongNames(wrong func(field, message string)) {
	fields := printable.Fields()
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if text := f.Text(field); text != "" {
			if why := WrongName(text, fields[field]); why != "" {
				wrong(field, why)
			}
		}
	}
}

func holdsAadhaar(text string) bool {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
	_, err := secret.ParseAadhaar(digits)
	return err == nil
}
