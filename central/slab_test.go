package central

import (
	"testing"

	"pgregory.net/rapid"

	"galla/shared/money"
)

// bands generates slabs with small bands, open sides included.
func bands() *rapid.Generator[Slab] {
	side := rapid.Ptr(rapid.Map(rapid.IntRange(0, 12), func(n int) money.Paise { return money.Paise(n) }), true)
	return rapid.Custom(func(t *rapid.T) Slab { return Slab{Min: side.Draw(t, "min"), Max: side.Draw(t, "max")} })
}

// amounts are all amounts around small bands. No operation is below zero, but an
// open band is.
func amounts() []money.Paise {
	var out []money.Paise
	for a := money.Paise(-1); a <= 13; a++ {
		out = append(out, a)
	}
	return out
}

// TestCombinationsAreComparedWithoutCase: in every script that has case.
func TestCombinationsAreComparedWithoutCase(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"NSDL", "nsdl", true}, {"NSDL", "NsDl-2", false}, {"", "", true}, {"Émile", "ÉMILE", true}, {"ΣΊΣΥΦΟΣ", "σίσυφος", true}, {"K", "\u212a", true},
		{"एनएसडीएल", "एनएसडीएल", true}, {"a b", "A  B", false}, {" nsdl", "nsdl", false}, {"NSDL-1_A", "nsdl-1_a", true},
	} {
		for _, pair := range [][2]Combination{{{Provider: tt.a}, {Provider: tt.b}}, {{TxnType: tt.a}, {TxnType: tt.b}}, {{PaymentMethod: tt.a}, {PaymentMethod: tt.b}}} {
			if pair[0].Same(pair[1]) != tt.same || pair[1].Same(pair[0]) != tt.same {
				t.Errorf("%q and %q: %v", tt.a, tt.b, !tt.same)
			}
		}
	}
}

func TestABandHoldsItsLowerBoundAndNotItsUpper(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := bands().Draw(t, "slab")
		for _, x := range amounts() {
			want := (s.Min == nil || x >= *s.Min) && (s.Max == nil || x < *s.Max)
			if s.Contains(x) != want {
				t.Fatalf("Contains(%d) = %v", x, !want)
			}
		}
		if s.Max != nil && s.Contains(*s.Max) {
			t.Fatal("it contains its upper bound")
		}
	})
}

func TestKYCStatesComeInOneOrder(t *testing.T) {
	for i, s := range KYCStates() {
		if s.Rank() != i+1 {
			t.Errorf("rank of %s is %d", s, s.Rank())
		}
		for j, other := range KYCStates() {
			if s.Reached(other) != (i >= j) {
				t.Errorf("%s reached %s: %v", s, other, i < j)
			}
		}
	}
	if KYCState("").Reached(KYCInitialized) {
		t.Error("no record counts as a record in a state")
	}
}
