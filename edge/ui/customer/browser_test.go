package customer

import (
	"context"
	"fmt"
	"html/template"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/outcome"
	"galla/edge/ui/uitest"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/theme"
)

// pattern is a QR code, black on white.
func pattern() template.HTML {
	drawing, err := theme.QRDrawing("upi://pay?pa=lakshmi@okbank&am=500.00", "")
	if err != nil {
		panic(err) // a fixed text
	}
	return drawing
}

// TestChromium checks the customer's screen in a real Chromium.
func TestChromium(t *testing.T) {
	chromium := uitest.Chromium(t)
	for _, c := range []struct {
		width, height int64
		language      string
	}{{1366, 768, "en"}, {360, 740, "hi"}, {1366, 768, "ta"}, {360, 740, "en"}, {360, 740, "mr"}, {360, 740, "bn"}, {360, 740, "te"}, {360, 740, "ta"}} {
		t.Run(fmt.Sprintf("states %d %s", c.width, c.language), func(t *testing.T) { states(t, chromium, c.width, c.height, c.language) })
	}
	t.Run("lock", func(t *testing.T) { lock(t, chromium) })
	t.Run("code 1366", func(t *testing.T) { openByCode(t, chromium, 1366, 768, "en") })
	t.Run("code 360", func(t *testing.T) { openByCode(t, chromium, 360, 740, "te") })
	t.Run("sound", func(t *testing.T) { sound(t, chromium) })
}

// Shapes of the banner: they differ also without colours.
const shapeOf = `(() => { const s = getComputedStyle(document.querySelector(".banner")); return s.clipPath !== "none" ? "cut" : parseFloat(s.borderRadius) >= 40 ? "round" : "plain"; })()`

// states walks a withdrawal past the screen, which nobody touches, and shows its other
// contents.
func states(t *testing.T, chromium context.Context, width, height int64, language string) {
	f, h := serve(t)
	b := uitest.Open(t, chromium, h.Base, width, height)
	b.Navigate("/enter?language=" + language + "&to=/customer")
	now := func(suffix string) {
		t.Helper()
		b.WaitFor(fmt.Sprintf(`document.querySelector("#customer-now").dataset.state.endsWith(%q)`, suffix))
	}
	now("welcome")
	b.Screenshot(language + "-welcome")

	one := view(t, op.Withdrawal, op.Reserved)
	one.Consent = "AEPS-" + strings.ToUpper(language) + "-1"
	for _, c := range []struct {
		name        string
		state       op.State
		stage       edge.Stage
		tone, shape string
	}{
		{"consent", op.Reserved, edge.StageReady, outcome.ToneAsk, "plain"},
		{"finger", op.Reserved, edge.StageCapturing, outcome.ToneAsk, "plain"},
		{"wait", op.Accepted, edge.StageBank, outcome.ToneWait, "cut"},
		{"pending", op.Pending, "", outcome.TonePending, "cut"},
		{"declined", op.Failed, "", outcome.ToneStop, "cut"},
		{"done", op.Succeeded, "", outcome.ToneGive, "round"},
	} {
		one.State, one.Stage = c.state, c.stage
		if c.name == "declined" {
			one.Result.Code = "51"
		}
		if c.state.Final() {
			one.EndedAt = uitest.Now()
		}
		f.set(one)
		now(" " + c.name)
		b.WaitFor(fmt.Sprintf(`document.documentElement.lang === %q`, language))
		b.WaitFor(fmt.Sprintf(`document.querySelector(".banner").classList.contains(%q)`, c.tone))
		if got := uitest.Eval[string](b, shapeOf); got != c.shape {
			t.Errorf("%s: the shape is %s, want %s", c.name, got, c.shape)
		}
		if !uitest.Eval[bool](b, `document.querySelector(".customer-sum").innerText.includes("₹500")`) {
			t.Errorf("%s: no amount is shown", c.name)
		}
		if width > 1000 && !uitest.Eval[bool](b, `document.documentElement.scrollHeight <= innerHeight`) {
			t.Errorf("%s: the customer would have to scroll", c.name)
		}
		b.Screenshot(language + "-" + c.name)
	}
	f.set(view(t, op.GenerateQR, op.Succeeded))
	now(" code")
	b.WaitFor(fmt.Sprintf(`document.querySelector("#customer-now").lang === %q`, language))
	if !uitest.Eval[bool](b, `document.querySelector(".qr").getBoundingClientRect().bottom <= innerHeight`) {
		t.Error("the code is cut by the window")
	}
	b.Screenshot(language + "-code")

	printed := uitest.Payment(1, 70*money.Rupee, "")
	f.pay(printed)
	f.set(view(t, op.GenerateQR, op.Succeeded))
	now(" and " + string(printed.ID))
	if !uitest.Eval[bool](b, `document.querySelector(".qr").getBoundingClientRect().bottom <= innerHeight`) {
		t.Error("the code is cut by the window when the printed one was paid")
	}
	b.Screenshot(language + "-code-printed")
}

// lock: after a lock the screen shows nothing of its customer, stays open, and continues
// after the unlock.
func lock(t *testing.T, chromium context.Context) {
	f, h := serve(t)
	b := uitest.Open(t, chromium, h.Base, 1366, 768)
	one := view(t, op.Withdrawal, op.Succeeded)
	one.Consent, one.Amount = "AEPS-HI-1", 500*money.Rupee
	f.set(one)
	b.Navigate("/enter?to=/customer")
	b.WaitFor(`document.documentElement.lang === "hi" && document.querySelector("#customer-now").dataset.tone === "give"`)
	uitest.Eval[any](b, `fetch("/lock", {method: "POST", redirect: "manual", body: new URLSearchParams({csrf: document.querySelector("meta[name=csrf]").content})}).then(r => r.type)`)
	b.WaitFor(`location.pathname === "/customer" && document.querySelector("#customer-now").dataset.state === "welcome"`)
	if uitest.Eval[bool](b, `document.body.innerText.includes("500")`) {
		t.Error("a locked counter shows a customer's amount")
	}
	b.Navigate("/customer") // a reload
	b.WaitFor(`location.pathname === "/customer" && document.querySelector("#customer-now").dataset.state === "welcome"`)
	uitest.Eval[any](b, `fetch("/enter?to=/enter/done", {redirect: "manual"}).then(r => r.type)`)
	f.set(one) // the next operation notifies
	b.WaitFor(`document.querySelector("#customer-now").dataset.tone === "give"`)

	// If the server does not answer, the screen says so in the customer's language.
	uitest.Eval[any](b, `void (window.fetch = () => Promise.reject(new Error("down")))`)
	f.set(one)
	b.WaitFor(`!document.querySelector("#stale").hidden`)
	if text := uitest.Eval[string](b, `document.querySelector("#stale").innerText.trim()`); text != h.Kit.In("hi").Text("customer.stale") {
		t.Errorf("a stale screen tells the customer %q", text)
	}
	b.Screenshot("stale")
}

// openByCode: another browser is admitted by a typed code, and follows the counter through
// a lock.
func openByCode(t *testing.T, chromium context.Context, width, height int64, language string) {
	f, h := serve(t)
	agent, second := uitest.Open(t, chromium, h.Base, width, height), uitest.Open(t, chromium, h.Base, width, height)
	enter := "/enter?language=" + language + "&to=/customer/setup"
	agent.Navigate(enter)
	words := h.Kit.In(language)
	agent.WaitForHeading(words.Text("customer.setup"))
	one := view(t, op.Balance, op.Succeeded)
	one.Consent = ""
	f.set(one)
	agent.Navigate("/customer/setup")
	agent.TabTo(`form[action="/customer/setup"] button`)
	agent.Press(kb.Enter)
	agent.WaitFor(`document.querySelector(".customer-key")`)
	agent.Screenshot(language + "-setup")
	code := uitest.Eval[string](agent, `document.querySelector(".customer-key").innerText`)

	second.Navigate("/customer")
	second.WaitForHeading("Customer's screen")
	second.WaitForFocus("#code")
	second.Screenshot("code")
	for _, digit := range strings.ReplaceAll(code, " ", "") {
		second.Press(string(digit))
	}
	second.Press(kb.Enter)
	second.WaitFor(`location.pathname === "/customer" && document.querySelector("#customer-now").dataset.state.endsWith(" done")`)
	if width < 860 {
		agent.TabTo(".more-button")
		agent.Press(kb.Enter)
	}
	agent.TabTo(".locker button")
	agent.Press(kb.Enter)
	second.WaitFor(`document.querySelector("#customer-now").dataset.state === "welcome"`)
	agent.WaitFor(`location.pathname !== "/customer/setup" && document.readyState === "complete"`) // it was redirected to the PIN
	agent.Navigate(enter)
	f.set(one)
	second.WaitFor(`document.querySelector("#customer-now").dataset.state.endsWith(" done")`)
}

// sound: there is no sound until the switch is on, then one for each change, with a voice
// of its language only.
func sound(t *testing.T, chromium context.Context) {
	f, h := serve(t)
	b := uitest.Open(t, chromium, h.Base, 1366, 768)
	b.Navigate("/enter?to=/customer")
	b.WaitFor(`document.querySelector("#customer-now").dataset.state === "welcome"`)
	uitest.Eval[any](b, `void (() => {
		window.heard = []; window.tones = 0;
		Object.defineProperty(window, "speechSynthesis", {value: {getVoices: () => [{lang: "en-IN"}, {lang: "hi_IN"}], speak: u => heard.push(u.lang + " " + u.text), cancel() {}}});
		window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
		const made = AudioContext.prototype.createOscillator;
		AudioContext.prototype.createOscillator = function () { tones++; return made.call(this); };
	})()`)
	one := view(t, op.Withdrawal, op.Accepted)
	one.Stage = edge.StageBank
	f.set(one)
	b.WaitFor(`document.querySelector("#customer-now").dataset.tone === "wait"`)
	if uitest.Eval[int](b, `heard.length + tones`) != 0 {
		t.Error("something is heard before the switch was touched")
	}
	b.TabTo("#customer-sound")
	b.Press(kb.Enter) // a user's touch: without one a browser plays nothing
	b.WaitFor(`document.querySelector("#customer-sound").getAttribute("aria-pressed") === "true" && heard.length === 1 && heard[0].startsWith("en-IN Please wait. five hundred rupees")`)
	one.State, one.Stage, one.EndedAt = op.Succeeded, "", uitest.Now()
	f.set(one)
	b.WaitFor(`heard.length === 2 && heard[1].startsWith("en-IN Take your cash") && tones === 2`)
	two := view(t, op.Withdrawal, op.Pending)
	two.Consent = "AEPS-HI-1"
	f.set(two)
	b.WaitFor(`heard.length === 3 && heard[2].startsWith("hi_IN") && tones === 4`)
	three := view(t, op.Withdrawal, op.Succeeded)
	three.Consent = "AEPS-TA-1" // no such voice: the chime alone
	f.set(three)
	b.WaitFor(`tones === 6`)
	uitest.Eval[any](b, `document.querySelector("#customer-sound").click()`)
	f.set(one)
	b.WaitFor(`document.querySelector("#customer-now").lang === "en"`)
	if n := uitest.Eval[int](b, `heard.length`); n != 3 {
		t.Errorf("%d things were said", n)
	}
}
