package secret

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
)

// Aadhaar is a resident's 12-digit national identity number. It prints masked, as
// receipts must show it: XXXXXXXX1234.
type Aadhaar struct{ box }

// Errors of ParseAadhaar. They don't quote the text.
var (
	ErrAadhaarShape = errors.New("must be 12 digits")
	ErrAadhaarCheck = errors.New("is not a valid Aadhaar number (check digit)")
)

// ParseAadhaar accepts twelve ASCII digits that pass the Verhoeff check
// (interface.md, section 2.2).
func ParseAadhaar(s string) (Aadhaar, error) {
	if len(s) != 12 {
		return Aadhaar{}, ErrAadhaarShape
	}
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return Aadhaar{}, ErrAadhaarShape
		}
	}
	if !verhoeff(s) {
		return Aadhaar{}, ErrAadhaarCheck
	}
	return Aadhaar{newBox(s)}, nil
}

// Reveal gives the twelve digits.
func (s Aadhaar) Reveal() string { return s.reveal() }

// Equal compares in constant time.
func (s Aadhaar) Equal(o Aadhaar) bool { return s.equal(o.box) }

// Masked shows the last four digits only: XXXXXXXX1234.
func (s Aadhaar) Masked() string { return MaskAadhaar(s.reveal()) }

func (s Aadhaar) String() string               { return s.Masked() }
func (s Aadhaar) GoString() string             { return s.Masked() }
func (s Aadhaar) Format(f fmt.State, _ rune)   { mask(f, s.Masked()) }
func (s Aadhaar) MarshalText() ([]byte, error) { return []byte(s.Masked()), nil }
func (s Aadhaar) MarshalJSON() ([]byte, error) { return json.Marshal(s.Masked()) }
func (s Aadhaar) LogValue() slog.Value         { return slog.StringValue(s.Masked()) }

// MaskAadhaar shows the last four characters of an Aadhaar number, and nothing of a
// text of another length.
func MaskAadhaar(s string) string {
	if len(s) != 12 {
		return "XXXXXXXXXXXX"
	}
	return "XXXXXXXX" + s[8:]
}

// MaskMobile shows the last four digits of a mobile number of ten digits, and nothing of
// a text of another length.
func MaskMobile(s string) string {
	if len(s) != 10 {
		return "XXXXXXXXXX"
	}
	return "XXXXXX" + s[6:]
}

// The dihedral group D5 and the permutations of the Verhoeff scheme.
var verhoeffProduct = [10][10]byte{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
	{1, 2, 3, 4, 0, 6, 7, 8, 9, 5},
	{2, 3, 4, 0, 1, 7, 8, 9, 5, 6},
	{3, 4, 0, 1, 2, 8, 9, 5, 6, 7},
	{4, 0, 1, 2, 3, 9, 5, 6, 7, 8},
	{5, 9, 8, 7, 6, 0, 4, 3, 2, 1},
	{6, 5, 9, 8, 7, 1, 0, 4, 3, 2},
	{7, 6, 5, 9, 8, 2, 1, 0, 4, 3},
	{8, 7, 6, 5, 9, 3, 2, 1, 0, 4},
	{9, 8, 7, 6, 5, 4, 3, 2, 1, 0},
}

var verhoeffPermutation = [8][10]byte{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
	{1, 5, 7, 6, 2, 8, 3, 0, 9, 4},
	{5, 8, 0, 3, 7, 9, 6, 1, 4, 2},
	{8, 9, 1, 6, 0, 4, 3, 5, 2, 7},
	{9, 4, 5, 3, 1, 2, 6, 8, 7, 0},
	{4, 2, 8, 6, 5, 7, 3, 9, 0, 1},
	{2, 7, 9, 3, 8, 0, 6, 4, 1, 5},
	{7, 0, 4, 6, 9, 1, 3, 2, 5, 8},
}

// verhoeff tells whether a text of ASCII digits has a valid check digit.
func verhoeff(digits string) bool {
	var check byte
	for i := range len(digits) {
		d := digits[len(digits)-1-i] - '0'
		check = verhoeffProduct[check][verhoeffPermutation[i%8][d]]
	}
	return check == 0
}
