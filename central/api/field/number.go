package field

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/shared/money"
)

// maxDigits limits a number on either side of its point: more than any field has,
// and few enough that no exponent makes a long text from a short one.
const maxDigits = 32

// Errors of PlainNumber.
var (
	errLarge = errors.New("too many digits before the point")
	errSmall = errors.New("too many digits after the point")
)

// PlainNumber writes a JSON number without an exponent, exactly: 1e2 is 100, 100.10
// is 100.1, -0 is 0. So equal numbers have equal texts, and no digit is lost in a
// float.
func PlainNumber(number string) (string, error) {
	if len(number) <= maxDigits && allDigits(number) && (number[0] != '0' || len(number) == 1) {
		return number, nil
	}
	digits, negative := strings.CutPrefix(number, "-")
	mantissa, exponent := digits, ""
	if i := strings.IndexAny(digits, "eE"); i >= 0 {
		mantissa, exponent = digits[:i], digits[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := strings.TrimLeft(whole+fraction, "0")
	if all == "" {
		return "0", nil
	}
	// point is the position of the decimal point among all digits.
	point := len(all) - len(fraction)
	if exponent != "" {
		shift, err := strconv.Atoi(exponent) // out of range: far more than any number's length, with the same result
		if err != nil && strings.HasPrefix(exponent, "-") || shift < -len(number)-maxDigits {
			return "", errSmall
		}
		if err != nil || shift > len(number)+maxDigits {
			return "", errLarge
		}
		point += shift
	}
	all = strings.TrimRight(all, "0")
	switch {
	case point > maxDigits:
		return "", errLarge
	case len(all)-point > maxDigits:
		return "", errSmall
	case point <= 0:
		all = "0." + strings.Repeat("0", -point) + all
	case point >= len(all):
		all += strings.Repeat("0", point-len(all))
	default:
		all = all[:point] + "." + all[point:]
	}
	if negative {
		all = "-" + all
	}
	return all, nil
}

// plainNumber returns a field's JSON number in plain digits.
func (r *Reader) plainNumber(field string, v jsontext.Value) (text string, ok bool) {
	text, err := PlainNumber(string(v))
	switch {
	case errors.Is(err, errSmall):
		r.Fail(field, "decimals", "has too many decimals")
	case err != nil:
		r.Fail(field, "range", "is out of range")
	}
	return text, err == nil
}

// Amount reads a JSON number of rupees: above zero if money moves, exactly zero if
// none does (interface.md, section 2.2).
func (r *Reader) Amount(field string, moves bool) money.Paise {
	schema := Schema{Type: "number", Minimum: "0.01", Maximum: "1000000000", Note: "rupees, at most two decimals"}
	if !moves {
		schema = Schema{Type: "number", Enum: []string{"0"}, Note: "must be 0 on this route"}
	}
	r.describe(field, Must, schema)
	text, ok := r.numberValue(field, Must)
	if !ok {
		return 0
	}
	p, ok := r.paise(field, text)
	switch {
	case !ok:
		return 0
	case moves && p <= 0:
		r.Fail(field, "positive", "must be more than 0")
	case !moves && p != 0:
		r.Fail(field, "zero", "must be 0 on this route")
	default:
		return p
	}
	return 0
}

// Bound reads an optional JSON number of rupees from 0 on; nil if it is absent or
// wrong.
func (r *Reader) Bound(field string) *money.Paise {
	r.describe(field, May, Schema{Type: "number", Minimum: "0", Maximum: "1000000000", Note: "rupees, at most two decimals"})
	text, ok := r.numberValue(field, May)
	if !ok {
		return nil
	}
	p, ok := r.paise(field, text)
	if !ok {
		return nil
	}
	if p < 0 {
		r.Fail(field, "negative", "must not be negative")
		return nil
	}
	return &p
}

func (r *Reader) paise(field, text string) (money.Paise, bool) {
	p, err := money.Parse(text)
	switch {
	case errors.Is(err, money.ErrDecimals):
		r.Fail(field, "decimals", "must have at most two decimals")
	case err != nil: // plain digits have no other error
		r.Fail(field, "range", "is out of range")
	}
	return p, err == nil
}

// Integer reads a whole JSON number from min to max.
func (r *Reader) Integer(field string, need Need, min, max int64) int64 {
	r.describe(field, need, Schema{Type: "integer", Minimum: strconv.FormatInt(min, 10), Maximum: strconv.FormatInt(max, 10)})
	text, ok := r.numberValue(field, need)
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < min || n > max {
		r.Fail(field, "integer", fmt.Sprintf("must be a whole number from %d to %d", min, max))
		return 0
	}
	return n
}

// Count reads a whole number from 1 to max, as the digits of a query or as a JSON
// number of a body; otherwise is the value of an absent one.
func (r *Reader) Count(field string, max, otherwise int) int {
	r.describe(field, May, Schema{Type: "integer", Minimum: "1", Maximum: strconv.Itoa(max), Note: fmt.Sprintf("default %d", otherwise)})
	n, ok := r.positive(field, max+1)
	switch {
	case !ok:
		return otherwise
	case n > max:
		r.Fail(field, "range", fmt.Sprintf("must be a whole number from 1 to %d", max))
		return otherwise
	}
	return n
}

// Limit reads how many items of a list are wanted, as Count does, but more than max
// counts as max.
func (r *Reader) Limit(field string, max, otherwise int) int {
	r.describe(field, May, Schema{Type: "integer", Minimum: "1", Note: fmt.Sprintf("default %d; over %d is served as %d, and pagination says so", otherwise, max, max)})
	n, ok := r.positive(field, max)
	if !ok {
		return otherwise
	}
	return n
}

// positive returns a whole number from 1 on, at most most; ok is false if it is
// absent or wrong.
func (r *Reader) positive(field string, most int) (n int, ok bool) {
	v, present := r.Values.Get(field)
	if !present {
		return 0, false
	}
	var text string
	switch v.Kind() {
	case jsontext.KindNumber:
		if text, ok = r.plainNumber(field, v); !ok {
			return 0, false
		}
	default:
		if text, ok = r.stringValue(field, May); !ok {
			return 0, false
		}
	}
	if significant := strings.TrimLeft(text, "0"); !allDigits(text) || significant == "" {
		r.Fail(field, "range", "must be a whole number from 1 on")
		return 0, false
	}
	n, err := strconv.Atoi(text)
	if err != nil || n > most { // digits have one error only: too many
		n = most
	}
	return n, true
}

// maxRate limits a rate: no FIXED commission is over ten thousand rupees, and no
// percentage over a hundred, which the caller checks.
const maxRate = 10_000

// Rate reads a JSON number with at most six decimals; nil if it is absent or wrong.
func (r *Reader) Rate(field string) *central.Rate {
	r.describe(field, May, Schema{Type: "number", Minimum: "0", Maximum: strconv.Itoa(maxRate), Note: "at most six decimals"})
	text, ok := r.numberValue(field, May)
	if !ok {
		return nil
	}
	if strings.HasPrefix(text, "-") {
		r.Fail(field, "negative", "must not be negative")
		return nil
	}
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) > 6 {
		r.Fail(field, "decimals", "must have at most six decimals")
		return nil
	}
	n, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", 6-len(fraction)), 10, 64)
	if err != nil || n > maxRate*1_000_000 {
		r.Fail(field, "range", fmt.Sprintf("must be at most %d", maxRate))
		return nil
	}
	rate := central.Rate(n)
	return &rate
}

// digitsOrNumber reads a text of digits that may also be a JSON number. The
// number's digits are taken unchanged.
func (r *Reader) digitsOrNumber(field string, need Need, x textForm, min, max string) string {
	schema := x.describe(need)
	schema.Or = &Schema{Type: "integer", Minimum: min, Maximum: max}
	r.describe(field, need, schema)
	v, present := r.Values.Get(field)
	if present && v.Kind() == jsontext.KindNumber {
		text, err := PlainNumber(string(v))
		if err != nil || !x.valid(text) {
			r.Fail(field, x.rule, x.message)
			return ""
		}
		return text
	}
	if present && v.Kind() != jsontext.KindString {
		r.Fail(field, "type", "must be a string or a number")
		return ""
	}
	return r.matching(field, need, x)
}

// Canonical writes a JSON value in one form (RFC 8785: sorted names, no white
// space), but with its numbers in plain digits where they are within limits. RFC
// 8785 writes numbers as floats, which lose the last digit of an account number of
// 17 digits.
func Canonical(v jsontext.Value) (jsontext.Value, error) {
	in := jsontext.NewDecoder(bytes.NewReader(v))
	var out bytes.Buffer
	to := jsontext.NewEncoder(&out)
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read a JSON value: %w", err)
		}
		if token.Kind() != jsontext.KindNumber {
			err = to.WriteToken(token)
		} else {
			number := token.String()
			if plain, wrong := PlainNumber(number); wrong == nil {
				number = plain
			}
			err = to.WriteValue(jsontext.Value(number))
		}
		if err != nil {
			return nil, fmt.Errorf("write a JSON value: %w", err)
		}
	}
	canonical := jsontext.Value(out.Bytes())
	if err := canonical.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)); err != nil {
		return nil, fmt.Errorf("sort a JSON value: %w", err)
	}
	return canonical, nil
}
