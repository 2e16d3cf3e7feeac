package screen

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/told"
	"galla/edge/web/webtest"
	"galla/edge/words"
	"galla/shared/money"
	"galla/shared/op"
)

// strip is what the strip of open cash says to the eye.
const strip = `document.querySelector("#open-cash").innerText.replace(/\s+/g, " ").trim()`

// places are where everything stands that a finger may press, and what would be
// pressed there.
const places = `JSON.stringify([...document.querySelectorAll("main :is(a, button, input, select, textarea)")].map(e => {
	const r = e.getBoundingClientRect();
	const x = r.x + r.width / 2, y = r.y + r.height / 2;
	const at = y > 0 && y < innerHeight ? document.elementFromPoint(x, y) : null;
	return [e.id || e.textContent.trim(), Math.round(r.x), Math.round(r.y), at === null ? "out" : at === e || e.contains(at) || at.contains(e)];
}))`

// keysOf are the keys of a page.
const keysOf = `[...document.querySelectorAll("[data-key]")].map(e => e.dataset.key).sort().join(" ")`

// spy counts what is heard instead of playing it.
const spy = `void (window.rang = 0, window.AudioContext = class {
	currentTime = 0; destination = {};
	resume() { window.rang++; }
	createOscillator() { return {frequency: {}, connect: x => x, start() {}, stop() {}}; }
	createGain() { return {gain: {setValueAtTime() {}, exponentialRampToValueAtTime() {}}, connect: x => x}; }
})`

// unlockedAt opens a browser at a page.
func unlockedAt(t *testing.T, chromium context.Context, base string, width, height int64, path string) *webtest.Browser {
	b := webtest.Open(t, chromium, base, width, height)
	b.Go("/unlock?next=" + path)
	b.Focused("#pin")
	b.Press("2", "5", "8", "0", kb.Enter)
	b.Sees(fmt.Sprintf(`document.readyState === "complete" && location.pathname + location.search === %q`, path))
	return b
}

// openCash: cash that the bank pays late reaches pages that are open, in two
// browsers, with a sound, and moves nothing under the finger.
func openCash(t *testing.T, chromium context.Context) {
	for _, c := range []struct {
		width, height int64
		language      string
		give, not     string
	}{
		{1366, 768, "en", "GIVE CASH ₹700 · Shivshankar …7058 · G", "DO NOT GIVE CASH ₹700"},
		{360, 740, "hi", "₹700 नकद दें Shivshankar …7058", "नकद न दें ₹700"},
	} {
		t.Run(fmt.Sprint(c.width, c.language), func(t *testing.T) {
			t.Parallel()
			f := newFake()
			srv := serve(t, f)
			late := f.add(cashOp(func(v *edge.View) { v.State, v.Amount = op.Pending, 70000 }))
			b := unlockedAt(t, chromium, srv.URL, c.width, c.height, "/new/withdrawal")
			other := unlockedAt(t, chromium, srv.URL, 1366, 768, "/operations")
			b.Speak(c.language)
			webtest.Eval[any](b, spy)
			b.Focused("#aadhaar")
			b.Press("9", "9", "9")
			webtest.Eval[any](b, `void (window.shifts = 0, new PerformanceObserver(l => l.getEntries().forEach(e => window.shifts += e.value)).observe({type: "layout-shift"}))`)
			before := webtest.Eval[string](b, places)

			f.move(late, func(v *edge.View) { paid(v) })
			b.Sees(strip + fmt.Sprintf(` === %q`, c.give))
			other.Sees(strip + ` === "GIVE CASH ₹700 · Shivshankar …7058 · G"`)
			if now := webtest.Eval[string](b, places); now != before || strings.Contains(now, "false") {
				t.Errorf("the strip moved or covered something:\n%s\n%s", before, now)
			}
			if n := webtest.Eval[float64](b, `window.shifts`); n != 0 {
				t.Errorf("the page jumped by %v", n)
			}
			b.Focused("#aadhaar")
			b.Press("9", "4")
			b.Sees(`document.querySelector("#aadhaar").value === "9999 4" && window.rang === 1`)
			b.Shot("open-cash-form")
			for _, page := range []string{"/", "/operations", "/line", "/day", "/settings", "/nowhere", "/new/balance"} {
				b.Go(page)
				b.Sees(`document.readyState === "complete" && ` + strip + fmt.Sprintf(` === %q`, c.give))
				b.Look("open-cash" + page)
			}

			// Another one is taken back late, while the pages have no stream.
			back := f.add(cashOp(func(v *edge.View) { v.State, v.Amount, v.Customer = op.Pending, 70000, "Asha" }))
			webtest.Eval[any](b, spy)
			f.move(back, func(v *edge.View) { v.State, v.Result.Code = op.Reversed, "68" })
			b.Sees(strip + `.includes("1")`)
			b.Go("/new/withdrawal")
			srv.CloseClientConnections()
			if c.width > 1000 {
				b.Do(webtest.Press(kb.Escape))
				b.Sees(`document.readyState === "complete" && document.querySelector(".tiles")`)
			} else {
				b.Go("/")
			}
			// The strip leads to the operation, and its own page asks.
			if c.width > 1000 {
				b.Press("g")
			} else {
				webtest.Eval[any](b, `document.querySelector("#open-cash-go").click()`)
			}
			b.Sees(`document.readyState === "complete" && document.querySelector("#do-cash")`)
			b.Sees(strip + fmt.Sprintf(`.startsWith(%q) && document.querySelector("#open-cash .due.stop")`, c.not))
			b.Look("open-cash-operation")
			if keys := webtest.Eval[string](b, keysOf); strings.Contains(keys, "g") || strings.Count(keys, "c") != 1 {
				t.Errorf("the keys of an operation's page beside open cash: %q", keys)
			}
			webtest.Eval[any](b, `document.querySelector("#do-cash").click()`)
			b.Sees(`document.querySelector("#op").dataset.state === "given"`)
			other.Sees(strip + `.startsWith("DO NOT GIVE CASH ₹700 · Asha …7058")`)
			webtest.Eval[any](b, `document.querySelector("#open-cash-go").click()`)
			b.Sees(`document.readyState === "complete" && document.querySelector("#do-noted")`)
			webtest.Eval[any](b, `document.querySelector("#do-noted").click()`)
			b.Sees(`!document.querySelector("#do-noted") && ` + strip + ` === ""`)
			other.Sees(strip + ` === ""`)
		})
	}
}

// TestOpenCashOnEveryPage: the strip speaks six languages, is on every page of an
// unlocked counter, names nobody on a locked one, and stays until somebody says
// what became of the cash.
func TestOpenCashOnEveryPage(t *testing.T) {
	v := unlocked(t)
	late := v.f.add(cashOp(func(v *edge.View) { paid(v); v.Amount = 70000 }))
	settled := v.f.add(cashOp(func(v *edge.View) { paid(v); v.CashGiven, v.CashBy = fakeNow, "Fatima" }))
	book, err := words.Load(told.Catalogue())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range words.Languages() {
		v.Post("/language", http.StatusSeeOther, "language", l.Code, "here", "/")
		label := book.In(l.Code).Say("told.cash.succeeded.title", "amount", "₹700")
		for _, page := range []string{"/", "/new/withdrawal", "/new/balance", "/day", "/line", "/settings", "/op/" + string(settled), "/op/" + string(settled) + "/receipt", "/op/" + string(late) + "/receipt"} {
			webtest.Has(t, v.Get(page, http.StatusOK), `id="open-cash"`, label, "Shivshankar", "…7058", `href="/op/`+string(late)+`"`, `data-state="`+string(late)+`:due"`)
		}
		webtest.HasNot(t, v.Get("/op/"+string(late), http.StatusOK), `id="open-cash-go"`) // its own page says it
	}
	v.Post("/language", http.StatusSeeOther, "language", "en", "here", "/")
	home := v.Get("/", http.StatusOK)
	if open, latest := strings.Index(home, `/op/`+string(late)+`">`), strings.Index(home, "Last customers"); strings.Count(home, `class="row" href="/op/`+string(late)) != 1 || open < 0 || open > latest {
		t.Errorf("the first page does not show it once and on top: %s", home)
	}
	webtest.Has(t, home, "1 open")

	locked := visit(t)
	locked.f.add(cashOp(func(v *edge.View) { paid(v); v.Amount = 70000 }))
	page := locked.Get("/unlock", http.StatusOK)
	webtest.Has(t, page, "GIVE CASH ₹700")
	webtest.HasNot(t, page, "Shivshankar", "7058")

	// Several: the oldest, and how many more.
	second := v.f.add(cashOp(func(v *edge.View) { v.State, v.Customer = op.Reversed, "A. Devi" }))
	webtest.Has(t, v.Get("/line", http.StatusOK), "GIVE CASH ₹700", "1 more")
	v.Post("/op/"+string(late)+"/not-given", http.StatusSeeOther)
	page = v.Get("/line", http.StatusOK)
	webtest.Has(t, page, "DO NOT GIVE CASH ₹500", "A. Devi", "due stop")
	webtest.HasNot(t, page, "GIVE CASH ₹700", "1 more")
	webtest.Has(t, v.Get("/", http.StatusOK), "the customer has not had the cash") // it is owed still
	webtest.Has(t, v.Get("/op/"+string(late), http.StatusOK), "CASH OWED ₹700", `id="do-cash"`)
	v.Post("/op/"+string(late)+"/noted", http.StatusConflict)
	v.Post("/op/"+string(second)+"/not-given", http.StatusConflict)
	v.Post("/op/"+string(second)+"/noted", http.StatusSeeOther)
	v.Post("/op/"+string(late)+"/cash", http.StatusSeeOther)
	v.Post("/op/"+string(late)+"/not-given", http.StatusConflict)
	page = v.Get("/", http.StatusOK)
	webtest.Has(t, page, `data-state=""`, "Nothing open")
	webtest.HasNot(t, page, "open-cash-go")
}

// theStrip finds the way of the strip, and its key where it has one.
var theStrip = regexp.MustCompile(`id="open-cash-go" href="/op/([^"]+)"(?: data-key="([^"]*)")?`)

// TestOneOperationsKeysAreItsOwn: whatever the cash of an operation's page stands at,
// the strip of another customer's has no key on it, and the key by which the strip is
// opened elsewhere does nothing there.
func TestOneOperationsKeysAreItsOwn(t *testing.T) {
	v := unlocked(t)
	for _, c := range everyOutcome() {
		v.f.mu.Lock()
		clear(v.f.ops)
		v.f.order = nil
		v.f.mu.Unlock()
		others := v.f.add(cashOp(func(o *edge.View) { paid(o); o.Amount, o.Customer = 70000, "Asha Devi" }))
		id := v.f.add(c)
		at := string(c.Route) + " " + string(c.State) + " " + c.Result.Code + " " + string(c.Cash())
		page := v.Get("/op/"+string(id), http.StatusOK)
		m := theStrip.FindStringSubmatch(page)
		if m == nil || m[1] != string(others) || m[2] != "" || strings.Contains(page, `data-key="g"`) {
			t.Errorf("%s: the strip of another customer's cash is %q", at, m)
		}
		if give := c.Cash() == edge.CashDue || c.Cash() == edge.CashNotGiven; give && strings.Count(page, `data-key="c"`) != 1 {
			t.Errorf("%s: the page has %d keys that say that cash was given", at, strings.Count(page, `data-key="c"`))
		}
		page = v.Get("/line", http.StatusOK)
		if m := theStrip.FindStringSubmatch(page); m == nil || m[2] != "g" || strings.Contains(page, `data-key="c"`) {
			t.Errorf("%s: elsewhere the strip is %q", at, m)
		}
	}
}

// TestTheCustomersOwnCashIsInTheStrip: cash of a transfer that failed after the
// screen said to keep it, and that of a refund, with their charges, in six
// languages.
func TestTheCustomersOwnCashIsInTheStrip(t *testing.T) {
	book, err := words.Load(told.Catalogue())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		alter              func(*edge.View)
		key, button, given string
	}{
		{func(v *edge.View) { v.Route, v.State, v.CashKept = op.Transfer, op.Failed, true; v.Result.Code = "91" },
			"told.transfer.back", "do-back", "CASH GIVEN BACK"},
		{func(v *edge.View) { v.Route, v.State, v.Consent = op.Refund, op.Succeeded, edge.RefundRule },
			"told.cash.succeeded", "do-cash", "CASH GIVEN"},
	} {
		v := unlocked(t)
		id := v.f.add(cashOp(func(o *edge.View) { c.alter(o); o.Amount, o.Charge = 250000, 2500 }))
		page := "/op/" + string(id)
		for _, l := range words.Languages() {
			v.Post("/language", http.StatusSeeOther, "language", l.Code, "here", "/")
			title := book.In(l.Code).Say(c.key+".title", "amount", "₹2,525")
			webtest.Has(t, v.Get("/line", http.StatusOK), title, `href="`+page+`"`, `data-state="`+string(id)+`:due"`)
			webtest.Has(t, v.Get(page, http.StatusOK), title, `id="`+c.button+`"`, `id="do-not-given"`)
			webtest.Has(t, v.Get("/", http.StatusOK), "₹2,525.00")
		}
		v.Post("/language", http.StatusSeeOther, "language", "en", "here", "/")
		v.Post(page+"/not-given", http.StatusSeeOther)
		webtest.HasNot(t, v.Get("/line", http.StatusOK), "open-cash-go")
		webtest.Has(t, v.Get(page, http.StatusOK), "CASH OWED ₹2,525", `id="`+c.button+`"`)
		v.Post(page+"/cash", http.StatusSeeOther)
		webtest.HasNot(t, v.Get("/", http.StatusOK), "₹2,525 ", "open-cash-go")
		shown := v.Get(page, http.StatusOK)
		webtest.Has(t, shown, c.given)
		webtest.HasNot(t, shown, c.button, "do-not-given")
	}
}

// TestSoundIsSwitchedOff in this browser, and stays so.
func TestSoundIsSwitchedOff(t *testing.T) {
	v := unlocked(t)
	webtest.Has(t, v.Get("/settings", http.StatusOK), `data-sound="on"`)
	if to := v.Post("/settings", http.StatusSeeOther, "sound", "off"); to != "/settings" {
		t.Errorf("it leads to %s", to)
	}
	webtest.Has(t, v.Get("/", http.StatusOK), `data-sound="off"`)
	v.Post("/settings", http.StatusSeeOther, "sound", "on")
	webtest.Has(t, v.Get("/", http.StatusOK), `data-sound="on"`)
}

// TestATransferThatCameBackLeadsToItsRefund: that is the main button of its page,
// and that the customer has the cash already the second; after either the page has
// neither more.
func TestATransferThatCameBackLeadsToItsRefund(t *testing.T) {
	v, _ := everyPlace(t)
	back := cashOp(func(v *edge.View) {
		v.Route, v.State, v.CashKept, v.Charge = op.Transfer, op.Reversed, true, 25*money.Rupee
	})
	id := v.f.add(back)
	page := v.Get("/op/"+string(id), http.StatusOK)
	_, page, _ = strings.Cut(page, "<main")
	for _, want := range []string{`id="do-flow" class="main" data-key="c"`, `id="do-back" class="second"`} {
		if strings.Count(page, want) != 1 {
			t.Errorf("%s is not on the page once: %s", want, page)
		}
	}
	if n := strings.Count(page, `data-key="c"`); n != 1 {
		t.Errorf("%d buttons have the key", n)
	}
	v.Post("/op/"+string(id)+"/cash", http.StatusSeeOther)
	page = v.Get("/op/"+string(id), http.StatusOK)
	webtest.Has(t, page, "do-flow", "Do not give it again")
	webtest.HasNot(t, page, "do-back")
}
