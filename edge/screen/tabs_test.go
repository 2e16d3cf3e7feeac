package screen

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/shared/op"
)

// tabs: two tabs, the back button, a double click and a program that dies
// show what is true and do nothing twice.
func tabs(t *testing.T, chromium context.Context) {
	t.Parallel()
	f := newFake()
	srv := serve(t, f)
	b := newBrowser(t, chromium, srv.URL, 1366, 768)
	b.open("/")
	b.press("2", "5", "8", "0", kb.Enter)
	b.reads("What does the customer want?")
	id := f.add(cashOp(func(v *edge.View) { v.State = op.Reserved }))
	b.open("/op/" + string(id))
	b.reads("Ask for the finger")

	second := *b
	ctx, cancel := chromedp.NewContext(b.ctx)
	t.Cleanup(cancel)
	second.ctx = ctx
	second.open("/op/" + string(id))
	second.reads("Ask for the finger")

	eval[any](b, `(() => { const go = document.querySelector("#do-capture"); go.click(); go.click(); })()`)
	b.reads("DO NOT GIVE CASH YET")
	second.reads("DO NOT GIVE CASH YET")
	f.mu.Lock()
	if n := f.captures[id]; n != 1 {
		t.Errorf("a double click asked for %d captures", n)
	}
	f.mu.Unlock()

	f.move(id, func(v *edge.View) { v.State = op.Pending })
	second.reads("DO NOT GIVE CASH")
	b.reads("DO NOT GIVE CASH")
	b.press("r")
	b.reads("Receipt")
	f.move(id, paid)
	b.do(chromedp.NavigateBack())
	b.reads("GIVE CASH ₹500")
	second.reads("GIVE CASH ₹500")
	second.press("c")
	b.reads("CASH GIVEN ₹500") // the other tab must not ask for it again
	b.do(chromedp.Reload())
	b.reads("CASH GIVEN ₹500")

	// What was typed stays while the page looks again.
	b.open("/new/withdrawal")
	b.focused("#aadhaar")
	b.press("9", "9", "9")
	f.change(func(s *edge.Status) { s.Link.Up = false; s.Link.Since = fakeNow })
	b.sees(`document.querySelector("#readiness").innerText.includes("No line since")`)
	b.focused("#aadhaar")
	b.press("9", "4")
	b.sees(`document.querySelector("#aadhaar").value === "9999 4"`)

	eval[any](&second, `document.querySelector(".locker button").click()`)
	second.reads("Unlock the counter")
	b.reads("Unlock the counter") // and leads back
	b.press("2", "5", "8", "0", kb.Enter)
	b.reads("Cash withdrawal")
	if value := eval[string](b, `document.querySelector("#aadhaar").value`); value != "" {
		t.Errorf("after the lock the Aadhaar field holds %q", value)
	}
	srv.CloseClientConnections()
	srv.Close()
	b.sees(`!document.querySelector("#stale").hidden`)
}
