package console

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/central/payments"
	"galla/central/staff"
	"galla/shared/op"
)

// TestFind looks for an operation by everything that a customer or agent may know.
func TestFind(t *testing.T) {
	h := newHarness(t)
	h.seed(t)
	done := h.operation(t, 1, time.Hour, op.Succeeded)
	waiting := h.operation(t, 2, 2*time.Hour, op.Pending, func(o *central.Operation) { o.Aadhaar = "XXXXXXXX1234" })
	old := h.operation(t, 3, 30*24*time.Hour, op.Succeeded)
	transfer := h.operation(t, 4, time.Hour, op.Succeeded, func(o *central.Operation) {
		o.Kind, o.Sender, o.Aadhaar, o.Route, o.Merchant, o.Party = central.KindTransfer, "5e4d0000-0000-4000-8000-000000000001", "", op.Transfer, "", "vendor:x"
	})
	if err := h.db.NameCustomer(t.Context(), accounts.CustomerByRemitter(transfer.Sender), h.parts().CustomerKey("9876543210"), time.Now()); err != nil {
		t.Fatal(err)
	}
	orders := map[string]central.Operation{}
	for n, order := range []string{"Bill 17/a", "4711", "9811111111"} { // the shop chooses how its orders are called
		tr := fmt.Sprintf("T%d", n)
		if err := h.db.AddCode(t.Context(), payments.Code{Merchant: shop, TR: tr, Amount: 1250, Order: order, MadeAt: time.Now()}); err != nil {
			t.Fatal(err)
		}
		p := h.payment(t, 10+n, func(r *central.ReceivedPayment) { r.TR = tr })
		o, err := h.db.Operation(t.Context(), p.Operation)
		if err != nil || p.Order != order {
			t.Fatalf("order %q of a payment is %q: %v", order, p.Order, err)
		}
		orders[order] = o
	}
	back := h.payment(t, 20, returned)
	paid, err := h.db.Operation(t.Context(), back.Operation)
	if err != nil {
		t.Fatal(err)
	}
	refund, err := h.db.Operation(t.Context(), back.RefundOperation)
	if err != nil {
		t.Fatal(err)
	}
	upi := []central.Operation{orders["Bill 17/a"], orders["4711"], orders["9811111111"], paid, refund}
	v := h.browser(t).enter("vikram")
	v.get("/console/find", http.StatusOK)
	for name, c := range map[string]struct {
		fields []string
		want   []central.Operation
	}{
		"id":                 {[]string{"text", string(done.ID)}, []central.Operation{done}},
		"our reference":      {[]string{"text", " " + string(done.Reference) + " "}, []central.Operation{done}},
		"pending reference":  {[]string{"text", waiting.PendingReference}, []central.Operation{waiting}},
		"RRN":                {[]string{"text", done.RRN}, []central.Operation{done}},
		"caller's own":       {[]string{"text", "order-1"}, []central.Operation{done}},
		"of a month ago":     {[]string{"text", string(old.Reference)}, []central.Operation{old}},
		"last four":          {[]string{"text", "7058"}, []central.Operation{done}},
		"other last four":    {[]string{"text", "1234"}, []central.Operation{waiting}},
		"last four, before":  {[]string{"text", "7058", "from", "2020-01-01"}, []central.Operation{done, old}},
		"remitter's mobile":  {[]string{"text", "+91 98765 43210"}, []central.Operation{transfer}},
		"merchant's mobile":  {[]string{"text", mobile}, append([]central.Operation{done, waiting}, upi...)},
		"order":              {[]string{"text", "Bill 17/a"}, upi[:1]},
		"order of 4 digits":  {[]string{"text", "4711"}, upi[1:2]},
		"order of ten":       {[]string{"text", "9811111111"}, upi[2:3]},
		"UPI id":             {[]string{"text", back.ID}, []central.Operation{paid}},
		"UPI id of a return": {[]string{"text", back.Refund.ID}, []central.Operation{refund}},
		"UTR":                {[]string{"text", back.RRN}, []central.Operation{paid}},
		"UTR of a return":    {[]string{"text", back.Refund.RRN}, []central.Operation{refund}},
		"nothing":            {[]string{"text", "x' OR 1=1 --"}, nil},
		"nobody's mobile":    {[]string{"text", "9000000000"}, nil},
	} {
		reply, page := v.do(v.form("/console/find", c.fields...))
		if to := reply.Header.Get("Location"); to != "" {
			v.get(to, http.StatusOK)
			page = to // the page itself leads to what belongs to the operation, too
			if len(c.want) != 1 || strings.HasPrefix(name, "last four") {
				t.Errorf("by %s: it leads to %s", name, to)
			}
		}
		for _, o := range append([]central.Operation{done, waiting, old, transfer}, upi...) {
			want := slices.ContainsFunc(c.want, func(x central.Operation) bool { return x.ID == o.ID })
			if found := strings.Contains(page, "/console/operations/"+string(o.ID)); found != want {
				t.Errorf("by %s: operation %s is found: %v, want %v", name, o.Reference, found, want)
			}
		}
	}
	for name, fields := range map[string][]string{"nothing": {}, "no day": {"text", "7058", "from", "yesterday"}} {
		if !strings.Contains(v.post("/console/find", http.StatusUnprocessableEntity, fields...), `role="alert"`) {
			t.Errorf("%s is not refused", name)
		}
	}
	if to := v.post("/console/find", http.StatusSeeOther, "text", "2026-11-21.0.1"); to != "/console/cases/2026-11-21.0.1" {
		t.Errorf("a case's id leads to %s", to)
	}
}

// TestSearchesAreRedacted: what may be a customer's number is not sent back, and gets
// into neither log.
func TestSearchesAreRedacted(t *testing.T) {
	h := newHarness(t)
	h.seed(t)
	v := h.browser(t).enter("vikram")
	v.get("/console/find", http.StatusOK)
	const aadhaar, number = "999941057058", "9876543210"
	const grouped = "9999 4105 7058"
	var pages string
	for _, text := range []string{aadhaar, "of " + aadhaar, "of " + grouped, number} {
		pages += v.post("/console/find", http.StatusOK, "text", text)
	}
	pages += v.post("/console/find", http.StatusUnprocessableEntity, "text", aadhaar, "from", "yesterday")
	pages += v.get("/console/operations?merchant="+aadhaar, http.StatusOK) + v.get("/console/operations?least="+aadhaar+"&most="+number, http.StatusOK)
	entries, err := h.staff.Entries(t.Context(), staff.AuditQuery{Action: "operation.search", Limit: 10})
	if err != nil || len(entries) != 4 {
		t.Fatalf("%d searches are in the audit log: %v", len(entries), err)
	}
	for _, e := range entries {
		pages += e.Note + e.Subject
	}
	hasNot(t, pages+h.log.String(), aadhaar, grouped, number)
	has(t, pages, "…7058", "…3210")
	for typed, want := range map[string]string{
		"GL261121000002": "GL261121000002", "AEPS-NR-1794631347862": "AEPS-NR-1794631347862", string(shop): string(shop), "632510000001": "…0001", "of 9999410570": "of …0570", "9999 4105 7058": "…7058", "2026-11-21": "2026-11-21",
	} {
		if got := staff.RedactNumbers(typed); got != want {
			t.Errorf("%q is hushed to %q, want %q", typed, got, want)
		}
	}
}

// TestSearchIsNoOracle: who may search for a customer's number can't try a list of
// them.
func TestSearchIsNoOracle(t *testing.T) {
	h := newHarness(t)
	v, other := h.browser(t).enter("vikram"), h.browser(t).enter("ravi")
	n := 0
	for ; n < 200; n++ {
		reply, body := v.do(v.form("/console/find", "text", fmt.Sprintf("98%08d", n)))
		if reply.StatusCode == http.StatusTooManyRequests {
			has(t, body, "Try again in")
			break
		}
	}
	if n < 20 || n > 100 {
		t.Errorf("a viewer looked for %d numbers in a row", n)
	}
	other.post("/console/find", http.StatusOK, "text", "9800000000")
}
