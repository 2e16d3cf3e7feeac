package central

import (
	"strings"
	"testing"

	"galla/shared/money"
	"pgregory.net/rapid"
)

// bands draws slabs of small bands, open sides included.
func bands() *rapid.Generator[Slab] {
	side := rapid.Ptr(rapid.Map(rapid.IntRange(0, 12), func(n int) money.Paise { return money.Paise(n) }), true)
	return rapid.Custom(func(t *rapid.T) Slab { return Slab{Min: side.Draw(t, "min"), Max: side.Draw(t, "max")} })
}

// amounts are all that small bands can tell apart; no operation is below zero,
// but an open band is.
func amounts() []money.Paise {
	var out []money.Paise
	for a := money.Paise(-1); a <= 13; a++ {
		out = append(out, a)
	}
	return out
}

func TestBandsMeetWhereAnAmountIsInBoth(t *testing.T) {
	empty := func(s Slab) bool { return s.Min != nil && s.Max != nil && *s.Min >= *s.Max }
	rapid.Check(t, func(t *rapid.T) {
		a, b := bands().Draw(t, "a"), bands().Draw(t, "b")
		if empty(a) || empty(b) {
			t.Skip("a band of no amount")
		}
		common := false
		for _, x := range amounts() {
			common = common || a.Holds(x) && b.Holds(x)
		}
		if a.Meets(b) != common || b.Meets(a) != common {
			t.Fatalf("Meets = %v and %v, an amount in both: %v", a.Meets(b), b.Meets(a), common)
		}
		if !a.Meets(a) {
			t.Fatal("a band does not meet itself")
		}
	})
}

// TestOneSlabGoesFirst: of two bands that are not equal exactly one goes before the
// other, the narrower one, and of equally narrow ones the one with the higher lower
// bound.
func TestOneSlabGoesFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := bands().Draw(t, "a"), bands().Draw(t, "b"), bands().Draw(t, "c")
		if a.SameBand(b) != b.SameBand(a) || !a.SameBand(a) {
			t.Fatal("SameBand is no equality")
		}
		x := money.Paise(rapid.IntRange(0, 13).Draw(t, "amount"))
		if !a.Holds(x) || !b.Holds(x) || !c.Holds(x) {
			t.Skip("an amount in all of them")
		}
		if a.Before(b) == b.Before(a) != a.SameBand(b) {
			t.Fatalf("Before = %v and %v, equal bands: %v", a.Before(b), b.Before(a), a.SameBand(b))
		}
		if a.Before(b) && b.Before(c) && !a.Before(c) {
			t.Fatal("Before is no order")
		}
		inside := func(s Slab) (n int) {
			for y := money.Paise(0); y <= 100; y++ {
				if s.Holds(y) {
					n++
				}
			}
			return n
		}
		if inside(a) < inside(b) && !a.Before(b) {
			t.Fatalf("%d amounts do not go before %d", inside(a), inside(b))
		}
	})
}

// TestCombinationsAreComparedWithoutCase: in every script that has it.
func TestCombinationsAreComparedWithoutCase(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"NSDL", "nsdl", true}, {"NSDL", "NsDl-2", false}, {"", "", true}, {"Émile", "ÉMILE", true}, {"ΣΊΣΥΦΟΣ", "σίσυφος", true}, {"K", "\u212a", true},
		{"एनएसडीएल", "एनएसडीएल", true}, {"a b", "A  B", false}, {" nsdl", "nsdl", false}, {"NSDL-1_A", "nsdl-1_a", true},
	} {
		for _, pair := range [][2]Combination{{{Provider: tt.a}, {Provider: tt.b}}, {{TxnType: tt.a}, {TxnType: tt.b}}, {{PaymentMethod: tt.a}, {PaymentMethod: tt.b}}} {
			if pair[0].Same(pair[1]) != tt.same || pair[1].Same(pair[0]) != tt.same || tt.same != strings.EqualFold(tt.a, tt.b) {
				t.Errorf("%q and %q: %v", tt.a, tt.b, !tt.same)
			}
		}
	}
	if key := (Combination{"DMT", "NSDL-1_A", "T0"}).Key(); key != (Combination{"DMT", "NSDL-1_A", "T0"}) {
		t.Errorf("capital letters are not their own key: %+v", key)
	}
}

func TestABandHoldsItsLowerBoundAndNotItsUpper(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := bands().Draw(t, "slab")
		for _, x := range amounts() {
			want := (s.Min == nil || x >= *s.Min) && (s.Max == nil || x < *s.Max)
			if s.Holds(x) != want {
				t.Fatalf("Holds(%d) = %v", x, !want)
			}
		}
		if s.Max != nil && s.Holds(*s.Max) {
			t.Fatal("it holds its upper bound")
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
		t.Error("no record has come as far as one")
	}
}
