package screen

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
	"galla/edge/told"
	"galla/edge/web/webtest"
	"galla/edge/words"
	"galla/shared/op"
)

// flows serves a customer with each of the four actions, by keyboard alone, once
// well and once with everything that breaks on the way: on a desk in English and
// on a phone in Hindi. How each state looks, the gallery judges.
func flows(t *testing.T, chromium context.Context) {
	for _, c := range []struct {
		width, height int64
		language      string
	}{{1366, 768, "en"}, {360, 740, "hi"}} {
		t.Run(fmt.Sprint(c.width, c.language), func(t *testing.T) {
			t.Parallel()
			f := newFake()
			b := webtest.Open(t, chromium, serve(t, f).URL, c.width, c.height)
			b.Go("/unlock")
			webtest.Eval[any](b, fmt.Sprintf(`(() => { const s = document.querySelector("#language"); s.value = %q; s.dispatchEvent(new Event("change", {bubbles: true})); })()`, c.language))
			b.Sees(fmt.Sprintf(`document.documentElement.lang === %q && document.readyState === "complete"`, c.language))
			b.Focused("#pin")
			b.Press("2", "5", "8", "0", kb.Enter)
			b.Sees(`document.readyState === "complete" && document.querySelector(".tiles")`)
			for i, k := range told.Kinds() {
				// What each kind says is the same at every size; the keys and the
				// steps of money and of an enquiry are tried on the phone, too.
				if c.width < 1000 && i > 1 && os.Getenv("GALLA_SHOTS") == "" {
					continue
				}
				well(b, f, i, k)
				broken(b, f, i, k)
			}
			refused(b, f, c.language)
		})
	}
}

// form fills the form of an action and sends it.
func form(b *webtest.Browser, i int, k told.Kind) {
	b.T.Helper()
	b.Go("/")
	b.Sees(`document.readyState === "complete" && document.querySelector(".tiles")`)
	b.Press(string(rune('1' + i)))
	b.Sees(`document.readyState === "complete" && document.activeElement?.matches("#aadhaar")`)
	for _, r := range webtest.CustomerAadhaar {
		b.Press(string(r))
	}
	b.Press(kb.Tab)
	b.Focused("#customer")
	b.Press("A", "s", "h", "a", kb.Tab)
	b.Focused("#iin")
	b.Press("s", "b", "i", kb.Enter, kb.Tab)
	if k.Money {
		b.Focused("#amount")
		b.Press("5", "0", "0")
	}
	b.Tab("#consent")
	b.Press(" ", kb.Enter)
}

// stands waits until the operation on the page is in a case, in its colour.
func stands(b *webtest.Browser, of, tone string) {
	b.T.Helper()
	b.Sees(fmt.Sprintf(`document.readyState === "complete" && document.querySelector("#op")?.dataset.state === %q && document.querySelector(".band").classList.contains(%q)`, of, tone))
}

// well: the bank says yes.
func well(b *webtest.Browser, f *fake, i int, k told.Kind) {
	b.T.Helper()
	form(b, i, k)
	stands(b, "ready", told.ToneAsk)
	id := f.latest(b.T)
	b.Focused("#do-capture")
	b.Press(kb.Enter)
	stands(b, "capturing", told.ToneWait)
	f.move(id, func(v *edge.View) { v.State, v.CapturedAt = op.Accepted, fakeNow })
	stands(b, "bank", told.ToneWait)
	b.Do(chromedp.Reload()) // in the middle: the page is asked for, and nothing is sent again
	stands(b, "bank", told.ToneWait)
	f.move(id, paid)
	tone := told.ToneDone
	if k.Group == "cash" {
		tone = told.ToneGive
	}
	stands(b, "succeeded", tone)
	if n := f.asked(id); n != 1 {
		b.T.Errorf("%s asked for %d fingers", k.Name, n)
	}
}

// broken: the reader is unplugged while it waits, the print is faint, the line
// breaks after sending, the bank says no; and another one is given up.
func broken(b *webtest.Browser, f *fake, i int, k told.Kind) {
	b.T.Helper()
	form(b, i, k)
	stands(b, "ready", told.ToneAsk)
	id := f.latest(b.T)
	b.Press("s")
	stands(b, "capturing", told.ToneWait)
	f.change(func(s *edge.Status) { s.Device = edge.DeviceState{Status: "NOTREADY", Name: "Mantra MFS110"} })
	f.move(id, func(v *edge.View) {
		v.Problem = &edge.CaptureError{Code: "720", Action: "retry-device", Message: "The reader is not ready. Check its cable, wait a moment and try again."}
	})
	stands(b, "problem", told.TonePending)
	b.Focused("#do-capture")
	f.change(func(s *edge.Status) { s.Device = edge.DeviceState{Status: "READY", Name: "Mantra MFS110"} })
	b.Press("s")
	stands(b, "capturing", told.ToneWait)
	f.move(id, func(v *edge.View) { v.State, v.Problem, v.CapturedAt = op.Unknown, nil, fakeNow })
	f.change(func(s *edge.Status) { s.Link = edge.LinkState{Since: fakeNow} })
	stands(b, "asking", told.ToneWait)
	f.change(func(s *edge.Status) { s.Link = edge.LinkState{Up: true, Since: fakeNow} })
	f.move(id, func(v *edge.View) {
		v.State, v.Result = op.Failed, edge.Result{StatusCode: "00", Code: "51", Status: "FAILED"}
	})
	stands(b, "declined", told.ToneStop)
	if n := f.asked(id); n != 2 {
		b.T.Errorf("%s asked for %d fingers, want 2", k.Name, n)
	}

	form(b, i, k)
	stands(b, "ready", told.ToneAsk)
	b.Press(kb.Escape)
	stands(b, "expired", told.ToneQuiet)
}

// refused: nothing begins, and no finger is asked for, while the clock is wrong
// or the line is down; what was typed stays, but for the Aadhaar number.
func refused(b *webtest.Browser, f *fake, language string) {
	b.T.Helper()
	book, err := words.Load(told.Catalogue())
	if err != nil {
		b.T.Fatal(err)
	}
	for i, refusal := range []*edge.PrecludedError{
		{Code: "clock", Message: "This computer's clock is wrong by 11m0s: the bank would refuse the fingerprint. Set the clock, then try again."},
		{Code: "link", Message: "The line is down. Nothing was asked; try again when it is back."},
	} {
		before := f.begun()
		f.mu.Lock()
		f.refuse = refusal
		f.mu.Unlock()
		if refusal.Code == "clock" {
			f.change(func(s *edge.Status) { s.Link.Offset = 11 * time.Minute })
		} else {
			f.change(func(s *edge.Status) { s.Link = edge.LinkState{Since: fakeNow} })
		}
		k := told.Kinds()[i] // a withdrawal, and an enquiry
		form(b, i, k)
		want := told.Precluded(book.In(language), refusal)
		b.Sees(fmt.Sprintf(`document.readyState === "complete" && document.querySelector(".alert")?.innerText.includes(%q)`, want))
		b.Sees(`document.querySelector("#customer").value === "Asha" && document.querySelector("#aadhaar").value === ""`)
		if text := b.Text(); refusal.Code == "clock" && strings.Count(text, "11 min") == 0 && language == "en" {
			b.T.Error("nothing says by how much the clock is wrong")
		}
		b.Look("flow-refused-" + refusal.Code)
		if f.begun() != before {
			b.T.Errorf("%s: something began", refusal.Code)
		}
	}
}

// asked is how many fingers an operation asked for.
func (f *fake) asked(id op.ID) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.captures[id]
}

// together: two operators work at one counter, each in a browser of their own, on
// a desk and on a phone. Both may press, both see the one operation as it is
// without a touch, and the cash is recorded as given by who confirmed it. That one
// finger is asked for, the counter itself holds.
func together(t *testing.T, chromium context.Context) {
	t.Parallel()
	f := newFake()
	f.others = []edge.Operator{{ID: "a1", Name: "Asha", Role: edge.RoleOperator}}
	f.status.Session.Operator, f.status.Session.By = "Fatima", edge.AgentID
	base := serve(t, f).URL
	fatima, asha := webtest.Open(t, chromium, base, 1366, 768), webtest.Open(t, chromium, base, 360, 740)
	for b, id := range map[*webtest.Browser]string{fatima: edge.AgentID, asha: "a1"} {
		b.Go("/unlock")
		b.Reads(unlockTitle)
		choose(b, id, rightPIN)
		b.Press(kb.Enter)
		b.Reads(homeTitle)
	}
	id := f.add(cashOp(func(v *edge.View) { v.State, v.Operator = op.Reserved, "Fatima" }))
	asha.Sees(`document.querySelector("#today").innerText.includes("Shivshankar Choudhury")`) // she did nothing
	for _, b := range []*webtest.Browser{fatima, asha} {
		b.Go("/op/" + string(id))
		stands(b, "ready", told.ToneAsk)
	}
	fatima.Press("s")
	webtest.Eval[any](asha, `void document.querySelector("#do-capture")?.click()`)
	for _, b := range []*webtest.Browser{fatima, asha} {
		stands(b, "capturing", told.ToneWait)
	}
	f.move(id, paid)
	for _, b := range []*webtest.Browser{fatima, asha} {
		b.Reads("GIVE CASH ₹500")
	}
	webtest.Eval[any](asha, `void document.querySelector("#do-cash").click()`)
	for _, b := range []*webtest.Browser{fatima, asha} {
		b.Reads("CASH GIVEN ₹500")
	}
	if v, err := f.Operation(id); err != nil || v.CashBy != "Asha" || v.Operator != "Fatima" {
		t.Errorf("begun by %s, cash by %s (%v)", v.Operator, v.CashBy, err)
	}
}
