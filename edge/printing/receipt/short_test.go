package receipt

import (
	"strings"
	"testing"

	"galla/edge"
	"galla/edge/i18n"
	"galla/shared/op"
	"galla/shared/theme"
)

func TestShort(t *testing.T) {
	pending := record(op.Transfer, op.Pending, 2500_00)
	pending.Charge, pending.Aadhaar = 25_00, ""
	for name, c := range map[string]struct {
		r    edge.Record
		shop Shop
		want string
	}{
		"withdrawal": {cases()["withdrawal-succeeded"], shop(), "Lakshmi Kirana Store\nPhone 9800000001\nCash withdrawal\nCash withdrawal successful\nDate: 21 Nov 2026, 14:05:09\n" +
			"Aadhaar: XXXXXXXX7058\nBank: Sandbox test bank\nAmount: Rs.500.00\nRRN: 632514004711\nReference: AEPS-4711"},
		"a pending transfer, of an unknown shop": {pending, Shop{}, "Money transfer\nBank has not answered: keep this slip\nDate: 21 Nov 2026, 14:05:09\n" +
			"Bank: Sandbox test bank\nAmount: Rs.2,500.00\nCharge: Rs.25.00\nOperation: 01a1fda3-6789-76b2-bddd-9b2e2a564f1a"},
	} {
		if got := New(c.r, c.shop, english()).Short(); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// maxModules is the width of a QR code that phones read from a screen of 360 px: three
// pixels for each module.
const maxModules = 109

// TestShortFitsAScreen: in each language and state, the short text has a coarse QR code.
func TestShortFitsAScreen(t *testing.T) {
	for _, l := range i18n.Languages() {
		for name, r := range cases() {
			text := New(r, shop(), book().Localizer(l.Code)).Short()
			rows, err := theme.QRModules(text)
			if err != nil || len(rows) > maxModules {
				t.Errorf("%s in %s: %d modules for %d bytes, at most %d are readable: %v", name, l.Name, len(rows), len(text), maxModules, err)
			}
			if strings.Contains(text, r.Customer) {
				t.Errorf("%s in %s names the customer:\n%s", name, l.Name, text)
			}
		}
	}
}

// TestCodeCaption: the slip says what its QR code is; a slip without one says nothing.
func TestCodeCaption(t *testing.T) {
	set := setter(t)
	for name, c := range map[string]struct {
		made Receipt
		want int
	}{
		"with a code":    {New(cases()["withdrawal-succeeded"], shop(), english()), 1},
		"without a code": {Receipt{Title: "Day", Words: english()}, 0},
	} {
		got, err := c.made.Slip(Paper{Columns: Wide}, Copy{}, set)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(got), "QR code: the reference, for bank or shop"); n != c.want {
			t.Errorf("%s: its caption is printed %d times, want %d", name, n, c.want)
		}
	}
}
