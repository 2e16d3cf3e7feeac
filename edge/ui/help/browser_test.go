package help

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"galla/edge/i18n"
	"galla/edge/ui/uitest"
)

// openHelp opens the first page of help for an agent.
func openHelp(t *testing.T, width, height int64, language string) *uitest.Browser {
	t.Helper()
	b := uitest.Open(t, uitest.Chromium(t), uitest.Serve(t, uitest.NewCounter(), New("")).Base, width, height)
	b.Navigate("/enter?operator=agent&to=/help&language=" + language)
	b.WaitFor(`location.pathname === "/help" && document.querySelector("[name=q]")`)
	return b
}

// In Chromium, on a phone and a desktop, in two languages: nothing is cut, the field has
// the focus, and what is sent is explained before the lists.
func TestChromium(t *testing.T) {
	for _, look := range []struct {
		width, height  int64
		language, name string
	}{{360, 740, "hi", "help-hi"}, {1366, 768, "en", "help-en"}} {
		b := openHelp(t, look.width, look.height, look.language)
		b.Screenshot(look.name)
		b.WaitForFocus("[name=q]")
		b.Press("u", "3", "\r")
		b.WaitFor(`location.search.includes("q=u3") && document.querySelector("[name=q]")?.value === "u3" && document.querySelector(".help-found")`)
		b.Screenshot(look.name + "-found")
		b.Navigate("/help?q=elephant+zebra")
		b.WaitFor(`document.querySelector(".help-nothing")`)
		b.Screenshot(look.name + "-none")
	}
}

// While somebody types, the answers come without a press, the cursor stays, and neither the
// address nor the history has the words. A result leads to its article.
func TestChromiumTyping(t *testing.T) {
	b := openHelp(t, 1366, 768, "en")
	b.WaitForFocus("[name=q]")
	entries := uitest.Eval[int](b, `history.length`)
	b.Press("m", "o", "n", "e", "y", " ", "c", "u", "t")
	b.WaitFor(`document.querySelector(".help-answers a")?.getAttribute("href") === "/guide#money-cut"`)
	if at := uitest.Eval[string](b, `location.pathname + location.search + " " + document.activeElement.name + " " + document.activeElement.value`); at != "/help q money cut" {
		t.Errorf("after typing: %s", at)
	}
	if n := uitest.Eval[int](b, `history.length`); n != entries {
		t.Errorf("typing added %d entries to the history", n-entries)
	}
	b.WaitFor(`/^\d+ answers?$/.test(document.querySelector("#help-count").textContent)`)
	b.Screenshot("help-typed")
	// A long number is not sent, and finds what the rest finds.
	uitest.Eval[any](b, `(() => { window.asked = []; const real = window.fetch; window.fetch = (to, ...rest) => { asked.push(String(to)); return real(to, ...rest); };
		const f = document.querySelector("[name=q]"); f.value = "otp 9999 4105 7058"; f.dispatchEvent(new Event("input", {bubbles: true})); })()`)
	b.WaitFor(`document.querySelector(".help-answers a")?.getAttribute("href") === "/guide#otp"`)
	if asked := uitest.Eval[string](b, `asked.join(" ")`); strings.Contains(asked, "4105") || !strings.Contains(asked, "q=otp") {
		t.Errorf("what was asked for: %s", asked)
	}
	// An empty field brings the lists back.
	uitest.Eval[any](b, `(() => { const f = document.querySelector("[name=q]"); f.value = ""; f.dispatchEvent(new Event("input", {bubbles: true})); })()`)
	b.WaitFor(`document.querySelector("#bank") && !document.querySelector(".help-answers")`)
	b.Press("f", "i", "n", "g", "e", "r", " ", "n", "o", "t")
	b.WaitFor(`document.querySelector(".help-answers a")?.getAttribute("href") === "/guide#finger"`)
	uitest.Eval[any](b, `document.querySelector(".help-answers a").click()`)
	b.WaitFor(`location.pathname === "/guide" && location.hash === "#finger" && document.querySelector("#finger")`)
	b.WaitFor(`(() => { const top = document.querySelector("#finger").getBoundingClientRect().top; return top >= 0 && top < innerHeight / 2; })()`)
	b.Do(chromedp.NavigateBack())
	b.WaitFor(`location.pathname === "/help" && document.querySelector("[name=q]")`)
}

// An entry of the lists is in view after its answer was pressed.
func TestChromiumCodeAnswer(t *testing.T) {
	b := openHelp(t, 360, 740, "en")
	b.Navigate("/help?q=dormant+account")
	b.WaitFor(`document.querySelector(".help-answers a")?.getAttribute("href") === "/help#bank-M3"`)
	uitest.Eval[any](b, `document.querySelector(".help-answers a").click()`)
	b.WaitFor(`location.hash === "#bank-M3" && document.querySelector("#bank-M3")`)
	b.WaitFor(`(() => { const top = document.querySelector("#bank-M3").getBoundingClientRect().top; return top >= 0 && top < innerHeight; })()`)
}

// On a phone, where labels are cut first, nothing is cut in any language: with the lists,
// with an explained code, with answers, and without any.
func TestChromiumEveryLanguage(t *testing.T) {
	b := openHelp(t, 360, 740, "en")
	for _, l := range i18n.Languages() {
		b.SetLanguage(l.Code)
		for _, at := range []string{"/help", "/help?code=720", "/help?q=money+cut", "/help?q=elephant+zebra"} {
			b.Navigate(at)
			b.WaitFor(`document.readyState === "complete" && document.querySelector("[name=q]")`)
			b.Check(l.Code + at)
		}
	}
}

// loadPictures brings every picture into view and waits until all are there.
const loadPictures = `(async () => {
	for (const i of document.images) { i.loading = "eager"; await i.decode(); }
	return [...document.images].every(i => i.naturalWidth > 0) && document.images.length;
})()`

// The guide in all languages, on a desktop and a phone: nothing is cut, every picture comes
// and moves nothing, each line of the contents leads to its article.
func TestChromiumGuide(t *testing.T) {
	b := openHelp(t, 1366, 768, "en")
	for _, l := range i18n.Languages() {
		b.SetLanguage(l.Code)
		for _, size := range [][2]int64{{1366, 768}, {360, 740}} {
			b.Resize(size[0], size[1])
			b.Navigate("/guide")
			b.WaitFor(`document.readyState === "complete" && document.querySelector("#contents")`)
			b.Check(l.Code + "-guide")
			if n := uitest.Eval[int](b, loadPictures); n < 20 {
				t.Errorf("%s: the guide shows %d pictures", l.Code, n)
			}
			if bad := uitest.Eval[string](b, `[...document.querySelectorAll("#contents a")].filter(a => !document.querySelector(a.hash)).map(a => a.hash).join(" ")`); bad != "" {
				t.Errorf("%s: the contents lead nowhere: %s", l.Code, bad)
			}
		}
	}
}

// pages of the printed guide: fewer would lack pictures, more would have half-empty pages.
const leastPages, mostPages = 8, 16

// On paper the guide is a booklet: pages of A4 without bars and buttons, with its title and
// pictures, and nothing is cut at a page's edge.
func TestChromiumPrint(t *testing.T) {
	b := openHelp(t, 1366, 768, "en")
	for _, l := range i18n.Languages() {
		b.SetLanguage(l.Code)
		b.Navigate("/guide")
		b.WaitFor(`document.readyState === "complete" && document.querySelector("#contents")`)
		pdf, err := chromedp.Run(b.Ctx, chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize()))
		if err != nil {
			t.Fatal(err)
		}
		if dir := os.Getenv("GALLA_SHOTS"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, "guide-"+l.Code+".pdf"), pdf, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(regexp.MustCompile(`/Type\s*/Page\b[^s]`).FindAll(pdf, -1)); n < leastPages || n > mostPages {
			t.Errorf("%s: the guide prints on %d pages, want %d to %d", l.Code, n, leastPages, mostPages)
		}
		// A4 is 595 by 842 points.
		if boxes := regexp.MustCompile(`/MediaBox\s*\[0 0 59[45][.\d]* 84[12][.\d]*\]`).FindAll(pdf, -1); len(boxes) == 0 {
			t.Errorf("%s: the paper is no A4: %s", l.Code, regexp.MustCompile(`/MediaBox[^\]]*\]`).Find(pdf))
		}
		// Pictures that load as they come into view are on paper, too.
		if n := len(regexp.MustCompile(`/Subtype\s*/Image\b`).FindAll(pdf, -1)); n < 20 {
			t.Errorf("%s: %d pictures are on paper", l.Code, n)
		}
	}
	b.Do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
		return err
	}))
	if left := uitest.Eval[string](b, `[...document.querySelectorAll(".bar, .back, button, .guide-top, .unprinted")].filter(e => e.checkVisibility()).map(e => e.className || e.localName).join(" ")`); left != "" {
		t.Errorf("the paper has %s", left)
	}
	if !uitest.Eval[bool](b, `document.querySelector("h1").checkVisibility()`) {
		t.Error("the paper has no title")
	}
	// The width of A4 between the margins.
	b.Resize(680, 962)
	if wide := uitest.Eval[string](b, `[...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > 680.5).map(e => e.localName + "." + e.className).join(" ")`); wide != "" {
		t.Errorf("wider than the paper: %s", wide)
	}
}
