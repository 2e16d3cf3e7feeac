package webtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// axeFile is where the Makefile's target axe leaves axe-core, below the root of
// the repository. It is no part of the tree: only tests use it.
const axeFile = "build/axe/axe.min.js"

// WithoutAxe is the environment variable that leaves axe-core's judgement out,
// for machines that can't fetch it. The test's log then says so.
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
		return "", fmt.Errorf("axe-core is missing, and it judges whether everyone can use the pages: run 'make axe', or set %s=1 to leave it out", WithoutAxe)
	}
	return string(b), err
}

// axeFor gives axe-core, or "" where it is left out.
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

// Barriers gives what axe-core finds on the page as it is: rules of WCAG 2.2 up
// to AA, and the practices that keep landmarks and headings in order. Each is one
// sentence.
func (b *Browser) Barriers() []string {
	b.T.Helper()
	if b.axe == "" {
		return nil
	}
	if !Eval[bool](b, `"axe" in window`) {
		if err := chromedp.Do(b.Ctx, chromedp.Evaluate[chromedp.Void](b.axe)); err != nil {
			b.T.Fatalf("%s: axe-core does not start: %v", b.Size, err)
		}
	}
	return Eval[[]string](b, axeRun)
}

// axeRun asks axe-core.
const axeRun = `axe.run(document, {
	runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
	rules: {"target-size": {enabled: true}},
	resultTypes: ["violations"],
}).then(found => found.violations.flatMap(v => v.nodes.map(n =>
	v.id + ": " + v.help + ": " + n.html.slice(0, 160) + " (" + (n.failureSummary ?? "").split("\n").slice(1, 3).join(" ").trim() + ")")))`

// barrier marks what axe-core found among other faults.
const barrier = "a barrier: "

// axeSpeaks are the languages in which axe-core judges a page. What it looks at
// is the same in the others, and each judgement takes a part of a second; that
// their texts fit, Look holds in all of them.
const axeSpeaks = "en, hi"

// judged is what axe-core has judged in one browser: pages of one build (built)
// have the same barriers, and each judgement takes a part of a second.
type judged struct {
	mu   sync.Mutex
	seen map[string]bool
}

// judgedKey is where a browser's context has it.
type judgedKey struct{}

// first tells whether nothing built so was judged in this browser before.
func (j *judged) first(build string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	was := j.seen[build]
	j.seen[build] = true
	return !was
}

// built names how a page is built at the window's width, without what it says:
// elements in their order, what is shown of them, and the attributes that styles
// and rules look at. Rows that are built alike count as one, and so do names that
// differ in their numbers.
const built = `(() => {
	const said = /^(alt|title|placeholder|aria-label|aria-valuetext|aria-roledescription|content)$/;
	const counts = /^(class|id|role|type|for|name|lang|dir|style|scope|tabindex|autocomplete|open|hidden|disabled|required|inert|popover|contenteditable|aria-.*|headers|colspan|rowspan|http-equiv)$/;
	const numbers = /[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g;
	const of = (e) => {
		let text = e.localName + (e.checkVisibility({opacityProperty: true, visibilityProperty: true}) ? "" : "~") + (e.checked ? "!" : "");
		for (const a of e.attributes) {
			if (e === document.documentElement && a.name === "lang") continue;
			if (said.test(a.name)) text += " " + a.name + (a.value.trim() ? "=…" : "=");
			else if (counts.test(a.name)) text += " " + a.name + "=" + a.value.replace(numbers, "#");
		}
		const parts = [];
		for (const n of e.childNodes) {
			const part = n.nodeType === 1 ? of(n) : n.nodeType === 3 && n.data.trim() ? "…" : "";
			if (part && part !== parts.at(-1)) parts.push(part);
		}
		return text + "{" + parts.join() + "}";
	};
	let hash = 0xcbf29ce484222325n;
	const all = of(document.documentElement);
	for (let i = 0; i < all.length; i += 4) {
		for (let j = i; j < i + 4 && j < all.length; j++) hash ^= BigInt(all.charCodeAt(j)) << BigInt(16 * (j - i));
		hash = BigInt.asUintN(64, hash * 0x100000001b3n);
	}
	return innerWidth + " " + all.length + " " + hash;
})()`

// withBarriers puts axe-core's findings beside other faults. Where pictures are
// kept (make gallery), every page is judged, and elsewhere the first of each
// build.
func (b *Browser) withBarriers(faults []string) []string {
	b.T.Helper()
	if b.axe == "" || !strings.Contains(axeSpeaks, Eval[string](b, `document.documentElement.lang`)) {
		return faults
	}
	if all, ok := b.Ctx.Value(judgedKey{}).(*judged); ok && !b.keep && !all.first(Eval[string](b, built)) {
		return faults
	}
	for _, s := range b.Barriers() {
		faults = append(faults, barrier+strings.TrimSpace(s))
	}
	return faults
}

// Calm tells the pages that their reader wants no movement (the system's setting
// for reduced motion).
func (b *Browser) Calm() {
	b.T.Helper()
	b.Do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}},
		})
		return chromedp.Void{}, err
	})
}
