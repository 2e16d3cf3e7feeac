package aeps

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
	"galla/edge/ui/uitest"
)

// standing is a counter with several users, one of whom has an initial PIN.
func standing() *fake {
	f := newFake()
	f.others = []edge.User{{ID: "a1", Name: "Asha", Role: edge.RoleOperator}, {ID: "r1", Name: "Ravi Venkataraman", Role: edge.RoleOperator}}
	f.initial = map[string]bool{"a1": true}
	f.wrong = 4 // the next wrong PIN causes a wait
	f.status.Session = edge.SessionState{Known: true, Active: true, User: "Fatima", UserID: edge.AgentID, ExpiresAt: fakeNow.Add(9 * time.Hour)}
	return f
}

// standingAt serves it with an idle time.
func standingAt(t *testing.T, f *fake, idle time.Duration) *httptest.Server {
	t.Helper()
	cfg := testConfig()
	cfg.Idle = idle
	s, err := compose(f, cfg)
	if err != nil {
		t.Fatal(err)
	}
	srv := uitest.Start(t, s.Handler())
	t.Cleanup(srv.Close)
	t.Cleanup(s.Close)
	return srv
}

const (
	unlockTitle = "Unlock the counter"
	homeTitle   = "What does the customer need?"
)

// choose selects a user with the pointer, and types a PIN without focusing its field.
func choose(b *uitest.Browser, operator, pin string) {
	b.T.Helper()
	b.WaitForFocus("#pin") // it has the focus first
	b.Do(chromedp.Click(fmt.Sprintf(`input[name=who][value=%q]`, operator)))
	b.WaitForFocus("#pin")
	for _, digit := range pin {
		b.Press(string(digit))
	}
}

// TestChromiumUnlock: the choice of the user, an own PIN instead of the initial one, a
// wait that counts down for its user only, switching back to the page, and the lock after
// idle time.
func TestChromiumUnlock(t *testing.T) {
	chromium := uitest.Chromium(t)
	for _, size := range [][2]int64{{1366, 768}, {360, 740}} {
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			t.Parallel()
			f := standing()
			b := uitest.Open(t, chromium, standingAt(t, f, 0).URL, size[0], size[1])
			b.Navigate("/new/balance")
			b.WaitForHeading(unlockTitle)
			b.WaitForFocus("#pin")
			b.Screenshot("unlock-choice")
			waits(b)
			choose(b, edge.AgentID, rightPIN)
			b.Press(kb.Enter)
			b.WaitFor(`location.pathname === "/new/balance" && document.readyState === "complete"`)
			switchTo(b, "a1")
		})
	}
	for _, code := range []string{"hi", "ta"} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			b := uitest.Open(t, chromium, standingAt(t, standing(), 0).URL, 360, 740)
			unlockIn(t, b, code)
		})
	}
	t.Run("idle", func(t *testing.T) { t.Parallel(); idles(t, chromium) })
}

// waits types one wrong PIN too many for one user.
func waits(b *uitest.Browser) {
	b.T.Helper()
	choose(b, "r1", "1111")
	b.Press(kb.Enter)
	button := `document.querySelector(".unlock button.main")`
	b.WaitFor(button + `?.disabled && /^Wait 0:(30|2\d)/.test(` + button + `.innerText)`)
	b.WaitFor(`document.querySelector("#pin-note").innerText.includes("Try again in 0:2")`) // it counts down
	b.Screenshot("unlock-wait")
	choose(b, edge.AgentID, "")
	b.WaitFor(`!` + button + `.disabled && ` + button + `.innerText.startsWith("Unlock") && document.querySelector("#pin-note").innerText.trim() === ""`)
	choose(b, "r1", "")
	b.WaitFor(button + `.disabled`)
}

// switchTo locks and unlocks as another user, who first chooses an own PIN.
func switchTo(b *uitest.Browser, operator string) {
	b.T.Helper()
	uitest.Eval[any](b, `document.querySelector(".locker button").click()`)
	b.WaitForHeading(unlockTitle)
	b.WaitFor(`document.querySelector("input[name=who]:checked").value === "agent"`)
	choose(b, operator, initialPINValue)
	b.Press(kb.Enter)
	b.WaitForHeading("Choose your own PIN")
	b.WaitForFocus("#own")
	b.Press("1", "2", "3", "4")
	b.TabTo("#again")
	b.Press("1", "2", "3", "4", kb.Enter)
	b.WaitFor(`document.querySelector("#own-note")?.innerText.includes("easy to guess")`)
	b.Screenshot("unlock-own-pin")
	for _, field := range []string{"own", "again"} {
		uitest.Eval[any](b, fmt.Sprintf(`document.querySelector("#%s").focus()`, field))
		b.Press("2", "5", "8", "0")
	}
	b.Press(kb.Enter)
	// It returns to the page; the daily authentication is Fatima's.
	b.WaitFor(`location.pathname === "/sign-in" && document.readyState === "complete"`)
	b.WaitFor(`document.querySelector(".shop").innerText.includes("Asha")`)
	b.Screenshot("unlock-switched")
}

// unlockIn checks the unlock pages in a language.
func unlockIn(t *testing.T, b *uitest.Browser, code string) {
	b.Navigate("/")
	b.WaitForHeading(unlockTitle)
	uitest.Eval[any](b, fmt.Sprintf(`(() => { const s = document.querySelector("#language"); s.value = %q; s.dispatchEvent(new Event("change", {bubbles: true})); })()`, code))
	here := fmt.Sprintf(`document.documentElement.lang === %q && document.readyState === "complete"`, code)
	b.WaitFor(here)
	b.Screenshot(code + "-unlock-choice")
	choose(b, "r1", "1111")
	b.Press(kb.Enter)
	b.WaitFor(here + ` && document.querySelector(".unlock button.main")?.disabled`)
	b.Screenshot(code + "-unlock-wait")
	choose(b, "a1", initialPINValue)
	b.Press(kb.Enter)
	b.WaitForFocus("#own")
	b.Screenshot(code + "-unlock-own-pin")
}

// idles: an idle page locks itself, and returns after the PIN.
func idles(t *testing.T, chromium context.Context) {
	f := newFake()
	b := uitest.Open(t, chromium, standingAt(t, f, 4*time.Second).URL, 1366, 768)
	b.Navigate("/")
	b.WaitForHeading(unlockTitle)
	b.Press("2", "5", "8", "0", kb.Enter)
	b.WaitForHeading(homeTitle)
	b.Navigate("/operations")
	b.WaitFor(`location.pathname === "/unlock" && new URLSearchParams(location.search).get("next") === "/operations"`)
	b.WaitForHeading(unlockTitle)
	b.Press("2", "5", "8", "0", kb.Enter)
	b.WaitFor(`location.pathname === "/operations"`)
}

// No message about a PIN moves the button of the unlock page: neither a refusal nor the
// beginning, countdown and end of a wait.
func TestChromiumUnlockStays(t *testing.T) {
	chromium := uitest.Chromium(t)
	for _, size := range [][2]int64{{1366, 768}, {360, 740}} {
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			t.Parallel()
			f := standing()
			b := uitest.Open(t, chromium, standingAt(t, f, 0).URL, size[0], size[1])
			b.Navigate("/unlock")
			codes := []string{"en", "te", "ta"} // the longest texts
			if size[0] > 1000 {
				codes = codes[:1] // the texts have one row there
			}
			for _, code := range codes {
				f.mu.Lock()
				f.wrong, f.until = 3, map[string]time.Time{}
				f.mu.Unlock()
				b.Navigate("/unlock")
				uitest.Eval[any](b, fmt.Sprintf(`(() => { const s = document.querySelector("#language"); s.value = %q; s.dispatchEvent(new Event("change", {bubbles: true})); })()`, code))
				b.WaitFor(fmt.Sprintf(`document.documentElement.lang === %q && document.readyState === "complete"`, code))
				stays := func(when, expression string) {
					t.Helper()
					b.WaitFor(`document.readyState === "complete" && ` + expression)
					at := uitest.Eval[float64](b, buttonTop)
					if first := uitest.Eval[float64](b, `Number(sessionStorage.top ??= (`+buttonTop+`))`); at != first {
						t.Errorf("%s %s: %s the button stands at %v, not at %v", b.Size, code, when, at, first)
					}
				}
				uitest.Eval[any](b, `sessionStorage.clear()`)
				const bad = `document.querySelector(".field.bad #pin-note")`
				stays("before a PIN", `!`+bad)
				choose(b, "r1", "1111")
				b.PressAndWait(kb.Enter)
				stays("after a wrong PIN", bad)
				// The server's message may be painted before the script starts.
				choose(b, "r1", "1111")
				scripts(b, false)
				b.PressAndWait(kb.Enter)
				stays("as the server says it", bad+`.innerText.length > 60 && !document.querySelector(".unlock button.main").disabled`)
				scripts(b, true)
				f.mu.Lock()
				f.wrong, f.until = 4, map[string]time.Time{}
				f.mu.Unlock()
				b.Navigate("/unlock")
				choose(b, "r1", "1111")
				b.PressAndWait(kb.Enter)
				stays("while it counts", `document.querySelector(".unlock button.main").disabled`)
				choose(b, "a1", "")
				stays("for another operator", `!`+bad)
			}
		})
	}
}

// scripts enables or disables scripts for the next pages.
func scripts(b *uitest.Browser, run bool) {
	b.T.Helper()
	b.Do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !run})
		return chromedp.Void{}, err
	})
}

// buttonTop is the position of the unlock page's button, relative to its card.
const buttonTop = `document.querySelector(".unlock button.main").getBoundingClientRect().top - document.querySelector(".unlock").getBoundingClientRect().top`
