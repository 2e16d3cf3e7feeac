package readers

import (
	"fmt"
	"testing"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/ui/uitest"
	"galla/rdservice"
)

// In Chromium, on a phone and a desktop, in two languages: readers in all states, and the
// link from a failed test to the code's explanation.
func TestChromium(t *testing.T) {
	chromium := uitest.Chromium(t)
	for _, look := range []struct {
		width, height  int64
		language, name string
	}{{360, 740, "ta", "readers-ta"}, {1366, 768, "en", "readers-en"}} {
		g := &fakeDevice{found: twoReaders()}
		pages, err := New(g, uitest.Now)
		if err != nil {
			t.Fatal(err)
		}
		b := uitest.Open(t, chromium, uitest.Serve(t, uitest.NewCounter(), pages).Base, look.width, look.height)
		running(t, pages)
		b.Navigate("/enter?operator=agent&to=/readers&language=" + look.language)
		b.WaitFor(`location.pathname === "/readers" && document.querySelector("form[action='/readers/test'] button")`)
		b.Screenshot(look.name)
		b.TabTo("form[action='/readers/test'] button")
		b.Press("\r")
		b.WaitFor(`document.readyState === "complete" && document.querySelector(".test .fine")?.textContent.includes("71")`)
		b.Screenshot(look.name + "-good")
		g.set(failing)
		b.TabTo("form[action='/readers/test'] button")
		b.Press("\r")
		b.WaitFor(`document.querySelector("a[href='/help?code=720']")`)
		b.Screenshot(look.name + "-bad")
	}
}

// On a phone, where labels are cut first, nothing is cut in any language: normally, and
// during a refresh.
func TestChromiumEveryLanguage(t *testing.T) {
	g := &fakeDevice{found: twoReaders()}
	pages, err := New(g, uitest.Now)
	if err != nil {
		t.Fatal(err)
	}
	b := uitest.Open(t, uitest.Chromium(t), uitest.Serve(t, uitest.NewCounter(), pages).Base, 360, 740)
	b.Navigate("/enter?to=/readers")
	for _, l := range i18n.Languages() {
		b.SetLanguage(l.Code)
		for _, changes := range []int{0, 1} { // Run is not running: a change stays pending
			g.set(func(g *fakeDevice) { g.changes = changes })
			b.Navigate("/readers")
			b.WaitFor(`document.readyState === "complete" && document.querySelector(".reader")`)
			b.Check(fmt.Sprint(l.Code, "-readers-", changes))
		}
	}
}

// An open page follows the reader by itself: unplugged, plugged in again, its service
// gone; and never differs from the status bar.
func TestChromiumFollows(t *testing.T) {
	chromium := uitest.Chromium(t)
	g, counter := &fakeDevice{found: twoReaders()}, uitest.NewCounter()
	pages, err := New(g, uitest.Now)
	if err != nil {
		t.Fatal(err)
	}
	b := uitest.Open(t, chromium, uitest.Serve(t, counter, pages).Base, 1366, 768)
	running(t, pages)
	b.Navigate("/enter?to=/readers")
	says := func(state string) string {
		return fmt.Sprintf(`document.querySelector(".chosen .state")?.innerText.trim() === %q`, state)
	}
	b.WaitFor(says("Ready"))
	turn := func(status string, alter func(*fakeDevice)) {
		g.set(alter)
		counter.Update(func(s *edge.Status) { s.Reader.Status = status })
	}
	looked := `document.querySelector("#readers-looked").innerText.startsWith("Checked")`
	turn("NOTREADY", unplugged)
	b.WaitFor(says("Not ready") + " && " + looked)
	b.WaitFor(`document.querySelector(".chips, .bar, header").innerText.includes("Reader not ready")`)
	b.Screenshot("readers-unplugged")
	turn("READY", func(g *fakeDevice) {
		g.found[0].Service.Status, g.status, g.changes = rdservice.Ready, "READY", g.changes+1
	})
	b.WaitFor(says("Ready") + " && " + looked)
	turn("ABSENT", func(g *fakeDevice) { g.found, g.status, g.changes = nil, "ABSENT", g.changes+1 })
	b.WaitFor(`document.querySelector("#readers").innerText.includes("No reader found") && ` + looked)
	b.Screenshot("readers-gone")
}

// TestChromiumOwnIsMissing checks the page of an exchanged reader.
func TestChromiumOwnIsMissing(t *testing.T) {
	g := &fakeDevice{found: twoReaders(), own: "GONE-7"}
	pages, err := New(g, uitest.Now)
	if err != nil {
		t.Fatal(err)
	}
	h := uitest.Serve(t, uitest.NewCounter(), pages)
	running(t, pages)
	chromium := uitest.Chromium(t)
	b := uitest.Open(t, chromium, h.Base, 360, 740)
	b.Navigate("/enter?to=/readers")
	for _, l := range i18n.Languages() {
		b.Resize(360, 740)
		b.SetLanguage(l.Code)
		b.WaitFor(`document.querySelector("#readers-own.alert")`)
		b.Check("readers-missing-" + l.Code)
		if l.Code == i18n.English || l.Code == "ta" { // what fits a phone fits a desktop
			b.Resize(1366, 768)
			b.Check("readers-missing-" + l.Code)
		}
	}
}
