package readers

import (
	"testing"

	"galla/edge/web/webtest"
)

// In Chromium, on a phone and on a desk, in two languages: readers of all
// states, and the way from the test's failure to the code's explanation.
func TestChromium(t *testing.T) {
	chromium := webtest.Chromium(t)
	for _, look := range []struct {
		width, height  int64
		language, name string
	}{{360, 740, "ta", "readers-ta"}, {1366, 768, "en", "readers-en"}} {
		g := &glass{found: two()}
		room, err := New(g, webtest.Now)
		if err != nil {
			t.Fatal(err)
		}
		b := webtest.Open(t, chromium, webtest.Serve(t, webtest.NewCounter(), room).Base, look.width, look.height)
		b.Go("/enter?operator=agent&to=/devices&language=" + look.language)
		b.Sees(`location.pathname === "/devices" && document.querySelector("form[action='/devices/test'] button")`)
		b.Shot(look.name)
		b.Tab("form[action='/devices/test'] button")
		b.Press("\r")
		b.Sees(`document.readyState === "complete" && document.querySelector(".test .fine")?.textContent.includes("71")`)
		b.Shot(look.name + "-good")
		g.set(failing)
		b.Tab("form[action='/devices/test'] button")
		b.Press("\r")
		b.Sees(`document.querySelector("a[href='/help?code=720']")`)
		b.Shot(look.name + "-bad")
	}
}
