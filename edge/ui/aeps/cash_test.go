package aeps

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/ui/uitest"
	"galla/shared/money"
	"galla/shared/op"
)

// strip is the visible text of the cash bar.
const cashBar = `document.querySelector("#open-cash").innerText.replace(/\s+/g, " ").trim()`

// places are the positions of everything that can be pressed, and what it is.
const places = `JSON.stringify([...document.querySelectorAll("main :is(a, button, input, select, textarea)")].map(e => {
	const r = e.getBoundingClientRect();
	const x = r.x + r.width / 2, y = r.y + r.height / 2;
	const at = y > 0 && y < innerHeight ? document.elementFromPoint(x, y) : null;
	return [e.id || e.textContent.trim(), Math.round(r.x), Math.round(r.y), at === null ? "out" : at === e || e.contains(at) || at.contains(e)];
}))`

// keyPages are the keys of a page.
const keyPages = `[...document.querySelectorAll("[data-key]")].map(e => e.dataset.key).sort().join(" ")`

// spy counts sounds instead of playing them.
const spy = `void (window.rang = 0, window.AudioContext = class {
	currentTime = 0; destination = {};
	resume() { window.rang++; }
	createOscillator() { return {frequency: {}, connect: x => x, start() {}, stop() {}}; }
	createGain() { return {gain: {setValueAtTime() {}, exponentialRampToValueAtTime() {}}, connect: x => x}; }
})`

// unlockedAt opens a browser at a page.
func unlockedAt(t *testing.T, chromium context.Context, base string, width, height int64, path string) *uitest.Browser {
	b := uitest.Open(t, chromium, base, width, height)
	b.Navigate("/unlock?next=" + path)
	b.WaitForFocus("#pin")
	b.Press("2", "5", "8", "0", kb.Enter)
	b.WaitFor(fmt.Sprintf(`document.readyState === "complete" && location.pathname + location.search === %q`, path))
	return b
}

// openCash: late payments reach open pages in two browsers, with a sound, and move nothing
// under the finger.
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
			b.SetLanguage(c.language)
			uitest.Eval[any](b, spy)
			b.WaitForFocus("#aadhaar")
			b.Press("9", "9", "9")
			uitest.Eval[any](b, `void (window.shifts = 0, new PerformanceObserver(l => l.getEntries().forEach(e => window.shifts += e.value)).observe({type: "layout-shift"}))`)
			before := uitest.Eval[string](b, places)

			f.move(late, func(v *edge.View) { paid(v) })
			b.WaitFor(cashBar + fmt.Sprintf(` === %q`, c.give))
			other.WaitFor(cashBar + ` === "GIVE CASH ₹700 · Shivshankar …7058 · G"`)
			if now := uitest.Eval[string](b, places); now != before || strings.Contains(now, "false") {
				t.Errorf("the strip moved or covered something:\n%s\n%s", before, now)
			}
			if n := uitest.Eval[float64](b, `window.shifts`); n != 0 {
				t.Errorf("the page jumped by %v", n)
			}
			b.WaitForFocus("#aadhaar")
			b.Press("9", "4")
			b.WaitFor(`document.querySelector("#aadhaar").value === "9999 4" && window.rang === 1`)
			b.Screenshot("open-cash-form")
			for _, page := range []string{"/", "/operations", "/connection", "/sign-in", "/settings", "/nowhere", "/new/balance"} {
				b.Navigate(page)
				b.WaitFor(`document.readyState === "complete" && ` + cashBar + fmt.Sprintf(` === %q`, c.give))
				b.Check("open-cash" + page)
			}

			// Another payment is reversed late, while the pages have no stream.
			back := f.add(cashOp(func(v *edge.View) { v.State, v.Amount, v.Customer = op.Pending, 70000, "Asha" }))
			uitest.Eval[any](b, spy)
			f.move(back, func(v *edge.View) { v.State, v.Result.Code = op.Reversed, "68" })
			b.WaitFor(cashBar + `.includes("1")`)
			b.Navigate("/new/withdrawal")
			srv.CloseClientConnections()
			if c.width > 1000 {
				b.Do(uitest.Press(kb.Escape))
				b.WaitFor(`document.readyState === "complete" && document.querySelector(".tiles")`)
			} else {
				b.Navigate("/")
			}
			// The cash bar leads to the operation, whose page asks.
			if c.width > 1000 {
				b.Press("g")
			} else {
				uitest.Eval[any](b, `document.querySelector("#open-cash-go").click()`)
			}
			b.WaitFor(`document.readyState === "complete" && document.querySelector("#do-cash")`)
			b.WaitFor(cashBar + fmt.Sprintf(`.startsWith(%q) && document.querySelector("#open-cash .cash-due.stop")`, c.not))
			b.Check("open-cash-operation")
			if keys := uitest.Eval[string](b, keyPages); strings.Contains(keys, "g") || strings.Count(keys, "c") != 1 {
				t.Errorf("the keys of an operation's page beside open cash: %q", keys)
			}
			uitest.Eval[any](b, `document.querySelector("#do-cash").click()`)
			b.WaitFor(`document.querySelector("#op").dataset.state === "given"`)
			other.WaitFor(cashBar + `.startsWith("DO NOT GIVE CASH ₹700 · Asha …7058")`)
			uitest.Eval[any](b, `document.querySelector("#open-cash-go").click()`)
			b.WaitFor(`document.readyState === "complete" && document.querySelector("#do-noted")`)
			uitest.Eval[any](b, `document.querySelector("#do-noted").click()`)
			b.WaitFor(`!document.querySelector("#do-noted") && ` + cashBar + ` === ""`)
			other.WaitFor(cashBar + ` === ""`)
		})
	}
}

// TestOpenCashOnEveryPage: the cash bar exists in six languages, is on every page of an
// unlocked counter, names nobody on a locked one, and stays until somebody answers.
func TestOpenCashOnEveryPage(t *testing.T) {
	v := unlocked(t)
	late := v.f.add(cashOp(func(v *edge.View) { paid(v); v.Amount = 70000 }))
	settled := v.f.add(cashOp(func(v *edge.View) { paid(v); v.CashGivenAt, v.CashBy = fakeNow, "Fatima" }))
	book, err := i18n.Load(outcome.Catalogue())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range i18n.Languages() {
		v.Post("/language", http.StatusSeeOther, "language", l.Code, "here", "/")
		label := book.Localizer(l.Code).Text("outcome.cash.succeeded.title", "amount", "₹700")
		for _, page := range []string{"/", "/new/withdrawal", "/new/balance", "/sign-in", "/connection", "/settings", "/op/" + string(settled), "/op/" + string(settled) + "/receipt", "/op/" + string(late) + "/receipt"} {
			uitest.Contains(t, v.Get(page, http.StatusOK), `id="open-cash"`, label, "Shivshankar", "…7058", `href="/op/`+string(late)+`"`, `data-state="`+string(late)+`:due"`)
		}
		uitest.NotContains(t, v.Get("/op/"+string(late), http.StatusOK), `id="open-cash-go"`) // its own page shows it
	}
	v.Post("/language", http.StatusSeeOther, "language", "en", "here", "/")
	home := v.Get("/", http.StatusOK)
	if open, latest := strings.Index(home, `/op/`+string(late)+`">`), strings.Index(home, "Recent customers"); strings.Count(home, `class="row" href="/op/`+string(late)) != 1 || open < 0 || open > latest {
		t.Errorf("the first page does not show it once and on top: %s", home)
	}
	uitest.Contains(t, home, "1 open")

	locked := visit(t)
	locked.f.add(cashOp(func(v *edge.View) { paid(v); v.Amount = 70000 }))
	page := locked.Get("/unlock", http.StatusOK)
	uitest.Contains(t, page, "GIVE CASH ₹700")
	uitest.NotContains(t, page, "Shivshankar", "7058")

	// Several: the oldest, and how many more.
	second := v.f.add(cashOp(func(v *edge.View) { v.State, v.Customer = op.Reversed, "A. Devi" }))
	uitest.Contains(t, v.Get("/connection", http.StatusOK), "GIVE CASH ₹700", "1 more")
	v.Post("/op/"+string(late)+"/not-given", http.StatusSeeOther)
	page = v.Get("/connection", http.StatusOK)
	uitest.Contains(t, page, "DO NOT GIVE CASH ₹500", "A. Devi", "cash-due stop")
	uitest.NotContains(t, page, "GIVE CASH ₹700", "1 more")
	uitest.Contains(t, v.Get("/", http.StatusOK), "the customer has not had the cash") // it is still owed
	uitest.Contains(t, v.Get("/op/"+string(late), http.StatusOK), "CASH OWED ₹700", `id="do-cash"`)
	v.Post("/op/"+string(late)+"/noted", http.StatusConflict)
	v.Post("/op/"+string(second)+"/not-given", http.StatusConflict)
	v.Post("/op/"+string(second)+"/noted", http.StatusSeeOther)
	v.Post("/op/"+string(late)+"/cash", http.StatusSeeOther)
	v.Post("/op/"+string(late)+"/not-given", http.StatusConflict)
	page = v.Get("/", http.StatusOK)
	uitest.Contains(t, page, `data-state=""`, "Nothing open")
	uitest.NotContains(t, page, "open-cash-go")
}

// cashBarLink finds the cash bar's link, and its key if it has one.
var cashBarLink = regexp.MustCompile(`id="open-cash-go" href="/op/([^"]+)"(?: data-key="([^"]*)")?`)

// TestOneOperationsKeysAreItsOwn: in every state of an operation's cash, the cash bar of
// another customer has no key on its page, and the cash bar's usual key does nothing
// there.
func TestOneOperationsKeysAreItsOwn(t *testing.T) {
	v := unlocked(t)
	book, err := i18n.Load(outcome.Catalogue())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range distinct(book.Localizer(i18n.English), v.f.Status(), everyOutcome()) {
		v.f.mu.Lock()
		clear(v.f.ops)
		v.f.order = nil
		v.f.mu.Unlock()
		others := v.f.add(cashOp(func(o *edge.View) { paid(o); o.Amount, o.Customer = 70000, "Asha Devi" }))
		id := v.f.add(c)
		at := string(c.Route) + " " + string(c.State) + " " + c.Result.Code + " " + string(c.Cash())
		page := v.Get("/op/"+string(id), http.StatusOK)
		m := cashBarLink.FindStringSubmatch(page)
		if m == nil || m[1] != string(others) || m[2] != "" || strings.Contains(page, `data-key="g"`) {
			t.Errorf("%s: the strip of another customer's cash is %q", at, m)
		}
		if give := c.Cash() == edge.CashDue || c.Cash() == edge.CashNotGiven; give && strings.Count(page, `data-key="c"`) != 1 {
			t.Errorf("%s: the page has %d keys that say that cash was given", at, strings.Count(page, `data-key="c"`))
		}
		page = v.Get("/connection", http.StatusOK)
		if m := cashBarLink.FindStringSubmatch(page); m == nil || m[2] != "g" || strings.Contains(page, `data-key="c"`) {
			t.Errorf("%s: elsewhere the strip is %q", at, m)
		}
	}
}

// TestCustomersOwnCashIsInTheCashBar: cash of a transfer that failed after it was kept,
// and of a refund, with charges, in six languages.
func TestCustomersOwnCashIsInTheCashBar(t *testing.T) {
	book, err := i18n.Load(outcome.Catalogue())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		alter              func(*edge.View)
		key, button, given string
	}{
		{func(v *edge.View) { v.Route, v.State, v.CashKept = op.Transfer, op.Failed, true; v.Result.Code = "91" },
			"outcome.transfer.give-back", "do-back", "CASH GIVEN BACK"},
		{func(v *edge.View) { v.Route, v.State, v.Consent = op.Refund, op.Succeeded, edge.RefundCashAfter },
			"outcome.cash.succeeded", "do-cash", "CASH GIVEN"},
	} {
		v := unlocked(t)
		id := v.f.add(cashOp(func(o *edge.View) { c.alter(o); o.Amount, o.Charge = 250000, 2500 }))
		page := "/op/" + string(id)
		for _, l := range i18n.Languages() {
			v.Post("/language", http.StatusSeeOther, "language", l.Code, "here", "/")
			title := book.Localizer(l.Code).Text(c.key+".title", "amount", "₹2,525")
			uitest.Contains(t, v.Get("/connection", http.StatusOK), title, `href="`+page+`"`, `data-state="`+string(id)+`:due"`)
			uitest.Contains(t, v.Get(page, http.StatusOK), title, `id="`+c.button+`"`, `id="do-not-given"`)
			uitest.Contains(t, v.Get("/", http.StatusOK), "₹2,525.00")
		}
		v.Post("/language", http.StatusSeeOther, "language", "en", "here", "/")
		v.Post(page+"/not-given", http.StatusSeeOther)
		uitest.NotContains(t, v.Get("/connection", http.StatusOK), "open-cash-go")
		uitest.Contains(t, v.Get(page, http.StatusOK), "CASH OWED ₹2,525", `id="`+c.button+`"`)
		v.Post(page+"/cash", http.StatusSeeOther)
		uitest.NotContains(t, v.Get("/", http.StatusOK), "₹2,525 ", "open-cash-go")
		shown := v.Get(page, http.StatusOK)
		uitest.Contains(t, shown, c.given)
		uitest.NotContains(t, shown, c.button, "do-not-given")
	}
}

// TestSoundIsSwitchedOff in this browser, and stays so.
func TestSoundIsSwitchedOff(t *testing.T) {
	v := unlocked(t)
	uitest.Contains(t, v.Get("/settings", http.StatusOK), `data-sound="on"`)
	if to := v.Post("/settings", http.StatusSeeOther, "sound", "off"); to != "/settings" {
		t.Errorf("it leads to %s", to)
	}
	uitest.Contains(t, v.Get("/", http.StatusOK), `data-sound="off"`)
	v.Post("/settings", http.StatusSeeOther, "sound", "on")
	uitest.Contains(t, v.Get("/", http.StatusOK), `data-sound="on"`)
}

// TestATransferThatCameBackLeadsToItsRefund: the refund is the main button of its page,
// 'cash given back' the second; after either, the page has neither.
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
	uitest.Contains(t, page, "do-flow", "Do not give it again")
	uitest.NotContains(t, page, "do-back")
}
