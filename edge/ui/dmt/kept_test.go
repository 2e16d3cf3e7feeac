package dmt

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/ui/uitest"
	"galla/shared/op"
)

// keptAadhaar: a number outlives a form that the counter refuses, the bank's refusal that
// comes later, and a finger that is given up; masked, and for a minute.
func keptAadhaar(t *testing.T, chromium context.Context) {
	t.Parallel()
	c := newCounter()
	c.fingers = true
	c.replies[op.CustomerDetail] = `{"statusCode":"01","message":"Customer not found"}`
	h := uitest.Serve(t, c, newPages(t, c, &memoryCache{}))
	b := &tab{uitest.Open(t, chromium, h.Base, 1366, 768), c, h.Kit.In("en")}
	b.HoldClock()
	b.Navigate("/enter?to=/dmt&language=en")
	b.WaitForFocus("#mobile")
	b.types("9876543210" + kb.Enter)
	b.waitForStep(Name)
	b.WaitForFocus("#name")
	b.types("Asha" + kb.Enter + "Pune" + kb.Enter + "Goa" + kb.Enter)
	b.waitForStep(Code)
	b.WaitForFocus("#otp")
	b.types("4829" + kb.Enter)
	b.waitForStep(Aadhaar)
	b.WaitForFocus("#aadhaar")

	masked := func(alert string) {
		t.Helper()
		b.WaitFor(`document.querySelector(".alert")?.innerText.includes("` + alert + `") && document.querySelector("#aadhaar").value === "XXXX XXXX 7058" && !document.querySelector("#aadhaar").closest(".field").matches(".bad")`)
		b.WaitFor(uitest.NoAadhaar)
	}
	// The counter refuses the form at once: the tick stays, too.
	c.mu.Lock()
	c.refuse = map[op.RouteID]error{op.CustomerVerifyUID: &edge.PreconditionError{Code: edge.PreconditionClock}}
	c.mu.Unlock()
	b.types(uitest.CustomerAadhaar)
	b.WaitForFocus("#consent")
	b.types(" " + kb.Enter)
	masked("clock")
	b.WaitForFocus("#do-go")
	b.Screenshot("kept")
	c.mu.Lock()
	c.refuse = nil
	c.mu.Unlock()

	// The bank refuses the number after a while.
	c.holdCalls(true)
	b.Press(kb.Enter)
	b.WaitFor(`document.querySelector(".dmt-now")?.dataset.state === "bank"`)
	b.WaitFor(uitest.NoAadhaar)
	c.holdCalls(false)
	c.end(op.CustomerVerifyUID, func(v *edge.View) {
		v.State, v.Stage, v.Reply = op.Failed, edge.StageNone, []byte(`{"statusCode":"52"}`)
		v.Result.StatusCode, v.Result.Code = "52", "52"
	})
	masked("does not match")
	b.WaitForFocus("#consent")

	// The finger is given up.
	b.types(" " + kb.Enter)
	b.WaitFor(`document.querySelector(".dmt-now")?.dataset.state === "capturing"`)
	b.Press(kb.Escape)
	masked("not sent to the bank")
	b.WaitForFocus("#consent")
	if n := c.times(op.CustomerVerifyUID); n != 2 {
		t.Errorf("the bank checked the number %d times", n)
	}

	// It is gone after a minute, and the field asks for it.
	b.AdvanceClock(time.Minute - time.Millisecond)
	b.WaitFor(`document.querySelector("#aadhaar").value === "XXXX XXXX 7058"`)
	b.AdvanceClock(time.Millisecond)
	b.WaitFor(`document.querySelector("#aadhaar").value === "" && document.querySelector("#aadhaar").closest(".field").matches(".bad")`)
	b.types(" " + kb.Enter)
	b.WaitForFocus("#aadhaar")
	if n := c.times(op.CustomerUpdateBio); n != 1 {
		t.Errorf("%d fingers were asked for", n)
	}
	// Typed again, it goes on with the finger.
	b.types(uitest.CustomerAadhaar)
	b.WaitFor(`document.activeElement.matches("#do-go")`)
	b.Press(kb.Enter)
	b.WaitFor(`document.querySelector(".dmt-now")?.dataset.state === "capturing"`)
	c.mu.Lock()
	defer c.mu.Unlock()
	if q := c.asked[len(c.asked)-1]; q.Route != op.CustomerUpdateBio || q.Aadhaar.Reveal() != uitest.CustomerAadhaar {
		t.Errorf("the form began %s", q.Route)
	}
}

// limitAsTyped: an amount over the sender's limit is said while it is typed, and is not sent.
func limitAsTyped(t *testing.T, chromium context.Context) {
	t.Parallel()
	c := newCounter()
	c.replies[op.RemitterDetails] = senderWith(1_000, 25_000, 15_000, 25_000)
	b := openTab(t, chromium, c, &memoryCache{}, 1366, 768, "en")
	b.types("9876543210" + kb.Enter)
	b.waitForStep(Sender)
	b.Press("1")
	b.waitForStep(Amount)
	b.WaitForFocus("#amount")
	b.WaitFor(`document.querySelector("#amount-limit").innerText.includes("1,000")`)
	b.types("100")
	b.WaitFor(`!document.querySelector("#amount").closest(".field").matches(".bad")`)
	b.types("1")
	b.WaitFor(`document.querySelector("#amount").closest(".field").matches(".bad") && document.querySelector("#amount-note").innerText.includes("more today")`)
	b.Screenshot("limit")
	b.Press(kb.Enter)
	b.WaitForFocus("#amount")
	if n := c.times(op.TransferCharges); n != 0 {
		t.Error("an amount over the limit was sent")
	}
	uitest.Eval[any](b.Browser, `document.activeElement.select()`)
	b.types("1000" + kb.Enter)
	b.waitForStep(Confirm)
}
