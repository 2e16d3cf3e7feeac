package screen

import (
	"context"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/web/webtest"
)

// standing gives a counter of several operators, one of whom has the PIN that an
// owner set.
func standing() *fake {
	f := newFake()
	f.others = []edge.Operator{{ID: "a1", Name: "Asha", Role: edge.RoleOperator}, {ID: "r1", Name: "Ravi Venkataraman", Role: edge.RoleOperator}}
	f.given = map[string]bool{"a1": true}
	f.wrong = 4 // the next wrong PIN is one too many
	f.status.Session = edge.SessionState{Known: true, Active: true, Operator: "Fatima", By: edge.AgentID, ExpiresAt: fakeNow.Add(9 * time.Hour)}
	return f
}

// standingAt serves it with an idle time.
func standingAt(t *testing.T, f *fake, idle time.Duration) *httptest.Server {
	t.Helper()
	cfg := testConfig()
	cfg.Idle = idle
	s, err := New(f, cfg)
	if err != nil {
		t.Fatal(err)
	}
	srv := webtest.Start(t, s.Handler())
	t.Cleanup(srv.Close)
	t.Cleanup(s.Close)
	return srv
}

const (
	unlockTitle = "Unlock the counter"
	homeTitle   = "What does the customer want?"
)

// choose marks an operator by pointer, as most do, and types a PIN without going
// to its field.
func choose(b *webtest.Browser, operator, pin string) {
	b.T.Helper()
	b.Focused("#pin") // the page begins there
	b.Do(chromedp.Click(fmt.Sprintf(`input[name=who][value=%q]`, operator)))
	b.Focused("#pin")
	for _, digit := range pin {
		b.Press(string(digit))
	}
}

// TestUnlockInBrowser: the choice of the operator, an own PIN in place of the
// owner's, a wait that counts down for its operator only, the switch that comes
// back to the page, and the lock after idle time.
func TestUnlockInBrowser(t *testing.T) {
	chromium := webtest.Chromium(t)
	for _, size := range [][2]int64{{1366, 768}, {360, 740}} {
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			t.Parallel()
			f := standing()
			b := webtest.Open(t, chromium, standingAt(t, f, 0).URL, size[0], size[1])
			b.Go("/new/balance")
			b.Reads(unlockTitle)
			b.Focused("#pin")
			b.Shot("unlock-choice")
			waits(b)
			choose(b, edge.AgentID, rightPIN)
			b.Press(kb.Enter)
			b.Sees(`location.pathname === "/new/balance" && document.readyState === "complete"`)
			switchTo(b, "a1")
		})
	}
	for _, code := range []string{"hi", "ta"} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			b := webtest.Open(t, chromium, standingAt(t, standing(), 0).URL, 360, 740)
			unlockIn(t, b, code)
		})
	}
	t.Run("idle", func(t *testing.T) { t.Parallel(); idles(t, chromium) })
}

// waits gives one wrong PIN too many for one operator.
func waits(b *webtest.Browser) {
	b.T.Helper()
	choose(b, "r1", "1111")
	b.Press(kb.Enter)
	button := `document.querySelector(".unlock button.main")`
	b.Sees(button + `?.disabled && /^Wait 0:(30|2\d)/.test(` + button + `.innerText)`)
	b.Sees(`document.querySelector("#pin-note").innerText.includes("looked at in 0:2")`) // it counts
	b.Shot("unlock-wait")
	choose(b, edge.AgentID, "")
	b.Sees(`!` + button + `.disabled && ` + button + `.innerText.startsWith("Unlock") && document.querySelector("#pin-note").innerText.trim() === ""`)
	choose(b, "r1", "")
	b.Sees(button + `.disabled`)
}

// switchTo locks and lets another operator in, who chooses an own PIN first.
func switchTo(b *webtest.Browser, operator string) {
	b.T.Helper()
	webtest.Eval[any](b, `document.querySelector(".locker button").click()`)
	b.Reads(unlockTitle)
	b.Sees(`document.querySelector("input[name=who]:checked").value === "agent"`)
	choose(b, operator, givenPIN)
	b.Press(kb.Enter)
	b.Reads("Choose your own PIN")
	b.Focused("#own")
	b.Press("1", "2", "3", "4")
	b.Tab("#again")
	b.Press("1", "2", "3", "4", kb.Enter)
	b.Sees(`document.querySelector("#own-note")?.innerText.includes("easy to guess")`)
	b.Shot("unlock-own-pin")
	for _, field := range []string{"own", "again"} {
		webtest.Eval[any](b, fmt.Sprintf(`document.querySelector("#%s").focus()`, field))
		b.Press("2", "5", "8", "0")
	}
	b.Press(kb.Enter)
	// The page that was left comes back; the day's finger is Fatima's.
	b.Sees(`location.pathname === "/day" && document.readyState === "complete"`)
	b.Sees(`document.querySelector(".shop").innerText.includes("Asha")`)
	b.Shot("unlock-switched")
}

// unlockIn looks at the pages of the unlocking in a language.
func unlockIn(t *testing.T, b *webtest.Browser, code string) {
	b.Go("/")
	b.Reads(unlockTitle)
	webtest.Eval[any](b, fmt.Sprintf(`(() => { const s = document.querySelector("#language"); s.value = %q; s.dispatchEvent(new Event("change", {bubbles: true})); })()`, code))
	here := fmt.Sprintf(`document.documentElement.lang === %q && document.readyState === "complete"`, code)
	b.Sees(here)
	b.Shot(code + "-unlock-choice")
	choose(b, "r1", "1111")
	b.Press(kb.Enter)
	b.Sees(here + ` && document.querySelector(".unlock button.main")?.disabled`)
	b.Shot(code + "-unlock-wait")
	choose(b, "a1", givenPIN)
	b.Press(kb.Enter)
	b.Focused("#own")
	b.Shot(code + "-unlock-own-pin")
}

// idles: a page that nobody touches locks itself while it is looked at, and
// comes back after the PIN.
func idles(t *testing.T, chromium context.Context) {
	f := newFake()
	b := webtest.Open(t, chromium, standingAt(t, f, 4*time.Second).URL, 1366, 768)
	b.Go("/")
	b.Reads(unlockTitle)
	b.Press("2", "5", "8", "0", kb.Enter)
	b.Reads(homeTitle)
	b.Go("/operations")
	b.Sees(`location.pathname === "/unlock" && new URLSearchParams(location.search).get("next") === "/operations"`)
	b.Reads(unlockTitle)
	b.Press("2", "5", "8", "0", kb.Enter)
	b.Sees(`location.pathname === "/operations"`)
}

// Nothing that the unlock page says of a PIN moves its button: not the refusal,
// not the wait that begins, counts and is over.
func TestUnlockStays(t *testing.T) {
	chromium := webtest.Chromium(t)
	for _, size := range [][2]int64{{1366, 768}, {360, 740}} {
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			t.Parallel()
			f := standing()
			b := webtest.Open(t, chromium, standingAt(t, f, 0).URL, size[0], size[1])
			b.Go("/unlock")
			codes := []string{"en", "hi", "mr", "bn", "te", "ta"}
			if size[0] > 1000 {
				codes = codes[:2] // the texts have one row there
			}
			for _, code := range codes {
				f.mu.Lock()
				f.wrong, f.until = 3, map[string]time.Time{}
				f.mu.Unlock()
				b.Go("/unlock")
				webtest.Eval[any](b, fmt.Sprintf(`(() => { const s = document.querySelector("#language"); s.value = %q; s.dispatchEvent(new Event("change", {bubbles: true})); })()`, code))
				b.Sees(fmt.Sprintf(`document.documentElement.lang === %q && document.readyState === "complete"`, code))
				stays := func(when, expression string) {
					t.Helper()
					b.Sees(`document.readyState === "complete" && ` + expression)
					at := webtest.Eval[float64](b, buttonTop)
					if first := webtest.Eval[float64](b, `Number(sessionStorage.top ??= (`+buttonTop+`))`); at != first {
						t.Errorf("%s %s: %s the button stands at %v, not at %v", b.Size, code, when, at, first)
					}
				}
				webtest.Eval[any](b, `sessionStorage.clear()`)
				const bad = `document.querySelector(".field.bad #pin-note")`
				stays("before a PIN", `!`+bad)
				choose(b, "r1", "1111")
				b.Leave(kb.Enter)
				stays("after a wrong PIN", bad)
				// What the server says may be painted before the script begins.
				choose(b, "r1", "1111")
				scripts(b, false)
				b.Leave(kb.Enter)
				stays("as the server says it", bad+`.innerText.length > 60 && !document.querySelector(".unlock button.main").disabled`)
				scripts(b, true)
				f.mu.Lock()
				f.wrong, f.until = 4, map[string]time.Time{}
				f.mu.Unlock()
				b.Go("/unlock")
				choose(b, "r1", "1111")
				b.Leave(kb.Enter)
				stays("while it counts", `document.querySelector(".unlock button.main").disabled`)
				choose(b, "a1", "")
				stays("for another operator", `!`+bad)
			}
		})
	}
}

// scripts lets the pages that are loaded next run scripts, or not.
func scripts(b *webtest.Browser, run bool) {
	b.T.Helper()
	b.Do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !run})
		return chromedp.Void{}, err
	})
}

// buttonTop is where the button of the unlock page begins, below its card's top.
const buttonTop = `document.querySelector(".unlock button.main").getBoundingClientRect().top - document.querySelector(".unlock").getBoundingClientRect().top`
