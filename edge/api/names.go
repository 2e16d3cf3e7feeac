package api

import (
	"slices"
	"strings"

	"galla/shared/printable"
	"galla/shared/secret"
)

// IsName reports whether a text may be a name of at most max characters, by the
// central's rule. Names are stored in the clear, so an Aadhaar number that was
// typed into the wrong field is no name, however it is spaced.
func IsName(text string, max int) bool {
	_, err := printable.Name(text, max)
	return err == nil && !ContainsAadhaar(text)
}

// WrongNames returns the fields that hold a name which is not allowed, sorted.
func (f Fields) WrongNames() []string {
	var wrong []string
	for field, max := range printable.Fields() {
		if text := f.Text(field); text != "" && !IsName(text, max) {
			wrong = append(wrong, field)
		}
	}
	slices.Sort(wrong)
	return wrong
}

// ContainsAadhaar reports whether the digits of a text are an Aadhaar number.
func ContainsAadhaar(text string) bool {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
	_, err := secret.ParseAadhaar(digits)
	return err == nil
}
