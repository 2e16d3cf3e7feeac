package send

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/web/webtest"
	"galla/edge/words"
	"galla/shared/op"
)

// seats are the shopkeeper's phone and cheap PC, each in a language.
var seats = []struct {
	width, height int64
	language      string
}{{360, 740, "hi"}, {1366, 768, "en"}}

// TestBrowser looks at the pages in a real Chromium; its parts run side by side,
// in tabs with cookies of their own.
func TestBrowser(t *testing.T) {
	chromium := webtest.Chromium(t)
	for _, at := range seats {
		t.Run(fmt.Sprint("story", at.width, at.language), func(t *testing.T) { story(t, chromium, at.width, at.height, at.language) })
		t.Run(fmt.Sprint("broken", at.width, at.language), func(t *testing.T) { broken(t, chromium, at.width, at.height, at.language) })
	}
	for _, language := range []string{"ta", "te", "mr", "bn"} {
		t.Run(language, func(t *testing.T) { gallery(t, chromium, language) })
	}
}

// tab is an agent in a browser's tab, in one flow.
type tab struct {
	*webtest.Browser
	c    *counter
	said *words.Words
}

// sit opens the room in a browser's tab.
func sit(t *testing.T, chromium context.Context, c *counter, s *shelf, width, height int64, language string) *tab {
	t.Helper()
	h := webtest.Serve(t, c, newRoom(t, c, s))
	b := &tab{webtest.Open(t, chromium, h.Base, width, height), c, h.Kit.In(language)}
	b.Go("/enter?to=/send&language=" + language)
	b.Focused("#mobile")
	return b
}

// types sends keys one by one, as a person does.
func (b *tab) types(text string) {
	b.T.Helper()
	for _, r := range text {
		b.Press(string(r))
	}
}

// at waits for the page of a step.
func (b *tab) at(s Step) {
	b.T.Helper()
	b.Sees(fmt.Sprintf(`document.readyState === "complete" && document.querySelector("main [data-step]")?.dataset.step === %q`, s))
}

// click presses a button.
func (b *tab) click(selector string) {
	b.T.Helper()
	b.Sees(fmt.Sprintf(`document.querySelector(%q)`, selector))
	webtest.Eval[any](b.Browser, fmt.Sprintf(`void document.querySelector(%q).click()`, selector))
}

// notes waits until a field's note says a text.
func (b *tab) notes(selector, key string) {
	b.T.Helper()
	b.Sees(fmt.Sprintf(`document.querySelector(%q)?.innerText.includes(%q)`, selector, b.said.Say(key)))
}

// keep counts what the counter was asked, by route.
func (c *counter) once(t testing.TB, routes ...op.RouteID) {
	t.Helper()
	for _, r := range routes {
		if n := c.times(r); n != 1 {
			t.Errorf("%s was asked for %d times", r, n)
		}
	}
}

// end gives an operation of a route its outcome, and rings.
func (c *counter) end(route op.RouteID, alter func(*edge.View)) {
	c.mu.Lock()
	for id, v := range c.known {
		if v.Route == route && !v.State.Final() {
			alter(&v)
			c.known[id] = v
		}
	}
	c.mu.Unlock()
	c.Change(func(*edge.Status) {})
}

// story serves a customer whom nobody knows, from the mobile number to the
// refund, by keyboard where there is one.
func story(t *testing.T, chromium context.Context, width, height int64, language string) {
	t.Parallel()
	c := newCounter()
	c.replies[op.CustomerDetail] = `{"statusCode":"01","message":"Customer not found"}`
	c.replies[op.RemitterDetails] = `{"statusCode":"01","message":"sender not found"}`
	b := sit(t, chromium, c, &shelf{}, width, height, language)
	b.Shot("start")
	b.types("98765")
	b.Press(kb.Enter)
	b.notes("#mobile-note", "send.mobile.wrong")
	b.types("43210")
	b.Press(kb.Enter)
	b.onboarded()
	b.addsPayee()
	b.pays()
	b.refunds()
	c.once(t, op.CustomerOnboarding, op.CustomerUpdateBio, op.CustomerSubmit, op.RemitterRegister, op.BeneficiaryAdd, op.Transfer, op.Refund)
}

func (b *tab) onboarded() {
	b.T.Helper()
	b.at(Name)
	b.Focused("#name")
	b.Shot("new-name")
	b.types("Asha Patil")
	b.Press(kb.Tab)
	b.types("Pune")
	b.Press(kb.Enter)
	b.Sees(`document.querySelectorAll(".field.bad").length === 1`)
	b.Focused("#state")
	b.types("Maharashtra")
	b.Press(kb.Enter)
	b.at(Code)
	b.Focused("#otp")
	b.Shot("new-password")
	b.types("4829")
	b.Press(kb.Enter)
	b.at(Aadhaar)
	b.Shot("new-aadhaar")
	b.types(webtest.CustomerAadhaar)
	b.Press(kb.Enter)
	b.at(Finger)
	b.Shot("new-finger")
	shown := `[...document.querySelectorAll("#consent-text p")].filter(p => p.checkVisibility({visibilityProperty: true})).map(p => p.lang).join()`
	b.Sees(shown + fmt.Sprintf(` === %q`, b.said.Code()))
	b.click(`[name=customer-language][value=hi]`)
	b.Sees(shown + ` === "hi"`)
	b.click("#do-go")
	b.notes("#consent-note", "send.consent.missing")
	b.click("#consent")
	b.Shot("new-consent")
	b.click("#do-go")
	b.Sees(`document.querySelector("#do-capture")`)
	b.Shot("new-ready")
	b.c.mu.Lock()
	q := b.c.asked[len(b.c.asked)-1]
	b.c.mu.Unlock()
	if q.Consent != "AEPS-HI-1" {
		b.T.Errorf("the customer consented to %q", q.Consent)
	}
	b.c.mu.Lock()
	b.c.before = func(q edge.Request) {
		if q.Route == op.RemitterRegister {
			b.c.replies[op.RemitterDetails] = noPayees
		}
	}
	b.c.mu.Unlock()
	b.Press("s")
	b.at(Sender)
	b.Shot("sender-new")
}

func (b *tab) addsPayee() {
	b.T.Helper()
	b.Press("a")
	b.at(Payee)
	b.Shot("payee")
	b.types("001234567811")
	b.Press(kb.Tab)
	b.types("001234567812")
	b.Press(kb.Tab)
	b.types("sbin0001234")
	b.Press(kb.Tab)
	b.types("Mohan Lal")
	b.c.reply(op.AccountVerification, `{"statusCode":"00","data":{"status":-1}}`)
	b.Press(kb.Enter)
	b.notes("#again-note", "send.account.differs")
	b.Shot("payee-differs")
	webtest.Eval[any](b.Browser, `document.querySelector("#again").select()`)
	b.click("#again")
	webtest.Eval[any](b.Browser, `document.querySelector("#again").focus()`)
	b.types("001234567811")
	b.Press(kb.Enter)
	b.at(Unsure)
	b.Sees(`document.querySelector("[data-send-left] b").innerText <= 29`)
	b.Shot("payee-unsure")
	b.c.reply(op.AccountVerification, `{"statusCode":"00","data":{"status":1,"account_holder_name":"MOHAN LAL SHARMA"}}`)
	b.c.reply(op.RemitterDetails, details)
	b.c.mu.Lock()
	b.c.later = verifyWait + time.Second
	b.c.mu.Unlock()
	b.Go(webtest.Eval[string](b.Browser, `location.pathname`))
	b.at(Unsure)
	b.click("#do-go")
	b.at(Holder)
	b.Shot("payee-holder")
	b.click("#do-holder")
	b.at(Sender)
	b.Shot("sender")
}

func (b *tab) pays() {
	b.T.Helper()
	b.click(`.send-payee button.main`)
	b.at(Amount)
	b.Focused("#amount")
	b.Press(kb.Tab, " ")
	b.Sees(`document.querySelector("#amount").value === "500"`)
	b.Shot("amount")
	b.Press(kb.Enter)
	b.at(Confirm)
	b.Focused("#do-go")
	b.Shot("charges")
	b.Press(kb.Enter)
	b.at(OTP)
	b.Focused("#otp")
	b.Shot("otp")
	b.c.stay(true)
	b.types("482913")
	b.Press(kb.Enter)
	b.Reads(b.said.Say("told.any.bank.title"))
	b.Shot("transfer-bank")
	b.c.end(op.Transfer, func(v *edge.View) { v.State = op.Pending; v.Result.Reference = "DMT-NR-1" })
	b.Reads(b.said.Say("told.transfer.pending.title"))
	b.Shot("transfer-pending")
	b.c.stay(false)
	b.c.reply(op.TransferRequery, `{"statusCode":"00","data":{"status":"REVERSED"}}`)
	b.c.end(op.Transfer, func(v *edge.View) { v.State = op.Reversed })
	b.Reads(b.said.Say("told.transfer.reversed.title"))
	b.Sees(`document.querySelector("#do-refund")`)
	b.Shot("transfer-returned")
}

func (b *tab) refunds() {
	b.T.Helper()
	b.click("#do-refund")
	b.at(RefundAsk)
	b.Shot("refund")
	b.click("#do-go")
	b.at(RefundCode)
	b.types("1234")
	b.Press(kb.Enter)
	b.Reads(b.said.Say("told.cash.succeeded.title", "amount", "₹512.50"))
	b.Shot("refunded")
}

// broken serves a known sender while everything goes wrong: a limit, a double
// click, a second tab, a wrong password, a line that is cut, the back button and
// a restart. The money moves once.
func broken(t *testing.T, chromium context.Context, width, height int64, language string) {
	t.Parallel()
	c, s := newCounter(), &shelf{}
	b := sit(t, chromium, c, s, width, height, language)
	says := map[string][2]string{"hi": {"सीमा", "पासवर्ड"}, "en": {"limit", "password"}}[language]
	b.types("9876543210")
	b.Press(kb.Enter)
	b.at(Sender)
	b.Shot("broken-sender")
	b.click(`.send-payee button.main`)
	b.at(Amount)
	c.reply(op.TransferCharges, `{"statusCode":"61","message":"LIMIT EXCEEDED"}`)
	b.types("5000")
	b.Press(kb.Enter)
	b.Sees(fmt.Sprintf(`document.querySelector(".alert")?.innerText.includes(%q) && document.querySelector("#amount").value === "5000"`, says[0]))
	b.Shot("broken-limit")
	c.reply(op.TransferCharges, `{"statusCode":"00","data":{"charge":12.5,"totalAmount":512.5}}`)
	webtest.Eval[any](b.Browser, `document.querySelector("#amount").select()`)
	b.types("500")
	b.Press(kb.Enter)
	b.at(Confirm)

	second := b.beside(t)
	second.at(Confirm)
	webtest.Eval[any](b.Browser, `(() => { const go = document.querySelector("#do-go"); go.click(); go.click(); })()`)
	b.at(OTP)
	second.click("#do-go") // an old form
	second.at(OTP)
	c.once(t, op.TransferOTP)

	c.reply(op.Transfer, `{"statusCode":"55","message":"INVALID OTP"}`)
	b.types("0000")
	b.Press(kb.Enter)
	b.Sees(fmt.Sprintf(`document.querySelector("#do-retry") && document.querySelector(".band").innerText.includes(%q)`, says[1]))
	b.Shot("broken-wrong-otp")
	second.types("0000")
	second.Press(kb.Enter) // it was sent already: this is not a second try
	second.Sees(`document.querySelector("#do-retry")`)
	c.once(t, op.Transfer)

	b.click("#do-retry")
	b.at(Confirm)
	b.click("#do-go")
	b.at(OTP)
	c.reply(op.Transfer, newCounter().replies[op.Transfer])
	c.stay(true)
	b.types("482913")
	b.Press(kb.Enter)
	b.Sees(`document.querySelector(".send-now")?.dataset.state === "bank"`)
	c.end(op.Transfer, func(v *edge.View) { v.State, v.Stage = op.Unknown, edge.StageAsking })
	c.Change(func(s *edge.Status) { s.Link.Up, s.Link.Since = false, webtest.Now() })
	b.Sees(`document.querySelector(".send-now")?.dataset.state === "asking"`)
	b.Shot("broken-line")
	flow := webtest.Eval[string](b.Browser, `location.pathname`)
	b.Do(chromedp.NavigateBack())
	b.Sees(`document.querySelector(".send-open") || document.querySelector(".send-now")?.dataset.state === "asking"`)
	b.Go("/send")
	b.Sees(`document.querySelector("#readiness .ready li")`) // before a number is typed: the line is gone
	b.Shot("broken-list")
	b.click(".send-open")
	b.Sees(`document.querySelector(".send-now")?.dataset.state === "asking"`)

	// The program ends and begins anew: the page says so, and the new one knows.
	b.Base = webtest.Serve(t, c, newRoom(t, c, s)).Base
	b.Go("/enter?language=" + language + "&to=" + flow)
	b.Sees(`document.querySelector(".send-now")?.dataset.state === "asking"`)
	c.end(op.Transfer, func(v *edge.View) { v.State, v.Stage = op.Succeeded, edge.StageNone })
	b.Sees(`document.querySelector(".send-now")?.dataset.state === "succeeded" && !document.querySelector("#do-refund")`)
	b.Shot("broken-sent")
	if n := c.times(op.Transfer); n != 2 {
		t.Errorf("%d transfers: one was refused, and one was sent", n)
	}
}

// beside opens the same page in a second tab of the same browser.
func (b *tab) beside(t *testing.T) *tab {
	t.Helper()
	second := *b.Browser
	ctx, cancel := chromedp.NewContext(b.Ctx)
	t.Cleanup(cancel)
	second.Ctx = ctx
	second.Go(webtest.Eval[string](b.Browser, `location.pathname`))
	return &tab{&second, b.c, b.said}
}

// gallery looks at each step in a language, on a phone. English and Hindi have
// their stories.
func gallery(t *testing.T, chromium context.Context, language string) {
	t.Parallel()
	c, s := newCounter(), &shelf{}
	b := sit(t, chromium, c, s, 360, 740, language)
	known, transfer, refund := op.ID("known"), op.ID("transfer"), op.ID("refund")
	c.knows(known, op.RemitterDetails, op.Succeeded, details)
	c.knows(transfer, op.Transfer, op.Failed, `{"statusCode":"61","message":"LIMIT"}`)
	c.knows(refund, op.Refund, op.Expired, "")
	f := flow{
		Operator: "Fatima", Mobile: "9876543210", Name: "Shivshankar Choudhury", Reference: "R1", SenderID: "5b8f", Known: known, Transfer: transfer, Refund: refund,
		To: account{ID: "7", Name: "Mohan Lal", Number: "001234567811", IFSC: "SBIN0001234"}, Holder: "MOHAN LAL SHARMA", Amount: 5_000_00, Charge: "50", Total: "5050",
		AskAgain: webtest.Now().Add(20 * time.Second), Trouble: troubleRefused, Code: "own-05",
	}
	var flows []flow
	for i, step := range []Step{Name, CodeAsk, Code, Aadhaar, Finger, Sender, Payee, Unsure, Holder, Drop, Amount, Confirm, OTP, Sent, RefundCheck, RefundAsk, RefundCode, Refunded} {
		f.ID, f.Step, f.Touched = op.ID(fmt.Sprint("flow-", i)), step, webtest.Now()
		flows = append(flows, f)
	}
	c.knows("old", op.RemitterDetails, op.Succeeded, details)
	v := c.known["old"]
	v.KnownAt = webtest.Now().Add(-40 * time.Minute)
	c.known["old"] = v
	f.ID, f.Step, f.Known, f.Trouble = "flow-old", Sender, "old", ""
	flows = append(flows, f)
	room := c.rooms[0]
	room.store.mu.Lock()
	room.store.flows = flows
	room.store.mu.Unlock()
	for i, f := range flows {
		// Tamil, with the longest words, opens every step; the others say other
		// words in the same places.
		if path := "/send/" + string(f.ID); i == 0 || language == "ta" || os.Getenv("GALLA_SHOTS") != "" {
			b.Go(path)
		} else {
			b.Instead(path)
		}
		b.at(f.Step)
		if language == "ta" {
			b.Shot("ta-" + string(f.Step))
		} else {
			b.Look(string(f.Step))
		}
	}
}
