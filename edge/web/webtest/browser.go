package webtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// wait is how long a page may take to show what is waited for, on a
// machine that does other things too.
const wait = 20 * time.Second

// Chromium starts a browser for a test and its subtests, with a profile of its
// own: Chromium without the windows of a desktop, which takes half the time, or
// the whole of it where there is no other. The whole one looks at the running
// house (deploy/e2e).
func Chromium(t testing.TB) context.Context {
	t.Helper()
	program, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		program, err = exec.LookPath("chromium")
	}
	if err != nil {
		t.Fatal("chromium-headless-shell is missing, and this test looks at the pages in it: run 'make test', which installs it")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
	)
	// The contexts are the browser's life, so the walks' time is bounded by their
	// waits.
	own := context.WithValue(context.Background(), judgedKey{}, &judged{seen: map[string]bool{}})
	ctx, cancel := chromedp.NewExecAllocator(own, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start Chromium: %v", err)
	}
	return ctx
}

// Browser is one tab of a real Chromium at one window size, with cookies of its
// own.
type Browser struct {
	T     testing.TB
	Ctx   context.Context
	Base  string
	Size  string // 1366x768
	N     int    // of the last picture
	shots string
	keep  bool   // GALLA_SHOTS is set: every page that is looked at is kept
	axe   string // axe-core; empty: left out

	opened string // the page's path, if nothing was done since it was opened
	answer *answer
	net    *traffic
}

// Open opens a tab of a window size at the first page of base. A script that fails or
// writes to the console fails the test. Pictures go to the folder GALLA_SHOTS.
func Open(t testing.TB, chromium context.Context, base string, width, height int64) *Browser {
	t.Helper()
	base = slowly(t, base)
	ctx, cancel := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &Browser{T: t, Ctx: ctx, Base: base, Size: fmt.Sprintf("%dx%d", width, height), shots: os.Getenv("GALLA_SHOTS"), axe: axeFor(t), answer: newAnswer(), net: &traffic{}}
	b.keep = b.shots != ""
	if b.keep {
		if err := os.MkdirAll(b.shots, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	err := chromedp.Listen(ctx, func(event any) {
		b.answer.hears(event)
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
			// Replies such as 401 for a wrong PIN are told as network errors: they
			// are kept for the story of a test that fails.
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

// Resize gives the tab's window another size.
func (b *Browser) Resize(width, height int64) {
	b.T.Helper()
	b.Size = fmt.Sprintf("%dx%d", width, height)
	b.Do(chromedp.EmulateViewport(width, height))
}

// Text is what the page says.
func (b *Browser) Text() string {
	text, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string](`location.href + "\nfocus: " + document.activeElement?.outerHTML.slice(0, 300) + "\n" + document.body.innerText`))
	if err != nil {
		text = err.Error()
	}
	return text + b.net.story()
}

// traffic is the last that the browser said of the network: the pages that it
// asked for, and what did not come.
type traffic struct {
	mu   sync.Mutex
	last []string
}

// mostTraffic is enough lines to see what led to an end.
const mostTraffic = 8

func (n *traffic) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last = append(n.last, time.Now().Format("05.000 ")+text)
	n.last = n.last[max(0, len(n.last)-mostTraffic):]
}

func (n *traffic) story() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.last) == 0 {
		return ""
	}
	return "\nthe browser said of the network:\n" + strings.Join(n.last, "\n")
}

// Go opens a page of the counter.
func (b *Browser) Go(path string) {
	b.T.Helper()
	b.Do(chromedp.Navigate(b.Base + path))
	b.opened = path
}

// Instead puts what another page says in the place of what this one says, in the
// same frame: for texts that are to be judged where a load would show nothing
// else.
func (b *Browser) Instead(path string) {
	b.T.Helper()
	said := Eval[bool](b, fmt.Sprintf(`fetch(%q).then(r => r.text()).then(text => {
		const page = new DOMParser().parseFromString(text, "text/html"), main = page.querySelector("main"), strip = page.querySelector("#open-cash");
		if (main?.querySelector("h1")) document.querySelector("main").replaceWith(document.adoptNode(main));
		if (strip) document.querySelector("#open-cash")?.replaceWith(document.adoptNode(strip)); // its key is given up to the page's own
		return !!main?.querySelector("h1");
	})`, path))
	if !said {
		b.T.Errorf("%s: %s says nothing", b.Size, path)
	}
}

// Press sends keys to whatever has the focus.
func (b *Browser) Press(keys ...string) {
	b.T.Helper()
	// A page that goes away meanwhile has no cursor to wait for.
	_, _ = chromedp.Run(b.Ctx, chromedp.Evaluate[chromedp.Void](cursor, awaited))
	for _, k := range keys {
		b.Do(Press(k))
	}
}

// cursor waits for the focus of a page that gives it to a field, as a person does:
// Chromium gives it a moment after the page is there. One second is enough; a
// person may have taken it away.
const cursor = `(async () => {
	for (let i = 0; i < 50 && document.activeElement === document.body && document.querySelector("[autofocus]"); i++) await new Promise(r => setTimeout(r, 20));
})()`

// Press presses keys as a person does. chromedp's own KeyEvent sends the
// character beside the key: a page can't prevent it, and where the key leads to
// another page, the character may be typed into that one.
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

// Eval gives the value of an expression, or of the promise that it is.
func Eval[T any](b *Browser, expression string) T {
	b.T.Helper()
	value, err := chromedp.Run(b.Ctx, chromedp.Evaluate[T](expression, awaited))
	if err != nil {
		b.T.Fatalf("%s: %s: %v\n%s", b.Size, expression, err, b.Text())
	}
	return value
}

// awaited lets an expression be a promise.
func awaited(p *runtime.EvaluateParams) {
	yes := true
	p.AwaitPromise = &yes
}

// Sees waits until an expression holds. A page that goes away meanwhile is
// asked again.
func (b *Browser) Sees(expression string) {
	b.T.Helper()
	end := time.Now().Add(wait)
	for {
		ok, err := chromedp.Run(b.Ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		if ok {
			return
		}
		if time.Now().After(end) {
			b.T.Fatalf("%s: never came true: %s (%v)\n%s", b.Size, expression, err, b.Text())
		}
		select {
		case <-time.After(15 * time.Millisecond):
		case <-b.Ctx.Done():
			b.T.Fatalf("%s: the browser ended", b.Size)
		}
	}
}

// Reads waits until the page's first heading says a text.
func (b *Browser) Reads(heading string) {
	b.T.Helper()
	b.Sees(fmt.Sprintf(`document.readyState === "complete" && document.querySelector("h1")?.innerText.trim() === %q`, heading))
}

// Focused waits until an element has the focus.
func (b *Browser) Focused(selector string) {
	b.T.Helper()
	b.Sees(fmt.Sprintf(`document.activeElement?.matches(%q)`, selector))
}

// Look judges the page as it is: nothing is wider than the window, nothing
// jumped while nobody touched it, no label is cut or spills out of its frame, no
// word of one is broken, every text can be read, each shortcut is shown and
// presses one thing, a desk's window shows the main action, page and files weigh
// less than 150 KB, and axe-core finds no barrier.
func (b *Browser) Look(name string) {
	b.T.Helper()
	b.keeping(func() { b.judge(name) })
	if b.keep {
		b.picture(name)
	}
}

func (b *Browser) judge(name string) {
	b.T.Helper()
	faults := b.Faults()
	jumped := func(fault string) bool { return strings.HasPrefix(fault, "it jumped") }
	// On a busy machine a page may be painted while its bytes still arrive. It
	// is loaded again, as F5 does: what jumps by itself, jumps again.
	for range 2 {
		if !slices.ContainsFunc(faults, jumped) {
			break
		}
		b.seeAgain()
		faults = b.Faults()
	}
	for _, fault := range b.withBarriers(faults) {
		b.T.Errorf("%s %s: %s", b.Size, name, fault)
	}
}

// Faults gives what is wrong with the page as it is (Look). A page that is left,
// because a form of it is on its way, is not what is looked at.
func (b *Browser) Faults() []string {
	b.T.Helper()
	b.Sees(`document.fonts.status === "loaded" && document.readyState === "complete" && !document.querySelector("form[data-sent]")`)
	return Eval[[]string](b, lookAt)
}

// keeping does what may load the page anew, and gives the page back what was
// typed and chosen on it, and the focus.
func (b *Browser) keeping(do func()) {
	b.T.Helper()
	if b.opened != "" {
		do()
		return
	}
	b.Sees(`document.readyState === "complete"`)
	had := Eval[string](b, filledIn)
	do()
	Eval[any](b, fmt.Sprintf(fillIn, had))
}

// filledIn is what the fields of a page hold, as JSON; fillIn puts it into the
// same page where that is another document now.
const (
	filledIn = `JSON.stringify({at: performance.timeOrigin, focus: document.activeElement?.id, fields: [...document.querySelectorAll("main :is(input:not([type=hidden]), select, textarea)")]
		.map(e => ({name: e.name, value: e.value, checked: e.checked}))})`
	fillIn = `(had => {
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

// Shot looks, at what belongs into the story that the pictures tell.
func (b *Browser) Shot(name string) {
	b.T.Helper()
	b.Look(name)
}

// picture keeps a picture, where a folder for them was given.
func (b *Browser) picture(name string) {
	b.T.Helper()
	b.N++
	png, err := chromedp.Run(b.Ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.T.Fatalf("%s: picture of %s: %v", b.Size, name, err)
	}
	file := filepath.Join(b.shots, fmt.Sprintf("%s-%02d-%s.png", b.Size, b.N, strings.NewReplacer("/", "-", "?", "-").Replace(name)))
	if err := os.WriteFile(file, png, 0o644); err != nil {
		b.T.Fatal(err)
	}
}

// lookAt is what look asks of the page. Contrast is WCAG's, over the colours
// that stand behind a text, with their transparency.
const lookAt = `(() => {
	const faults = [];
	if (document.documentElement.scrollWidth > innerWidth) faults.push("it scrolls sideways");
	const shown = [...document.querySelectorAll("body *")].filter(e => e.checkVisibility({opacityProperty: true}) && !e.closest(".unseen, .skip, option"));
	for (const e of shown) {
		const r = e.getBoundingClientRect();
		if (!e.closest(".sheet *") && r.width && (r.right > innerWidth + 0.5 || r.left < -0.5)) faults.push("wider than the window: " + e.tagName + "." + e.className);
	}
	const labels = "button, .button, .chip, .chip span, .quick span, .options span, .tile, .tile b, .tile span, .others a, .steps li, .row .word, .row .what b, .row .sum, h1, h2, legend, label, th, .switch a, .back, .more a, .note, select";
	for (const e of shown.filter(e => e.matches(labels) && !e.closest(".stack"))) {
		if (e.clientWidth && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== "auto") faults.push("cut or spilled: " + e.tagName + "." + e.className + " " + e.textContent.trim().slice(0, 60));
		const box = e.getBoundingClientRect(), text = document.createRange();
		text.selectNodeContents(e);
		for (const r of e.matches("button, .button, .chip, .quick span, .options span, .tile, .others a, .switch a") ? text.getClientRects() : []) {
			if (r.width > 1 && (r.right > box.right + 1 || r.left < box.left - 1 || r.bottom > box.bottom + 2)) {
				faults.push("spills out of its frame: " + e.tagName + "." + e.className + " " + e.textContent.trim().slice(0, 60));
				break;
			}
		}
	}
	for (const e of shown.filter(e => e.matches("h1, h2, button, .button, .tile b, .others a, legend, label, th") && !e.closest(".stack, .sheet"))) {
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
	const files = performance.getEntriesByType("navigation").concat(performance.getEntriesByType("resource").filter(e => e.initiatorType !== "fetch"));
	const weight = files.reduce((sum, e) => sum + e.decodedBodySize, 0);
	if (weight > 150 * 1024) faults.push("it weighs " + weight + " bytes with all its files");
	const keys = {};
	for (const e of shown.filter(e => e.matches("[data-key]"))) {
		const key = e.dataset.key;
		if (keys[key]) faults.push("two are pressed by the key " + key + ": " + keys[key].textContent.trim().slice(0, 40) + ", " + e.textContent.trim().slice(0, 40));
		keys[key] ??= e;
		if (!e.querySelector("kbd")) faults.push("it does not show its key " + key + ": " + e.textContent.trim().slice(0, 40));
	}
	// On a desk nobody scrolls for what the page is for.
	const action = innerWidth >= 1300 && shown.find(e => e.matches("main :is(button.main, .button.main)"));
	const below = action ? action.getBoundingClientRect().bottom + scrollY - innerHeight : 0;
	if (below > 0) faults.push("its main action ends " + below + " px below the window: " + action.textContent.trim().slice(0, 40));
	const rgba = c => { const n = c.match(/[\d.]+/g).map(Number); return [n[0], n[1], n[2], n[3] ?? 1]; };
	const over = (top, below) => top.slice(0, 3).map((v, i) => v * top[3] + below[i] * (1 - top[3])).concat(1);
	const light = c => { const [r, g, b] = c.map(v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	for (const e of shown) {
		if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
		let layers = [], opacity = 1;
		for (let p = e; p; p = p.parentElement) {
			const s = getComputedStyle(p);
			opacity *= Number(s.opacity);
			layers.push(rgba(s.backgroundColor));
		}
		const back = layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
		const style = getComputedStyle(e), ink = rgba(style.color);
		ink[3] *= opacity;
		const [a, b] = [light(over(ink, back)), light(back)].sort((x, y) => y - x);
		const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
		const ratio = (a + 0.05) / (b + 0.05);
		if (ratio < (large ? 3 : 4.5)) faults.push("contrast " + ratio.toFixed(2) + ": " + e.tagName + "." + e.className + " " + e.textContent.trim().slice(0, 40));
	}
	return faults;
})()`

// Prints gives the number of pages of the page on paper of a width in
// millimetres.
func (b *Browser) Prints(width float64) int {
	b.T.Helper()
	pdf, err := chromedp.Run(b.Ctx, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperSize{Width: width / 25.4, Height: 297 / 25.4})))
	if err != nil {
		b.T.Fatalf("print: %v", err)
	}
	return len(pdfPage.FindAll(pdf, -1))
}

// pdfPage finds a page's object in a PDF.
var pdfPage = regexp.MustCompile(`/Type\s*/Page\b[^s]`)

// Speak chooses a language in the bar, as a person does, and waits for the page in
// it. To enter once more would end the session of the page that is open, which
// leads to the PIN by itself.
func (b *Browser) Speak(code string) {
	b.T.Helper()
	b.Sees(`document.readyState === "complete"`)
	Eval[any](b, fmt.Sprintf(`void (window.before = true, document.querySelector("#language").value = %q, document.querySelector(".tongue").requestSubmit())`, code))
	b.Sees(fmt.Sprintf(`!window.before && document.readyState === "complete" && document.documentElement.lang === %q`, code))
}

// Tab presses Tab until an element has the focus, as a person would.
func (b *Browser) Tab(selector string) {
	b.T.Helper()
	for range 40 {
		b.Press(kb.Tab)
		if Eval[bool](b, fmt.Sprintf(`document.activeElement.matches(%q)`, selector)) {
			return
		}
	}
	b.T.Fatalf("%s: Tab never reached %s\n%s", b.Size, selector, b.Text())
}
