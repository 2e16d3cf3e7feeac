package help

import (
	"testing"

	"galla/edge/i18n"
	"galla/edge/ui/uitest"
)

// In Chromium, on a phone and a desktop, in two languages: nothing is cut, the field has
// the focus, and the code is explained before the tables.
func TestChromium(t *testing.T) {
	chromium := uitest.Chromium(t)
	server := uitest.Serve(t, uitest.NewCounter(), New())
	for _, look := range []struct {
		width, height  int64
		language, name string
	}{{360, 740, "hi", "help-hi"}, {1366, 768, "en", "help-en"}} {
		b := uitest.Open(t, chromium, server.Base, look.width, look.height)
		b.Navigate("/enter?operator=agent&to=/help&language=" + look.language)
		b.WaitFor(`location.pathname === "/help" && document.querySelector("[name=code]")`)
		b.Screenshot(look.name)
		b.WaitForFocus("[name=code]")
		b.Press("u", "3", "\r")
		b.WaitFor(`location.search.includes("code=u3") && document.querySelector("[name=code]")?.value === "U3"`)
		b.Screenshot(look.name + "-found")
	}
}

// On a phone, where labels are cut first, nothing is cut in any language: with the tables,
// and with an explained code.
func TestChromiumEveryLanguage(t *testing.T) {
	b := uitest.Open(t, uitest.Chromium(t), uitest.Serve(t, uitest.NewCounter(), New()).Base, 360, 740)
	b.Navigate("/enter?to=/help")
	for _, l := range i18n.Languages() {
		b.SetLanguage(l.Code)
		for _, at := range []string{"/help", "/help?code=720"} {
			b.Navigate(at)
			b.WaitFor(`document.readyState === "complete" && document.querySelector("[name=code]")`)
			b.Check(l.Code + at)
		}
	}
}
