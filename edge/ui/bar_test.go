package ui_test

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/ui"
	"galla/edge/ui/uitest"
)

// barSection has a page, and places for the menu.
func barSection() *section {
	r := &section{name: "example", files: files(
		"templates/page.html", `{{define "main"}}{{template "back" .}}<h1>The page</h1>{{end}}`,
		"messages/en.json", `{"example.tile": "A tile", "example.place": "A place", "example.second": "Another place"}`,
	)}
	r.menu = []ui.MenuItem{{Href: "/tile", Icon: "cash", Title: "example.tile", Hint: "example.tile", Tile: true},
		{Href: "/example", Icon: "list", Title: "example.place", Hint: "example.place"}, {Href: "/second", Icon: "bank", Title: "example.second", Hint: "example.second"}}
	r.chips = []ui.Chip{{Name: "Printer", Icon: "print", Tone: "ok", Text: "Printer ready", Href: "/example"}}
	r.add = func(kit *ui.Kit) (map[string]ui.Handler, map[string]http.HandlerFunc) {
		show := func(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
			kit.Render(w, r, ses, http.StatusOK, ui.Page{Name: "example/page", Title: "The page", Back: "/example"})
		}
		return map[string]ui.Handler{"GET /example": show, "GET /second": show}, nil
	}
	return r
}

// wrongStates are states of a counter, by how many chips say that something is wrong.
var wrongStates = []struct {
	name  string
	wrong int
	alter func(*edge.Status)
}{
	{"nothing", 0, func(*edge.Status) {}},
	{"offline", 1, func(s *edge.Status) {
		s.Link = edge.LinkState{Since: uitest.Now().Add(-7 * time.Minute), Problem: edge.LinkNoAnswer}
	}},
	{"not signed in", 1, func(s *edge.Status) { s.Session = edge.SessionState{Known: true} }},
	{"unfinished", 1, func(s *edge.Status) { s.Unresolved = 2 }},
	{"all", 4, func(s *edge.Status) {
		s.Link, s.Session, s.Unresolved = edge.LinkState{Since: uitest.Now().Add(-7 * time.Minute), Problem: edge.LinkNoAnswer}, edge.SessionState{Known: true}, 12
		s.Reader = edge.ReaderState{Status: "NOTREADY", Name: "Mantra MFS110"}
	}},
}

// TestChromiumBar: on a phone the bar is one line (Check measures it), whatever is wrong:
// it has a chip for each thing that is wrong and for nothing else.
func TestChromiumBar(t *testing.T) {
	counter := uitest.NewCounter()
	h := uitest.Serve(t, counter, barSection())
	chromium := uitest.Chromium(t)
	right := counter.Status()
	for _, size := range [][2]int64{{360, 740}, {768, 900}, {1366, 768}} {
		for _, language := range []string{"en", "hi", "ta"} {
			b := uitest.Open(t, chromium, h.Base, size[0], size[1])
			b.Navigate("/enter?language=" + language)
			for _, state := range wrongStates {
				counter.Update(func(s *edge.Status) { *s = right; state.alter(s) })
				b.Navigate("/example")
				b.WaitForHeading("The page")
				b.Check(fmt.Sprintf("bar-%s-%s", language, state.name))
				want := state.wrong
				if size[0] > 860 {
					want = 5 // a desk has room for all
				}
				if got := uitest.Eval[int](b, `[...document.querySelectorAll("#chips .chip")].filter(e => e.checkVisibility()).length`); got != want {
					t.Errorf("%s %s, %s: %d chips are shown, want %d", b.Size, language, state.name, got, want)
				}
			}
		}
	}
}

// isOpen is whether 'More' is open.
const isOpen = `document.querySelector("#more").matches(":popover-open")`

// TestChromiumMore: what is no tile stands behind 'More' on a phone, by keyboard. Escape
// closes it, and does not leave the page.
func TestChromiumMore(t *testing.T) {
	h := uitest.Serve(t, uitest.NewCounter(), barSection())
	b := uitest.Open(t, uitest.Chromium(t), h.Base, 360, 740)
	b.Navigate("/enter?to=/example")
	b.WaitForHeading("The page")
	b.TabTo(".more-button")
	b.Press(kb.Enter)
	b.WaitFor(isOpen)
	b.Check("more")
	got := uitest.Eval[[]string](b, `[...document.querySelectorAll("#more .places a")].filter(e => e.checkVisibility()).map(e => e.innerText.trim())`)
	if want := []string{"A place", "Another place", "Settings"}; !slices.Equal(got, want) {
		t.Errorf("behind 'More' are %q, want %q", got, want)
	}
	b.Press(kb.Escape)
	b.WaitFor("!" + isOpen)
	if at := uitest.Eval[string](b, `location.pathname`); at != "/example" {
		t.Errorf("Escape led to %s", at)
	}
	b.Press(kb.Enter) // the button has the focus again
	b.WaitFor(isOpen)
	b.TabTo(`#more a[href="/second"]`)
	b.Press(kb.Enter)
	b.WaitFor(`location.pathname === "/second" && document.readyState === "complete" && !` + isOpen)
}

// TestChromiumMoreWithoutScripts: 'More' works by keyboard without scripts, too.
func TestChromiumMoreWithoutScripts(t *testing.T) {
	h := uitest.Serve(t, uitest.NewCounter(), barSection())
	b := uitest.Open(t, uitest.Chromium(t), h.Base, 360, 740)
	b.Navigate("/enter?to=/example")
	b.WaitForHeading("The page")
	disableScripts(b)
	b.Navigate("/example")
	b.WaitFor(`document.readyState === "complete"`)
	for _, focused := range []string{".skip", ".brand", ".more-button"} {
		b.Do(uitest.Press(kb.Tab))
		b.WaitForFocus(focused)
	}
	b.Do(uitest.Press(kb.Enter))
	b.WaitFor(isOpen)
	b.Do(uitest.Press(kb.Tab))
	b.WaitForFocus(`#more a[href="/example"]`)
	b.Do(uitest.Press(kb.Tab), uitest.Press(kb.Enter))
	b.WaitFor(`location.pathname === "/second" && document.readyState === "complete" && !` + isOpen)
}

// disableScripts turns the scripts of a tab off.
func disableScripts(b *uitest.Browser) {
	b.Do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return chromedp.Void{}, err
	})
}

// TestChromiumScrollbar: with and without a scrollbar, the bar's colour reaches the edge
// of what is seen, and nothing else of the page has moved.
func TestChromiumScrollbar(t *testing.T) {
	h := uitest.Serve(t, uitest.NewCounter(), barSection())
	b := uitest.Open(t, uitest.ChromiumWithScrollbars(t), h.Base, 1366, 768)
	b.Navigate("/enter?to=/example")
	b.WaitForHeading("The page")
	places := func() string {
		return uitest.Eval[string](b, `JSON.stringify(["main", "h1", ".brand", ".locker"].map(s => document.querySelector(s).getBoundingClientRect().x))`)
	}
	before := places()
	for _, scrollbar := range []bool{false, true} {
		uitest.Eval[any](b, fmt.Sprintf(`void (document.querySelector("main").style.minHeight = %t ? "3000px" : "")`, scrollbar))
		end := uitest.Eval[int](b, `document.documentElement.clientWidth`)
		if (end < 1366) != scrollbar {
			t.Fatalf("%d px of 1366 are seen, with a scrollbar: %t", end, scrollbar)
		}
		shot, err := chromedp.Run(b.Ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(bytes.NewReader(shot))
		if err != nil {
			t.Fatal(err)
		}
		for _, y := range []int{4, 47, 700} {
			if inside, edge := picture.At(620, y), picture.At(end-2, y); inside != edge {
				t.Errorf("with a scrollbar %t, at %d px of height: %v at the edge, %v inside", scrollbar, y, edge, inside)
			}
		}
		if now := places(); now != before {
			t.Errorf("with a scrollbar %t, things are at %s, before at %s", scrollbar, now, before)
		}
	}
}
