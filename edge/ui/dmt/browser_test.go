package dmt

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/ui/uitest"
	"galla/shared/op"
)

// seats are the shopkeeper's phone and PC, each in a language.
var seats = []struct {
	width, height int64
	language      string
}{{360, 740, "hi"}, {1366, 768, "en"}}

// TestChromium checks the pages in a real Chromium; its parts run in parallel, in tabs
// with their own cookies.
func TestChromium(t *testing.T) {
	chromium := uitest.Chromium(t)
	for _, at := range seats {
		t.Run(fmt.Sprint("story", at.width, at.language), func(t *testing.T) { newSenderStory(t, chromium, at.width, at.height, at.language) })
		if at.width > 1000 || os.Getenv("GALLA_SHOTS") != "" {
			t.Run(fmt.Sprint("broken", at.width, at.language), func(t *testing.T) { faultyFlow(t, chromium, at.width, at.height, at.language) })
		}
	}
	t.Run("keys", func(t *testing.T) { keysOfKnownSender(t, chromium) })
	t.Run("keys-new", func(t *testing.T) { keysOfNewSender(t, chromium) })
	t.Run("kept", func(t *testing.T) { keptAadhaar(t, chromium) })
	t.Run("limit", func(t *testing.T) { limitAsTyped(t, chromium) })
	for _, language := range []string{"ta", "te", "mr", "bn"} {
		t.Run(language, func(t *testing.T) { walkSteps(t, chromium, language) })
	}
}

// tab is an agent's browser tab, in one flow.
type tab struct {
	*uitest.Browser
	c        *counter
	lastNote *i18n.Localizer
}

// openTab opens the section in a browser tab.
func openTab(t *testing.T, chromium context.Context, c *counter, s *memoryCache, width, height int64, language string) *tab {
	t.Helper()
	h := uitest.Serve(t, c, newPages(t, c, s))
	b := &tab{uitest.Open(t, chromium, h.Base, width, height), c, h.Kit.In(language)}
	b.Navigate("/enter?to=/dmt&language=" + language)
	b.WaitForFocus("#mobile")
	return b
}

// types sends keys one by one, as a user does.
func (b *tab) types(text string) {
	b.T.Helper()
	b.Press(text)
}

// waitForStep waits for the page of a step.
func (b *tab) waitForStep(s Step) {
	b.T.Helper()
	b.WaitFor(fmt.Sprintf(`document.readyState === "complete" && document.querySelector("main [data-step]")?.dataset.step === %q`, s))
}

// click presses a button.
func (b *tab) click(selector string) {
	b.T.Helper()
	b.WaitFor(fmt.Sprintf(`document.querySelector(%q)`, selector))
	uitest.Eval[any](b.Browser, fmt.Sprintf(`void document.querySelector(%q).click()`, selector))
}

// notes waits until a field's note has a text.
func (b *tab) notes(selector, key string) {
	b.T.Helper()
	b.WaitFor(fmt.Sprintf(`document.querySelector(%q)?.innerText.includes(%q)`, selector, b.lastNote.Text(key)))
}

// once counts the counter's operations, by route.
func (c *counter) once(t testing.TB, routes ...op.RouteID) {
	t.Helper()
	for _, r := range routes {
		if n := c.times(r); n != 1 {
			t.Errorf("%s was asked for %d times", r, n)
		}
	}
}

// end returns an operation of a route its outcome, and notifies.
func (c *counter) end(route op.RouteID, alter func(*edge.View)) {
	c.mu.Lock()
	for id, v := range c.known {
		if v.Route == route && !v.State.Final() {
			alter(&v)
			c.known[id] = v
		}
	}
	c.mu.Unlock()
	c.Update(func(*edge.Status) {})
}

// newSenderStory serves an unknown customer, from the mobile number to the refund, by
// keyboard where there is one.
func newSenderStory(t *testing.T, chromium context.Context, width, height int64, language string) {
	t.Parallel()
	c := newCounter()
	c.replies[op.CustomerDetail] = `{"statusCode":"01","message":"Customer not found"}`
	c.replies[op.RemitterDetails] = `{"statusCode":"01","message":"sender not found"}`
	b := openTab(t, chromium, c, &memoryCache{}, width, height, language)
	b.Screenshot("start")
	b.types("98765")
	b.Press(kb.Enter)
	b.notes("#mobile-note", "dmt.mobile.wrong")
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
	b.waitForStep(Name)
	b.WaitForFocus("#name")
	b.Screenshot("new-name")
	b.types("Asha Patil")
	b.Press(kb.Tab)
	b.types("Pune")
	b.Press(kb.Enter) // goes on to what is missing
	b.WaitForFocus("#state")
	b.Press(kb.Enter)
	b.WaitFor(`document.querySelectorAll(".field.bad").length === 1`)
	b.WaitForFocus("#state")
	b.types("Maharashtra")
	b.Press(kb.Enter)
	b.waitForStep(Code)
	b.WaitForFocus("#otp")
	b.Screenshot("new-password")
	b.types("4829")
	b.Press(kb.Enter)
	b.waitForStep(Aadhaar)
	b.WaitForFocus("#aadhaar")
	b.Screenshot("new-identity")
	shown := `[...document.querySelectorAll("#consent-text p")].filter(p => p.checkVisibility()).map(p => p.lang).join()`
	b.WaitFor(shown + fmt.Sprintf(` === %q`, b.lastNote.Code()))
	uitest.Eval[any](b.Browser, `document.querySelector("#customer-language").focus()`)
	if b.lastNote.Code() == "en" {
		b.Press(kb.ArrowDown)
	}
	b.WaitFor(shown + ` === "hi"`)
	uitest.Eval[any](b.Browser, `document.querySelector("#aadhaar").focus()`)
	b.types(uitest.CustomerAadhaar)
	b.WaitForFocus("#consent")
	b.click("#do-go")
	b.notes("#consent-note", "field.consent.missing")
	b.WaitFor(`document.querySelector("#aadhaar").value === "XXXX XXXX 7058"`)
	b.WaitForFocus("#consent")
	b.Screenshot("new-consent")
	b.c.holdFingers(true)
	b.Press(" ", kb.Enter)
	b.WaitFor(`document.querySelector(".dmt-now")?.dataset.state === "capturing"`)
	b.Screenshot("new-capturing")
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
	b.c.end(op.CustomerUpdateBio, func(v *edge.View) { v.State, v.Stage = op.Succeeded, edge.StageNone })
	b.waitForStep(Sender)
	b.Screenshot("sender-new")
}

func (b *tab) addsPayee() {
	b.T.Helper()
	b.Press("a")
	b.waitForStep(Payee)
	b.Screenshot("payee")
	b.types("001234567811")
	b.Press(kb.Tab)
	b.types("001234567812")
	b.Press(kb.Tab)
	b.WaitForFocus("#bank")
	b.types("hdfc b")
	b.WaitFor(`document.querySelector("#bank-list option")?.value === "HDFC Bank"`)
	uitest.Eval[any](b.Browser, `void document.querySelector("#bank").select()`)
	b.types("HDFC Bank") // as a press on the suggestion does
	b.WaitFor(`document.querySelector("#receiverIfscCode").value === "HDFC0"`)
	b.WaitForFocus("#receiverIfscCode")
	b.types("zz9zz9")
	b.WaitFor(`document.querySelector("#receiverIfscCode-note").innerText.includes("HDFC Bank")`)
	b.Screenshot("payee-unknown-branch")
	uitest.Eval[any](b.Browser, `void document.querySelector("#receiverIfscCode").select()`)
	b.types("sbin0001234")
	b.WaitFor(`document.querySelector("#receiverIfscCode-note").innerText.includes("State Bank of India")`)
	if left := uitest.Eval[string](b.Browser, `document.querySelector("#bank").value`); left != "" {
		b.T.Errorf("another bank is named beside the code: %s", left)
	}
	b.Screenshot("payee-bank")
	b.Press(kb.Tab)
	b.types("Mohan Lal")
	b.c.reply(op.AccountVerification, `{"statusCode":"00","data":{"status":-1}}`)
	b.Press(kb.Enter)
	b.notes("#again-note", "dmt.account.differs")
	b.Screenshot("payee-differs")
	uitest.Eval[any](b.Browser, `document.querySelector("#again").select()`)
	b.click("#again")
	uitest.Eval[any](b.Browser, `document.querySelector("#again").focus()`)
	b.types("001234567811")
	b.Press(kb.Enter)
	b.waitForStep(Unconfirmed)
	b.WaitFor(`document.querySelector("[data-wait-left] b").innerText <= 29`)
	b.Screenshot("payee-unsure")
	b.c.reply(op.AccountVerification, `{"statusCode":"00","data":{"status":1,"account_holder_name":"MOHAN LAL SHARMA"}}`)
	b.c.reply(op.RemitterDetails, details)
	b.c.mu.Lock()
	b.c.later = verifyWait + time.Second
	b.c.mu.Unlock()
	b.Navigate(uitest.Eval[string](b.Browser, `location.pathname`))
	b.waitForStep(Unconfirmed)
	b.click("#do-go")
	b.waitForStep(ConfirmHolder)
	b.Screenshot("payee-holder")
	b.click("#do-holder")
	b.waitForStep(Sender)
	b.Screenshot("sender")
}

func (b *tab) pays() {
	b.T.Helper()
	b.click(`.dmt-payee button.main`)
	b.waitForStep(Amount)
	b.WaitForFocus("#amount")
	b.Press(kb.Tab, " ")
	b.WaitFor(`document.querySelector("#amount").value === "500"`)
	b.Screenshot("amount")
	b.Press(kb.Enter)
	b.waitForStep(Confirm)
	b.WaitForFocus("#do-go")
	b.Screenshot("charges")
	b.Press(kb.Enter)
	b.waitForStep(OTP)
	b.WaitForFocus("#otp")
	b.Screenshot("otp")
	b.c.holdCalls(true)
	b.types("482913")
	b.Press(kb.Enter)
	b.WaitForHeading(b.lastNote.Text("outcome.any.bank.title"))
	b.Screenshot("transfer-bank")
	b.c.end(op.Transfer, func(v *edge.View) { v.State = op.Pending; v.Result.Reference = "DMT-NR-1" })
	b.WaitForHeading(b.lastNote.Text("outcome.transfer.pending.title"))
	b.Screenshot("transfer-pending")
	b.c.holdCalls(false)
	b.c.reply(op.TransferRequery, `{"statusCode":"00","data":{"status":"REVERSED"}}`)
	b.c.end(op.Transfer, func(v *edge.View) { v.State = op.Reversed })
	b.WaitForHeading(b.lastNote.Text("outcome.transfer.reversed.title"))
	b.WaitFor(`document.querySelector("#do-refund")`)
	b.Screenshot("transfer-returned")
}

func (b *tab) refunds() {
	b.T.Helper()
	b.click("#do-refund")
	b.waitForStep(RefundAsk)
	b.Screenshot("refund")
	b.click("#do-go")
	b.waitForStep(RefundCode)
	b.types("1234")
	b.Press(kb.Enter)
	b.WaitForHeading(b.lastNote.Text("outcome.cash.succeeded.title", "amount", "₹512.50"))
	b.Screenshot("refunded")
}

// faultyFlow serves a known sender with every fault: a limit, a double click, a second
// tab, a wrong password, a broken connection, the back button and a restart. The money
// moves once.
func faultyFlow(t *testing.T, chromium context.Context, width, height int64, language string) {
	t.Parallel()
	c, s := newCounter(), &memoryCache{}
	b := openTab(t, chromium, c, s, width, height, language)
	says := map[string][2]string{"hi": {"सीमा", "ओटीपी गलत"}, "en": {"Limit reached", "Wrong or expired OTP"}}[language]
	b.types("9876543210")
	b.Press(kb.Enter)
	b.waitForStep(Sender)
	b.Screenshot("broken-sender")
	b.click(`.dmt-payee button.main`)
	b.waitForStep(Amount)
	c.reply(op.TransferCharges, `{"statusCode":"61","message":"LIMIT EXCEEDED"}`)
	b.types("4000")
	b.Press(kb.Enter)
	b.WaitFor(fmt.Sprintf(`document.querySelector(".alert")?.innerText.includes(%q) && document.querySelector("#amount").value === "4000"`, says[0]))
	b.Screenshot("broken-limit")
	c.reply(op.TransferCharges, `{"statusCode":"00","data":{"charge":12.5,"totalAmount":512.5}}`)
	uitest.Eval[any](b.Browser, `document.querySelector("#amount").select()`)
	b.types("500")
	b.Press(kb.Enter)
	b.waitForStep(Confirm)

	second := b.secondTab(t)
	second.waitForStep(Confirm)
	uitest.Eval[any](b.Browser, `(() => { const go = document.querySelector("#do-go"); go.click(); go.click(); })()`)
	b.waitForStep(OTP)
	second.click("#do-go") // an old form
	second.waitForStep(OTP)
	c.once(t, op.TransferOTP)

	c.reply(op.Transfer, `{"statusCode":"55","message":"INVALID OTP"}`)
	b.types("0000")
	b.Press(kb.Enter)
	b.WaitFor(fmt.Sprintf(`document.querySelector("#do-resend.main") && document.querySelector(".alert").innerText.includes(%q)`, says[1]))
	b.Screenshot("broken-wrong-otp")
	second.types("0000")
	second.Press(kb.Enter) // it was sent already: this is not a second attempt
	second.WaitFor(`document.querySelector("#do-resend.main")`)
	c.once(t, op.Transfer)

	b.click("#do-resend")
	b.WaitFor(`document.querySelector("#do-go.main")`)
	b.waitForStep(OTP)
	c.reply(op.Transfer, newCounter().replies[op.Transfer])
	c.holdCalls(true)
	b.types("482913")
	b.Press(kb.Enter)
	b.WaitFor(`document.querySelector(".dmt-now")?.dataset.state === "bank"`)
	c.end(op.Transfer, func(v *edge.View) { v.State, v.Stage = op.Unknown, edge.StageAsking })
	c.Update(func(s *edge.Status) { s.Link.Online, s.Link.Since = false, uitest.Now() })
	b.WaitFor(`document.querySelector(".dmt-now")?.dataset.state === "asking"`)
	b.Screenshot("broken-line")
	flow := uitest.Eval[string](b.Browser, `location.pathname`)
	b.Do(chromedp.NavigateBack())
	b.WaitFor(`document.querySelector(".dmt-open") || document.querySelector(".dmt-now")?.dataset.state === "asking"`)
	b.Navigate("/dmt")
	b.WaitFor(`document.querySelector("#readiness .ready li")`) // before a number is typed: the counter is offline
	b.Screenshot("broken-list")
	b.click(".dmt-open")
	b.WaitFor(`document.querySelector(".dmt-now")?.dataset.state === "asking"`)

	// The program restarts: the page says so, and the new program knows the flow.
	b.Base = uitest.Serve(t, c, newPages(t, c, s)).Base
	b.Navigate("/enter?language=" + language + "&to=" + flow)
	b.WaitFor(`document.querySelector(".dmt-now")?.dataset.state === "asking"`)
	c.end(op.Transfer, func(v *edge.View) { v.State, v.Stage = op.Succeeded, edge.StageNone })
	b.WaitFor(`document.querySelector(".dmt-now")?.dataset.state === "succeeded" && !document.querySelector("#do-refund")`)
	b.Screenshot("broken-sent")
	if n := c.times(op.Transfer); n != 2 {
		t.Errorf("%d transfers: one was refused, and one was sent", n)
	}
}

// secondTab opens the same page in a second tab of the same browser.
func (b *tab) secondTab(t *testing.T) *tab {
	t.Helper()
	second := *b.Browser
	ctx, cancel := chromedp.NewContext(b.Ctx)
	t.Cleanup(cancel)
	second.Ctx = ctx
	second.Navigate(uitest.Eval[string](b.Browser, `location.pathname`))
	return &tab{&second, b.c, b.lastNote}
}

// walkSteps checks each step in a language, on a phone. English and Hindi have their
// stories.
func walkSteps(t *testing.T, chromium context.Context, language string) {
	t.Parallel()
	c, s := newCounter(), &memoryCache{}
	b := openTab(t, chromium, c, s, 360, 740, language)
	known, transfer, refund := op.ID("known"), op.ID("transfer"), op.ID("refund")
	c.addOperation(known, op.RemitterDetails, op.Succeeded, details)
	c.addOperation(transfer, op.Transfer, op.Failed, `{"statusCode":"61","message":"LIMIT"}`)
	c.addOperation(refund, op.Refund, op.Expired, "")
	f := flow{
		Operator: "Fatima", Mobile: "9876543210", Name: "Shivshankar Choudhury", Reference: "R1", SenderID: "5b8f", DetailsID: known, Transfer: transfer, Refund: refund,
		To: account{ID: "7", Name: "Mohan Lal", Number: "001234567811", IFSC: "SBIN0001234"}, Holder: "MOHAN LAL SHARMA", Amount: 5_000_00, Charge: "50", Total: "5050",
		AskAgain: uitest.Now().Add(20 * time.Second), Problem: problemRefused, Code: "own-05",
	}
	var flows []flow
	for i, step := range []Step{Name, CodeAsk, Code, Aadhaar, Finger, Sender, Payee, Unconfirmed, ConfirmHolder, DeletePayee, Amount, Confirm, OTP, Sent, RefundCheck, RefundAsk, RefundCode, Refunded} {
		f.ID, f.Step, f.Touched = op.ID(fmt.Sprint("flow-", i)), step, uitest.Now()
		flows = append(flows, f)
	}
	c.addOperation("old", op.RemitterDetails, op.Succeeded, details)
	v := c.known["old"]
	v.KnownAt = uitest.Now().Add(-40 * time.Minute)
	c.known["old"] = v
	f.ID, f.Step, f.DetailsID, f.Problem = "flow-old", Sender, "old", ""
	flows = append(flows, f)
	pages := c.pages[0]
	pages.store.mu.Lock()
	pages.store.flows = flows
	pages.store.mu.Unlock()
	for i, f := range flows {
		// Tamil, with the longest words, opens every step; the others have other words in the
		// same places.
		if path := "/dmt/" + string(f.ID); i == 0 || language == "ta" || os.Getenv("GALLA_SHOTS") != "" {
			b.Navigate(path)
		} else {
			b.ReplaceMain(path)
		}
		b.waitForStep(f.Step)
		if language == "ta" {
			b.Screenshot("ta-" + string(f.Step))
		} else {
			b.Check(string(f.Step))
		}
	}
}
