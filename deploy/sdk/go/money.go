package galla

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// Rupees is an amount in paise. In JSON it is a number of rupees.
type Rupees int64

// ParseRupees reads an amount of rupees with at most two decimals: 110.5 is 11050 paise.
func ParseRupees(text string) (Rupees, error) {
	wrong := fmt.Errorf("%.32q is no amount in rupees with at most two decimals", text)
	if len(text) > 32 || strings.ContainsAny(text, "/_xXpPbBoO") {
		return 0, wrong
	}
	// An exponent as long as the text could make a number of gigabytes.
	if at := strings.IndexAny(text, "eE"); at >= 0 && len(text)-at > 4 {
		return 0, wrong
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0, wrong
	}
	r.Mul(r, big.NewRat(100, 1))
	if !r.IsInt() || !r.Num().IsInt64() {
		return 0, wrong
	}
	return Rupees(r.Num().Int64()), nil
}

// String formats an amount with two decimals.
func (r Rupees) String() string {
	sign, n := "", uint64(r)
	if r < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d.%02d", sign, n/100, n%100)
}

// MarshalJSON writes a number of rupees.
func (r Rupees) MarshalJSON() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalJSON reads any JSON number with at most two decimals.
func (r *Rupees) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	var err error
	*r, err = ParseRupees(string(text))
	return err
}

// Decimal is a number with decimals as its text, such as a rate of 0.4.
type Decimal string

// MarshalJSON writes the number. The empty one is 0.
func (d Decimal) MarshalJSON() ([]byte, error) {
	if d == "" {
		return []byte("0"), nil
	}
	var n json.Number
	if err := json.Unmarshal([]byte(d), &n); err != nil || d[0] == '"' {
		return nil, errors.New("a Decimal is the text of a JSON number")
	}
	return []byte(d), nil
}

// UnmarshalJSON keeps the text of a number.
func (d *Decimal) UnmarshalJSON(text []byte) error {
	var n json.Number
	if err := json.Unmarshal(text, &n); err != nil {
		return err
	}
	*d = Decimal(n)
	return nil
}
