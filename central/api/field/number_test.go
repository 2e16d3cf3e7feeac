package field

import (
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestPlain(t *testing.T) {
	for number, want := range map[string]string{
		"0": "0", "-0": "0", "0.00": "0", "0e9": "0", "0E-999999999999": "0", "1": "1", "-1": "-1", "1e2": "100", "5E2": "500", "1E+2": "100", "100.0": "100", "100.10": "100.1",
		"0.05": "0.05", "5e-2": "0.05", "-12.50e1": "-125", "1.25e1": "12.5", "1000e-3": "1", "0.0001e4": "1", "123456789012345678": "123456789012345678",
		"9007199254740993": "9007199254740993", "1.23456789012345678e17": "123456789012345678", "1e32": "", "1e31": "1" + strings.Repeat("0", 31),
	} {
		got, err := PlainNumber(number)
		if want == "" && !errors.Is(err, errLarge) || want != "" && (err != nil || got != want) {
			t.Errorf("Plain(%s) = %q, %v; want %q", number, got, err, want)
		}
	}
	for number, want := range map[string]error{
		"1e400": errLarge, "1e99999999999999999999": errLarge, "1" + strings.Repeat("0", 32): errLarge, "1e-33": errSmall, "1e-99999999999999999999": errSmall, "0." + strings.Repeat("0", 32) + "1": errSmall,
	} {
		if got, err := PlainNumber(number); !errors.Is(err, want) || got != "" {
			t.Errorf("Plain(%s) = %q, %v; want %v", number, got, err, want)
		}
	}
}

// FuzzPlain: whatever JSON calls a number is written as the same number, and
// equal numbers as equal texts.
func FuzzPlain(f *testing.F) {
	for _, s := range []string{"0", "-0.0", "1e2", "12.50E-1", "100.10", "123456789012345678.9e3", "1e-7", "0.00001e00031"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, number string) {
		var n json.Number
		if json.Unmarshal([]byte(number), &n) != nil || number != n.String() {
			return // no number, or a string with one, or one with space around it
		}
		got, err := PlainNumber(number)
		if err != nil {
			if got != "" {
				t.Fatalf("Plain(%s) = %q beside %v", number, got, err)
			}
			return
		}
		if len(got) > 2*maxDigits+3 {
			t.Fatalf("Plain(%s) has %d characters", number, len(got))
		}
		is, ok := new(big.Rat).SetString(got)
		if !ok || strings.ContainsAny(got, "eE+") {
			t.Fatalf("Plain(%s) = %q is no plain number", number, got)
		}
		// Only numbers in bounds come here, so that the exponent is short unless
		// the number is zero.
		if is.Sign() != 0 {
			if want, ok := new(big.Rat).SetString(number); !ok || is.Cmp(want) != 0 {
				t.Fatalf("Plain(%s) = %s", number, got)
			}
		}
		if again, err := PlainNumber(got); err != nil || again != got {
			t.Fatalf("Plain(%s) = %s, and of that %s, %v", number, got, again, err)
		}
	})
}

// TestCanonical: one form of a value, whatever its order, space and spellings; where
// no number is large it is that of RFC 8785.
func TestCanonical(t *testing.T) {
	for text, want := range map[string]string{
		` {"b" : 1e2, "a": [100.10, -0.0, true, null, "\u20b9\n"]} `:           "{\"a\":[100.1,0,true,null,\"₹\\n\"],\"b\":100}",
		`{"account":123456789012345678}`:                                       `{"account":123456789012345678}`,
		`{"account":1.23456789012345678e17}`:                                   `{"account":123456789012345678}`,
		`{"account":123456789012345679.0}`:                                     `{"account":123456789012345679}`,
		`{"x":1e400,"y":{}}`:                                                   `{"x":1e400,"y":{}}`,
		`{"TxnAmount":500.50,"Latitude":"17.38","clientRefId":"1e2","z":[[]]}`: `{"Latitude":"17.38","TxnAmount":500.5,"clientRefId":"1e2","z":[[]]}`,
	} {
		got, err := Canonical(jsontext.Value(text))
		if err != nil || string(got) != want {
			t.Errorf("Exact(%s) = %s, %v; want %s", text, got, err, want)
		}
		again, err := Canonical(got)
		if err != nil || string(again) != string(got) {
			t.Errorf("Exact twice: %s, %v", again, err)
		}
	}
	for _, text := range []string{`{`, `{"a":1,"a":2}`, `x`} {
		if got, err := Canonical(jsontext.Value(text)); err == nil {
			t.Errorf("Exact(%s) = %s", text, got)
		}
	}
	for _, ordinary := range []string{`{"amount":1500.5,"BeneficiaryId":17,"otp":"482913"}`, `{"TxnAmount":0.00}`, `{"TxnAmount":10000,"x":-2.5e0}`} {
		got, err := Canonical(jsontext.Value(ordinary))
		rfc := jsontext.Value(ordinary)
		if wrong := rfc.Canonicalize(); err != nil || wrong != nil || string(got) != string(rfc) {
			t.Errorf("Exact(%s) = %s, %v; RFC 8785: %s, %v", ordinary, got, err, rfc, wrong)
		}
	}
}
