package paper

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"galla/edge/printer"
	"galla/edge/web/webtest"
	"galla/edge/words"
)

// TestInChromium sets a printer up by keyboard, prints its test page, loses it,
// and looks at the page in each state: on a desk, and in every language on a
// phone.
func TestInChromium(t *testing.T) {
	chromium := webtest.Chromium(t)
	for _, size := range [][2]int64{{1366, 768}, {360, 740}} {
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			n := play(t, false)
			s := serve(t, Settings{}, owner)
			b := webtest.Open(t, chromium, s.Base, size[0], size[1])
			b.Go("/enter?to=/printer&" + owner)
			b.Reads("Receipt printer")
			b.Shot("printer-unset")
			choice := `input[name=kind][value=tcp]`
			b.Tab(`input[name=kind]:checked`)
			for range 4 { // the arrows walk through the kinds
				if webtest.Eval[bool](b, fmt.Sprintf(`document.activeElement.matches(%q)`, choice)) {
					break
				}
				b.Press(kb.ArrowDown)
			}
			b.Tab("#address")
			webtest.Eval[any](b, `document.activeElement.select()`)
			for _, r := range "two words" {
				b.Press(string(r))
			}
			b.Press(kb.Enter)
			b.Sees(`document.readyState === "complete" && document.querySelector(".field.bad #address")`)
			b.Shot("printer-wrong-address")
			webtest.Eval[any](b, `(document.querySelector("#address").focus(), document.querySelector("#address").select())`)
			for _, r := range n.Addr().String() {
				b.Press(string(r))
			}
			b.Press(kb.Enter)
			b.Sees(`document.readyState === "complete" && document.querySelector("#paper-state")?.innerText.includes("Printer ready")`)
			b.Press("t")
			b.Sees(`document.querySelector("#paper-state .paper-told.ok")`)
			b.Shot("printer-tested")
			inEveryLanguage(b)
		})
	}
	t.Run("gone", func(t *testing.T) {
		s := serve(t, Settings{Kind: printer.USB, Address: "/dev/usb/no-such-printer"}, helper)
		b := webtest.Open(t, chromium, s.Base, 360, 740)
		b.Go("/enter?to=/printer&" + helper)
		b.Sees(`document.querySelector("#paper-state .paper-state.warn") && document.querySelector("#chips .chip.warn a[href='/printer']")`)
		inEveryLanguage(b)
	})
}

// inEveryLanguage looks at the page as it is in each language. What is narrow is
// judged where it is narrow.
func inEveryLanguage(b *webtest.Browser) {
	b.T.Helper()
	if b.Size != "360x740" {
		return
	}
	for _, l := range words.Languages() {
		b.Speak(l.Code)
		b.Look("printer-" + l.Code)
	}
}
