// Package money holds amounts as whole paise.
//
// Amounts are rupees with at most two decimals in JSON and integer paise in code
// and databases; floating-point numbers are never used. Parse reads text, String
// writes it, and both are exact: Parse(p.String()) == p for every p in Parse's
// range.
package money

import (
	"errors"
	"fmt"
	"strings"
)

// Paise is an amount of money in paise, a hundredth of a rupee.
// It may be negative, as in a ledger; routes check whether that is allowed.
type Paise int64

// Rupee is one rupee, 100 paise.
const Rupee Paise = 100

// Max bounds every amount that is parsed: ₹1,00,00,00,000.00 (a hundred
// crore). No operation comes near it, and the sum of a million such amounts fits
// an int64.
const Max Paise = 100_00_00_000 * 100

// Reasons for which Parse refuses a text.
var (
	ErrSyntax   = errors.New("not a decimal number")
	ErrDecimals = errors.New("more than two decimals")
	ErrRange    = errors.New("amount out of range")
)

// Parse reads a decimal number of rupees as JSON writes it: an optional minus,
// digits without superfluous leading zeros, and optionally a point with one or two
// digits. More than two are refused, even zeros (ErrDecimals). Exponents are
// refused (ErrSyntax).
func Parse(s string) (Paise, error) {
	digits, negative := strings.CutPrefix(s, "-")
	whole, fraction, point := strings.Cut(digits, ".")
	switch {
	case !allDigits(whole), point && !allDigits(fraction), len(whole) > 1 && whole[0] == '0':
		return 0, fmt.Errorf("amount: %w", ErrSyntax)
	case len(fraction) > 2:
		return 0, fmt.Errorf("amount: %w", ErrDecimals)
	case len(whole) > 12:
		return 0, fmt.Errorf("amount: %w", ErrRange)
	}
	var n int64
	for _, c := range []byte(whole + (fraction + "00")[:2]) {
		n = n*10 + int64(c-'0')
	}
	if n > int64(Max) {
		return 0, fmt.Errorf("amount: %w", ErrRange)
	}
	if negative {
		n = -n
	}
	return Paise(n), nil
}

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// String writes the amount in rupees with two decimals, such as "500.00".
func (p Paise) String() string {
	sign, n := split(p)
	return fmt.Sprintf("%s%d.%02d", sign, n/100, n%100)
}

// Grouped writes the amount with the Indian grouping of digits, such as
// "1,23,456.70", for people to read.
func (p Paise) Grouped() string {
	sign, n := split(p)
	return fmt.Sprintf("%s%s.%02d", sign, group(n/100), n%100)
}

// Group writes a whole number, such as a count, with the Indian grouping of digits:
// "12,34,567".
func Group(n int64) string {
	sign, magnitude := split(Paise(n))
	return sign + group(magnitude)
}

func group(n uint64) string {
	out := fmt.Sprint(n)
	for at := len(out) - 3; at > 0; at -= 2 {
		out = out[:at] + "," + out[at:]
	}
	return out
}

// Rupees writes the amount for people, with Indian grouping and the rupee sign:
// "₹1,23,456.00".
func (p Paise) Rupees() string {
	if g, negative := strings.CutPrefix(p.Grouped(), "-"); negative {
		return "−₹" + g
	}
	return "₹" + p.Grouped()
}

// Fraction is the paise part of the amount, 0 to 99, without a sign.
func (p Paise) Fraction() int {
	_, n := split(p)
	return int(n % 100)
}

// Number writes the amount as the shortest JSON number: 500, 500.5, 0.05.
func (p Paise) Number() string {
	s := p.String()
	if cut, ok := strings.CutSuffix(s, ".00"); ok {
		return cut
	}
	return strings.TrimSuffix(s, "0")
}

// split separates sign and magnitude, which is unsigned so that the smallest int64
// has one.
func split(p Paise) (string, uint64) {
	if p < 0 {
		return "-", uint64(-(p + 1)) + 1
	}
	return "", uint64(p)
}
