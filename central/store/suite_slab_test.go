package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"galla/central"
	"galla/shared/money"
)

func paise(n money.Paise) *money.Paise { return &n }

// newSlab gives a slab of vendor1 with an id of its own; negative ends are
// open.
func newSlab(txnType string, low, high money.Paise) central.Slab {
	x := central.Slab{
		ID: central.SlabID(newID()), Vendor: vendor1, Aggregator: aggregator1,
		Combination: central.Combination{PaymentMethod: "DMT", Provider: "NSDL", TxnType: txnType},
		Rate:        450_000, RateType: central.RatePercentage, CreatedAt: t0,
	}
	if low >= 0 {
		x.Min = paise(low)
	}
	if high >= 0 {
		x.Max = paise(high)
	}
	return x
}

func added(t *testing.T, s *DB, x central.Slab) central.Slab {
	t.Helper()
	x, err := s.AddSlab(background, x)
	wantErr(t, "add a slab", err, nil)
	return x
}

// defaults gives the ids of the default slabs of a combination.
func defaults(list []central.Slab) (ids []central.SlabID) {
	for _, x := range list {
		if x.IsDefault {
			ids = append(ids, x.ID)
		}
	}
	return ids
}

func suiteSlabs(t *testing.T, s *DB) {
	x := newSlab("TRANSFER", 100_00, 1000_00)
	first := added(t, s, x)
	want := x
	want.CreatedAt, want.UpdatedAt = truncateToMillis(t0), truncateToMillis(t0)
	wantSame(t, "added", first, want)
	y := newSlab("TRANSFER", -1, 100_00)
	y.CreatedAt, y.Rate, y.RateType = t0.Add(-time.Hour), 12_345_678, central.RateFixed
	second := added(t, s, y)
	other := added(t, s, newSlab("VALIDATION", -1, -1))

	all, err := s.Slabs(background, vendor1)
	wantErr(t, "slabs", err, nil)
	wantSame(t, "slabs", all, []central.Slab{second, first, other})
	alike, err := s.SlabsFor(background, vendor1, first.Combination)
	wantErr(t, "slabs", err, nil)
	wantSame(t, "slabs of one combination", alike, []central.Slab{second, first})
	for _, nothing := range []central.Combination{{PaymentMethod: "AEPS", Provider: "NSDL", TxnType: "TRANSFER"}, {}} {
		if list, err := s.SlabsFor(background, vendor1, nothing); err != nil || len(list) != 0 {
			t.Errorf("slabs of %+v: %d, %v", nothing, len(list), err)
		}
	}
	if list, err := s.Slabs(background, vendor2); err != nil || len(list) != 0 {
		t.Errorf("another vendor's slabs: %d, %v", len(list), err)
	}

	// A change keeps what it does not name.
	later := t0.Add(time.Hour)
	rate, fixed := central.Rate(7), central.RateFixed
	got, err := s.ChangeSlab(background, vendor1, first.ID, central.SlabChange{Rate: &rate, RateType: &fixed}, later)
	wantErr(t, "change", err, nil)
	want.Rate, want.RateType, want.UpdatedAt = 7, central.RateFixed, truncateToMillis(later)
	wantSame(t, "changed", got, want)
	method, provider, kind := "AEPS", "NPCI", "WITHDRAWAL"
	got, err = s.ChangeSlab(background, vendor1, first.ID, central.SlabChange{
		PaymentMethod: &method, Provider: &provider, TxnType: &kind, Min: paise(5), Max: paise(6),
	}, later)
	wantErr(t, "change", err, nil)
	want.Combination, want.Min, want.Max = central.Combination{PaymentMethod: method, Provider: provider, TxnType: kind}, paise(5), paise(6)
	wantSame(t, "changed", got, want)
	alike, err = s.SlabsFor(background, vendor1, want.Combination)
	wantErr(t, "slabs", err, nil)
	wantSame(t, "read", alike, []central.Slab{want})

	// Deleting is final, and others can't.
	wantErr(t, "delete another's", s.RemoveSlab(background, vendor2, first.ID, later), central.ErrNotFound)
	_, err = s.ChangeSlab(background, vendor2, first.ID, central.SlabChange{Rate: &rate}, later)
	wantErr(t, "change another's", err, central.ErrNotFound)
	wantErr(t, "delete", s.RemoveSlab(background, vendor1, first.ID, later), nil)
	wantErr(t, "delete again", s.RemoveSlab(background, vendor1, first.ID, later), central.ErrNotFound)
	_, err = s.ChangeSlab(background, vendor1, first.ID, central.SlabChange{Rate: &rate}, later)
	wantErr(t, "change a deleted one", err, central.ErrNotFound)
	all, err = s.Slabs(background, vendor1)
	wantErr(t, "slabs", err, nil)
	wantSame(t, "what is left", all, []central.Slab{second, other})
}

func suiteSlabBands(t *testing.T, s *DB) {
	bands := [][2]money.Paise{{-1, -1}, {-1, 10}, {10, -1}, {0, 10}, {0, -1}, {10, 20}, {5, 15}, {12, 13}}
	for i, a := range bands {
		for j, b := range bands {
			kind := fmt.Sprintf("BAND %d %d", i, j)
			first := added(t, s, newSlab(kind, a[0], a[1]))
			second := newSlab(strings.ToLower(kind), b[0], b[1]) // the same combination
			second.IsDefault, second.Provider = true, "nsdl"
			equal := i == j
			_, err := s.AddSlab(background, second)
			if equal != errors.Is(err, central.ErrSameBand) || !equal && err != nil {
				t.Fatalf("%v beside %v: error %v", b, a, err)
			}
			// By the way of a change it is the same.
			away := added(t, s, newSlab(kind+" away", b[0], b[1]))
			if !equal {
				wantErr(t, "delete", s.RemoveSlab(background, vendor1, second.ID, t0), nil)
			}
			_, err = s.ChangeSlab(background, vendor1, away.ID, central.SlabChange{TxnType: &kind}, t0)
			if equal != errors.Is(err, central.ErrSameBand) || !equal && err != nil {
				t.Fatalf("%v changed to beside %v: error %v", b, a, err)
			}
			for _, id := range []central.SlabID{first.ID, away.ID} { // a vendor's slabs are bounded
				wantErr(t, "delete", s.RemoveSlab(background, vendor1, id, t0), nil)
			}
		}
	}
	suiteSlabTexts(t, s)
	// A slab does not stand in its own way, nor does a deleted one.
	x := added(t, s, newSlab("SELF", 10, 20))
	_, err := s.ChangeSlab(background, vendor1, x.ID, central.SlabChange{Max: paise(25)}, t0)
	wantErr(t, "widen", err, nil)
	wantErr(t, "delete", s.RemoveSlab(background, vendor1, x.ID, t0), nil)
	added(t, s, newSlab("SELF", 10, 20))
}

// suiteSlabTexts: texts stay as they came, and a combination is found however it
// is written.
func suiteSlabTexts(t *testing.T, s *DB) {
	x := newSlab(" Überweisung ₹ ", 10, 20)
	x.PaymentMethod, x.Provider = "dmt", "एनएसडीएल/2"
	x = added(t, s, x)
	wanted := central.Combination{PaymentMethod: "DMT", Provider: "एनएसडीएल/2", TxnType: " ÜBERWEISUNG ₹ "}
	list, err := s.SlabsFor(background, vendor1, wanted)
	wantErr(t, "slabs", err, nil)
	wantSame(t, "found in other letters", list, []central.Slab{x})
	upper := wanted.TxnType
	changed, err := s.ChangeSlab(background, vendor1, x.ID, central.SlabChange{TxnType: &upper}, t0)
	wantErr(t, "change the letters alone", err, nil)
	if changed.TxnType != upper {
		t.Errorf("the type became %q", changed.TxnType)
	}
	for _, nothing := range []string{"ÜBERWEISUNG ₹", " UBERWEISUNG ₹ "} {
		wanted.TxnType = nothing
		if list, err := s.SlabsFor(background, vendor1, wanted); err != nil || len(list) != 0 {
			t.Errorf("slabs of %q: %d, %v", nothing, len(list), err)
		}
	}
	wantErr(t, "delete", s.RemoveSlab(background, vendor1, x.ID, t0), nil)
}

// TestKeysOfCombinations: what is called one combination has one key, and nothing
// else has it.
func TestKeysOfCombinations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.OneOf(rapid.StringOf(rapid.SampledFrom([]rune("kK\u212asSſßéÉΣσςıİiI ₹अ"))), rapid.String())
		a, b := central.Combination{Provider: texts.Draw(t, "a")}, central.Combination{Provider: texts.Draw(t, "b")}
		if a.Same(b) != (foldedKey(a) == foldedKey(b)) {
			t.Fatalf("%+v and %+v: the same is %v, their keys are %+v and %+v", a, b, a.Same(b), foldedKey(a), foldedKey(b))
		}
		if key := foldedKey(a); foldedKey(key) != key || !key.Same(a) {
			t.Fatalf("%+v has the key %+v", a, key)
		}
	})
	old := central.Combination{PaymentMethod: "DMT", Provider: "NSDL-1_A", TxnType: "T0"}
	if foldedKey(old) != old {
		t.Errorf("capital letters are not their own key: %+v", foldedKey(old))
	}
}

func suiteSlabDefaults(t *testing.T, s *DB) {
	later := t0.Add(time.Minute)
	yes, no := true, false
	slab := func(kind string, low, high money.Paise, isDefault bool) central.Slab {
		x := newSlab(kind, low, high)
		x.IsDefault, x.CreatedAt = isDefault, later
		return added(t, s, x)
	}
	want := func(when, kind string, ids ...central.SlabID) []central.Slab {
		t.Helper()
		list, err := s.SlabsFor(background, vendor1, newSlab(kind, 0, 1).Combination)
		wantErr(t, when, err, nil)
		wantSame(t, "defaults "+when, defaults(list), ids)
		return list
	}
	change := func(id central.SlabID, c central.SlabChange) {
		t.Helper()
		_, err := s.ChangeSlab(background, vendor1, id, c, later.Add(time.Minute))
		wantErr(t, "change", err, nil)
	}
	a, b, c := slab("A", 0, 10, true), slab("A", 10, 20, false), slab("A", 20, 30, true)
	list := want("after a second default", "A", c.ID)
	if !list[0].UpdatedAt.Equal(truncateToMillis(later)) {
		t.Errorf("the earlier default was unset without a note: %+v", list[0])
	}
	change(b.ID, central.SlabChange{IsDefault: &yes})
	want("after a change", "A", b.ID)
	change(b.ID, central.SlabChange{Max: paise(19)})
	want("after a change of something else", "A", b.ID)
	change(a.ID, central.SlabChange{IsDefault: &no})
	want("after another was unset", "A", b.ID)
	change(b.ID, central.SlabChange{IsDefault: &no})
	want("after it was unset", "A")

	// A default that moves to another combination is the default there.
	change(a.ID, central.SlabChange{IsDefault: &yes})
	d := slab("B", 100, 200, true)
	kind := "B"
	change(a.ID, central.SlabChange{TxnType: &kind})
	want("where it came from", "A")
	want("where it went", "B", a.ID)
	wantErr(t, "delete", s.RemoveSlab(background, vendor1, a.ID, later), nil)
	want("after it was deleted", "B")
	change(d.ID, central.SlabChange{IsDefault: &yes})
	want("again", "B", d.ID)

	// One that is refused unsets nothing.
	e := newSlab("b", 100, 200)
	e.IsDefault = true
	_, err := s.AddSlab(background, e)
	wantErr(t, "add an equal one", err, central.ErrSameBand)
	want("after a refusal", "B", d.ID)
	e.ID, e.Min, e.Max, e.Rate = "bad", paise(1), paise(2), -1
	if _, err := s.AddSlab(background, e); err == nil {
		t.Error("a negative rate was taken")
	}
	want("after another refusal", "B", d.ID)

	// In other letters it is the same combination.
	lower := slab("b", 150, 160, true)
	want("after one in other letters", "B", lower.ID)
}

func suiteSlabRefuses(t *testing.T, s *DB) {
	good := added(t, s, newSlab("GOOD", 10, 20))
	for name, spoil := range map[string]func(*central.Slab){
		"an id that is taken":     func(x *central.Slab) { x.ID = good.ID },
		"no id":                   func(x *central.Slab) { x.ID = "" },
		"no aggregator":           func(x *central.Slab) { x.Aggregator = "" },
		"no method":               func(x *central.Slab) { x.PaymentMethod = "" },
		"no provider":             func(x *central.Slab) { x.Provider = "" },
		"no type":                 func(x *central.Slab) { x.TxnType = "" },
		"a rate type that is not": func(x *central.Slab) { x.RateType = "SHARE" },
		"a negative rate":         func(x *central.Slab) { x.Rate = -1 },
		"a negative amount":       func(x *central.Slab) { x.Min = paise(-1) },
		"an empty band":           func(x *central.Slab) { x.Min, x.Max = paise(5), paise(5) },
		"a band to nothing":       func(x *central.Slab) { x.Max = paise(0) },
		"no moment":               func(x *central.Slab) { x.CreatedAt = time.Time{} },
	} {
		x := newSlab("BAD", -1, -1)
		spoil(&x)
		if _, err := s.AddSlab(background, x); err == nil || errors.Is(err, central.ErrSameBand) {
			t.Errorf("a slab with %s: error %v", name, err)
		}
	}
	unowned := newSlab("BAD", -1, -1)
	unowned.Vendor = "nobody"
	_, err := s.AddSlab(background, unowned)
	wantErr(t, "a slab of nobody", err, central.ErrNotFound)
	if _, err := s.ChangeSlab(background, vendor1, good.ID, central.SlabChange{Min: paise(20)}, t0); err == nil {
		t.Error("a band was emptied by a change")
	}
	list, err := s.Slabs(background, vendor1)
	wantErr(t, "slabs", err, nil)
	wantSame(t, "after the refusals", list, []central.Slab{good})
}

// suiteRandomSlabs lets several callers at once add, change and delete slabs of
// a few combinations, and looks whether bands are equal or defaults are many.
func suiteRandomSlabs(t *testing.T, s *DB) {
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		kinds := []string{fmt.Sprint("RANDOM ", round, " A"), fmt.Sprint("RANDOM ", round, " B")}
		type call func(id central.SlabID) error
		var calls []call
		for range rapid.IntRange(4, 24).Draw(rt, "calls") {
			kind := rapid.SampledFrom(kinds).Draw(rt, "kind")
			low := money.Paise(rapid.IntRange(-1, 20).Draw(rt, "low"))
			high := low + money.Paise(rapid.IntRange(1, 6).Draw(rt, "width"))
			isDefault := rapid.Bool().Draw(rt, "default")
			switch rapid.IntRange(0, 4).Draw(rt, "what") {
			case 0:
				calls = append(calls, func(id central.SlabID) error { return s.RemoveSlab(background, vendor1, id, t0) })
			case 1:
				calls = append(calls, func(id central.SlabID) error {
					_, err := s.ChangeSlab(background, vendor1, id, central.SlabChange{TxnType: &kind, Min: paise(max(0, low)), Max: paise(high + 1), IsDefault: &isDefault}, t0)
					return err
				})
			default:
				x := newSlab(kind, low, high+1)
				x.IsDefault = isDefault
				if rapid.Bool().Draw(rt, "other letters") {
					x.TxnType, x.PaymentMethod = strings.ToLower(kind), "dMt"
				}
				calls = append(calls, func(central.SlabID) error {
					_, err := s.AddSlab(background, x)
					return err
				})
			}
		}
		pick := rapid.Permutation([]int{0, 1, 2, 3}).Draw(rt, "picks")
		var wg sync.WaitGroup
		for part := range slices.Chunk(calls, (len(calls)+3)/4) {
			wg.Go(func() {
				for i, do := range part {
					var target central.SlabID
					if list, err := s.SlabsFor(background, vendor1, newSlab(kinds[i%2], 0, 1).Combination); err != nil {
						t.Errorf("slabs: %v", err)
					} else if len(list) > 0 {
						target = list[pick[i%4]%len(list)].ID
					}
					if err := do(target); err != nil && !errors.Is(err, central.ErrSameBand) && !errors.Is(err, central.ErrNotFound) {
						t.Errorf("a random call: %v", err)
					}
				}
			})
		}
		wg.Wait()
		for _, kind := range kinds {
			list, err := s.SlabsFor(background, vendor1, newSlab(kind, 0, 1).Combination)
			if err != nil {
				rt.Fatal(err)
			}
			for i, x := range list {
				for _, y := range list[:i] {
					if equalBands(x, y) {
						rt.Fatalf("equal bands: %+v and %+v", x, y)
					}
				}
			}
			if n := len(defaults(list)); n > 1 {
				rt.Fatalf("%d defaults of one combination", n)
			}
			for _, x := range list { // a vendor's slabs are bounded
				if err := s.RemoveSlab(background, vendor1, x.ID, t0); err != nil {
					rt.Fatal(err)
				}
			}
		}
	})
}
