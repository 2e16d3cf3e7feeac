package aeps

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/ui/uitest"
	"galla/shared/op"
)

// TestPrintQuality: the advice follows from the print's quality.
func TestPrintQuality(t *testing.T) {
	v := unlocked(t)
	words := v.s.In(i18n.English)
	failed := func(code string, quality int) edge.View {
		return edge.View{Record: edge.Record{Route: op.Withdrawal, State: op.Failed, Quality: quality, Result: edge.Result{Code: code}}}
	}
	faint := edge.View{Record: edge.Record{Route: op.Withdrawal, State: op.Reserved}, Problem: &edge.CaptureError{Quality: 18}}
	silent := edge.View{Record: edge.Record{Route: op.Withdrawal, State: op.Reserved}, Problem: &edge.CaptureError{Code: "720"}}
	for _, c := range []struct {
		name  string
		view  edge.View
		tone  string
		first string
	}{
		{"too faint", faint, "bad", "Clean and dry the finger"},
		{"refused and faint", failed("U3", 44), "bad", "Clean and dry the finger"},
		{"refused and middling", failed("VB", 45), "warn", "Try another finger"},
		{"refused though clear", failed("W6", 70), "ok", "The print was clear"},
		{"another reason", failed("51", 44), "", ""},
		{"no quality told", failed("U3", 0), "", ""},
		{"the reader's fault", silent, "", ""},
	} {
		r := printQualityOf(words, c.view)
		switch {
		case r == nil:
			if c.tone != "" {
				t.Errorf("%s: nothing is said", c.name)
			}
		case r.Tone != c.tone || !strings.HasPrefix(r.Tips[0].Text, c.first):
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

// TestReturnDeadline: the deadline of a pending debit counts Indian days by central's clock, and
// shows the compensation after T+5.
func TestReturnDeadline(t *testing.T) {
	v := unlocked(t)
	words := v.s.In(i18n.English)
	for _, c := range []struct {
		days int // since it was sent
		head string
		text string
		done int
	}{
		{0, "5 days left.", "By 26 Nov 2026", 0},
		{1, "4 days left.", "By 25 Nov 2026", 1},
		{4, "1 day left.", "By 22 Nov 2026", 4},
		{5, "Today is the last day.", "By 21 Nov 2026", 5},
		{6, "1 day late.", "owes the customer ₹100 for", 5},
		{9, "4 days late.", "owes the customer ₹400 for", 5},
	} {
		pending := edge.View{Record: edge.Record{Route: op.Withdrawal, State: op.Pending, SentAt: fakeNow.AddDate(0, 0, -c.days)}}
		d := returnDeadlineOf(words, pending, v.f.Status())
		done := len(slices.DeleteFunc(slices.Clone(d.Days), func(s string) bool { return s != "done" }))
		if d.Head != c.head || !strings.Contains(d.Text, c.text) || done != c.done || len(d.Days) != 5 || d.Late != (c.days > 5) {
			t.Errorf("after %d days: %+v", c.days, d)
		}
	}
	st := v.f.Status()
	st.Link.Offset = -24 * time.Hour // this computer's clock is a day ahead
	pending := edge.View{Record: edge.Record{State: op.Pending, CreatedAt: fakeNow}}
	if d := returnDeadlineOf(words, pending, st); !strings.Contains(d.Text, "25 Nov 2026") {
		t.Errorf("by the central's clock: %+v", d)
	}
	pending.State = op.Succeeded
	if returnDeadlineOf(words, pending, st) != nil {
		t.Error("what is settled has a clock")
	}
}

// TestBankRate: a bank's success rate is in the list, beside the field, and before the
// finger.
func TestBankRate(t *testing.T) {
	v := unlocked(t)
	form := v.Get("/new/withdrawal", http.StatusOK)
	uitest.Contains(t, form,
		`<option value="607094" data-rate="The bank answered 19 of the last 20" data-short="19 of 20" data-tone="ok">`,
		`data-rate="The bank answered only 11 of the last 16" data-short="11 of 16" data-tone="warn"`,
		`data-rate="This bank is failing often: 3 of the last 9 answered" data-short="3 of 9" data-tone="bad"`,
		`<option value="607153">Axis Bank`, `data-no-rate="No recent transactions with this bank"`)
	uitest.Contains(t, v.Post("/new/withdrawal", http.StatusUnprocessableEntity, filled("iin", "607027", "amount", "")...), `class="aside rate bad" id="iin-rate"`)
	ready := v.f.add(cashOp(func(v *edge.View) { v.State = op.Reserved }))
	uitest.Contains(t, v.Get("/op/"+string(ready), http.StatusOK), "Reader ready", "Online", "Clock right", "The bank answered 19 of the last 20")
	day := v.f.add(edge.View{Volatile: true, Record: edge.Record{Route: op.ReqAuth, State: op.Reserved, Customer: "Fatima"}})
	uitest.NotContains(t, v.Get("/op/"+string(day), http.StatusOK), "bank answered", "No recent operations")
	v.s.cfg.BankRate = nil
	uitest.NotContains(t, v.Get("/new/withdrawal", http.StatusOK), "data-rate", "data-no-rate")
	uitest.NotContains(t, v.Get("/op/"+string(ready), http.StatusOK), "bank answered")
}
