package server

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"galla/central/docs"
	"galla/edge/ui/uitest"
)

// moves lists what of a page scrolls, in any direction, and can't be reached by
// keyboard; what can be reached and has no name; and whether the page itself is
// wider than its window. Everything that is folded is unfolded first.
const moves = `(() => {
	document.querySelectorAll("details").forEach(d => d.open = true);
	const faults = [];
	for (const e of document.querySelectorAll("body *")) {
		const style = getComputedStyle(e), rolls = o => o === "auto" || o === "scroll";
		const wide = rolls(style.overflowX) && e.scrollWidth > e.clientWidth, high = rolls(style.overflowY) && e.scrollHeight > e.clientHeight;
		if (!wide && !high) continue;
		const words = e.outerHTML.slice(0, 100);
		if (e.tabIndex < 0 && !e.querySelector("a[href], button, [tabindex='0']")) faults.push("it scrolls, and the keyboard can't reach it: " + words);
		if (e.tabIndex >= 0 && !(e.getAttribute("role") && e.getAttribute("aria-label"))) faults.push("it scrolls, and has no role or name: " + words);
	}
	const root = document.documentElement;
	if (root.scrollWidth > root.clientWidth) faults.push("the page is " + root.scrollWidth + " pixels wide in " + root.clientWidth);
	return faults;
})()`

// TestChromiumDocs: every page below /docs, at the width of a desktop, a tablet and a
// phone, can be read by keyboard alone; axe-core finds no violation on the desktop and the
// phone. One tab opens each page once, and is then made narrower.
func TestChromiumDocs(t *testing.T) {
	chromium := uitest.Chromium(t)
	cfg := testConfig(t)
	cfg.Documents = os.DirFS("../../deploy/docs")
	stop := serving(t, cfg)
	defer stop()
	pages, _, err := docPages(cfg)
	if err != nil || len(pages) < 30 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	paths := []string{"/docs/install", docs.SearchPath + "?q=bank", docs.SearchPath + "?q=nowhere"} // short ones first
	for _, path := range slices.Sorted(maps.Keys(pages)) {
		if strings.HasPrefix(pages[path].ContentType, "text/html") && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	const desk, tablet, phone = 1280, 768, 360
	b := uitest.Open(t, chromium, "http://"+cfg.Addr, desk, 800)
	for _, path := range paths {
		b.Resize(desk, 800)
		b.Navigate(path)
		b.WaitFor(`document.readyState === "complete" && document.querySelector("h1") !== null`)
		var faults []string
		if !uitest.Eval[bool](b, `document.querySelector("form[role=search] #search") !== null && document.querySelector("nav details a") !== null`) {
			faults = append(faults, "there is no search, or no list of pages")
		}
		for _, width := range []int64{desk, tablet, phone} {
			b.Resize(width, 800)
			for _, fault := range uitest.Eval[[]string](b, moves) {
				faults = append(faults, fmt.Sprintf("at %d: %s", width, fault))
			}
		}
		for _, width := range []int64{desk, phone} { // the tablet has what these two have
			b.Resize(width, 800)
			faults = append(faults, b.ProseViolations()...)
		}
		for _, fault := range faults {
			t.Errorf("%s: %s", path, fault)
		}
	}
}

// shown tells whether an element is seen and can be pressed: nothing folds it away.
const shown = `(selector => { const e = document.querySelector(selector), at = e.getBoundingClientRect(); return e.checkVisibility({contentVisibilityAuto: true}) && at.height > 0; })`

// TestChromiumDocsSearch: a reader searches by keyboard from any page, and finds the lists
// open beside the page on a desktop and folded above it on a phone.
func TestChromiumDocsSearch(t *testing.T) {
	chromium := uitest.Chromium(t)
	cfg := testConfig(t)
	cfg.Documents = os.DirFS("../../deploy/docs")
	stop := serving(t, cfg)
	defer stop()
	b := uitest.Open(t, chromium, "http://"+cfg.Addr, 1280, 800)
	for _, path := range []string{"/docs/operate", "/docs", "/docs/gateway"} {
		b.Navigate(path)
		b.WaitFor(`document.readyState === "complete" && document.querySelector("h1") !== null`)
		if !uitest.Eval[bool](b, shown+`("nav details a")`) {
			t.Errorf("%s: the list is folded on a desktop", path)
		}
		b.Resize(360, 800)
		b.WaitFor(`!` + shown + `("nav details a")`)
		b.Do(chromedp.Click("nav:first-of-type > .fold > summary"))
		b.WaitFor(shown + `("nav details a")`)
		b.Resize(1280, 800)
		b.Press("/")
		b.WaitForFocus("#search")
		if typed := uitest.Eval[string](b, `document.activeElement.value`); typed != "" {
			t.Errorf("%s: the key wrote %q into the field", path, typed)
		}
		b.Press("bank/down", kb.Enter)
		b.WaitForHeading("Search")
		if first := uitest.Eval[string](b, `document.querySelector(".results a").getAttribute("href")`); first != "/docs/runbooks/bank-down" {
			t.Errorf("%s: the first result is %s", path, first)
		}
		if again := uitest.Eval[string](b, `document.querySelector("#search").value + " " + document.querySelector("mark").innerText.toLowerCase()`); again != "bank/down bank" {
			t.Errorf("%s: the page of results has %q", path, again)
		}
	}
	b.Do(chromedp.Click(".results li:first-child a"))
	b.WaitForHeading("The bank network is down")
}
