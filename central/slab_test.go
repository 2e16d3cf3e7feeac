package central

import (
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
