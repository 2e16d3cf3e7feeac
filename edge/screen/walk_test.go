package screen

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/shared/money"
	"galla/shared/op"
)

// serve starts a screen over a fake counter.
func serve(t *testing.T, f *fake) *httptest.Server {
	t.Helper()
	s, err := New(f, testConfig())
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s.Handler())
	t.Cleanup(srv.Close)
	t.Cleanup(s.close)
	return srv
}

func testConfig() Config {
	return Config{
		Explain: func(code string) (string, string) {
			if code == "51" {
				return "Insufficient funds", "Offer a smaller amount, or a balance enquiry first."
			}
			return "", "Note the code and call support."
		},
		Receipt: func(r edge.Record) ReceiptView {
			return ReceiptView{
				Shop: []string{"Lakshmi Kirana Store", "Terminal GAL00001"}, Title: "Cash withdrawal", Status: "SUCCESSFUL",
				Rows: []ReceiptLine{{"Customer", r.Customer}, {"Aadhaar", r.Aadhaar}, {"Bank", r.BankName}, {"Amount", rupees(r.Amount)},
					{"RRN", r.Result.RRN}, {"STAN", r.Result.STAN}, {"Reference", r.Result.Reference}},
				Notes: []string{"Keep this receipt."},
			}
		},
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
}

func paise(p money.Paise) *money.Paise { return &p }

// paid is the bank's yes to a withdrawal.
func paid(v *edge.View) {
	v.State = op.Succeeded
	v.Result = edge.Result{StatusCode: "00", Code: "00", Status: "SUCCESS", STAN: "004211", RRN: "632504004211", Reference: "GAL00001-004211",
		AuthCode: "A7F2K1", Balance: paise(24_500 * money.Rupee)}
}

// walk serves a customer by keyboard alone, from the locked screen to the
// receipt, on a desktop and on a phone.
func walk(t *testing.T, chromium context.Context) {
	for _, size := range []struct{ width, height int64 }{{1366, 768}, {360, 740}} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			t.Parallel()
			f := newFake()
			f.status.Session = edge.SessionState{Known: true}
			srv := serve(t, f)
			b := newBrowser(t, chromium, srv.URL, size.width, size.height)
			signIn(b)
			authenticate(b, f)
			id := fillWithdrawal(b, f)
			withdraw(b, f, id)
		})
	}
}

func signIn(b *browser) {
	b.open("/")
	b.reads("Unlock the counter")
	b.focused("#pin")
	b.press("1", "1", "1", "1", kb.Enter)
	b.sees(`document.querySelector("#pin-note")?.innerText.includes("4 tries are left")`)
	b.shot("unlock-wrong")
	b.press("2", "5", "8", "0", kb.Enter)
	b.reads("What does the customer want?")
	b.shot("home")
}

func authenticate(b *browser, f *fake) {
	b.press("1") // no session: the day comes first
	b.reads("Sign in for the day")
	b.focused("#do-day")
	b.shot("day")
	b.press(kb.Enter)
	b.reads("Your own finger")
	b.focused("#do-capture")
	b.press(kb.Enter)
	b.reads("Finger on the reader")
	b.shot("day-capture")
	id := f.latest(b.t)
	f.move(id, func(v *edge.View) { v.State = op.Succeeded })
	f.change(func(s *edge.Status) {
		s.Session = edge.SessionState{Known: true, Active: true, ExpiresAt: fakeNow.Add(24 * time.Hour)}
	})
	b.reads("Signed in for the day")
	b.focused("#do-continue")
	b.shot("day-done")
	b.press(kb.Enter)
	b.reads("Cash withdrawal")
}

func fillWithdrawal(b *browser, f *fake) op.ID {
	b.focused("#aadhaar")
	b.shot("form")
	if b.size == "1366x768" {
		if bottom := eval[float64](b, `document.querySelector("form.deal button.main").getBoundingClientRect().bottom`); bottom > 700 {
			b.t.Errorf("the form's button ends at %.0f px: it must be seen without scrolling", bottom)
		}
	}
	b.press("9", "9", "9", "9", "4", "1", "0", "5", "7", "0", "5", "9")
	b.sees(`document.querySelector("#aadhaar-note").innerText.includes("A digit is wrong")`)
	b.press(kb.Backspace, "8")
	b.sees(`document.querySelector("#aadhaar").value === "9999 4105 7058" && document.querySelector("#aadhaar-note").innerText.includes("well-formed")`)
	b.press(kb.Tab)
	b.focused("#customer")
	b.sees(`document.querySelector("#aadhaar").value === "XXXX XXXX 7058"`)
	b.press(kb.Enter) // everything that is missing, at once
	b.sees(`document.querySelectorAll(".field.bad").length === 4`)
	b.shot("form-errors")
	b.focused("#customer")
	for _, r := range "Shivshankar Choudhury" {
		b.press(string(r))
	}
	b.press(kb.Tab)
	b.focused("#iin")
	b.press(kb.ArrowDown)
	b.sees(`!document.querySelector("#banks").hidden`)
	b.press("b", "a", "n", "k", " ", "b", "a", "r")
	b.shot("form-banks")
	b.press(kb.Escape)
	b.sees(`document.querySelector("#banks").hidden`)
	eval[any](b, `document.activeElement.select()`)
	b.press("s", "b", "i", kb.Enter)
	b.sees(`document.querySelector("#iin").value === "State Bank of India"`)
	b.press(kb.Tab)
	b.focused("#amount")
	b.press(kb.Tab, " ") // the first quick key
	b.sees(`document.querySelector("#amount").value === "100"`)
	b.press(kb.ArrowRight, kb.ArrowRight)
	b.sees(`document.querySelector("#amount").value === "500" && document.querySelector("#amount-note").innerText.includes("five hundred rupees")`)
	b.tab("#consent")
	b.press(" ")
	b.shot("form-filled")
	b.press(kb.Enter)
	b.reads("Ask for the finger")
	id := f.latest(b.t)
	f.mu.Lock()
	d := f.drafts[len(f.drafts)-1]
	f.mu.Unlock()
	if d.Aadhaar.Reveal() != customerAadhaar || d.Amount != 500*money.Rupee || d.IIN != "607094" || d.Customer != "Shivshankar Choudhury" || d.Consent == "" {
		b.t.Errorf("the form gave %+v", d)
	}
	return id
}

func withdraw(b *browser, f *fake, id op.ID) {
	b.focused("#do-capture")
	b.shot("capture-ready")
	b.press(kb.Enter)
	b.reads("DO NOT GIVE CASH YET")
	b.shot("capture")
	f.move(id, func(v *edge.View) {
		v.Problem = &edge.CaptureError{Code: "720", Action: "retry-device", Message: "The reader is not ready. Check its cable, wait a moment and try again."}
	})
	b.reads("The reader is not ready")
	b.focused("#do-capture")
	b.shot("capture-problem")
	b.press("s")
	b.reads("DO NOT GIVE CASH YET")
	f.move(id, func(v *edge.View) {
		v.State, v.Problem, v.CapturedAt = op.Accepted, nil, fakeNow
	})
	b.sees(`document.querySelector(".steps [aria-current=step] b").innerText === "Bank"`)
	b.shot("bank")
	f.move(id, func(v *edge.View) {
		v.State = op.Pending
		v.Result.Reference = "AEPS-NR-1795236240000"
	})
	b.reads("DO NOT GIVE CASH")
	b.shot("pending")
	f.move(id, paid)
	b.reads("GIVE CASH ₹500")
	b.sees(`document.title.startsWith("GIVE CASH ₹500") && document.querySelector("#say").innerText.includes("GIVE CASH")`)
	b.shot("give-cash")
	b.press("c")
	b.reads("CASH GIVEN ₹500")
	b.shot("cash-given")
	b.press("r")
	b.reads("Receipt")
	b.shot("receipt")
	for _, width := range []float64{58, 80, 210} {
		if n := b.prints(width); n != 1 {
			b.t.Errorf("on paper of %.0f mm the receipt has %d pages", width, n)
		}
	}
	b.press("n")
	b.reads("What does the customer want?")
	if text := b.text(); !strings.Contains(text, "cash given at") {
		b.t.Errorf("the first page does not show the withdrawal: %s", text)
	}
}
