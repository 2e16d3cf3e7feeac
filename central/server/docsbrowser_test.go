package server

import (
	"fmt"
	"maps"
	"os"
	"slices"
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
// phone.
func TestChromiumDocs(t *testing.T) {
	chromium := uitest.Chromium(t)
	cfg := testConfig(t)
	cfg.Documents = os.DirFS("../../deploy/docs")
	stop := serving(t, cfg)
	defer stop()
	chapters, err := docs.Handbook(cfg.Documents, docs.Style())
	if err != nil || len(chapters) < 10 {
		t.Fatalf("%d chapters, %v", len(chapters), err)
	}
	paths := append(slices.Sorted(maps.Keys(chapters)), "/docs", "/docs/gateway", "/docs/try")
	const tablet = 768
	for _, width := range []int64{1280, tablet, 360} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			b := uitest.Open(t, chromium, "http://"+cfg.Addr, width, 800)
			for _, path := range paths {
				b.Navigate(path)
				b.WaitFor(`document.readyState === "complete" && document.querySelector("h1") !== null`)
				faults := uitest.Eval[[]string](b, moves)
				if width != tablet { // axe-core takes most of the time, and finds what it does at the two ends
					faults = append(faults, b.AccessibilityViolations()...)
				}
				for _, fault := range faults {
					t.Errorf("%s: %s", path, fault)
				}
			}
		})
	}
}
