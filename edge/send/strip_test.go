package send

import (
	"strings"
	"testing"

	"galla/edge"
	"galla/shared/op"
)

// TestTheStripHasNoKeyHere: a page that tells the outcome of a transfer or a refund
// has that one's keys; another customer's open cash has none there, and the page's
// own is not told twice.
func TestTheStripHasNoKeyHere(t *testing.T) {
	c := newCounter()
	w := enter(t, c, &shelf{})
	other := edge.Record{ID: "other", Route: op.Withdrawal, State: op.Succeeded, Amount: 700_00, Customer: "Asha Devi"}
	c.Change(func(s *edge.Status) { s.Cash = []edge.Record{other} })
	strip := func(page string, keys int) {
		t.Helper()
		_, after, found := strings.Cut(page, `id="open-cash-go" href="/op/other"`)
		if tag, _, _ := strings.Cut(after, ">"); !found || strings.Contains(tag, "data-key") {
			t.Errorf("the strip is %q", tag)
		}
		if n := strings.Count(page, `data-key="c"`); n != keys {
			t.Errorf("the page has %d keys that say that cash was given, want %d", n, keys)
		}
	}
	page, id := w.sends(c)
	strip(page, 0)
	c.becomes(id, op.Failed, `{"statusCode":"91","message":"ISSUER NOT AVAILABLE"}`, func(v *edge.View) { v.CashKept, v.Charge = true, 12_50 })
	strip(w.Get(w.at, 200), 1)
	c.becomes(id, op.Failed, `{"statusCode":"91","message":"ISSUER NOT AVAILABLE"}`, func(v *edge.View) { v.CashBy = "Fatima" })
	strip(w.Get(w.at, 200), 1) // owed: nobody asks, and the key is there
	c.returns(id)
	page = w.do(w.do(w.Get(w.at, 200), "refund"), "go")
	page = w.do(page, "go", "otp", "2222")
	says(t, page, "GIVE CASH ₹512.50")
	refund := mustSee(t, c, c.lastOf(t, op.Refund).ID).Record
	c.Change(func(s *edge.Status) { s.Cash = []edge.Record{refund, other} })
	strip(w.Get(w.at, 200), 0)
}
