//go:build linux

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"galla/edge/ui/uitest"
)

// Timeouts for pages; they only bound a failure.
const (
	browserLife = 15 * time.Minute
	pageWait    = time.Minute
)

// The two window sizes of the pages, in pixels.
const (
	wideX, wideY     = 1280, 900
	narrowX, narrowY = 360, 740
)

// chromium finds the browser. Without one the test fails, unless the environment says
// that it cannot be installed.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	const missing = "chromium is missing: deploy/tools/need.sh chromium installs it; otherwise ask for 'apt-get install chromium fonts-noto-core', or set GALLA_WITHOUT_BROWSER=1 to leave the browser tests out"
	if os.Getenv("GALLA_WITHOUT_BROWSER") != "" {
		t.Skip(missing)
	}
	t.Fatal(missing)
	return ""
}

// browser is one tab of a real Chromium at the counter.
type browser struct {
	t      *testing.T
	h      *sandbox
	ctx    context.Context
	shots  string // folder
	taken  int
	prefix string // of the pictures' names

	mu       sync.Mutex
	troubles []string // the page's messages in its console
}

// browse opens a browser, closed at the test's end.
func browse(t *testing.T, h *sandbox) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium(t)), chromedp.WindowSize(wideX, wideY), chromedp.UserDataDir(t.TempDir()))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium's own sandbox does not run as root
	}
	ctx, cancel := context.WithTimeout(context.Background(), browserLife)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{t: t, h: h, ctx: ctx, shots: os.Getenv("GALLA_SHOTS")}
	if b.shots == "" {
		b.shots = filepath.Join(shop.root, "build", "shots")
	}
	if err := os.MkdirAll(b.shots, 0o755); err != nil {
		t.Fatal(err)
	}
	old, err := filepath.Glob(filepath.Join(b.shots, "[0-9][0-9]-*.png"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range old {
		_ = os.Remove(path) // pictures of an earlier day
	}
	if err := chromedp.Do(ctx); err != nil { // starts it; a limit of this call would be the browser's own
		t.Fatalf("start %s: %v", chromium(t), err)
	}
	go b.watchExceptions()
	go b.watchLog()
	b.wide()
	return b
}

// watchExceptions collects the exceptions of the page's scripts.
func (b *browser) watchExceptions() {
	for e, err := range chromedp.Events(b.ctx, runtime.ExceptionThrown) {
		if err != nil {
			return
		}
		b.trouble(fmt.Sprintf("exception: %s: %v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
	}
}

// watchLog collects the browser's error messages, such as a script that the page's
// policy blocks. A refusal with HTTP status 422 is not an error.
func (b *browser) watchLog() {
	for e, err := range chromedp.Events(b.ctx, log.EntryAdded) {
		if err != nil {
			return
		}
		if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
			b.trouble(fmt.Sprintf("%s: %s", e.Entry.Source, e.Entry.Text))
		}
	}
}

func (b *browser) trouble(s string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.troubles = append(b.troubles, s)
}

// checkConsole fails for every message that a page logged.
func (b *browser) checkConsole() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.troubles {
		b.t.Error("the browser's console: " + s)
	}
}

// do runs actions within pageWait; on failure it keeps a picture of the page.
func (b *browser) do(what string, actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, pageWait)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.fail(what, err)
	}
}

// fail ends the test with what the page shows.
func (b *browser) fail(what string, err error) {
	b.t.Helper()
	b.shot("failed")
	text, _ := ask[string](b, `location.pathname + ':\n' + document.body.innerText`)
	b.t.Fatalf("%s: %v\nthe page is %s", what, err, text)
}

// ask evaluates an expression on the page.
func ask[T any](b *browser, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, pageWait)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression))
}

// await asks until an expression is true, across page loads.
func (b *browser) await(what, expression string) {
	b.t.Helper()
	var last error
	for began := time.Now(); time.Since(began) < pageWait; time.Sleep(30 * time.Millisecond) {
		ok, err := ask[bool](b, "!!("+expression+")")
		if ok {
			return
		}
		last = err
	}
	b.fail("wait for "+what, fmt.Errorf("not within %s (%v)", pageWait, last))
}

// goTo opens a page of the counter. If the open page navigates by itself at the same
// moment, as it does when the counter is gone, goTo tries once more.
func (b *browser) goTo(path string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, pageWait)
	defer cancel()
	err := chromedp.Do(ctx, chromedp.Navigate(b.h.url("COUNTER")+path))
	for range 2 {
		if err == nil || !strings.Contains(err.Error(), "net::ERR_ABORTED") {
			break
		}
		err = chromedp.Do(ctx, chromedp.Navigate(b.h.url("COUNTER")+path))
	}
	if err != nil {
		b.fail("open "+path, err)
	}
	b.await("the page", `document.readyState === 'complete' && document.querySelector('main')`)
}

// click presses an element.
func (b *browser) click(selector string) {
	b.t.Helper()
	b.do("click "+selector, chromedp.Click(chromedp.CSS(selector)))
}

// press sends keys to the focused element, as a keyboard does.
func (b *browser) press(keys ...string) {
	b.t.Helper()
	for _, k := range keys {
		b.do("press "+printable(k), uitest.Press(k))
	}
}

// typeInto waits until the page is there and its cursor in a field, then types.
func (b *browser) typeInto(id string, keys ...string) {
	b.t.Helper()
	b.await("the cursor in "+id, fmt.Sprintf(`document.readyState === 'complete' && document.activeElement?.id === %q`, id))
	b.press(keys...)
}

func printable(k string) string {
	if strings.Trim(k, "0123456789") == "" && len(k) == 12 {
		return "an Aadhaar number"
	}
	return fmt.Sprintf("%q", k)
}

// awaitPath waits until the page's path matches a pattern; a star stands for an
// operation's id.
func (b *browser) awaitPath(path string) {
	b.t.Helper()
	pattern := "^" + strings.ReplaceAll(path, "*", "[0-9a-f-]{36}") + "$"
	b.await("the page "+path, fmt.Sprintf(`new RegExp(%q).test(location.pathname) && document.readyState === 'complete'`, pattern))
}

// awaitState waits until the operation on the page is in a state, as the page names it.
func (b *browser) awaitState(states ...string) {
	b.t.Helper()
	all := strings.Join(states, " ")
	b.await("the state "+all, fmt.Sprintf(`%q.split(' ').includes(document.querySelector('#op')?.dataset.state)`, all))
}

// awaitText waits until an element's text contains a part.
func (b *browser) awaitText(selector, part string) {
	b.t.Helper()
	b.await(fmt.Sprintf("%q in %s", part, selector),
		fmt.Sprintf(`[...document.querySelectorAll(%q)].some(e => e.textContent.replace(/\s+/g, ' ').includes(%q))`, selector, part))
}

// text reads an element.
func (b *browser) text(selector string) string {
	b.t.Helper()
	s, err := ask[string](b, fmt.Sprintf(`document.querySelector(%q).textContent`, selector))
	if err != nil {
		b.fail("read "+selector, err)
	}
	return strings.Join(strings.Fields(s), " ")
}

// says checks the first words of the page.
func (b *browser) says(want string) {
	b.t.Helper()
	if got := b.text("h1"); got != want {
		b.t.Errorf("the page says %q, want %q", got, want)
	}
}

func (b *browser) wide()   { b.size(wideX, wideY) }
func (b *browser) narrow() { b.size(narrowX, narrowY) }

func (b *browser) size(x, y int64) {
	b.t.Helper()
	b.do("set the window's size", chromedp.EmulateViewport(x, y))
}

// shot keeps a picture of the whole page, numbered in the order of the test.
func (b *browser) shot(name string) {
	b.t.Helper()
	b.taken++
	ctx, cancel := context.WithTimeout(b.ctx, pageWait)
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	for err != nil && strings.Contains(err.Error(), "with 0 width") && ctx.Err() == nil {
		time.Sleep(50 * time.Millisecond) // the requested page replaces this one
		png, err = chromedp.Run(ctx, chromedp.FullScreenshot(100))
	}
	if err != nil {
		b.t.Errorf("picture %s: %v", name, err)
		return
	}
	if err := os.WriteFile(filepath.Join(b.shots, fmt.Sprintf("%02d-%s%s.png", b.taken, b.prefix, name)), png, 0o644); err != nil {
		b.t.Error(err)
	}
}

// shotNarrow keeps a picture at a phone's width, and fails if the page is wider than
// it.
func (b *browser) shotNarrow(name string) {
	b.t.Helper()
	b.narrow()
	width, err := ask[int](b, `document.documentElement.scrollWidth`)
	if err != nil {
		b.fail("measure the page", err)
	}
	if width > narrowX {
		b.t.Errorf("%s is %d pixels wide on a screen of %d", name, width, narrowX)
	}
	b.shot(name + "-narrow")
	b.wide()
}

// tab and enter are the keys that a form needs.
const (
	tab   = kb.Tab
	enter = kb.Enter
	space = " "
)
