package screen

import (
	"slices"
	"strings"
	"testing"
)

func TestReadStatement(t *testing.T) {
	entries := readStatement([]string{
		"12/11 UPI/SHARMA STORES D 250.00", "14/11 MGNREGA WAGES     C 2,310.00", "1/1 X D 5", "  20/11   AEPS CASH WDL    D 500.5  ", "",
		"NEFT CHARGES REVERSAL", "12/11 NO AMOUNT D", "12/11 D D 1.00", "12/11 BIG C 99999999999999999999", "balance: +12450.75",
	})
	want := []entry{
		{Date: "12/11", Narration: "UPI/SHARMA STORES", Amount: "₹250.00"}, {Date: "14/11", Narration: "MGNREGA WAGES", Credit: true, Amount: "₹2,310.00"},
		{Date: "1/1", Narration: "X", Amount: "₹5.00"}, {Date: "20/11", Narration: "AEPS CASH WDL", Amount: "₹500.50"},
		{Raw: "NEFT CHARGES REVERSAL"}, {Raw: "12/11 NO AMOUNT D"}, {Date: "12/11", Narration: "D", Amount: "₹1.00"}, {Raw: "12/11 BIG C 99999999999999999999"},
	}
	if !slices.Equal(entries, want) {
		t.Errorf("got  %+v\nwant %+v", entries, want)
	}
	if readStatement(nil) != nil || readStatement([]string{"Balance:-5.00", "BALANCE: +0"}) != nil {
		t.Error("what is no transaction is shown as one")
	}
}

// FuzzReadStatement: whatever a bank sends, no line is lost: it is an entry, as
// it came or read, unless it is a balance.
func FuzzReadStatement(f *testing.F) {
	f.Add("12/11 UPI/SHARMA STORES D 250.00\nBalance:+12450.75")
	f.Add("12/11  C 1\n\xff\nBalance:x\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Split(text, "\n")
		entries := readStatement(lines)
		want := 0
		for _, line := range lines {
			if strings.TrimSpace(line) != "" {
				want++
			}
		}
		balances := 0
		for _, line := range lines {
			if _, ok := cutPrefixFold(strings.TrimSpace(line), "balance:"); ok {
				balances++
			}
		}
		if len(entries) > want || len(entries) < want-balances {
			t.Errorf("%d lines with %d balances gave %d entries", want, balances, len(entries))
		}
		for _, e := range entries {
			if e.Raw == "" && (e.Date == "" || !strings.HasPrefix(e.Amount, "₹")) {
				t.Errorf("%+v", e)
			}
		}
	})
}
