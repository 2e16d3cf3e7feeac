package uitest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// waitTimeout is how long a page may take to show what is expected, on a busy machine.
const waitTimeout = 20 * time.Second

// Chromium starts a browser for a test and its subtests, with a new profile: Chromium's
// headless shell, which is twice as fast, or the full browser where there is no other.
// deploy/test/e2e uses the full one.
func Chromium(t testing.TB) context.Context {
	t.Helper()
	return startChromium(t)
}

// ChromiumWithScrollbars is Chromium with scrollbars that take a part of the window, as on
// a desk.
func ChromiumWithScrollbars(t testing.TB) context.Context {
	t.Helper()
	return startChromium(t, chromedp.Flag("hide-scrollbars", false))
}

func startChromium(t testing.TB, more ...chromedp.ExecAllocatorOption) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: needs Chromium")
	}
	program, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		program, err = exec.LookPath("chromium")
	}
	if err != nil {
		t.Fatal("chromium-headless-shell is missing, and this test opens pages in it: deploy/tools/need.sh chromium installs it")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
	)
	options = append(options, more...)
	// The contexts are the browser's lifetime, so the waits bound the time of a test.
	own := context.WithValue(context.Background(), axeCacheKey{}, &axeCache{seen: map[string]bool{}})
	ctx, cancel := chromedp.NewExecAllocator(own, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start Chromium: %v", err)
	}
	return ctx
}

// Browser is a tab of a real Chromium with one window size and its own cookies.
type Browser struct {
	T               testing.TB
	Ctx             context.Context
	Base            string
	Size            string // 1366x768
	ScreenshotCount int    // of the last picture
	screenshotDir   string
	keepAll         bool   // GALLA_SHOTS is set: a screenshot of every checked page is kept
	axe             string // axe-core's source; empty: skipped

	dark, reducedMotion bool // the system's wishes

	opened   string // the page's path, if nothing was done since it was opened
	response *formResponse
	net      *networkLog
}

// Open opens a tab with a window size at the first page of base. A script error or console
// message fails the test. Screenshots go to the folder GALLA_SHOTS.
func Open(t testing.TB, chromium context.Context, base string, width, height int64) *Browser {
	t.Helper()
	base = throughSlowProxy(t, base)
	ctx, cancel := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &Browser{T: t, Ctx: ctx, Base: base, Size: fmt.Sprintf("%dx%d", width, height), screenshotDir: os.Getenv("GALLA_SHOTS"), axe: axeFor(t), response: newFormResponse(), net: &networkLog{}}
	b.keepAll = b.screenshotDir != ""
	if b.keepAll {
		if err := os.MkdirAll(b.screenshotDir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	err := chromedp.Listen(ctx, func(event any) {
		b.response.observe(event)
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("%s: a script of the page failed: %s %v", b.Size, e.ExceptionDetails.Text, e.ExceptionDetails.Exception)
		case *runtime.EventConsoleAPICalled:
			t.Errorf("%s: the page wrote to the console: %s", b.Size, e.Type)
		case *network.EventRequestWillBeSent:
			if e.Type == network.ResourceTypeDocument {
				b.net.add(e.Request.Method + " " + e.Request.URL)
			}
		case *network.EventLoadingFailed:
			if e.Type == network.ResourceTypeDocument {
				b.net.add("a page did not come: " + e.ErrorText)
			}
		case *cdplog.EventEntryAdded:
			// Replies such as 401 for a wrong PIN are reported as network errors. They are
			// logged for failing tests.
			if e.Entry.Source == "network" {
				b.net.add(e.Entry.Text + " " + e.Entry.URL)
				return
			}
			t.Errorf("%s: the browser complains: %s %s", b.Size, e.Entry.Source, e.Entry.Text)
		}
	})
	if err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	focus := func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		return chromedp.Void{}, err
	}
	b.Do(chromedp.EmulateViewport(width, height), focus)
	b.SetDark(os.Getenv(Dark) != "")
	return b
}

// Do runs actions; an error ends the test.
func (b *Browser) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.T.Helper()
	b.opened = ""
	if err := chromedp.Do(b.Ctx, actions...); err != nil {
		b.T.Fatalf("%s: %v\n%s", b.Size, err, b.Text())
	}
}

// Resize changes the window size.
func (b *Browser) Resize(width, height int64) {
	b.T.Helper()
	b.Size = fmt.Sprintf("%dx%d", width, height)
	b.Do(chromedp.EmulateViewport(width, height))
}

// Text returns the page's text.
func (b *Browser) Text() string {
	text, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string](`location.href + "\nfocus: " + document.activeElement?.outerHTML.slice(0, 300) + "\n" + document.body.innerText`))
	if err != nil {
		text = err.Error()
	}
	return text + b.net.String()
}

// networkLog holds the browser's last network events: requested pages, and failures.
type networkLog struct {
	mu      sync.Mutex
	entries []string
}

// maxNetworkLog is enough lines to explain a failure.
const maxNetworkLog = 8

func (n *networkLog) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.entries = append(n.entries, time.Now().Format("05.000 ")+text)
	n.entries = n.entries[max(0, len(n.entries)-maxNetworkLog):]
}

func (n *networkLog) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.entries) == 0 {
		return ""
	}
	return "\nthe browser said of the network:\n" + strings.Join(n.entries, "\n")
}

// Navigate opens a page of the counter.
func (b *Browser) Navigate(path string) {
	b.T.Helper()
	b.Do(chromedp.Navigate(b.Base + path))
	b.opened = path
}

// ReplaceMain replaces the page's content by that of another page, in the same frame: to
// check texts without loading everything again.
func (b *Browser) ReplaceMain(path string) {
	b.T.Helper()
	words := Eval[bool](b, fmt.Sprintf(`fetch(%q).then(r => r.text()).then(text => {
		const page = new DOMParser().parseFromString(text, "text/html"), main = page.querySelector("main"), strip = page.querySelector("#open-cash");
		if (main?.querySelector("h1")) document.querySelector("main").replaceWith(document.adoptNode(main));
		if (strip) document.querySelector("#open-cash")?.replaceWith(document.adoptNode(strip)); // its key is given up to the page's own
		return !!main?.querySelector("h1");
	})`, path))
	if !words {
		b.T.Errorf("%s: %s says nothing", b.Size, path)
	}
}

// Press sends keys to the element with the focus.
func (b *Browser) Press(keys ...string) {
	b.T.Helper()
	// A page that is being left has no cursor to wait for.
	_, _ = chromedp.Run(b.Ctx, chromedp.Evaluate[chromedp.Void](waitForAutofocus, awaitPromise))
	for _, k := range keys {
		b.Do(Press(k))
	}
}

// waitForAutofocus waits for the field that gets the focus: Chromium sets it shortly after
// the page is loaded. One second is enough; a user may have moved it.
const waitForAutofocus = `(async () => {
	for (let i = 0; i < 50 && document.activeElement === document.body && document.querySelector("[autofocus]"); i++) await new Promise(r => setTimeout(r, 20));
})()`

// Press presses keys as a user does. chromedp's own KeyEvent sends the character beside
// the key: a page can't prevent it, and if the key leads to another page, the character
// may be typed there.
func Press(keys string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		for _, r := range keys {
			events := kb.Encode(r)
			if len(events) == 3 { // down, the character, up
				events[0].Text, events[0].UnmodifiedText = events[1].Text, events[1].UnmodifiedText
				events = slices.Delete(events, 1, 2)
			}
			for _, event := range events {
				if _, err := chromedp.Call(ctx, input.DispatchKeyEvent, *event); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Eval returns the value of an expression, or of its promise.
func Eval[T any](b *Browser, expression string) T {
	b.T.Helper()
	value, err := chromedp.Run(b.Ctx, chromedp.Evaluate[T](expression, awaitPromise))
	if err != nil {
		b.T.Fatalf("%s: %s: %v\n%s", b.Size, expression, err, b.Text())
	}
	return value
}

// awaitPromise lets an expression be a promise.
func awaitPromise(p *runtime.EvaluateParams) {
	yes := true
	p.AwaitPromise = &yes
}

// WaitFor waits until an expression is true. It survives page changes.
func (b *Browser) WaitFor(expression string) {
	b.T.Helper()
	end := time.Now().Add(waitTimeout)
	for {
		ok, err := chromedp.Run(b.Ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		if ok {
			return
		}
		if time.Now().After(end) {
			b.T.Fatalf("%s: never came true: %s (%v)\n%s", b.Size, expression, err, b.Text())
		}
		select {
		case <-time.After(25 * time.Millisecond):
		case <-b.Ctx.Done():
			b.T.Fatalf("%s: the browser ended", b.Size)
		}
	}
}

// WaitForHeading waits until the page's first heading has a text.
func (b *Browser) WaitForHeading(heading string) {
	b.T.Helper()
	b.WaitFor(fmt.Sprintf(`document.readyState === "complete" && document.querySelector("h1")?.innerText.trim() === %q`, heading))
}

// WaitForFocus waits until an element has the focus.
func (b *Browser) WaitForFocus(selector string) {
	b.T.Helper()
	b.WaitFor(fmt.Sprintf(`document.activeElement?.matches(%q)`, selector))
}

// Check checks the present page: nothing is wider than the window, nothing moves by
// itself, no label is cut, spills over or has broken words, every text has enough
// contrast, each shortcut is shown and unique, the bar of a phone is one line, a desktop
// window shows the main action, page and files have less than 150 KB, and axe-core finds no violation.
func (b *Browser) Check(name string) {
	b.T.Helper()
	b.preservingInput(func() { b.reportFaults(name) })
	if b.keepAll {
		b.saveScreenshot(name)
	}
}

func (b *Browser) reportFaults(name string) {
	b.T.Helper()
	faults := b.Faults()
	faults = append(faults, b.inOtherColours(func() []string { return Eval[[]string](b, contrastFaults) })...)
	jumped := func(fault string) bool { return strings.HasPrefix(fault, "it jumped") }
	// On a busy machine a page may be painted while its bytes still arrive. It is loaded
	// again, as by F5: what moves by itself moves again.
	for range 2 {
		if !slices.ContainsFunc(faults, jumped) {
			break
		}
		b.reload()
		faults = b.Faults()
	}
	for _, fault := range b.withViolations(faults) {
		b.T.Errorf("%s %s: %s", b.Size, name, fault)
	}
}

// Faults returns what is wrong with the present page (Check). A page that is being left
// after a form was sent is not checked.
func (b *Browser) Faults() []string {
	b.T.Helper()
	b.WaitFor(`document.fonts.status === "loaded" && document.readyState === "complete" && !document.querySelector("form[data-sent]")`)
	return append(Eval[[]string](b, pageChecks), Eval[[]string](b, contrastFaults)...)
}

// preservingInput runs do, which may reload the page, and restores fields, choices and the
// focus.
func (b *Browser) preservingInput(do func()) {
	b.T.Helper()
	if b.opened != "" {
		do()
		return
	}
	b.WaitFor(`document.readyState === "complete"`)
	had := Eval[string](b, readFields)
	do()
	Eval[any](b, fmt.Sprintf(writeFields, had))
}

// readFields returns the contents of a page's fields as JSON; writeFields restores them in
// the same page loaded again.
const (
	readFields = `JSON.stringify({at: performance.timeOrigin, focus: document.activeElement?.id, fields: [...document.querySelectorAll("main :is(input:not([type=hidden]), select, textarea)")]
		.map(e => ({name: e.name, value: e.value, checked: e.checked}))})`
	writeFields = `(had => {
	const fields = [...document.querySelectorAll("main :is(input:not([type=hidden]), select, textarea)")];
	if (had.at === performance.timeOrigin || fields.map(e => e.name).join() !== had.fields.map(f => f.name).join()) return;
	fields.forEach((e, i) => {
		const {value, checked} = had.fields[i];
		if (e.value === value && e.checked === checked) return;
		e.value = value;
		e.checked = checked;
		e.dispatchEvent(new Event("input", {bubbles: true}));
	});
	if (had.focus) document.getElementById(had.focus)?.focus();
})(%s)`
)

// pageChecks are the checks in the page; contrastFaults are apart.
const pageChecks = `(() => {
	const faults = [];
	if (document.documentElement.scrollWidth > innerWidth) faults.push("it scrolls sideways");
	const shown = [...document.querySelectorAll("body *")].filter(e => e.checkVisibility({opacityProperty: true}) && !e.closest(".unseen, .skip, option"));
	for (const e of shown) {
		const r = e.getBoundingClientRect();
		if (!e.closest(".sheet *") && r.width && (r.right > innerWidth + 0.5 || r.left < -0.5)) faults.push("wider than the window: " + e.tagName + "." + e.className);
	}
	const labels = "button, .button, .chip, .chip span, .quick span, .options span, .tile, .tile b, .tile span, .others a, .places a, .steps li, .row .word, .row .what b, .row .sum, h1, h2, legend, label, th, .switch a, .back, .more a, .note, select";
	for (const e of shown.filter(e => e.matches(labels))) {
		if (e.clientWidth && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== "auto") faults.push("cut or spilled: " + e.tagName + "." + e.className + " " + e.textContent.trim().slice(0, 60));
		const box = e.getBoundingClientRect(), text = document.createRange();
		text.selectNodeContents(e);
		for (const r of e.matches("button, .button, .chip, .quick span, .options span, .tile, .others a, .places a, .switch a") ? text.getClientRects() : []) {
			if (r.width > 1 && (r.right > box.right + 1 || r.left < box.left - 1 || r.bottom > box.bottom + 2)) {
				faults.push("spills out of its frame: " + e.tagName + "." + e.className + " " + e.textContent.trim().slice(0, 60));
				break;
			}
		}
	}
	// On a phone the bar is one line of at most 64 px.
	const bar = innerWidth <= 520 && document.querySelector("header.bar")?.getBoundingClientRect();
	if (bar && bar.height > 64) faults.push("the bar has " + bar.height + " px");
	for (const e of bar ? document.querySelector("header.bar").children : []) {
		const r = e.getBoundingClientRect();
		if (r.height && !e.matches("[popover]") && (r.top < bar.top || r.bottom > bar.bottom)) faults.push("beside the line of the bar: " + e.tagName + "." + e.className);
	}
	for (const e of shown.filter(e => e.matches("h1, h2, button, .button, .tile b, .others a, .places a, legend, label, th") && !e.closest(".sheet"))) {
		const texts = document.createTreeWalker(e, NodeFilter.SHOW_TEXT), one = document.createRange();
		for (let n; n = texts.nextNode();) for (const word of n.data.matchAll(/[^\s\-–…,/·@]+/g)) {
			if (!n.parentElement.checkVisibility({opacityProperty: true})) continue; // for ears only
			one.setStart(n, word.index);
			one.setEnd(n, word.index + word[0].length);
			const rows = [...one.getClientRects()].filter(r => r.width > 0);
			if (rows.some(r => r.top > rows[0].bottom - 4)) faults.push("a word is broken: " + e.tagName + "." + e.className + " " + word[0]);
		}
	}
	for (const e of shown.filter(e => e.matches("select, input[placeholder]"))) {
		const test = document.createElement("span"), style = getComputedStyle(e);
		test.textContent = e.placeholder ?? e.selectedOptions[0]?.textContent ?? "";
		test.style.cssText = "position:fixed;visibility:hidden;white-space:nowrap";
		test.style.font = style.font;
		document.body.append(test);
		if (!e.matches("[data-banks]") && test.offsetWidth > e.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)) faults.push("cut: " + e.tagName + " " + test.textContent);
		test.remove();
	}
	const shifts = new PerformanceObserver(() => {});
	shifts.observe({type: "layout-shift", buffered: true});
	const jumps = shifts.takeRecords().filter(e => !e.hadRecentInput);
	const shift = jumps.reduce((sum, e) => sum + e.value, 0);
	const place = r => [r.x, r.y, r.width, r.height].map(Math.round).join(" ");
	if (shift > 0) faults.push("it jumped by " + shift + ": " + jumps.flatMap(e => e.sources.map(s => (s.node ? s.node.nodeName + "." + s.node.className : "?") + " from " + place(s.previousRect) + " to " + place(s.currentRect))).join("; "));
	const later = new Set([...document.querySelectorAll("img[loading=lazy]")].map(e => e.src)); // loaded as they come into view
	const files = performance.getEntriesByType("navigation").concat(performance.getEntriesByType("resource").filter(e => !["fetch", "audio"].includes(e.initiatorType) && !later.has(e.name)));
	const weight = files.reduce((sum, e) => sum + e.decodedBodySize, 0);
	const most = document.querySelector("[data-booklet]") ? 250 : 150; // the guide has the text of twelve printed pages
	if (weight > most * 1024) faults.push("it weighs " + weight + " bytes with all its files");
	const keys = {};
	for (const e of shown.filter(e => e.matches("[data-key]"))) {
		const key = e.dataset.key;
		if (keys[key]) faults.push("two are pressed by the key " + key + ": " + keys[key].textContent.trim().slice(0, 40) + ", " + e.textContent.trim().slice(0, 40));
		keys[key] ??= e;
		if (!e.querySelector("kbd")) faults.push("it does not show its key " + key + ": " + e.textContent.trim().slice(0, 40));
	}
	// On a desktop the main action needs no scrolling.
	const action = innerWidth >= 1300 && shown.find(e => e.matches("main :is(button.main, .button.main)"));
	const below = action ? action.getBoundingClientRect().bottom + scrollY - innerHeight : 0;
	if (below > 0) faults.push("its main action ends " + below + " px below the window: " + action.textContent.trim().slice(0, 40));
	return faults;
})()`

// SetLanguage chooses a language in the bar, as a user does, and waits for the page.
// Another /enter would end the session of the open page.
func (b *Browser) SetLanguage(code string) {
	b.T.Helper()
	b.WaitFor(`document.readyState === "complete"`)
	Eval[any](b, fmt.Sprintf(`void (window.before = true, document.querySelector("#language").value = %q, document.querySelector(".language").requestSubmit())`, code))
	b.WaitFor(fmt.Sprintf(`!window.before && document.readyState === "complete" && document.documentElement.lang === %q`, code))
}

// TabTo presses Tab until an element has the focus.
func (b *Browser) TabTo(selector string) {
	b.T.Helper()
	for range 40 {
		b.Press(kb.Tab)
		if Eval[bool](b, fmt.Sprintf(`document.activeElement.matches(%q)`, selector)) {
			return
		}
	}
	b.T.Fatalf("%s: Tab never reached %s\n%s", b.Size, selector, b.Text())
}
