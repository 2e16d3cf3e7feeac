package receipt

import (
	"strings"
	"sync"
	"testing"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/i18n/i18ntest"
	"galla/edge/outcome"
	"galla/shared/money"
	"galla/shared/op"
)

// book is loaded once: parsing all files is slow.
var book = sync.OnceValue(func() *i18n.Bundle {
	b, err := i18n.Load(Catalogue(), outcome.Catalogue())
	if err != nil {
		panic(err) // the tests have no receipts without it
	}
	return b
})

func english() *i18n.Localizer { return book().Localizer(i18n.English) }

// TestTexts: every language has every text of slips.
func TestTexts(t *testing.T) {
	i18ntest.Check(t, Catalogue(), "slip.row.stan", "slip.row.rrn")
}

// TestLanguages makes a receipt of every state in every language: all but the bank's texts
// and numbers is in the customer's language.
func TestLanguages(t *testing.T) {
	balance := money.Paise(777_77)
	for _, l := range i18n.Languages() {
		words := book().Localizer(l.Code)
		for _, state := range []op.State{op.Accepted, op.Expired, op.Pending, op.Succeeded, op.Failed, op.Reversed} {
			for _, route := range []op.RouteID{op.Withdrawal, op.Balance, op.MiniStatement, op.Transfer} {
				r := with(record(route, state, 50000), answered("51"))
				r.Customer, r.User, r.BankName = "", "", ""
				r.Result.Balance, r.Result.MiniStatement = &balance, []string{"21/11 UPI D 120.00", "20/11 UPI C 1.00", "Balance: 5"}
				made := New(r, Shop{}, words)
				made.Words = words
				text := made.Text(Wide) + made.Mark(reprint())
				for _, key := range []string{"slip.row", "slip.title", "{", "}"} {
					if strings.Contains(text, key) {
						t.Errorf("%s %s %s: a text is missing:\n%s", l.Name, route, state, text)
					}
				}
				if !strings.Contains(text, "DUPLICATE") {
					t.Errorf("%s: a reprint does not say DUPLICATE", l.Name)
				}
				if due := state == op.Pending && route == op.Withdrawal; due && !strings.Contains(strings.Join(strings.Fields(text), " "), words.Date(made.At.AddDate(0, 0, edge.TurnaroundDays))) {
					t.Errorf("%s: a pending slip without its day:\n%s", l.Name, text)
				}
				if l.Code == i18n.English {
					continue
				}
				for _, part := range append([]string{made.Title, made.Status}, made.Notes...) {
					if strings.ContainsFunc(part, func(r rune) bool { return r >= 'a' && r <= 'z' }) {
						t.Errorf("%s %s %s: %q", l.Name, route, state, part)
					}
				}
			}
		}
	}
}
