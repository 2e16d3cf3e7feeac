package limits

import (
	"strings"
	"testing"
)

// TestLookups: the limit is data, some merchants have their own, and 60 is the
// default.
func TestLookups(t *testing.T) {
	const rule = `"rules":[{"kinds":["TRANSFER"],"scope":"transaction","max":"5000.00","note":"x"}]`
	for text, want := range map[string][2]int{
		`{` + rule + `}`: {60, 60},
		`{"lookups":{"hour":90,"note":"x"},` + rule + `}`:                             {90, 90},
		`{"lookups":{"hour":90,"merchants":{"a":5,"b":500},"note":"x"},` + rule + `}`: {5, 500},
	} {
		b, err := Read([]byte(text))
		if err != nil || b.Lookups("a") != want[0] || b.Lookups("b") != want[1] {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
	for text, want := range map[string]string{
		`{"lookups":{"hour":0,"note":"x"},` + rule + `}`:                       "hour: 0 is not from 1",
		`{"lookups":{"hour":60},` + rule + `}`:                                 "note: is needed",
		`{"lookups":{"hour":60,"note":"x","merchants":{"m":-1}},` + rule + `}`: `"m": -1 is not from 1`,
		`{"lookups":{"day":60,"note":"x"},` + rule + `}`:                       "not JSON of the right form",
	} {
		if _, err := Read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for name, load := range map[string]func() (*RuleSet, error){"production": Production, "sandbox": Sandbox} {
		b, err := load()
		if err != nil {
			t.Fatal(err)
		}
		if n := b.Lookups("x"); (name == "production") != (n == DefaultLookups) {
			t.Errorf("%s has %d", name, n)
		}
	}
}
