package help

import (
	"testing"

	"galla/edge/web/webtest"
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
