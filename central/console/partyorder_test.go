package console

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"galla/central"
	"galla/central/accounts"
)

func TestRank(t *testing.T) {
	sums := map[central.MerchantID]accounts.Totals{
		"best":    {Succeeded: 10, Moved: 100},
		"half":    {Succeeded: 5, Failed: 5, Moved: 900},
		"worse":   {Succeeded: 50, Failed: 50, Moved: 50},
		"nothing": {Unfinished: 3},
		"refused": {Refused: 2},
	}
	for column, want := range map[string][]central.MerchantID{
		sortMoved:   {"half", "best", "worse", "nothing", "refused"},
		sortSuccess: {"worse", "half", "best", "nothing", "refused"}, // more failures first; without an outcome last
	} {
		if got := rank(sums, column); !slices.Equal(got, want) {
			t.Errorf("by %s: %v, want %v", column, got, want)
		}
	}
}

// TestReadRanked: the page has the first parties of the ranking that pass the filter, however
// late they come, and reads no more than it needs.
func TestReadRanked(t *testing.T) {
	ids := make([]central.TerminalID, pageSize+2*sortedOf)
	for i := range ids {
		ids[i] = central.TerminalID(fmt.Sprint(i))
	}
	for name, c := range map[string]struct {
		pass  func(i int) bool
		reads int
		want  int
		first string
	}{
		"all pass":        {func(int) bool { return true }, 1, pageSize, "0"},
		"few pass":        {func(i int) bool { return i%500 == 7 }, 3, 5, "7"},
		"the last passes": {func(i int) bool { return i == len(ids)-1 }, 3, 1, fmt.Sprint(len(ids) - 1)},
		"none passes":     {func(int) bool { return false }, 3, 0, ""},
	} {
		reads := 0
		got, err := readRanked(ids, func(some []central.TerminalID) (found []string, err error) {
			reads++
			for _, id := range slices.Backward(some) { // in any order
				var i int
				if _, err := fmt.Sscan(string(id), &i); err != nil {
					return nil, err
				}
				if c.pass(i) {
					found = append(found, string(id))
				}
			}
			return found, nil
		}, func(x string) central.TerminalID { return central.TerminalID(x) })
		if err != nil || len(got) != c.want || reads != c.reads || c.want > 0 && got[0] != c.first {
			t.Errorf("%s: %d parties from %v in %d reads, %v", name, len(got), got, reads, err)
		}
	}
	broken := errors.New("broken")
	if _, err := readRanked(ids, func([]central.TerminalID) ([]string, error) { return nil, broken }, func(x string) central.TerminalID { return "" }); !errors.Is(err, broken) {
		t.Errorf("an error is %v", err)
	}
}

func TestLimitRows(t *testing.T) {
	for want, l := range map[string]central.Limit{
		"no limit": {},
		"₹100.00 to ₹10,000.00, in steps of ₹50.00": {Min: 100_00, Max: 10_000_00, Step: 50_00},
		"at least ₹1.00":        {Min: 1_00},
		"at most ₹5,000.00":     {Max: 5_000_00},
		"at most one operation": {Count: 1},
		"at most 1,500 operations, at most ₹2,00,000.00 together": {Count: 1500, Sum: 2_00_000_00},
	} {
		if got := limitText(l); got != want {
			t.Errorf("%+v: %q, want %q", l, got, want)
		}
	}
	rows := limitRows([]central.Limit{{Kinds: []central.Kind{central.KindWithdrawal, central.KindTransfer}, Scope: central.PerTerminalDay, Count: 2}, {Scope: "new-scope"}})
	if rows[0] != (limitRow{"Cash withdrawal, Money transfer", "a terminal, in a day", "at most 2 operations"}) || rows[1].Scope != "new-scope" {
		t.Errorf("%+v", rows)
	}
	for _, scope := range []central.LimitScope{central.PerTransaction, central.PerCustomerTerminalDay, central.PerTerminalDay, central.PerRemitterDay, central.PerRemitterMonth, central.PerMerchantDay, central.PerMerchantMonth} {
		if limitScopes[scope] == "" {
			t.Errorf("the scope %s has no text", scope)
		}
	}
	for _, state := range central.KYCStates() {
		if kycTexts[state] == "" {
			t.Errorf("the state %s has no text", state)
		}
	}
}

// TestFilterText: a customer's number is left out of a filter, and an id with ten digits is not.
func TestFilterText(t *testing.T) {
	for typed, want := range map[string]string{
		" Lakshmi ": "Lakshmi", "9999 4105 7058": "", "999941057058": "", "12345678-1234-4000-8000-00000000abcd": "12345678-1234-4000-8000-00000000abcd", "GAL00001": "GAL00001",
	} {
		if got := filterText(typed); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}
