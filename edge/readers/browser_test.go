package readers

import (
	"fmt"
	"testing"

	"galla/edge"
	"galla/edge/web/webtest"
	"galla/edge/words"
	"galla/rdservice"
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
		running(t, room)
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

// In every language nothing of the page is cut, on a phone, where labels are cut
// first: as it is, and while it looks again.
func TestEveryLanguageInChromium(t *testing.T) {
	g := &glass{found: two()}
	room, err := New(g, webtest.Now)
	if err != nil {
		t.Fatal(err)
	}
	b := webtest.Open(t, webtest.Chromium(t), webtest.Serve(t, webtest.NewCounter(), room).Base, 360, 740)
	b.Go("/enter?to=/devices")
	for _, l := range words.Languages() {
		b.Speak(l.Code)
		for _, changes := range []int{0, 1} { // Run does not run: a change stays to be looked at
			g.set(func(g *glass) { g.changes = changes })
			b.Go("/devices")
			b.Sees(`document.readyState === "complete" && document.querySelector(".reader")`)
			b.Look(fmt.Sprint(l.Code, "-readers-", changes))
		}
	}
}

// An open page follows the reader by itself: unplugged, plugged in again, its
// service gone; and never says else than the status bar on top of it.
func TestFollowsInChromium(t *testing.T) {
	chromium := webtest.Chromium(t)
	g, counter := &glass{found: two()}, webtest.NewCounter()
	room, err := New(g, webtest.Now)
	if err != nil {
		t.Fatal(err)
	}
	b := webtest.Open(t, chromium, webtest.Serve(t, counter, room).Base, 1366, 768)
	running(t, room)
	b.Go("/enter?to=/devices")
	says := func(state string) string {
		return fmt.Sprintf(`document.querySelector(".chosen .state")?.innerText.trim() === %q`, state)
	}
	b.Sees(says("Ready"))
	turn := func(status string, alter func(*glass)) {
		g.set(alter)
		counter.Change(func(s *edge.Status) { s.Device.Status = status })
	}
	looked := `document.querySelector("#readers-looked").innerText.startsWith("Looked at")`
	turn("NOTREADY", unplugged)
	b.Sees(says("Not ready") + " && " + looked)
	b.Sees(`document.querySelector(".chips, .bar, header").innerText.includes("Reader not ready")`)
	b.Shot("readers-unplugged")
	turn("READY", func(g *glass) {
		g.found[0].Service.Status, g.status, g.changes = rdservice.Ready, "READY", g.changes+1
	})
	b.Sees(says("Ready") + " && " + looked)
	turn("ABSENT", func(g *glass) { g.found, g.status, g.changes = nil, "ABSENT", g.changes+1 })
	b.Sees(`document.querySelector("#readers").innerText.includes("No reader was found") && ` + looked)
	b.Shot("readers-gone")
}

// TestOwnIsMissing looks at the page of an exchanged reader.
func TestOwnIsMissing(t *testing.T) {
	g := &glass{found: two(), own: "GONE-7"}
	room, err := New(g, webtest.Now)
	if err != nil {
		t.Fatal(err)
	}
	h := webtest.Serve(t, webtest.NewCounter(), room)
	running(t, room)
	chromium := webtest.Chromium(t)
	for _, size := range [][2]int64{{1366, 768}, {360, 740}} {
		for _, l := range words.Languages() {
			b := webtest.Open(t, chromium, h.Base, size[0], size[1]) // a new session would lock the page of the one before
			b.Go("/enter?to=/devices&language=" + l.Code)
			b.Sees(`document.querySelector("#readers-own.alert")`)
			b.Look("readers-missing-" + l.Code)
		}
	}
}
