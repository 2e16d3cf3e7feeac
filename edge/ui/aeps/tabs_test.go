package aeps

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/ui/uitest"
	"galla/shared/op"
)

// tabs: two tabs, the back button, a double click and a stopped program show the present
// state and do nothing twice.
func tabs(t *testing.T, chromium context.Context) {
	t.Parallel()
	f := newFake()
	srv := serve(t, f)
	b := uitest.Open(t, chromium, srv.URL, 1366, 768)
	b.Navigate("/")
	b.Press("2", "5", "8", "0", kb.Enter)
	b.WaitForHeading("What does the customer need?")
	id := f.add(cashOp(func(v *edge.View) { v.State = op.Reserved }))
	b.Navigate("/op/" + string(id))
	b.WaitForHeading("Ask for the finger")

	second := *b
	ctx, cancel := chromedp.NewContext(b.Ctx)
	t.Cleanup(cancel)
	second.Ctx = ctx
	second.Navigate("/op/" + string(id))
	second.WaitForHeading("Ask for the finger")

	uitest.Eval[any](b, `(() => { const go = document.querySelector("#do-capture"); go.click(); go.click(); })()`)
	b.WaitForHeading("DO NOT GIVE CASH YET")
	second.WaitForHeading("DO NOT GIVE CASH YET")
	f.mu.Lock()
	if n := f.captures[id]; n != 1 {
		t.Errorf("a double click asked for %d captures", n)
	}
	f.mu.Unlock()

	f.move(id, func(v *edge.View) { v.State = op.Pending })
	second.WaitForHeading("DO NOT GIVE CASH")
	b.WaitForHeading("DO NOT GIVE CASH")
	b.Press("r")
	b.WaitForHeading("Receipt")
	f.move(id, paid)
	b.Do(chromedp.NavigateBack())
	b.WaitForHeading("GIVE CASH ₹500")
	second.WaitForHeading("GIVE CASH ₹500")
	second.Press("c")
	b.WaitForHeading("CASH GIVEN ₹500") // the other tab must not ask again
	b.Do(chromedp.Reload())
	b.WaitForHeading("CASH GIVEN ₹500")

	closedInTheMiddle(b, f)

	// Typed values stay while the page refreshes.
	b.Navigate("/new/withdrawal")
	b.WaitForFocus("#aadhaar")
	b.Press("9", "9", "9")
	f.change(func(s *edge.Status) { s.Link.Online = false; s.Link.Since = fakeNow })
	b.WaitFor(`document.querySelector("#readiness").innerText.includes("Offline since")`)
	b.WaitForFocus("#aadhaar")
	b.Press("9", "4")
	b.WaitFor(`document.querySelector("#aadhaar").value === "9999 4"`)

	uitest.Eval[any](&second, `document.querySelector(".locker button").click()`)
	second.WaitForHeading("Unlock the counter")
	b.WaitForHeading("Unlock the counter") // and leads back
	b.Press("2", "5", "8", "0", kb.Enter)
	b.WaitForHeading("Cash withdrawal")
	if value := uitest.Eval[string](b, `document.querySelector("#aadhaar").value`); value != "" {
		t.Errorf("after the lock the Aadhaar field holds %q", value)
	}
	srv.CloseClientConnections()
	srv.Close()
	b.WaitFor(`!document.querySelector("#stale").hidden`)
}

// closedInTheMiddle: a tab is closed while the bank works. The operation continues, and
// the first page shows its result.
func closedInTheMiddle(b *uitest.Browser, f *fake) {
	b.T.Helper()
	id := f.add(cashOp(func(v *edge.View) { v.State, v.Customer = op.Reserved, "Closed Early" }))
	ctx, closeTab := chromedp.NewContext(b.Ctx)
	gone := *b
	gone.Ctx = ctx
	gone.Navigate("/op/" + string(id))
	gone.WaitForHeading("Ask for the finger")
	gone.Press("s")
	gone.WaitForHeading("DO NOT GIVE CASH YET")
	f.move(id, func(v *edge.View) { v.State = op.Accepted })
	closeTab()

	b.Navigate("/")
	b.WaitFor(`document.querySelector("#alerts").innerText.includes("Closed Early")`)
	f.move(id, paid)
	b.WaitFor(`[...document.querySelectorAll("#alerts .row")].some(r => r.innerText.includes("Closed Early") && r.innerText.includes("give cash, then confirm"))`)
	uitest.Eval[any](b, `[...document.querySelectorAll("#alerts .row")].find(r => r.innerText.includes("Closed Early")).click()`)
	b.WaitForHeading("GIVE CASH ₹500")
}
