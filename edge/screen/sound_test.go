package screen

import (
	"context"
	"fmt"
	"testing"

	"galla/edge"
	"galla/edge/web/webtest"
	"galla/shared/op"
)

// hides makes a window one that nobody sees, or sees again.
func hides(window string, yes bool) string {
	return fmt.Sprintf(`void (Object.defineProperty(%[1]s.document, "hidden", {configurable: true, get: () => %[2]v}), %[1]s.document.dispatchEvent(new Event("visibilitychange")))`, window, yes)
}

// locks counts the tabs' locks: how many are seen, how many that are not have the
// stream, and how many wait for it.
const locks = `navigator.locks.query().then(({held, pending}) => {
	const count = (list, name) => list.filter(l => l.name === name).length;
	window.locked = [count(held, "galla-seen"), count(held, "galla-unseen"), count(pending, "galla-unseen")].join();
})`

// sounds: whoever waits at the page of a pending operation, or has the browser
// minimised, hears that it turned to cash; and of the tabs that nobody sees one keeps
// a stream.
func sounds(t *testing.T, chromium context.Context) {
	f := newFake()
	srv := serve(t, f)
	pending := func() op.ID {
		return f.add(cashOp(func(v *edge.View) { v.State, v.Amount = op.Pending, 70000 }))
	}
	shown := pending()
	b := unlockedAt(t, chromium, srv.URL, 1366, 768, "/op/"+string(shown))
	webtest.Eval[any](b, spy)
	b.Press("y") // a touch, of no key
	f.move(shown, func(v *edge.View) { paid(v) })
	b.Sees(`document.querySelector("#op").dataset.state === "succeeded" && window.rang === 1`)
	b.Sees(strip + ` === ""`) // the page says it

	// Nobody sees the window.
	late := pending()
	webtest.Eval[any](b, hides("window", true))
	b.Sees(locks + ` && window.locked === "0,1,0"`)
	f.move(late, func(v *edge.View) { paid(v) })
	b.Sees(`window.rang === 2`)

	// Another tab is seen: that one sounds.
	webtest.Eval[any](b, `void (window.other = window.open("/line"))`)
	b.Sees(`window.other.document.readyState === "complete" && window.other.document.querySelector("#open-cash-go")`)
	b.Sees(locks + ` && window.locked === "1,1,0"`)
	silent := pending()
	f.move(silent, func(v *edge.View) { paid(v) })
	b.Sees(`document.querySelector("#open-cash").dataset.state.includes("` + string(silent) + `")`)
	b.Sees(`window.other.document.querySelector("#open-cash").dataset.state.includes("` + string(silent) + `")`)
	b.Sees(locks + ` && window.rang === 2`)

	// Neither is: one of them has a stream.
	webtest.Eval[any](b, hides("window.other", true))
	b.Sees(locks + ` && window.locked === "0,1,1"`)
	last := pending()
	f.move(last, func(v *edge.View) { paid(v) })
	b.Sees(`window.rang === 3`)
	webtest.Eval[any](b, hides("window", false))
	b.Sees(locks + ` && window.locked === "1,1,0"`)
	webtest.Eval[any](b, `window.other.close()`)
	b.Sees(locks + ` && window.locked === "1,0,0"`)
}
