package screen

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/web/webtest"
	"galla/shared/op"
)

// tabs: two tabs, the back button, a double click and a program that dies
// show what is true and do nothing twice.
func tabs(t *testing.T, chromium context.Context) {
	t.Parallel()
	f := newFake()
	srv := serve(t, f)
	b := webtest.Open(t, chromium, srv.URL, 1366, 768)
	b.Go("/")
	b.Press("2", "5", "8", "0", kb.Enter)
	b.Reads("What does the customer want?")
	id := f.add(cashOp(func(v *edge.View) { v.State = op.Reserved }))
	b.Go("/op/" + string(id))
	b.Reads("Ask for the finger")

	second := *b
	ctx, cancel := chromedp.NewContext(b.Ctx)
	t.Cleanup(cancel)
	second.Ctx = ctx
	second.Go("/op/" + string(id))
	second.Reads("Ask for the finger")

	webtest.Eval[any](b, `(() => { const go = document.querySelector("#do-capture"); go.click(); go.click(); })()`)
	b.Reads("DO NOT GIVE CASH YET")
	second.Reads("DO NOT GIVE CASH YET")
	f.mu.Lock()
	if n := f.captures[id]; n != 1 {
		t.Errorf("a double click asked for %d captures", n)
	}
	f.mu.Unlock()

	f.move(id, func(v *edge.View) { v.State = op.Pending })
	second.Reads("DO NOT GIVE CASH")
	b.Reads("DO NOT GIVE CASH")
	b.Press("r")
	b.Reads("Receipt")
	f.move(id, paid)
	b.Do(chromedp.NavigateBack())
	b.Reads("GIVE CASH ₹500")
	second.Reads("GIVE CASH ₹500")
	second.Press("c")
	b.Reads("CASH GIVEN ₹500") // the other tab must not ask for it again
	b.Do(chromedp.Reload())
	b.Reads("CASH GIVEN ₹500")

	closedInTheMiddle(b, f)

	// What was typed stays while the page looks again.
	b.Go("/new/withdrawal")
	b.Focused("#aadhaar")
	b.Press("9", "9", "9")
	f.change(func(s *edge.Status) { s.Link.Up = false; s.Link.Since = fakeNow })
	b.Sees(`document.querySelector("#readiness").innerText.includes("No line since")`)
	b.Focused("#aadhaar")
	b.Press("9", "4")
	b.Sees(`document.querySelector("#aadhaar").value === "9999 4"`)

	webtest.Eval[any](&second, `document.querySelector(".locker button").click()`)
	second.Reads("Unlock the counter")
	b.Reads("Unlock the counter") // and leads back
	b.Press("2", "5", "8", "0", kb.Enter)
	b.Reads("Cash withdrawal")
	if value := webtest.Eval[string](b, `document.querySelector("#aadhaar").value`); value != "" {
		t.Errorf("after the lock the Aadhaar field holds %q", value)
	}
	srv.CloseClientConnections()
	srv.Close()
	b.Sees(`!document.querySelector("#stale").hidden`)
}

// closedInTheMiddle: a tab is closed while the bank works. The operation goes
// on, the first page shows it, and its result waits there.
func closedInTheMiddle(b *webtest.Browser, f *fake) {
	b.T.Helper()
	id := f.add(cashOp(func(v *edge.View) { v.State, v.Customer = op.Reserved, "Closed Early" }))
	ctx, closeTab := chromedp.NewContext(b.Ctx)
	gone := *b
	gone.Ctx = ctx
	gone.Go("/op/" + string(id))
	gone.Reads("Ask for the finger")
	gone.Press("s")
	gone.Reads("DO NOT GIVE CASH YET")
	f.move(id, func(v *edge.View) { v.State = op.Accepted })
	closeTab()

	b.Go("/")
	b.Sees(`document.querySelector("#today").innerText.includes("Closed Early")`)
	f.move(id, paid)
	b.Sees(`[...document.querySelectorAll("#today .row")].some(r => r.innerText.includes("Closed Early") && r.innerText.includes("give cash, then confirm"))`)
	webtest.Eval[any](b, `[...document.querySelectorAll("#today .row")].find(r => r.innerText.includes("Closed Early")).click()`)
	b.Reads("GIVE CASH ₹500")
}
