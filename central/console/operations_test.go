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
	"galla/central/staff"
	"galla/shared/ist"
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
	v := h.browser(t).enter("vikram")
	v.get("/console/operations", http.StatusOK)
	today := time.Now().In(ist.Zone()).Format(time.DateOnly)
	for name, c := range map[string]struct {
		fields []string
		want   []central.Operation
	}{
		"id":                {[]string{"name", string(done.ID)}, []central.Operation{done}},
		"our reference":     {[]string{"name", " " + string(done.Reference) + " "}, []central.Operation{done}},
		"pending reference": {[]string{"name", waiting.PendingReference}, []central.Operation{waiting}},
		"RRN":               {[]string{"name", done.RRN}, []central.Operation{done}},
		"caller's own":      {[]string{"name", "order-1"}, []central.Operation{done}},
		"of a month ago":    {[]string{"name", string(old.Reference)}, []central.Operation{old}},
		"last four":         {[]string{"last4", "7058"}, []central.Operation{done}},
		"other last four":   {[]string{"last4", "1234"}, []central.Operation{waiting}},
		"last four, before": {[]string{"last4", "7058", "from", "2020-01-01"}, []central.Operation{done, old}},
		"remitter's mobile": {[]string{"mobile", "+91 98765 43210"}, []central.Operation{transfer}},
		"merchant's mobile": {[]string{"mobile", mobile}, []central.Operation{done, waiting}},
		"merchant":          {[]string{"merchant", string(shop)}, []central.Operation{done, waiting}},
		"time":              {[]string{"from", "2020-01-01", "to", today}, []central.Operation{done, waiting, old, transfer}},
		"nothing":           {[]string{"name", "x' OR 1=1 --"}, nil},
		"nobody's mobile":   {[]string{"mobile", "9000000000"}, nil},
	} {
		page := v.post("/console/operations", http.StatusOK, c.fields...)
		for _, o := range []central.Operation{done, waiting, old, transfer} {
			want := slices.ContainsFunc(c.want, func(x central.Operation) bool { return x.ID == o.ID })
			if found := strings.Contains(page, "/console/operations/"+string(o.ID)); found != want {
				t.Errorf("by %s: operation %s is found: %v, want %v", name, o.Reference, found, want)
			}
		}
	}
	for _, fields := range map[string][]string{
		"nothing": {}, "five digits": {"last4", "12345"}, "no mobile": {"mobile", "12345"}, "no day": {"from", "yesterday"},
	} {
		has(t, v.post("/console/operations", http.StatusUnprocessableEntity, fields...), `role="alert"`)
	}
}

// TestSearchesAreRedacted: what may be a customer's number is not sent back, and gets
// into neither log.
func TestSearchesAreRedacted(t *testing.T) {
	h := newHarness(t)
	h.seed(t)
	v := h.browser(t).enter("vikram")
	v.get("/console/operations", http.StatusOK)
	const aadhaar, number = "999941057058", "9876543210"
	const grouped = "9999 4105 7058"
	pages := v.post("/console/operations", http.StatusOK, "name", aadhaar) + v.post("/console/operations", http.StatusOK, "name", "of "+aadhaar) +
		v.post("/console/operations", http.StatusOK, "name", "of "+grouped) + v.post("/console/operations", http.StatusOK, "mobile", number) +
		v.post("/console/operations", http.StatusUnprocessableEntity, "last4", aadhaar) +
		v.post("/console/operations", http.StatusUnprocessableEntity, "name", aadhaar, "from", "yesterday") + v.post("/console/operations", http.StatusOK, "merchant", aadhaar)
	entries, err := h.staff.Entries(t.Context(), staff.AuditQuery{Action: "operation.search", Limit: 10})
	if err != nil || len(entries) != 5 {
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

func TestReadAnOperation(t *testing.T) {
	h := newHarness(t)
	h.seed(t)
	done, stuck := h.operation(t, 1, time.Hour, op.Succeeded), h.operation(t, 2, 8*24*time.Hour, "stuck")
	v := h.browser(t).enter("vikram")
	page := v.get("/console/operations/"+string(done.ID), http.StatusOK)
	has(t, page, "The bank executed it.", done.RRN, "XXXXXXXX7058", "order-1", "the bank answered", "SUCCESS", "received → sent", "Callback</h2><p class=\"aside\">None.")
	hasNot(t, page, "Enquire now", "Open a case")
	page = v.get("/console/operations/"+string(stuck.ID), http.StatusOK)
	has(t, page, "people have to decide", "the bank says it is in progress", "<dd>1, the next ", "recorded, before anything is sent")
	hasNot(t, page, "Enquire now", "Open a case") // a viewer only reads
	v.get("/console/operations/none", http.StatusNotFound)
	page = v.get("/console/waiting", http.StatusOK)
	has(t, page, "Stuck: 1", "Pending: 0", "8 d 0 h", "the bank says it is in progress")
	for _, want := range []string{"operation.view vikram/" + string(done.ID) + " done", "operation.view vikram/" + string(stuck.ID) + " done", "operation.list-pending vikram/ done"} {
		if !slices.Contains(h.did(t), want) {
			t.Errorf("%q is not in the audit log", want)
		}
	}
}

// TestEnquireNow makes the enquiry due, also of a stuck operation, and of none that is
// final.
func TestEnquireNow(t *testing.T) {
	h := newHarness(t)
	h.seed(t)
	done, stuck := h.operation(t, 1, time.Hour, op.Succeeded), h.operation(t, 2, 8*24*time.Hour, "stuck")
	v := h.browser(t).enter("ravi")
	has(t, v.get("/console/operations/"+string(stuck.ID), http.StatusOK), "Enquire now", "Open a case")
	if to := v.post("/console/operations/"+string(stuck.ID)+"/enquire", http.StatusSeeOther); !strings.HasSuffix(to, "?done=asked") {
		t.Errorf("it leads to %s", to)
	}
	due, err := h.db.ClaimEnquiries(t.Context(), time.Now(), time.Now().Add(time.Minute), 10)
	if err != nil || len(due) != 1 || due[0].ID != stuck.ID {
		t.Errorf("%d are due, %v", len(due), err)
	}
	has(t, v.get("/console/operations/"+string(stuck.ID), http.StatusOK), "enquiry requested by ravi")
	has(t, v.post("/console/operations/"+string(done.ID)+"/enquire", http.StatusConflict), "Its state has changed")
	v.post("/console/operations/none/enquire", http.StatusNotFound)
	if did := h.did(t); !slices.Contains(did, "operation.enquire ravi/"+string(done.ID)+" refused") || !slices.Contains(did, "operation.enquire ravi/"+string(stuck.ID)+" done") {
		t.Errorf("the audit log has %q", did)
	}
}

// TestSearchIsNoOracle: who may search for a customer's number can't try a list of
// them.
func TestSearchIsNoOracle(t *testing.T) {
	h := newHarness(t)
	v, other := h.browser(t).enter("vikram"), h.browser(t).enter("ravi")
	n := 0
	for ; n < 200; n++ {
		reply, body := v.do(v.form("/console/operations", "mobile", fmt.Sprintf("98%08d", n)))
		if reply.StatusCode == http.StatusTooManyRequests {
			has(t, body, "Try again in")
			break
		}
	}
	if n < 20 || n > 100 {
		t.Errorf("a viewer looked for %d numbers in a row", n)
	}
	other.post("/console/operations", http.StatusOK, "mobile", "9800000000")
}

// TestReceiptMessages: a message is shown beside the operation whose receipt it has, with
// its number masked, and not as money.
func TestReceiptMessages(t *testing.T) {
	h := newHarness(t)
	h.seed(t)
	of := h.operation(t, 1, time.Hour, op.Succeeded)
	message := h.operation(t, 2, time.Minute, op.Succeeded, func(o *central.Operation) {
		o.Kind, o.Route, o.Amount, o.Aadhaar = central.KindReceiptMessage, op.ReceiptMessage, 0, ""
		o.CallerRef = central.ReceiptMessageName(of.ID, "XXXXXX4321", "0123456789abcdef", 1)
	})
	v := h.browser(t).enter("vikram")
	page := v.get("/console/operations/"+string(of.ID), http.StatusOK)
	for _, part := range []string{"Receipt by SMS", "XXXXXX4321", "/console/operations/" + string(message.ID)} {
		if !strings.Contains(page, part) {
			t.Errorf("the operation's page does not show %q", part)
		}
	}
	page = v.get("/console/operations/"+string(message.ID), http.StatusOK)
	for part, want := range map[string]bool{"Receipt of": true, "/console/operations/" + string(of.ID): true, "XXXXXX4321": true, "₹": false, "Receipt by SMS": false} {
		if strings.Contains(page, part) != want {
			t.Errorf("the message's page shows %q: %v, want %v", part, !want, want)
		}
	}
}
