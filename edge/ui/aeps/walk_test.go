package aeps

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/printing/receipt"
	"galla/edge/ui"
	"galla/edge/ui/uitest"
	"galla/shared/money"
	"galla/shared/op"
)

// serve starts the pages over a fake counter.
func serve(t *testing.T, f *fake, sections ...ui.Section) *httptest.Server {
	t.Helper()
	s, err := compose(f, testConfig(), sections...)
	if err != nil {
		t.Fatal(err)
	}
	srv := uitest.Start(t, s.Handler())
	t.Cleanup(srv.Close)
	t.Cleanup(s.Close)
	return srv
}

func testConfig() composition {
	return composition{Name: uitest.Hostname, Config: Config{
		Receipt: func(r edge.Record, _ *i18n.Localizer) ReceiptView {
			return ReceiptView{Receipt: receipt.Receipt{
				Shop: []string{"Lakshmi Kirana Store", "Terminal GAL00001"}, Title: "Cash withdrawal", Status: "SUCCESSFUL",
				Rows: []receipt.Row{{Label: "Customer", Value: r.Customer}, {Label: "Aadhaar", Value: r.Aadhaar}, {Label: "Bank", Value: r.BankName}, {Label: "Amount", Value: i18n.Rupees(r.Amount)},
					{Label: "RRN", Value: r.Result.RRN}, {Label: "STAN", Value: r.Result.STAN}, {Label: "Reference", Value: r.Result.Reference}},
				Notes: []string{"Keep this receipt."},
			}}
		},
		BankRate: func(iin string) (int, int) {
			switch iin {
			case "607094":
				return 19, 20
			case "606985":
				return 11, 16
			case "607027":
				return 3, 9
			}
			return 0, 0
		},
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}}
}

func paise(p money.Paise) *money.Paise { return &p }

// paid is the bank's approval of a withdrawal.
func paid(v *edge.View) {
	v.State = op.Succeeded
	v.Result = edge.Result{StatusCode: "00", Code: "00", Status: "SUCCESS", STAN: "004211", RRN: "632504004211", Reference: "GAL00001-004211",
		AuthCode: "A7F2K1", Balance: paise(24_500 * money.Rupee)}
}

// TestChromium checks the pages in a real Chromium; its parts run in parallel, in tabs
// with their own cookies.
func TestChromium(t *testing.T) {
	chromium := uitest.Chromium(t)
	t.Run("walk", func(t *testing.T) { walk(t, chromium) })
	t.Run("keys", func(t *testing.T) { fewKeys(t, chromium) })
	t.Run("refused", func(t *testing.T) { refusedForm(t, chromium) })
	t.Run("kept", func(t *testing.T) { keptAMinute(t, chromium) })
	t.Run("gallery", func(t *testing.T) { gallery(t, chromium) })
	t.Run("tabs", func(t *testing.T) { tabs(t, chromium) })
	t.Run("visits", func(t *testing.T) { visits(t, chromium) })
	t.Run("flows", func(t *testing.T) { flows(t, chromium) })
	t.Run("together", func(t *testing.T) { together(t, chromium) })
	t.Run("requests", func(t *testing.T) { requests(t, chromium) })
	t.Run("refreshes", func(t *testing.T) { refreshes(t, chromium) })
	t.Run("six", func(t *testing.T) { sixTiles(t, chromium) })
	t.Run("foreign", func(t *testing.T) { foreign(t, chromium) })
	t.Run("cash", func(t *testing.T) { openCash(t, chromium) })
	t.Run("sound", func(t *testing.T) { sounds(t, chromium) })
	t.Run("messages", func(t *testing.T) { receiptMessages(t, chromium) })
	t.Run("languages", func(t *testing.T) { languages(t, chromium) })
}

// walk serves a customer by keyboard alone, from the locked page to the receipt, on a
// desktop. Phones have the flows; for pictures they walk, too.
func walk(t *testing.T, chromium context.Context) {
	for _, size := range []struct{ width, height int64 }{{1366, 768}, {360, 740}} {
		if size.width < 1000 && os.Getenv("GALLA_SHOTS") == "" {
			continue
		}
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			t.Parallel()
			f := newFake()
			f.status.Session = edge.SessionState{Known: true}
			srv := serve(t, f)
			b := uitest.Open(t, chromium, srv.URL, size.width, size.height)
			signIn(b)
			authenticate(b, f)
			id := fillWithdrawal(b, f)
			withdraw(b, f, id)
		})
	}
}

func signIn(b *uitest.Browser) {
	b.Navigate("/")
	b.WaitForHeading("Unlock the counter")
	b.WaitForFocus("#pin")
	b.Press("1", "1", "1", "1", kb.Enter)
	b.WaitFor(`document.querySelector("#pin-note")?.innerText.includes("4 tries left")`)
	b.Screenshot("unlock-wrong")
	b.Press("2", "5", "8", "0")
	b.TabTo("#day")
	b.Press(" ", kb.Enter) // the day's finger comes with the first customer
	b.WaitForHeading("What does the customer need?")
	b.Screenshot("home")
}

func authenticate(b *uitest.Browser, f *fake) {
	b.Press("1") // no session: the daily authentication first
	b.WaitForHeading("Sign in for the day")
	b.WaitForFocus("#do-sign-in")
	b.Screenshot("day")
	b.Press(kb.Enter)
	b.WaitForHeading("Place the finger on the reader")
	b.Screenshot("day-capture")
	id := f.latest(b.T)
	f.move(id, func(v *edge.View) { v.State = op.Succeeded })
	f.change(func(s *edge.Status) {
		s.Session = edge.SessionState{Known: true, Active: true, ExpiresAt: fakeNow.Add(24 * time.Hour)}
	})
	b.WaitForHeading("Cash withdrawal") // by itself
}

func fillWithdrawal(b *uitest.Browser, f *fake) op.ID {
	b.WaitForFocus("#aadhaar")
	b.Screenshot("form")
	if b.Size == "1366x768" {
		if bottom := uitest.Eval[float64](b, `document.querySelector("#transaction button.main").getBoundingClientRect().bottom`); bottom > 700 {
			b.T.Errorf("the form's button ends at %.0f px: it must be seen without scrolling", bottom)
		}
	}
	b.Press("9", "9", "9", "9", "4", "1", "0", "5", "7", "0", "5", "9")
	b.WaitFor(`document.querySelector("#aadhaar-note").innerText.includes("Not a valid Aadhaar number")`)
	b.Press(kb.Backspace, "8")
	b.WaitFor(`document.querySelector("#aadhaar").closest(".field").matches(".fit")`)
	b.WaitForFocus("#customer") // by itself
	b.WaitFor(`document.querySelector("#aadhaar").value === "XXXX XXXX 7058"`)
	b.Press(kb.Enter) // all missing fields at once
	b.WaitFor(`document.querySelectorAll(".field.bad").length === 4`)
	b.Screenshot("form-errors")
	b.WaitForFocus("#customer")
	for _, r := range "Shivshankar Choudhury" {
		b.Press(string(r))
	}
	b.Press(kb.Tab)
	b.WaitForFocus("#iin")
	b.Press(kb.ArrowDown)
	b.WaitFor(`!document.querySelector("#banks").hidden`)
	b.Press("b", "a", "n", "k", " ", "b", "a", "r")
	b.Screenshot("form-banks")
	b.Press(kb.Escape)
	b.WaitFor(`document.querySelector("#banks").hidden`)
	uitest.Eval[any](b, `document.activeElement.select()`)
	b.Press("s", "b", "i", kb.Enter)
	b.WaitFor(`document.querySelector("#iin").value === "State Bank of India"`)
	// Enter has gone on to the amount.
	b.WaitForFocus("#amount")
	b.Press(kb.Tab, " ") // the first quick key
	b.WaitFor(`document.querySelector("#amount").value === "100"`)
	b.Press(kb.ArrowRight, kb.ArrowRight)
	b.WaitFor(`document.querySelector("#amount").value === "500" && document.querySelector("#amount-note").innerText.includes("five hundred rupees")`)
	shown := `[...document.querySelectorAll("#consent-text p")].filter(p => p.checkVisibility()).map(p => p.lang).join()`
	b.WaitFor(shown + ` === "en"`)
	uitest.Eval[any](b, `document.querySelector("#customer-language").focus()`)
	b.Press(kb.ArrowDown)
	b.WaitFor(shown + ` === "hi"`) // by the style sheet alone
	b.TabTo("#consent")
	b.Press(" ")
	b.Screenshot("form-filled")
	b.Press(kb.Enter)
	b.WaitForHeading("DO NOT GIVE CASH YET")
	id := f.latest(b.T)
	f.mu.Lock()
	d := f.drafts[len(f.drafts)-1]
	f.mu.Unlock()
	if d.Aadhaar.Reveal() != uitest.CustomerAadhaar || d.Amount != 500*money.Rupee || d.IIN != "607094" || d.Customer != "Shivshankar Choudhury" || d.Consent != "AEPS-HI-1" {
		b.T.Errorf("the form gave %+v", d)
	}
	return id
}

func withdraw(b *uitest.Browser, f *fake, id op.ID) {
	b.Screenshot("capture")
	f.move(id, func(v *edge.View) {
		v.Problem = &edge.CaptureError{Code: "720", Action: "retry-device", Message: "Reader not ready. Check its cable, wait a moment and try again."}
	})
	b.WaitForHeading("Reader not ready")
	b.WaitForFocus("#do-capture")
	b.Screenshot("capture-problem")
	b.Press("s")
	b.WaitForHeading("DO NOT GIVE CASH YET")
	f.move(id, func(v *edge.View) {
		v.State, v.Problem, v.CapturedAt = op.Accepted, nil, fakeNow
	})
	b.WaitFor(`document.querySelector(".steps [aria-current=step] b").innerText === "Bank"`)
	b.Screenshot("bank")
	f.move(id, func(v *edge.View) {
		v.State = op.Pending
		v.Result.Reference = "AEPS-NR-1795236240000"
	})
	b.WaitForHeading("DO NOT GIVE CASH")
	b.Screenshot("pending")
	f.move(id, paid)
	b.WaitForHeading("GIVE CASH ₹500")
	b.WaitFor(`document.title.startsWith("GIVE CASH ₹500") && document.querySelector("#say").innerText.includes("GIVE CASH")`)
	b.Screenshot("give-cash")
	b.Press("c")
	b.WaitForHeading("CASH GIVEN ₹500")
	b.Screenshot("cash-given")
	b.Press("r")
	b.WaitForHeading("Receipt")
	b.Screenshot("receipt")
	for _, width := range []float64{58, 80, 210} {
		if n := b.PrintedPages(width); n != 1 {
			b.T.Errorf("on paper of %.0f mm the receipt has %d pages", width, n)
		}
	}
	b.Press("n")
	b.WaitForHeading("What does the customer need?")
	if text := b.Text(); !strings.Contains(text, "cash given at") {
		b.T.Errorf("the first page does not show the withdrawal: %s", text)
	}
}
