package aeps

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/ui/uitest"
	"galla/shared/op"
)

// flows serves a customer with each of the four transactions, by keyboard alone: those with
// money on a desktop in English, the enquiries on a phone in Hindi. One of each meets every
// fault, too. The gallery checks how each state looks.
func flows(t *testing.T, chromium context.Context) {
	for _, c := range []struct {
		width, height int64
		language      string
	}{{1366, 768, "en"}, {360, 740, "hi"}} {
		t.Run(fmt.Sprint(c.width, c.language), func(t *testing.T) {
			t.Parallel()
			f := newFake()
			b := uitest.Open(t, chromium, serve(t, f).URL, c.width, c.height)
			b.Navigate("/unlock")
			uitest.Eval[any](b, fmt.Sprintf(`(() => { const s = document.querySelector("#language"); s.value = %q; s.dispatchEvent(new Event("change", {bubbles: true})); })()`, c.language))
			b.WaitFor(fmt.Sprintf(`document.documentElement.lang === %q && document.readyState === "complete"`, c.language))
			b.WaitForFocus("#pin")
			b.Press("2", "5", "8", "0", kb.Enter)
			b.WaitFor(`document.readyState === "complete" && document.querySelector(".tiles")`)
			for i, k := range outcome.AEPSKinds() {
				// The texts are the same at every size. The desktop tries the transactions with
				// money, the phone the enquiries; of each kind, the first meets the faults.
				if phone := c.width < 1000; phone == k.Money && os.Getenv("GALLA_SHOTS") == "" {
					continue
				}
				happyFlow(b, f, i, k)
				if i < 2 {
					faultyFlow(b, f, i, k)
				}
			}
			refusedFlow(b, f, c.language)
		})
	}
}

// form fills the form of an action and sends it.
func form(b *uitest.Browser, i int, k outcome.Kind) {
	b.T.Helper()
	b.Navigate("/")
	b.WaitFor(`document.readyState === "complete" && document.querySelector(".tiles")`)
	b.Press(string(rune('1' + i)))
	b.WaitFor(`document.readyState === "complete" && document.activeElement?.matches("#aadhaar")`)
	b.Press(uitest.CustomerAadhaar)
	b.WaitForFocus("#customer")
	b.Press("Asha" + kb.Tab)
	b.WaitForFocus("#iin")
	b.Press("sbi" + kb.Enter)
	if k.Money {
		b.WaitForFocus("#amount")
		b.Press("500" + kb.Enter)
	}
	b.WaitForFocus("#consent")
	b.Press(" " + kb.Enter)
}

// waitForCase waits until the operation on the page is in a case, with its colour.
func waitForCase(b *uitest.Browser, of, tone string) {
	b.T.Helper()
	b.WaitFor(fmt.Sprintf(`document.readyState === "complete" && document.querySelector("#op")?.dataset.state === %q && document.querySelector(".banner").classList.contains(%q)`, of, tone))
}

// happyFlow: the bank approves.
func happyFlow(b *uitest.Browser, f *fake, i int, k outcome.Kind) {
	b.T.Helper()
	form(b, i, k)
	waitForCase(b, "capturing", outcome.ToneWait)
	id := f.latest(b.T)
	f.move(id, func(v *edge.View) { v.State, v.CapturedAt = op.Accepted, fakeNow })
	waitForCase(b, "bank", outcome.ToneWait)
	b.Do(chromedp.Reload()) // a reload in the middle sends nothing again
	waitForCase(b, "bank", outcome.ToneWait)
	f.move(id, paid)
	tone := outcome.ToneDone
	if k.Group == "cash" {
		tone = outcome.ToneGive
	}
	waitForCase(b, "succeeded", tone)
	if n := f.asked(id); n != 1 {
		b.T.Errorf("%s asked for %d fingers", k.Name, n)
	}
}

// faultyFlow: the reader is unplugged during the capture, the print is faint, the
// connection breaks after sending, the bank declines; another operation is cancelled.
func faultyFlow(b *uitest.Browser, f *fake, i int, k outcome.Kind) {
	b.T.Helper()
	form(b, i, k)
	waitForCase(b, "capturing", outcome.ToneWait)
	id := f.latest(b.T)
	f.change(func(s *edge.Status) { s.Reader = edge.ReaderState{Status: "NOTREADY", Name: "Mantra MFS110"} })
	f.move(id, func(v *edge.View) {
		v.Problem = &edge.CaptureError{Code: "720", Action: "retry-device", Message: "Reader not ready. Check its cable, wait a moment and try again."}
	})
	waitForCase(b, "problem", outcome.TonePending)
	b.WaitForFocus("#do-capture")
	f.change(func(s *edge.Status) { s.Reader = edge.ReaderState{Status: "READY", Name: "Mantra MFS110"} })
	b.Press("s")
	waitForCase(b, "capturing", outcome.ToneWait)
	f.move(id, func(v *edge.View) { v.State, v.Problem, v.CapturedAt = op.Unknown, nil, fakeNow })
	f.change(func(s *edge.Status) { s.Link = edge.LinkState{Since: fakeNow} })
	waitForCase(b, "asking", outcome.ToneWait)
	f.change(func(s *edge.Status) { s.Link = edge.LinkState{Online: true, Since: fakeNow} })
	f.move(id, func(v *edge.View) {
		v.State, v.Result = op.Failed, edge.Result{StatusCode: "00", Code: "51", Status: "FAILED"}
	})
	waitForCase(b, "declined", outcome.ToneStop)
	if n := f.asked(id); n != 2 {
		b.T.Errorf("%s asked for %d fingers, want 2", k.Name, n)
	}

	form(b, i, k)
	waitForCase(b, "capturing", outcome.ToneWait)
	b.Press(kb.Escape)
	waitForCase(b, "expired", outcome.ToneQuiet)
}

// refusedFlow: nothing starts, and no finger is captured, while the clock is wrong or the
// counter is offline; typed values stay, the Aadhaar number masked.
func refusedFlow(b *uitest.Browser, f *fake, language string) {
	b.T.Helper()
	book, err := i18n.Load(outcome.Catalogue())
	if err != nil {
		b.T.Fatal(err)
	}
	for i, refusal := range []*edge.PreconditionError{
		{Code: edge.PreconditionClock},
		{Code: edge.PreconditionLink},
	} {
		before := f.begun()
		f.mu.Lock()
		f.refuse = refusal
		f.mu.Unlock()
		if refusal.Code == edge.PreconditionClock {
			f.change(func(s *edge.Status) { s.Link.Offset = 11 * time.Minute })
		} else {
			f.change(func(s *edge.Status) { s.Link = edge.LinkState{Since: fakeNow} })
		}
		k := outcome.AEPSKinds()[i] // a withdrawal, and an enquiry
		form(b, i, k)
		want := outcome.PreconditionText(book.Localizer(language), refusal)
		b.WaitFor(fmt.Sprintf(`document.readyState === "complete" && document.querySelector(".alert")?.innerText.includes(%q)`, want))
		b.WaitFor(`document.querySelector("#customer").value === "Asha" && document.querySelector("#aadhaar").value === "XXXX XXXX 7058"`)
		if text := b.Text(); refusal.Code == edge.PreconditionClock && strings.Count(text, "11 min") == 0 && language == "en" {
			b.T.Error("nothing says by how much the clock is wrong")
		}
		b.Check("flow-refused-" + string(refusal.Code))
		if f.begun() != before {
			b.T.Errorf("%s: something began", refusal.Code)
		}
	}
}

// asked is how often an operation asked for a finger.
func (f *fake) asked(id op.ID) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.captures[id]
}

// together: two users work at one counter, each in a browser of their own, on a desktop
// and a phone. Both may press, both see the operation change by itself, and the cash is
// recorded for who confirmed it. The counter itself ensures that one finger is captured.
func together(t *testing.T, chromium context.Context) {
	t.Parallel()
	f := newFake()
	f.others = []edge.User{{ID: "a1", Name: "Asha", Role: edge.RoleOperator}}
	f.status.Session.User, f.status.Session.UserID = "Fatima", edge.AgentID
	base := serve(t, f).URL
	fatima, asha := uitest.Open(t, chromium, base, 1366, 768), uitest.Open(t, chromium, base, 360, 740)
	for b, id := range map[*uitest.Browser]string{fatima: edge.AgentID, asha: "a1"} {
		b.Navigate("/unlock")
		b.WaitForHeading(unlockTitle)
		choose(b, id, rightPIN)
		b.Press(kb.Enter)
		b.WaitForHeading(homeTitle)
	}
	id := f.add(cashOp(func(v *edge.View) { v.State, v.User = op.Reserved, "Fatima" }))
	asha.WaitFor(`document.querySelector("#alerts").innerText.includes("Shivshankar Choudhury")`) // she did nothing
	for _, b := range []*uitest.Browser{fatima, asha} {
		b.Navigate("/op/" + string(id))
		waitForCase(b, "ready", outcome.ToneAsk)
	}
	fatima.Press("s")
	uitest.Eval[any](asha, `void document.querySelector("#do-capture")?.click()`)
	for _, b := range []*uitest.Browser{fatima, asha} {
		waitForCase(b, "capturing", outcome.ToneWait)
	}
	f.move(id, paid)
	for _, b := range []*uitest.Browser{fatima, asha} {
		b.WaitForHeading("GIVE CASH ₹500")
	}
	uitest.Eval[any](asha, `void document.querySelector("#do-cash").click()`)
	for _, b := range []*uitest.Browser{fatima, asha} {
		b.WaitForHeading("CASH GIVEN ₹500")
	}
	if v, err := f.Operation(id); err != nil || v.CashBy != "Asha" || v.User != "Fatima" {
		t.Errorf("begun by %s, cash by %s (%v)", v.User, v.CashBy, err)
	}
}
