package uitest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// axeFile is where axe-core is installed, below the root of the repository. It is not part
// of the tree: only tests use it.
const axeFile = "build/axe/axe.min.js"

// WithoutAxe is the environment variable that skips axe-core on machines that can't fetch
// it. The test's log then says so.
const WithoutAxe = "GALLA_WITHOUT_AXE"

// axeSource reads axe-core.
func axeSource() (string, error) {
	dir, err := filepath.Abs(".")
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("there is no go.mod above the test's folder")
		}
		dir = up
	}
	b, err := os.ReadFile(filepath.Join(dir, axeFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("axe-core is missing, and the pages are checked with it: run deploy/tools/need.sh axe, or set %s=1 to leave it out", WithoutAxe)
	}
	return string(b), err
}

// axeFor returns axe-core's source, or "" if it is skipped.
func axeFor(t testing.TB) string {
	t.Helper()
	source, err := axeSource()
	switch {
	case err == nil:
		return source
	case os.Getenv(WithoutAxe) != "":
		t.Logf("%s is set: axe-core did not judge these pages", WithoutAxe)
		return ""
	}
	t.Fatal(err)
	return ""
}

// AccessibilityViolations returns what axe-core finds on the present page, one sentence
// each: rules of WCAG 2.2 up to AA, and best practices for landmarks and headings.
func (b *Browser) AccessibilityViolations() []string {
	return b.violations(allRules)
}

// allRules are the rules that pages keep.
const allRules = `["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]`

// layoutRules are the rules whose result depends on the window's width and not only on what
// is visible.
const layoutRules = `["target-size", "scrollable-region-focusable"]`

func (b *Browser) violations(rules string) []string {
	b.T.Helper()
	if b.axe == "" {
		return nil
	}
	b.loadAxe()
	defer b.atTop()()
	return Eval[[]string](b, fmt.Sprintf(axeRun, "document", rules))
}

// loadAxe starts axe-core on the present page.
func (b *Browser) loadAxe() {
	b.T.Helper()
	if Eval[bool](b, `"axe" in window`) {
		return
	}
	if err := chromedp.Do(b.Ctx, chromedp.Evaluate[chromedp.Void](b.axe)); err != nil {
		b.T.Fatalf("%s: axe-core does not start: %v", b.Size, err)
	}
}

// axeRun runs axe-core on a part of the page.
const axeRun = `axe.run(%s, {
	runOnly: %s,
	rules: {"target-size": {enabled: true}},
	resultTypes: ["violations"],
}).then(found => found.violations.flatMap(v => v.nodes.map(n =>
	v.id + ": " + v.help + ": " + n.html.slice(0, 160) + " (" + (n.failureSummary ?? "").split("\n").slice(1, 3).join(" ").trim() + ")")))`

// violationPrefix marks axe-core's findings among other faults.
const violationPrefix = "a barrier: "

// axeLanguages are the languages in which axe-core checks a page. What it checks is the
// same in the others, and each check takes a part of a second; Check verifies that texts
// fit in all languages.
const axeLanguages = "en, hi"

// axeCache holds which structures (fingerprints) axe-core has checked in one browser, and at
// which widths: what has one structure has the same violations, and each check takes a part
// of a second.
type axeCache struct {
	mu   sync.Mutex
	seen map[string]bool
}

// axeCacheKey is its key in a browser's context.
type axeCacheKey struct{}

// hasNew reports whether one of several things was not checked in this browser before.
func (j *axeCache) hasNew(things ...string) (found bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, what := range things {
		found = found || !j.seen[what]
		j.seen[what] = true
	}
	return found
}

// fingerprints describes the structure of a page's bars and of its main part without their
// texts: elements in their order, their visibility, and the attributes that rules use; Check
// itself judges what classes change, colours and sizes, on every page. Rows with the same structure count as one, and so do names that differ in their
// numbers. Phones hide some words and keys within a line; that is no other structure.
const fingerprints = `(() => {
	const said = /^(alt|title|placeholder|aria-label|aria-valuetext|aria-roledescription|content)$/;
	const counts = /^(id|role|type|for|name|lang|dir|style|scope|tabindex|autocomplete|open|hidden|disabled|required|inert|popover|contenteditable|aria-.*|headers|colspan|rowspan|http-equiv)$/;
	const numbers = /[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g;
	const main = document.querySelector("main");
	const of = (e) => {
		let text = e.localName + (e.matches("span, kbd") || e.checkVisibility({opacityProperty: true, visibilityProperty: true}) ? "" : "~") + (e.checked ? "!" : "");
		for (const a of e.attributes) {
			if (e === document.documentElement && a.name === "lang") continue;
			if (said.test(a.name)) text += " " + a.name + (a.value.trim() ? "=…" : "=");
			else if (counts.test(a.name)) text += " " + a.name + "=" + a.value.replace(numbers, "#");
		}
		const parts = [];
		for (const n of e.childNodes) {
			if (n === main || n.localName === "noscript" || n.namespaceURI?.endsWith("/svg") && n.localName !== "svg") continue;
			const part = n.nodeType === 1 ? of(n) : n.nodeType === 3 && n.data.trim() ? "…" : "";
			if (part && part !== parts.at(-1)) parts.push(part);
		}
		return text + "{" + parts.join() + "}";
	};
	return [document.documentElement, main].map((root) => {
		let hash = 0xcbf29ce484222325n;
		const all = root ? of(root) : "";
		for (let i = 0; i < all.length; i += 4) {
			for (let j = i; j < i + 4 && j < all.length; j++) hash ^= BigInt(all.charCodeAt(j)) << BigInt(16 * (j - i));
			hash = BigInt.asUintN(64, hash * 0x100000001b3n);
		}
		return all.length + " " + hash;
	});
})()`

// withViolations adds axe-core's findings to other faults. With screenshots (make
// gallery), every page is checked, otherwise the first with each structure of its bars and
// of its main part, and the first at each width by the rules of layout.
func (b *Browser) withViolations(faults []string) []string {
	b.T.Helper()
	if b.axe == "" || !strings.Contains(axeLanguages, Eval[string](b, `document.documentElement.lang`)) {
		return faults
	}
	found := b.AccessibilityViolations
	if checked, ok := b.Ctx.Value(axeCacheKey{}).(*axeCache); ok && !b.keepAll {
		parts := Eval[[]string](b, fingerprints)
		newStructure, newWidth := checked.hasNew(parts...), checked.hasNew(parts[0]+" at "+b.Size, parts[1]+" at "+b.Size)
		switch {
		case newStructure:
			found = func() []string {
				return append(b.AccessibilityViolations(), b.inOtherColours(func() []string { return b.violations(`["color-contrast"]`) })...)
			}
		case newWidth:
			found = func() []string { return b.violations(layoutRules) }
		default:
			return faults
		}
	}
	for _, s := range found() {
		faults = append(faults, violationPrefix+strings.TrimSpace(s))
	}
	return faults
}
