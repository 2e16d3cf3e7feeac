package server

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

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
