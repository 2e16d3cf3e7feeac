package upi

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/ui/uitest"
	"galla/shared/money"
	"galla/shared/op"
)

// payment is a payment of the order of link.
func payment(n int, amount money.Paise) edge.Record { return uitest.Payment(n, amount, "abc") }

// TestPaid: the page says PAID when the right amount was recorded, and by nothing else.
func TestPaid(t *testing.T) {
	right, wrong := payment(1, 500*money.Rupee), payment(2, 50*money.Rupee)
	for name, c := range map[string]struct {
		list      []edge.Record
		want, not []string
	}{
		"nothing":      {nil, []string{`class="qr"`, "this page shows PAID"}, []string{"PAID ₹"}},
		"paid":         {[]edge.Record{right}, []string{"PAID ₹500", "R••••h", "633000000001"}, []string{`class="qr"`}},
		"paid twice":   {[]edge.Record{right, payment(3, 500*money.Rupee)}, []string{"PAID ₹1,000 in 2 payments", "633000000003"}, []string{`class="qr"`}},
		"another":      {[]edge.Record{wrong}, []string{"₹50 received, not ₹500", `class="qr"`}, []string{"PAID ₹"}},
		"both amounts": {[]edge.Record{wrong, right}, []string{"PAID ₹550 in 2 payments"}, []string{`class="qr"`}},
		"returned":     {[]edge.Record{right, uitest.ReturnOf(right)}, []string{"Payment returned", "Returned to the customer", `class="qr"`}, []string{"PAID ₹"}},
		"paid again":   {[]edge.Record{right, uitest.ReturnOf(right), payment(4, 500*money.Rupee)}, []string{"PAID ₹500", "Returned to the customer"}, []string{`class="qr"`}},
	} {
		t.Run(name, func(t *testing.T) {
			f := uitest.NewOperations()
			f.Answer(func(edge.Request) (op.State, string) { return op.Succeeded, qrReply(link, "500.00") })
			v := open(t, f, uitest.NewCache())
			path := v.Post("/upi", http.StatusSeeOther, "amount", "500", "form", "a")
			v.Get(path, http.StatusOK)
			for _, r := range c.list {
				f.Pay(r)
			}
			f.Pay(uitest.Payment(9, 500*money.Rupee, "other"))
			for _, when := range []string{"before", "after"} { // a restart forgets the operation, not the code
				page := v.Get(path, http.StatusOK)
				uitest.Contains(t, page, c.want...)
				uitest.NotContains(t, page, c.not...)
				if t.Failed() {
					t.Fatalf("%s a restart", when)
				}
				f.Forget()
			}
			// What this page shows, the strip of the others need not.
			if left := f.Status().Unshown; len(left) != 1 || left[0].PaymentOrder() != "other" {
				t.Errorf("after the page was seen, the strip tells of %d payments, want that of another order", len(left))
			}
			if len(c.list) == 0 {
				f.Update(func(st *edge.Status) { st.Link = edge.LinkState{Problem: edge.LinkNoAnswer} })
				uitest.Contains(t, v.Get(path, http.StatusOK), "Confirmations of payments come when it is online again")
			}
		})
	}
}

// TestChromiumPaid: the page that shows a code turns into PAID by itself, within a second of
// the record.
func TestChromiumPaid(t *testing.T) {
	chromium := uitest.Chromium(t)
	for _, c := range []struct {
		width, height int64
		language      string
	}{{1366, 768, "en"}, {360, 740, "hi"}, {360, 740, "ta"}, {1366, 768, "te"}} {
		t.Run(fmt.Sprintf("%d %s", c.width, c.language), func(t *testing.T) {
			f, h := serve(t)
			b := uitest.Open(t, chromium, h.Base, c.width, c.height)
			b.Navigate("/enter?language=" + c.language + "&to=/upi")
			b.WaitForFocus("#amount")
			b.Press("5", "0", "0", kb.Enter)
			b.WaitFor(`location.pathname.length > 10 && document.querySelector(".banner.wait")`)
			f.AnswerAll(func(edge.Request) (op.State, string) { return op.Succeeded, qrReply(link, "500.00") })
			b.WaitFor(`document.querySelector("svg.qr")`)
			b.Screenshot(c.language + "-upi-waits")
			f.Pay(payment(2, 50*money.Rupee))
			b.WaitFor(`document.querySelector(".banner.pending") && document.querySelector("svg.qr")`)
			b.Screenshot(c.language + "-upi-other")
			begun := time.Now()
			f.Pay(payment(1, 500*money.Rupee))
			b.WaitFor(`document.querySelector(".banner.done") && !document.querySelector("svg.qr")`)
			t.Logf("PAID after %s", time.Since(begun).Round(time.Millisecond))
			b.Screenshot(c.language + "-upi-paid")
			f.Pay(uitest.ReturnOf(payment(1, 500*money.Rupee)))
			b.WaitFor(`!document.querySelector(".banner.done")`)
			b.Screenshot(c.language + "-upi-returned")
		})
	}
}
