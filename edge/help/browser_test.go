package help

import (
	"testing"

	"galla/edge/web/webtest"
	"galla/edge/words"
)

// In Chromium, on a phone and on a desk, in two languages: nothing is cut, the
// cursor stands in the field, and the code is explained before the tables.
func TestChromium(t *testing.T) {
	chromium := webtest.Chromium(t)
	house := webtest.Serve(t, webtest.NewCounter(), New())
	for _, look := range []struct {
		width, height  int64
		language, name string
	}{{360, 740, "hi", "help-hi"}, {1366, 768, "en", "help-en"}} {
		b := webtest.Open(t, chromium, house.Base, look.width, look.height)
		b.Go("/enter?operator=agent&to=/help&language=" + look.language)
		b.Sees(`location.pathname === "/help" && document.querySelector("[name=code]")`)
		b.Shot(look.name)
		b.Focused("[name=code]")
		b.Press("u", "3", "\r")
		b.Sees(`location.search.includes("code=u3") && document.querySelector("[name=code]")?.value === "U3"`)
		b.Shot(look.name + "-found")
	}
}

// In every language nothing of the page is cut, on a phone, where labels are cut
// first: with the tables, and with a code explained.
func TestEveryLanguageInChromium(t *testing.T) {
	b := webtest.Open(t, webtest.Chromium(t), webtest.Serve(t, webtest.NewCounter(), New()).Base, 360, 740)
	b.Go("/enter?to=/help")
	for _, l := range words.Languages() {
		b.Speak(l.Code)
		for _, at := range []string{"/help", "/help?code=720"} {
			b.Go(at)
			b.Sees(`document.readyState === "complete" && document.querySelector("[name=code]")`)
			b.Look(l.Code + at)
		}
	}
}
