package ui_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/ui/uitest"
	"galla/shared/money"
	"galla/shared/op"
)

// stripText is the visible text of the strip of payments.
const stripText = `document.querySelector("#payments").innerText.replace(/\s+/g, " ").trim()`

// listen counts the sounds that a page plays, and notes what became of them.
const listen = `void (() => {
	window.played = []; window.over = 0;
	const play = HTMLMediaElement.prototype.play;
	HTMLMediaElement.prototype.play = function () {
		window.last = this;
		this.addEventListener("ended", () => window.over++);
		return play.call(this).then(() => void window.played.push(this.src + " " + this.duration), (fault) => { window.played.push(String(fault)); throw fault; });
	};
})()`

// fieldPlaces are the places of the page's fields in the window.
const fieldPlaces = `JSON.stringify([...document.querySelectorAll("main h1, main label, main input")].map(e => Math.round(e.getBoundingClientRect().y)))`

// watchShifts sums up how far the page jumps.
const watchShifts = `void (window.shifts = 0, new PerformanceObserver(l => l.getEntries().forEach(e => window.shifts += e.value)).observe({type: "layout-shift"}))`

// openForm opens the page with fields in a browser of its own.
func openForm(t *testing.T, chromium context.Context, h *uitest.Server, width, height int64, language string) *uitest.Browser {
	t.Helper()
	b := uitest.Open(t, chromium, h.Base, width, height)
	b.Navigate("/enter?language=" + language + "&to=/example")
	b.WaitForHeading("The page")
	b.WaitForFocus("#first")
	return b
}

// TestChromiumPayments: a payment reaches the open pages of two browsers at once, sounds in
// one of them, and moves nothing under the agent's finger.
func TestChromiumPayments(t *testing.T) {
	chromium := uitest.Chromium(t)
	for _, c := range []struct {
		width, height        int64
		language, came, back string
	}{
		{1366, 768, "en", "₹250 received by UPI · R••••h · 10:14 Seen Z", "UPI payment returned: ₹250 · R••••h · 10:14 1 more Seen Z"},
		{360, 740, "hi", "UPI से ₹250 मिले R••••h 10:14 देख लिया", "UPI भुगतान लौटा: ₹250 R••••h 10:14 1 और देख लिया"},
		{768, 900, "mr", "UPI ने ₹250 मिळाले · R••••h · 10:14 पाहिले Z", "UPI पेमेंट परत: ₹250 · R••••h · 10:14 आणखी 1 पाहिले Z"},
	} {
		t.Run(fmt.Sprint(c.width, c.language), func(t *testing.T) {
			counter := uitest.NewCounter()
			h := uitest.Serve(t, counter, formSection())
			b := openForm(t, chromium, h, c.width, c.height, c.language)
			other := openForm(t, chromium, h, 1366, 768, "en")
			for _, one := range []*uitest.Browser{b, other} {
				one.Press("1") // a touch, without which no browser plays
				uitest.Eval[any](one, listen)
			}
			b.Screenshot(c.language + "-payments-none")
			uitest.Eval[any](b, watchShifts)
			before := uitest.Eval[string](b, fieldPlaces)

			paid := uitest.Payment(1, 250*money.Rupee, "")
			counter.Receive(paid)
			b.WaitFor(stripText + fmt.Sprintf(` === %q`, c.came))
			other.WaitFor(stripText + ` === "₹250 received by UPI · R••••h · 10:14 Seen Z"`)
			if now := uitest.Eval[string](b, fieldPlaces); now != before {
				t.Errorf("the strip moved the page:\n%s\n%s", before, now)
			}
			if n := uitest.Eval[float64](b, `window.shifts`); n != 0 {
				t.Errorf("the page jumped by %v", n)
			}
			b.WaitForFocus("#first")
			b.Press("2")
			b.WaitFor(`document.querySelector("#first").value === "12"`)
			heardOnce(t, 1, b, other)
			b.Check(c.language + "-payments-one")

			counter.Receive(uitest.ReturnOf(paid))
			b.WaitFor(stripText + fmt.Sprintf(` === %q`, c.back) + ` && document.querySelector("#payments .strip.stop")`)
			if now := uitest.Eval[string](b, fieldPlaces); now != before {
				t.Errorf("the second strip moved the page:\n%s\n%s", before, now)
			}
			heardOnce(t, 2, b, other)
			b.Check(c.language + "-payments-returned")

			// Beside cash that is due, on a page that is loaded with both.
			counter.Update(func(st *edge.Status) { st.OpenCash = []edge.Record{dueCash()} })
			b.WaitFor(`document.querySelector("#open-cash .strip") && document.querySelector("#payments .strip")`)
			if now := uitest.Eval[string](b, fieldPlaces); now != before {
				t.Errorf("the strip of cash moved the page:\n%s\n%s", before, now)
			}
			b.Check(c.language + "-payments-and-cash")
			b.Do(chromedp.Reload())
			b.WaitFor(`document.readyState === "complete" && document.querySelector("#open-cash .strip") && document.querySelector("#payments .strip")`)
			b.Check(c.language + "-payments-loaded")
			if w := uitest.Eval[int](b, `[...document.querySelectorAll(".strip b, .strip .what, .strip .who")].filter(e => e.scrollWidth > e.clientWidth + 1).length`); w > 0 {
				t.Errorf("%d texts are cut", w)
			}
			counter.Update(func(st *edge.Status) { st.OpenCash = nil })
			b.WaitFor(`!document.querySelector("#open-cash .strip")`)

			// Seen in one browser, it goes in both, and the field stays where somebody types.
			uitest.Eval[any](other, `void (document.querySelector("#first").blur(), document.querySelector("main").focus())`)
			b.WaitForFocus("#first")
			stands := uitest.Eval[string](b, fieldPlaces)
			other.Press("z")
			other.WaitFor(stripText + ` === ""`)
			b.WaitFor(stripText + ` === ""`)
			if now := uitest.Eval[string](b, fieldPlaces); now != stands {
				t.Errorf("the strip's end moved the page:\n%s\n%s", stands, now)
			}
			if left := counter.Status().Unshown; len(left) > 0 {
				t.Errorf("%d payments are not seen", len(left))
			}
		})
	}
}

// dueCash is a withdrawal that the bank has paid.
func dueCash() edge.Record {
	r := uitest.Payment(50, 700*money.Rupee, "")
	r.Route, r.Customer, r.Aadhaar, r.Reply = op.Withdrawal, "Shivshankar Choudhury", "XXXXXXXX7058", nil
	return r
}

// heardOnce waits until the browsers together have played so many sounds to their end, and
// fails if one was played twice or not at all.
func heardOnce(t *testing.T, want int, browsers ...*uitest.Browser) {
	t.Helper()
	end := time.Now().Add(20 * time.Second)
	for {
		played, over := []string{}, 0
		for _, b := range browsers {
			played = append(played, uitest.Eval[[]string](b, `window.played`)...)
			over += uitest.Eval[int](b, `window.over`)
		}
		if len(played) > want || over > want || time.Now().After(end) {
			t.Fatalf("%d sounds began and %d ended, want %d: %q", len(played), over, want, played)
		}
		if len(played) == want && over == want {
			return
		}
	}
}

// TestChromiumPaymentSound: a sound comes from a hidden window and after a lost request, too,
// and the browser says the words that the program can't.
func TestChromiumPaymentSound(t *testing.T) {
	chromium := uitest.Chromium(t)
	t.Run("hidden", func(t *testing.T) { hiddenSound(t, chromium) })
	t.Run("no answer", func(t *testing.T) { lateSound(t, chromium) })
	t.Run("browser's voice", func(t *testing.T) { browserVoice(t, chromium) })
}

// hiddenSound: of a browser's tabs a hidden one plays where none is visible, and shows
// nothing to anybody.
func hiddenSound(t *testing.T, chromium context.Context) {
	counter := uitest.NewCounter()
	h := uitest.Serve(t, counter, formSection())
	b := openForm(t, chromium, h, 1366, 768, "en")
	b.Press("1")
	b.Navigate("/one") // it shows payment 1 itself
	b.WaitForHeading("The page")
	b.Press("1", kb.Tab)
	uitest.Eval[any](b, listen)
	uitest.Eval[any](b, `void (Object.defineProperty(document, "hidden", {configurable: true, get: () => true}), document.dispatchEvent(new Event("visibilitychange")))`)
	b.WaitFor(`navigator.locks.query().then(l => window.holds = l.held.some(x => x.name === "galla-hidden")) && window.holds`)
	counter.Receive(uitest.Payment(1, 250*money.Rupee, ""))
	heardOnce(t, 1, b)
	if len(counter.Status().Unshown) != 1 {
		t.Error("a hidden page has shown a payment")
	}
	uitest.Eval[any](b, `void (Object.defineProperty(document, "hidden", {configurable: true, get: () => false}), document.dispatchEvent(new Event("visibilitychange")))`)
	end := time.Now().Add(20 * time.Second)
	for len(counter.Status().Unshown) > 0 {
		if time.Now().After(end) {
			t.Fatal("a visible page has not shown its payment")
		}
		b.WaitFor(`document.readyState === "complete"`)
	}
	heardOnce(t, 1, b)
}

// lateSound: a window whose request was lost asks again.
func lateSound(t *testing.T, chromium context.Context) {
	counter := uitest.NewCounter()
	h := uitest.Serve(t, counter, formSection())
	b := openForm(t, chromium, h, 1366, 768, "en")
	b.Press("1")
	uitest.Eval[any](b, listen)
	uitest.Eval[any](b, `void (window.lost = 0, window.passed = window.fetch, window.fetch = (url, how) => url === "/payments/announce" && window.lost++ === 0 ? Promise.reject(new TypeError("lost")) : window.passed(url, how))`)
	counter.Receive(uitest.Payment(1, 250*money.Rupee, ""))
	b.WaitFor(`window.lost === 1`)
	counter.Update(func(*edge.Status) {})
	heardOnce(t, 1, b)
}

// browserVoice: where the program does not speak the language, the browser's own voice says
// the words after the chime.
func browserVoice(t *testing.T, chromium context.Context) {
	counter := uitest.NewCounter()
	h := uitest.ServeMute(t, counter, formSection())
	b := openForm(t, chromium, h, 1366, 768, "hi")
	b.Press("1")
	uitest.Eval[any](b, listen)
	uitest.Eval[any](b, `void (window.heard = [], Object.defineProperty(window, "speechSynthesis", {value: {getVoices: () => [{lang: "en-IN"}, {lang: "hi_IN"}], speak: u => heard.push(window.last.ended + " " + u.lang + " " + u.text)}}),
		window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } })`)
	counter.Receive(uitest.Payment(1, 250*money.Rupee, ""))
	heardOnce(t, 1, b)
	b.WaitFor(`window.heard.join() === "true hi_IN यूपीआई से दो सौ पचास रुपये मिले।"`)
}

// TestChromiumPaymentLanguages: the strips and the settings fit a phone and a desk in each
// language.
func TestChromiumPaymentLanguages(t *testing.T) {
	chromium := uitest.Chromium(t)
	for _, size := range [][2]int64{{360, 740}, {1366, 768}} {
		counter := uitest.NewCounter()
		h := uitest.Serve(t, counter, formSection())
		counter.Receive(uitest.Payment(1, 99_999*money.Rupee, ""))
		counter.Receive(uitest.Payment(2, 1*money.Rupee, ""))
		b := uitest.Open(t, chromium, h.Base, size[0], size[1])
		b.Navigate("/enter?to=/settings")
		for _, language := range i18n.Languages() {
			b.SetLanguage(language.Code)
			for name, alter := range map[string]func(st *edge.Status){
				"came":     func(st *edge.Status) { st.OpenCash = nil },
				"returned": func(st *edge.Status) { st.OpenCash = []edge.Record{dueCash()} },
			} {
				counter.Update(func(st *edge.Status) {
					alter(st)
					st.Unshown = []edge.Record{uitest.Payment(1, 99_999*money.Rupee, ""), uitest.Payment(2, 1*money.Rupee, "")}
					if name == "returned" {
						st.Unshown[1] = uitest.ReturnOf(uitest.PaymentAt(1, 99_999*money.Rupee, "", uitest.Now().Add(-30*time.Hour)))
					}
				})
				b.Navigate("/settings")
				b.WaitFor(`document.readyState === "complete" && document.querySelector("#payments .strip")`)
				b.Check(language.Code + "-settings-" + name)
				if cut := uitest.Eval[string](b, `[...document.querySelectorAll("#payments b, #payments .detail, #payments button, #payments .others-open, #open-cash b")].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.innerText).join()`); cut != "" {
					t.Errorf("%d %s: cut: %s", size[0], language.Code, cut)
				}
			}
		}
	}
}
