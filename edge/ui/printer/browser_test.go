package printer

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"galla/edge/i18n"
	"galla/edge/printing/printer"
	"galla/edge/ui/uitest"
)

// TestChromiumPages sets a printer up by keyboard, prints its test page, unplugs it, and
// checks the page in each state: on a desktop, and in every language on a phone.
func TestChromiumPages(t *testing.T) {
	chromium := uitest.Chromium(t)
	for _, size := range [][2]int64{{1366, 768}, {360, 740}} {
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			n := play(t, false)
			s := serve(t, Settings{}, owner)
			b := uitest.Open(t, chromium, s.Base, size[0], size[1])
			b.Navigate("/enter?to=/printer&" + owner)
			b.WaitForHeading("Receipt printer")
			b.Screenshot("printer-unset")
			choice := `input[name=kind][value=tcp]`
			b.TabTo(`input[name=kind]:checked`)
			for range 4 { // the arrows select the kinds
				if uitest.Eval[bool](b, fmt.Sprintf(`document.activeElement.matches(%q)`, choice)) {
					break
				}
				b.Press(kb.ArrowDown)
			}
			b.TabTo("#address")
			uitest.Eval[any](b, `document.activeElement.select()`)
			for _, r := range "two words" {
				b.Press(string(r))
			}
			b.Press(kb.Enter)
			b.WaitFor(`document.readyState === "complete" && document.querySelector(".field.bad #address")`)
			b.Screenshot("printer-wrong-address")
			uitest.Eval[any](b, `(document.querySelector("#address").focus(), document.querySelector("#address").select())`)
			for _, r := range n.Addr().String() {
				b.Press(string(r))
			}
			b.Press(kb.Enter)
			b.WaitFor(`document.readyState === "complete" && document.querySelector("#printer-state")?.innerText.includes("Printer ready")`)
			b.Press("t")
			b.WaitFor(`document.querySelector("#printer-state .printer-result.ok")`)
			b.Screenshot("printer-tested")
			inEveryLanguage(b)
		})
	}
	t.Run("gone", func(t *testing.T) {
		s := serve(t, Settings{Kind: printer.USB, Address: "/dev/usb/no-such-printer"}, helper)
		b := uitest.Open(t, chromium, s.Base, 360, 740)
		b.Navigate("/enter?to=/printer&" + helper)
		b.WaitFor(`document.querySelector("#printer-state .printer-state.warn") && document.querySelector("#chips .chip.warn a[href='/printer']")`)
		inEveryLanguage(b)
	})
}

// inEveryLanguage checks the page in each language. Narrow layouts are checked on narrow
// windows.
func inEveryLanguage(b *uitest.Browser) {
	b.T.Helper()
	if b.Size != "360x740" {
		return
	}
	for _, l := range i18n.Languages() {
		b.SetLanguage(l.Code)
		b.Check("printer-" + l.Code)
	}
}
