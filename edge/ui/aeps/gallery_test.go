package aeps

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/ui/uitest"
	"galla/shared/money"
	"galla/shared/op"
)

// cashOp is a withdrawal of 500 rupees in a state.
func cashOp(alter func(*edge.View)) edge.View {
	v := edge.View{Record: edge.Record{
		Route: op.Withdrawal, User: "Fatima", Customer: "Shivshankar Choudhury", Aadhaar: "XXXXXXXX7058", IIN: "607094",
		BankName: "State Bank of India", Amount: 500 * money.Rupee, CreatedAt: fakeNow.Add(-time.Minute), Consent: "AEPS-EN-1",
	}}
	alter(&v)
	return v
}

// galleryRecords is a counter's operations in every state that a page can show.
var galleryRecords = []struct {
	name    string
	view    edge.View
	heading string
	want    string // must be on the page
}{
	{"ready", cashOp(func(v *edge.View) { v.State = op.Reserved }), "Ask for the finger", "Capture fingerprint"},
	{"problem", cashOp(func(v *edge.View) {
		v.State, v.Problem = op.Reserved, &edge.CaptureError{Code: "700", Action: "retry-customer", Message: "No finger detected. Ask the customer to place the finger again."}
	}), "No finger detected", "Nothing has been sent"},
	{"waiting", cashOp(func(v *edge.View) { v.State, v.Deadline = op.Queued, fakeNow.Add(90*time.Second) }), "DO NOT GIVE CASH YET", "Sending to the bank"},
	{"sent", cashOp(func(v *edge.View) { v.State = op.Sent }), "DO NOT GIVE CASH YET", "Sending to the bank"},
	{"bank", cashOp(func(v *edge.View) { v.State = op.Accepted }), "DO NOT GIVE CASH YET", "Sent. Waiting for the bank…"},
	{"unknown", cashOp(func(v *edge.View) { v.State = op.Unknown }), "DO NOT GIVE CASH", "We check the result and show it here"},
	{"pending", cashOp(func(v *edge.View) { v.State, v.Result.Reference = op.Pending, "AEPS-NR-1795236240000" }), "DO NOT GIVE CASH",
		"Bank has not answered. Do not give cash. We ask the bank again and show the result here."},
	{"paid", cashOp(paid), "GIVE CASH ₹500", "Count five hundred rupees"},
	{"given", cashOp(func(v *edge.View) { paid(v); v.CashGivenAt = fakeNow }), "CASH GIVEN ₹500", "Do not give it again"},
	{"declined", cashOp(func(v *edge.View) {
		v.State, v.Result = op.Failed, edge.Result{StatusCode: "00", Message: "Transaction failed", Code: "51", Status: "FAILED", STAN: "004212"}
	}), "DO NOT GIVE CASH", "There is not enough money in the account."},
	{"unreached", cashOp(func(v *edge.View) {
		v.State, v.Result = op.Failed, edge.Result{StatusCode: "10", Message: "Bank network unreachable; nothing was sent"}
	}), "DO NOT GIVE CASH", "nothing was sent"},
	{"reversed", cashOp(func(v *edge.View) { v.State, v.Result.Code = op.Reversed, "91" }), "DO NOT GIVE CASH", "gave it back to the customer"},
	{"expired", cashOp(func(v *edge.View) {
		v.State, v.Reason = op.Expired, edge.ReasonTooLate
	}), "DO NOT GIVE CASH", "No money moved"},
	{"not-sent", cashOp(func(v *edge.View) {
		v.State, v.Reason = op.NotSent, edge.ReasonNeverArrived
	}), "DO NOT GIVE CASH", "refuses it if it still arrives"},
	{"pay", cashOp(func(v *edge.View) {
		v.Route, v.State, v.Amount = op.Purchase, op.Succeeded, 1_250_50
	}), "PAID ₹1,250.50", "do not give cash"},
	{"pay-pending", cashOp(func(v *edge.View) { v.Route, v.State = op.Purchase, op.Pending }), "NOT PAID YET", "Do not hand over goods or cash"},
	{"balance", cashOp(func(v *edge.View) {
		v.Route, v.State, v.Amount, v.Volatile = op.Balance, op.Succeeded, 0, true
		v.Result.Balance = paise(1_23_456_70)
	}), "Balance ₹1,23,456.70", "No money moved"},
	{"statement", cashOp(func(v *edge.View) {
		v.Route, v.State, v.Amount, v.Volatile = op.MiniStatement, op.Succeeded, 0, true
		v.Result.MiniStatement = []string{"12/11 UPI/SHARMA STORES D 250.00", "14/11 MGNREGA WAGES     C 2310.00", "17/11 ATM WDL PUNE CAMP D 1000.00",
			"NEFT CHARGES REVERSAL", "20/11 AEPS CASH WDL    D 500.00", "Balance:+12450.75"}
	}), "Mini statement", "₹2,310.00"},
	{"pending-late", cashOp(func(v *edge.View) {
		v.State, v.SentAt = op.Pending, fakeNow.AddDate(0, 0, -8)
		v.Result = edge.Result{Reference: "AEPS-NR-1795250109123"}
	}), "DO NOT GIVE CASH", "₹300"},
	{"faint", cashOp(func(v *edge.View) {
		v.State, v.Problem = op.Reserved, &edge.CaptureError{Action: "retry-customer", Quality: 31, Message: "The fingerprint is faint. Wipe the finger and the glass, press flat, and try again."}
	}), "Ask for the finger again", "31"},
	{"wrong-finger", cashOp(func(v *edge.View) {
		v.State, v.Quality, v.Result = op.Failed, 82, edge.Result{StatusCode: "00", Code: "U3", Status: "FAILED", STAN: "004213"}
	}), "DO NOT GIVE CASH", "82"},
	{"not-signed-in", cashOp(func(v *edge.View) {
		v.Route, v.State, v.Amount, v.BankName, v.Volatile, v.Customer = op.ReqAuth, op.Failed, 0, "", true, "Fatima"
		v.Result = edge.Result{StatusCode: "00", Code: "U3"}
	}), "Not signed in", "Try again"},
}

// gallery checks every state of an operation, the lists, and a counter with problems, at
// both sizes.
func gallery(t *testing.T, chromium context.Context) {
	for _, size := range []struct{ width, height int64 }{{1366, 768}, {360, 740}} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			t.Parallel()
			f := newFake()
			srv := serve(t, f)
			b := uitest.Open(t, chromium, srv.URL, size.width, size.height)
			b.ScreenshotCount = 20
			shot := b.Check
			b.Navigate("/")
			b.Press("2", "5", "8", "0", kb.Enter)
			b.WaitForHeading("What does the customer need?")
			for _, s := range galleryRecords {
				id := f.add(s.view)
				b.Navigate("/op/" + string(id))
				b.WaitForHeading(s.heading)
				shot("op-" + s.name)
			}
			b.Navigate("/")
			shot("home-busy")
			b.Navigate("/new/statement")
			shot("form-statement")
			f.change(func(s *edge.Status) {
				s.Link = edge.LinkState{Since: fakeNow.Add(-7 * time.Minute), Problem: edge.LinkNoNetwork, Offset: 7 * time.Minute}
				s.Reader = edge.ReaderState{Status: "NOTREADY", Name: "Mantra MFS110", Problem: "Check the cable of the reader."}
				s.Warnings = []edge.Warning{{Kind: edge.WarningSetAside, Names: []string{"queue.db.damaged-20261121"}}}
				s.Session = edge.SessionState{Known: true}
			})
			b.WaitFor(`document.querySelectorAll("#trouble .trouble").length === 2`)
			b.WaitFor(`document.querySelector("#readiness").innerText.includes("Offline since 10:07")`)
			b.Navigate("/new/statement") // what appears later moves nothing
			b.WaitForHeading("Sign in for the day")
			f.change(func(s *edge.Status) { s.Session.Active = true })
			b.Navigate("/new/statement")
			shot("form-trouble")
			f.change(func(s *edge.Status) { s.Session.Active = false })
			b.Navigate("/")
			shot("home-trouble")
			b.Press("l")
			b.WaitForHeading("Offline since 10:07")
			shot("offline")
			b.Navigate("/sign-in")
			shot("day-trouble")
			b.Navigate("/nowhere")
			b.WaitForHeading("Page not found")
			shot("nowhere")
		})
	}
}
