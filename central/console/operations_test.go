package console

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/central/payments"
	"galla/shared/op"
)

func TestReadAnOperation(t *testing.T) {
	h := newHarness(t)
	h.seed(t)
	done, stuck := h.operation(t, 1, time.Hour, op.Succeeded), h.operation(t, 2, 8*24*time.Hour, "stuck")
	v := h.browser(t).enter("vikram")
	page := v.get("/console/operations/"+string(done.ID), http.StatusOK)
	has(t, page, `<td class="num nowrap">&#43;1.000 s</td>`, "No other operation.", `<dd data-copy>`+string(done.ID)+`</dd>`)
	has(t, page, "The bank executed it.", done.RRN, "XXXXXXXX7058", "order-1", "the bank answered", "SUCCESS", "received → sent", "Callback</h2><p class=\"aside\">No callback.")
	hasNot(t, page, "Enquire now", "Open a case")
	if err := h.db.OpenSession(t.Context(), central.AgentSession{TID: done.TID, OpenedAt: done.CreatedAt.Add(-time.Millisecond), ExpiresAt: done.CreatedAt.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	hasNot(t, page, "Agent's session")
	has(t, v.get("/console/operations/"+string(done.ID), http.StatusOK), "<p>Agent's session of TID GAL00001<br>")
	page = v.get("/console/operations/"+string(stuck.ID), http.StatusOK)
	has(t, page, "people have to decide", "the bank says it is in progress", "<dd>1, next <time ", "<h2>Activity</h2>", "recorded, before anything is sent")
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

// TestReadAPayment: the page of a payment says who paid whom for what, and what became of
// it; the page of its return leads to it.
func TestReadAPayment(t *testing.T) {
	h := newHarness(t)
	h.seed(t)
	err := h.db.AddCode(t.Context(), payments.Code{Merchant: shop, TR: "order-17", Amount: 1250, Order: "ORDER 17", MadeAt: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	paid := h.payment(t, 1, func(r *central.ReceivedPayment) { r.TR = "order-17" })
	static := h.payment(t, 2)
	lost := h.payment(t, 3, func(r *central.ReceivedPayment) { r.Payee, r.PayerName, r.PayerVPA = "nobody@gallabank", "", "" })
	back := h.payment(t, 4, returned)
	v := h.browser(t).enter("vikram")
	read := func(o op.ID) string { return v.get("/console/operations/"+string(o), http.StatusOK) }
	page := read(paid.Operation)
	has(t, page, "The network received it by UPI.", "UPI payment ₹12.50", "<dt>Payer</dt><dd>R••••h K••••r</dd>", "<dt>Payer's VPA</dt><dd>ra••••@okbank</dd>", "<dt>Paid to</dt><dd>gal0000001@gallabank</dd>",
		"<dt>Order</dt><dd>ORDER 17</dd>", "<dt>tr of the QR code</dt><dd>order-17</dd>", "<dt>Matched to</dt><dd>the order&#39;s own QR code</dd>",
		"<dt>Network's ID</dt><dd>"+paid.ID+"</dd>", "<dt>RRN (UTR)</dt><dd>"+paid.RRN+"</dd>", "<dt>Recorded from</dt><dd>a notification</dd>", "<dt>Returned</dt><dd>no</dd>", string(shop))
	hasNot(t, page, "Our reference", "Identity", "Sent to the bank", "sent to the bank", "STAN", "Enquire now", "Open a case")
	has(t, read(static.Operation), "no order: the static QR code, or the VPA")
	page = read(lost.Operation)
	has(t, page, "none: nobody has the VPA", `<span class="warn">no merchant has this VPA</span>`, "<dt>Payer</dt><dd>not told</dd>")
	hasNot(t, page, `href="/console/merchants/"`)
	page = read(back.Operation)
	has(t, page, "the bank returned it to the payer", `<a href="/console/operations/`+string(back.RefundOperation)+`">`+back.Refund.ID+"</a>", "<dt>Return's RRN</dt><dd>"+back.Refund.RRN+"</dd>")
	page = read(back.RefundOperation)
	has(t, page, "The bank returned the payment to its payer.", "UPI payment returned ₹12.50", `<a href="/console/operations/`+string(back.Operation)+`">`+back.ID+"</a>", "<dt>Return's ID</dt><dd>"+back.Refund.ID+"</dd>")
	hasNot(t, page, "Refund of")
	hasNot(t, read(h.operation(t, 9, time.Minute, op.Succeeded).ID), "Payment by UPI")
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
	for part, want := range map[string]bool{"Receipt of": true, "/console/operations/" + string(of.ID): true, "XXXXXX4321": true, "₹": false, "<h2>Receipt by SMS</h2>": false} {
		if strings.Contains(page, part) != want {
			t.Errorf("the message's page shows %q: %v, want %v", part, !want, want)
		}
	}
}
