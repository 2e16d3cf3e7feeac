package history

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/api"
	"galla/edge/ui/uitest"
	"galla/shared/money"
	"galla/shared/op"
)

// addStep adds an operation of money transfer; enquiries are in memory only.
func (s *testCounter) addStep(t testing.TB, ago time.Duration, route op.RouteID, mobile string, alter ...func(*edge.Record)) op.ID {
	t.Helper()
	r, ok := op.Find(route)
	if !ok {
		t.Fatalf("there is no route %s", route)
	}
	set := func(of *edge.Record) {
		of.Route, of.Class, of.Mobile, of.Aadhaar, of.BankName, of.CashGivenAt, of.Customer = route, r.Class, mobile, "", "", time.Time{}, "Asha Patil"
		if r.Class != op.Money {
			of.Amount = 0
		}
		for _, a := range alter {
			a(of)
		}
	}
	if r.Class != op.Enquiry {
		return s.addOperation(t, ago, op.Succeeded, set)
	}
	at := now().Add(-ago)
	v := edge.View{Volatile: true, Record: edge.Record{ID: s.idAt(at), State: op.Succeeded, CreatedAt: at}}
	set(&v.Record)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks = append(s.asks, v)
	return v.ID
}

const asha = "9820011223"

// addTransfer adds the steps of a transfer and the transfer.
func (s *testCounter) addTransfer(t testing.TB, ago time.Duration, mobile string, alter ...func(*edge.Record)) (transfer op.ID, steps []op.ID) {
	t.Helper()
	for i, route := range []op.RouteID{op.CustomerDetail, op.RemitterDetails, op.AccountVerification, op.BeneficiaryAdd, op.TransferCharges, op.TransferOTP} {
		steps = append(steps, s.addStep(t, ago+time.Duration(10-i)*time.Second, route, mobile))
	}
	return s.addStep(t, ago, op.Transfer, mobile, alter...), steps
}

func ids(records []*edge.Record) (out []op.ID) {
	for _, r := range records {
		out = append(out, r.ID)
	}
	return out
}

// TestFold: steps are under the transfer that they led to, refunds and enquiries under the
// transfer that they name, and what led to nothing is one entry.
func TestFold(t *testing.T) {
	s := newShop(t)
	pages := s.pages(t)
	abandoned := []op.ID{s.addStep(t, 5*time.Hour, op.CustomerDetail, asha), s.addStep(t, 5*time.Hour-time.Second, op.RemitterDetails, asha)}
	first, steps := s.addTransfer(t, 2*time.Hour, asha, func(r *edge.Record) { r.State = op.Reversed })
	_, otherSteps := s.addTransfer(t, 2*time.Hour-time.Second, "9820011224")
	asked := s.addStep(t, 90*time.Minute, op.TransferRequery, "", func(r *edge.Record) { r.LinkedTo = first })
	password := s.addStep(t, 80*time.Minute, op.RefundOTP, asha)
	refund := s.addStep(t, 79*time.Minute, op.Refund, asha, func(r *edge.Record) { r.LinkedTo, r.Amount = first, 525*money.Rupee })
	cash := s.addOperation(t, time.Hour, op.Succeeded)
	code := s.addStep(t, 10*time.Minute, op.GenerateQR, "")
	records, _, err := pages.dayRecords(today)
	if err != nil {
		t.Fatal(err)
	}
	entries := fold(records)
	if len(entries) != 5 {
		t.Fatalf("there are %d entries, want 5: %+v", len(entries), entries)
	}
	if entries[0].ID != code || entries[1].ID != cash {
		t.Errorf("the newest are %s and %s", entries[0].ID, entries[1].ID)
	}
	if got := entries[2]; !slices.Equal(ids(got.Steps), otherSteps) {
		t.Errorf("the other customer's transfer has the steps %v, want %v", ids(got.Steps), otherSteps)
	}
	if got := entries[3]; got.ID != first || !slices.Equal(ids(got.Steps), append(steps, asked, password)) || !slices.Equal(ids(got.Refunds), []op.ID{refund}) {
		t.Errorf("the transfer %s has steps %v and refunds %v", got.ID, ids(got.Steps), ids(got.Refunds))
	}
	if got := entries[4]; got.ID != abandoned[1] || !slices.Equal(ids(got.Steps), abandoned[:1]) {
		t.Errorf("the abandoned steps are %s with %v", got.ID, ids(got.Steps))
	}
}

// TestFolded: the page has the steps closed under their transfer, its refund with the
// amount, and every operation once.
func TestFolded(t *testing.T) {
	s := newShop(t)
	v := openPages(t, s)
	first, steps := s.addTransfer(t, 2*time.Hour, asha, func(r *edge.Record) { r.State, r.RefundedAt = op.Reversed, now() })
	refund := s.addStep(t, time.Hour, op.Refund, asha, func(r *edge.Record) { r.LinkedTo, r.Amount = first, 525*money.Rupee })
	page := v.Get("/operations", http.StatusOK)
	uitest.Contains(t, page, `<details class="history-steps"><summary>6 steps before it</summary>`, `class="history-refund" href="/op/`+string(refund), "₹525.00", "XXXXXX1223")
	uitest.NotContains(t, page, asha, "<details open", "Refunded: ")
	for _, id := range append(steps, first, refund) {
		if n := strings.Count(page, string(id)); n != 1 {
			t.Errorf("%s is on the page %d times", id, n)
		}
	}
	// A refund of another day is told with the transfer.
	s.addStep(t, 3*day, op.Transfer, asha, func(r *edge.Record) { r.State, r.RefundedAt, r.Charge = op.Reversed, now(), 10*money.Rupee })
	uitest.Contains(t, v.Get("/operations?day=2026-11-18", http.StatusOK), "Refunded: ₹510.00, 10:14")
}

// payment makes a record one of a payment by UPI, or of its return.
func payment(route op.RouteID, rupees money.Paise) func(*edge.Record) {
	return func(r *edge.Record) {
		r.Route, r.Class, r.Amount, r.Result = route, op.Enquiry, rupees*money.Rupee, api.Result{}
	}
}

// TestFilters: each filter lists its operations of the day with their sums, and its links
// keep day and filter.
func TestFilters(t *testing.T) {
	s := newShop(t)
	v := openPages(t, s)
	cash := s.addOperation(t, time.Hour+day, op.Succeeded)
	sent, _ := s.addTransfer(t, 2*time.Hour+day, asha, func(r *edge.Record) { r.Charge = 10 * money.Rupee })
	code := s.addStep(t, 3*time.Hour+day, op.GenerateQR, "")
	paid := s.addOperation(t, 3*time.Hour+time.Minute+day, op.Succeeded, payment(op.PaymentReceived, 250))
	back := s.addOperation(t, 3*time.Hour+2*time.Minute+day, op.Succeeded, payment(op.PaymentReturned, 50))
	failed := s.addOperation(t, 4*time.Hour+day, op.Failed, func(r *edge.Record) { r.Result.Code = "51" })
	waits := s.addOperation(t, 5*time.Hour+day, op.Pending, func(r *edge.Record) { r.Route, r.Amount = op.Purchase, 40*money.Rupee })
	all := []op.ID{cash, sent, code, paid, back, failed, waits}
	const yesterday = "/operations?day=2026-11-20"
	for show, want := range map[string]struct {
		ids    []op.ID
		totals string
	}{
		"":              {all, "2 succeeded: ₹1,000.00 | Cash in: ₹510.00 | Cash out: ₹500.00 | UPI received: ₹200.00"},
		"&show=cash":    {[]op.ID{cash, failed}, "1 succeeded: ₹500.00 | Cash out: ₹500.00"},
		"&show=sent":    {[]op.ID{sent}, "1 succeeded: ₹500.00 | Cash in: ₹510.00"},
		"&show=qr":      {[]op.ID{code, paid, back}, "UPI received: ₹200.00"},
		"&show=failed":  {[]op.ID{failed}, ""},
		"&show=waiting": {[]op.ID{waits}, ""},
		"&show=odd":     {all, "2 succeeded: ₹1,000.00 | Cash in: ₹510.00 | Cash out: ₹500.00 | UPI received: ₹200.00"},
	} {
		page := v.Get(yesterday+show, http.StatusOK)
		var got []op.ID
		for _, m := range rowID.FindAllStringSubmatch(page, -1) {
			got = append(got, op.ID(m[1]))
		}
		if !slices.Equal(got, want.ids) {
			t.Errorf("%q lists %v, want %v", show, got, want.ids)
		}
		_, totals, _ := strings.Cut(page, `<p class="history-totals">`)
		totals, _, _ = strings.Cut(totals, " </p>")
		totals = strings.NewReplacer("</span> <span>", " | ", "<span>", "", "</span>", "").Replace(totals)
		if want.totals == "" {
			uitest.NotContains(t, page, "history-totals")
		} else if totals != want.totals {
			t.Errorf("%q has the totals %q, want %q", show, totals, want.totals)
		}
		if show != "" && show != "&show=odd" {
			uitest.Contains(t, page, `href="/operations?day=2026-11-19`+strings.ReplaceAll(show, "&", "&amp;")+`"`, `name="show" value="`+strings.TrimPrefix(show, "&show=")+`"`)
		}
	}
	uitest.Contains(t, v.Get(yesterday, http.StatusOK), `href="/operations?day=2026-11-20&amp;show=waiting"`, `aria-current="true">All <b>7</b>`)
	// On today's first page a filter does not hide what is unfinished.
	uitest.Contains(t, v.Get("/operations?show=qr", http.StatusOK), "1 operation is unfinished", "Nothing of this kind on this day")
}

// TestFilteredPages: the next page has the same filter and day.
func TestFilteredPages(t *testing.T) {
	s := newShop(t)
	v := openPages(t, s)
	for i := range pageSize + 5 {
		s.addOperation(t, time.Duration(i)*time.Minute, op.Failed)
		s.addOperation(t, time.Duration(i)*time.Minute, op.Succeeded)
	}
	page := v.Get("/operations?show=failed", http.StatusOK)
	next := regexp.MustCompile(`/operations\?before=[0-9a-f-]+&amp;day=2026-11-21&amp;show=failed`).FindString(page)
	if next == "" || len(rowID.FindAllString(page, -1)) != pageSize {
		t.Fatal(page)
	}
	page = v.Get(strings.ReplaceAll(next, "&amp;", "&"), http.StatusOK)
	if n := len(rowID.FindAllString(page, -1)); n != 5 {
		t.Errorf("the second page has %d operations, want 5", n)
	}
	uitest.Contains(t, page, `href="/operations?day=2026-11-21&amp;show=failed">`)
}

// BenchmarkDay shows the first page of a day of 1,000 operations, a fifth of them steps of
// transfers.
func BenchmarkDay(b *testing.B) {
	s := newShop(b)
	server := uitest.Serve(b, s, s.pages(b))
	for i := range 800 {
		s.addOperation(b, time.Duration(i)*30*time.Second, op.Succeeded)
	}
	for i := range 200 {
		route := op.BeneficiaryAdd
		if i%2 == 1 {
			route = op.Transfer
		}
		s.addOperation(b, time.Duration(400-i)*time.Minute, op.Succeeded, func(r *edge.Record) {
			r.Route, r.Mobile, r.CashGivenAt = route, fmt.Sprintf("98200%05d", i/2), time.Time{}
		})
	}
	v := server.NewClient(b)
	v.Login()
	for b.Loop() {
		v.Get("/operations", http.StatusOK)
	}
}
