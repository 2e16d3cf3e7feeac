//go:build linux

package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"galla/edge/i18n"
	"galla/edge/ui/help/guide"
	"galla/edge/ui/uitest"
)

// guideMode is the value of GALLA_GALLERY that takes the pictures of the agent's guide, in
// all languages, and nothing else ('make guide').
const guideMode = "guide"

// guideQuality is WebP's: letters stay sharp, and all pictures together below 3 MB.
const guideQuality = 30

// guidePictures returns the pictures that the guide shows, by page.
func guidePictures(t *testing.T) map[string]guide.Picture {
	t.Helper()
	g, err := guide.Read(i18n.English, guide.Picture.File)
	if err != nil {
		t.Fatal(err)
	}
	pictures := map[string]guide.Picture{}
	for _, p := range g.Pictures {
		pictures[p.Name] = p
	}
	return pictures
}

// withoutSandbox hides what only the counter of a sandbox shows, and says whether the page is
// the one that was opened: a locked counter shows another.
const withoutSandbox = `(path => {
	const hidden = new CSSStyleSheet();
	hidden.replaceSync('li:has(> a[href="/sandbox"]) { display: none !important; }');
	document.adoptedStyleSheets = [hidden];
	return location.pathname === path.split("?")[0];
})(%q)`

// takePicture takes the guide's picture of a page in each language, if the guide shows it.
func (g *gallery) takePicture(name, path string, act ...string) {
	g.t.Helper()
	p, ok := g.guide[name]
	if !ok {
		return
	}
	for _, tab := range g.tabs {
		p.Lang = tab.code
		width, height := p.Size()
		tab.Do(chromedp.EmulateViewport(int64(width), int64(height), chromedp.EmulateScale(p.Scale())), hideScrollbars)
		tab.open(path, act...)
		if !uitest.Eval[bool](tab.Browser, fmt.Sprintf(withoutSandbox, path)) {
			g.t.Errorf("%s in %s is another page:\n%s", name, tab.code, tab.Text())
		}
		quality := int64(guideQuality)
		taken, err := chromedp.Call(tab.Ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatWebp, Quality: &quality})
		if err != nil {
			g.t.Fatalf("%s in %s: %v", name, tab.code, err)
		}
		if err := os.WriteFile(filepath.Join(os.Getenv("GALLA_SHOTS"), p.File()), taken.Data, 0o644); err != nil {
			g.t.Fatal(err)
		}
		tab.Do(chromedp.Navigate("about:blank"))
	}
}

// hideScrollbars hides those of a desktop's browser, which a phone has not.
func hideScrollbars(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
	_, err := chromedp.Call(ctx, emulation.SetScrollbarsHidden, emulation.SetScrollbarsHiddenParams{Hidden: true})
	return chromedp.Void{}, err
}

var (
	openCash = regexp.MustCompile(`id="open-cash-go" href="([^"]+)"`)
	cashForm = regexp.MustCompile(`<form[^>]* action="([^"]+/cash)"`)
)

// confirmCash says of what the part before left open that the cash was given, so that the
// next pictures show their own subject only.
func (g *gallery) confirmCash() {
	g.t.Helper()
	_, home, err := g.agent.get("/")
	open := openCash.FindStringSubmatch(home)
	if err != nil || open == nil {
		return
	}
	_, due := g.mustGet(g.agent.get(open[1]))
	if form := cashForm.FindStringSubmatch(due); form != nil {
		g.mustGet(g.submit(due, form[1]))
	}
}
