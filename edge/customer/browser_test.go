package customer

import (
	"context"
	"fmt"
	"html/template"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	qrcode "github.com/skip2/go-qrcode"

	"galla/edge"
	"galla/edge/told"
	"galla/edge/web/webtest"
	"galla/shared/money"
	"galla/shared/op"
)

// pattern draws some real code, black on white.
func pattern() template.HTML {
	q, err := qrcode.New("upi://pay?pa=lakshmi@okbank&am=500.00", qrcode.Medium)
	if err != nil {
		panic(err) // a fixed text
	}
	rows := q.Bitmap()
	var path strings.Builder
	for y, row := range rows {
		for x, black := range row {
			if black {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x, y)
			}
		}
	}
	return template.HTML(fmt.Sprintf(`<svg class="qr" viewBox="0 0 %d %d" aria-hidden="true"><path d="%s"/></svg>`, len(rows), len(rows), path.String()))
}

// TestBrowser looks at the customer's screen in a real Chromium.
func TestBrowser(t *testing.T) {
	chromium := webtest.Chromium(t)
	for _, c := range []struct {
		width, height int64
		language      string
	}{{1366, 768, "en"}, {360, 740, "hi"}, {1366, 768, "ta"}, {360, 740, "en"}, {360, 740, "mr"}, {360, 740, "bn"}, {360, 740, "te"}, {360, 740, "ta"}} {
		t.Run(fmt.Sprintf("states %d %s", c.width, c.language), func(t *testing.T) { states(t, chromium, c.width, c.height, c.language) })
	}
	t.Run("lock", func(t *testing.T) { lock(t, chromium) })
	t.Run("door 1366", func(t *testing.T) { door(t, chromium, 1366, 768, "en") })
	t.Run("door 360", func(t *testing.T) { door(t, chromium, 360, 740, "te") })
	t.Run("sound", func(t *testing.T) { sound(t, chromium) })
}

// shapes of the band: a page without its colours still tells them apart.
const shapeOf = `(() => { const s = getComputedStyle(document.querySelector(".band")); return s.clipPath !== "none" ? "cut" : parseFloat(s.borderRadius) >= 40 ? "round" : "plain"; })()`

// states walks a withdrawal past the screen without a touch, and shows what
// else may stand there.
func states(t *testing.T, chromium context.Context, width, height int64, language string) {
	f, h := serve(t)
	b := webtest.Open(t, chromium, h.Base, width, height)
	b.Go("/enter?language=" + language + "&to=/customer")
	now := func(suffix string) {
		t.Helper()
		b.Sees(fmt.Sprintf(`document.querySelector("#customer-now").dataset.state.endsWith(%q)`, suffix))
	}
	now("welcome")
	b.Shot(language + "-welcome")

	one := view(t, op.Withdrawal, op.Reserved)
	one.Consent = "AEPS-" + strings.ToUpper(language) + "-1"
	for _, c := range []struct {
		name        string
		state       op.State
		stage       edge.Stage
		tone, shape string
	}{
		{"consent", op.Reserved, edge.StageReady, told.ToneAsk, "plain"},
		{"finger", op.Reserved, edge.StageCapturing, told.ToneAsk, "plain"},
		{"wait", op.Accepted, edge.StageBank, told.ToneWait, "cut"},
		{"pending", op.Pending, "", told.TonePending, "cut"},
		{"declined", op.Failed, "", told.ToneStop, "cut"},
		{"done", op.Succeeded, "", told.ToneGive, "round"},
	} {
		one.State, one.Stage = c.state, c.stage
		if c.name == "declined" {
			one.Result.Code = "51"
		}
		if c.state.Final() {
			one.EndedAt = webtest.Now()
		}
		f.set(one)
		now(" " + c.name)
		b.Sees(fmt.Sprintf(`document.documentElement.lang === %q`, language))
		b.Sees(fmt.Sprintf(`document.querySelector(".band").classList.contains(%q)`, c.tone))
		if got := webtest.Eval[string](b, shapeOf); got != c.shape {
			t.Errorf("%s: the shape is %s, want %s", c.name, got, c.shape)
		}
		if !webtest.Eval[bool](b, `document.querySelector(".customer-sum").innerText.includes("₹500")`) {
			t.Errorf("%s: no amount is shown", c.name)
		}
		if width > 1000 && !webtest.Eval[bool](b, `document.documentElement.scrollHeight <= innerHeight`) {
			t.Errorf("%s: the customer would have to scroll", c.name)
		}
		b.Shot(language + "-" + c.name)
	}
	f.set(view(t, op.GenerateQR, op.Succeeded))
	now(" code")
	b.Sees(fmt.Sprintf(`document.querySelector("#customer-now").lang === %q`, language))
	if !webtest.Eval[bool](b, `document.querySelector(".qr").getBoundingClientRect().bottom <= innerHeight`) {
		t.Error("the code is cut by the window")
	}
	b.Shot(language + "-code")
}

// lock: the counter locks beside the screen, which then shows nothing of its
// customer, stays where it is, and goes on when the counter is unlocked.
func lock(t *testing.T, chromium context.Context) {
	f, h := serve(t)
	b := webtest.Open(t, chromium, h.Base, 1366, 768)
	one := view(t, op.Withdrawal, op.Succeeded)
	one.Consent, one.Amount = "AEPS-HI-1", 500*money.Rupee
	f.set(one)
	b.Go("/enter?to=/customer")
	b.Sees(`document.documentElement.lang === "hi" && document.querySelector("#customer-now").dataset.tone === "give"`)
	webtest.Eval[any](b, `fetch("/lock", {method: "POST", redirect: "manual", body: new URLSearchParams({csrf: document.querySelector("meta[name=csrf]").content})}).then(r => r.type)`)
	b.Sees(`location.pathname === "/customer" && document.querySelector("#customer-now").dataset.state === "welcome"`)
	if webtest.Eval[bool](b, `document.body.innerText.includes("500")`) {
		t.Error("a locked counter shows a customer's amount")
	}
	b.Go("/customer") // a reload
	b.Sees(`location.pathname === "/customer" && document.querySelector("#customer-now").dataset.state === "welcome"`)
	webtest.Eval[any](b, `fetch("/enter?to=/enter/done", {redirect: "manual"}).then(r => r.type)`)
	f.set(one) // the next operation rings
	b.Sees(`document.querySelector("#customer-now").dataset.tone === "give"`)

	// Without an answer it says so to the customer, in the customer's language.
	webtest.Eval[any](b, `void (window.fetch = () => Promise.reject(new Error("down")))`)
	f.set(one)
	b.Sees(`!document.querySelector("#stale").hidden`)
	if text := webtest.Eval[string](b, `document.querySelector("#stale").innerText.trim()`); text != h.Kit.In("hi").Say("customer.stale") {
		t.Errorf("a stale screen tells the customer %q", text)
	}
	b.Shot("stale")
}

// door: another browser is let in by a code that is typed, and follows the
// counter through a lock.
func door(t *testing.T, chromium context.Context, width, height int64, language string) {
	f, h := serve(t)
	agent, second := webtest.Open(t, chromium, h.Base, width, height), webtest.Open(t, chromium, h.Base, width, height)
	enter := "/enter?language=" + language + "&to=/customer/desk"
	agent.Go(enter)
	said := h.Kit.In(language)
	agent.Reads(said.Say("customer.desk"))
	one := view(t, op.Balance, op.Succeeded)
	one.Consent = ""
	f.set(one)
	agent.Go("/customer/desk")
	agent.Tab(`form[action="/customer/desk"] button`)
	agent.Press(kb.Enter)
	agent.Sees(`document.querySelector(".customer-key")`)
	agent.Shot(language + "-desk")
	code := webtest.Eval[string](agent, `document.querySelector(".customer-key").innerText`)

	second.Go("/customer")
	second.Reads("Customer's screen")
	second.Focused("#code")
	second.Shot("door")
	for _, digit := range strings.ReplaceAll(code, " ", "") {
		second.Press(string(digit))
	}
	second.Press(kb.Enter)
	second.Sees(`location.pathname === "/customer" && document.querySelector("#customer-now").dataset.state.endsWith(" done")`)
	agent.Tab(".locker button")
	agent.Press(kb.Enter)
	second.Sees(`document.querySelector("#customer-now").dataset.state === "welcome"`)
	agent.Sees(`location.pathname !== "/customer/desk" && document.readyState === "complete"`) // it went to the PIN
	agent.Go(enter)
	f.set(one)
	second.Sees(`document.querySelector("#customer-now").dataset.state.endsWith(" done")`)
}

// sound: nothing is heard until the switch is on, then each new thing once, in
// a voice of its language only.
func sound(t *testing.T, chromium context.Context) {
	f, h := serve(t)
	b := webtest.Open(t, chromium, h.Base, 1366, 768)
	b.Go("/enter?to=/customer")
	b.Sees(`document.querySelector("#customer-now").dataset.state === "welcome"`)
	webtest.Eval[any](b, `void (() => {
		window.heard = []; window.tones = 0;
		Object.defineProperty(window, "speechSynthesis", {value: {getVoices: () => [{lang: "en-IN"}, {lang: "hi_IN"}], speak: u => heard.push(u.lang + " " + u.text), cancel() {}}});
		window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
		const made = AudioContext.prototype.createOscillator;
		AudioContext.prototype.createOscillator = function () { tones++; return made.call(this); };
	})()`)
	one := view(t, op.Withdrawal, op.Accepted)
	one.Stage = edge.StageBank
	f.set(one)
	b.Sees(`document.querySelector("#customer-now").dataset.tone === "wait"`)
	if webtest.Eval[int](b, `heard.length + tones`) != 0 {
		t.Error("something is heard before the switch was touched")
	}
	b.Tab("#customer-sound")
	b.Press(kb.Enter) // a person's touch: without one a browser plays nothing
	b.Sees(`document.querySelector("#customer-sound").getAttribute("aria-pressed") === "true" && heard.length === 1 && heard[0].startsWith("en-IN Please wait. five hundred rupees")`)
	one.State, one.Stage, one.EndedAt = op.Succeeded, "", webtest.Now()
	f.set(one)
	b.Sees(`heard.length === 2 && heard[1].startsWith("en-IN Take your cash") && tones === 2`)
	two := view(t, op.Withdrawal, op.Pending)
	two.Consent = "AEPS-HI-1"
	f.set(two)
	b.Sees(`heard.length === 3 && heard[2].startsWith("hi_IN") && tones === 4`)
	three := view(t, op.Withdrawal, op.Succeeded)
	three.Consent = "AEPS-TA-1" // no such voice: the chime alone
	f.set(three)
	b.Sees(`tones === 6`)
	webtest.Eval[any](b, `document.querySelector("#customer-sound").click()`)
	f.set(one)
	b.Sees(`document.querySelector("#customer-now").lang === "en"`)
	if n := webtest.Eval[int](b, `heard.length`); n != 3 {
		t.Errorf("%d things were said", n)
	}
}
