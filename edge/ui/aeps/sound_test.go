package aeps

import (
	"context"
	"fmt"
	"testing"

	"galla/edge"
	"galla/edge/ui/uitest"
	"galla/shared/op"
)

// hides makes a window hidden or visible.
func hides(window string, yes bool) string {
	return fmt.Sprintf(`void (Object.defineProperty(%[1]s.document, "hidden", {configurable: true, get: () => %[2]v}), %[1]s.document.dispatchEvent(new Event("visibilitychange")))`, window, yes)
}

// locks counts the tabs' locks: visible tabs, hidden ones with the stream, and hidden ones
// that wait for it.
const locks = `navigator.locks.query().then(({held, pending}) => {
	const count = (list, name) => list.filter(l => l.name === name).length;
	window.locked = [count(held, "galla-visible"), count(held, "galla-hidden"), count(pending, "galla-hidden")].join();
})`

// sounds: an agent at the page of a pending operation, or with a minimised browser, hears
// when cash is to be given; of the hidden tabs one keeps a stream.
func sounds(t *testing.T, chromium context.Context) {
	f := newFake()
	srv := serve(t, f)
	pending := func() op.ID {
		return f.add(cashOp(func(v *edge.View) { v.State, v.Amount = op.Pending, 70000 }))
	}
	shown := pending()
	b := unlockedAt(t, chromium, srv.URL, 1366, 768, "/op/"+string(shown))
	uitest.Eval[any](b, spy)
	b.Press("y") // activity with a key that does nothing
	f.move(shown, func(v *edge.View) { paid(v) })
	b.WaitFor(`document.querySelector("#op").dataset.state === "succeeded" && window.rang === 1`)
	b.WaitFor(cashBar + ` === ""`) // the page shows it

	// The window is hidden.
	late := pending()
	uitest.Eval[any](b, hides("window", true))
	b.WaitFor(locks + ` && window.locked === "0,1,0"`)
	f.move(late, func(v *edge.View) { paid(v) })
	b.WaitFor(`window.rang === 2`)

	// Another tab is visible, and plays the sound.
	uitest.Eval[any](b, `void (window.other = window.open("/connection"))`)
	b.WaitFor(`window.other.document.readyState === "complete" && window.other.document.querySelector("#open-cash-go")`)
	b.WaitFor(locks + ` && window.locked === "1,1,0"`)
	silent := pending()
	f.move(silent, func(v *edge.View) { paid(v) })
	b.WaitFor(`document.querySelector("#open-cash").dataset.state.includes("` + string(silent) + `")`)
	b.WaitFor(`window.other.document.querySelector("#open-cash").dataset.state.includes("` + string(silent) + `")`)
	b.WaitFor(locks + ` && window.rang === 2`)

	// Both are hidden: one of them has a stream.
	uitest.Eval[any](b, hides("window.other", true))
	b.WaitFor(locks + ` && window.locked === "0,1,1"`)
	last := pending()
	f.move(last, func(v *edge.View) { paid(v) })
	b.WaitFor(`window.rang === 3`)
	uitest.Eval[any](b, hides("window", false))
	b.WaitFor(locks + ` && window.locked === "1,1,0"`)
	uitest.Eval[any](b, `window.other.close()`)
	b.WaitFor(locks + ` && window.locked === "1,0,0"`)
}
