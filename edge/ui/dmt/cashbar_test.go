package dmt

import (
	"strings"
	"testing"

	"galla/edge"
	"galla/shared/op"
)

// TestTheCashBarHasNoKeyHere: a page with the outcome of a transfer or a refund has that
// one's keys; the cash bar of another customer has no key there, and the page's own cash
// is not shown twice.
func TestTheCashBarHasNoKeyHere(t *testing.T) {
	c := newCounter()
	w := login(t, c, &memoryCache{})
	other := edge.Record{ID: "other", Route: op.Withdrawal, State: op.Succeeded, Amount: 700_00, Customer: "Asha Devi"}
	c.Update(func(s *edge.Status) { s.OpenCash = []edge.Record{other} })
	cashBar := func(page string, keys int) {
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
	cashBar(page, 0)
	c.setOutcome(id, op.Failed, `{"statusCode":"91","message":"ISSUER NOT AVAILABLE"}`, func(v *edge.View) { v.CashKept, v.Charge = true, 12_50 })
	cashBar(w.Get(w.at, 200), 1)
	c.setOutcome(id, op.Failed, `{"statusCode":"91","message":"ISSUER NOT AVAILABLE"}`, func(v *edge.View) { v.CashBy = "Fatima" })
	cashBar(w.Get(w.at, 200), 1) // owed: no question, so the key is there
	c.returns(id)
	page = w.do(w.do(w.Get(w.at, 200), "refund"), "go")
	page = w.do(page, "go", "otp", "2222")
	heading(t, page, "GIVE CASH ₹512.50")
	refund := mustSee(t, c, c.lastOf(t, op.Refund).ID).Record
	c.Update(func(s *edge.Status) { s.OpenCash = []edge.Record{refund, other} })
	cashBar(w.Get(w.at, 200), 0)
}
