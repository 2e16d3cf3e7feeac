package shop

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/web/webtest"
	"galla/edge/words"
	"galla/shared/op"
)

// house serves the room over a counter of its own.
func house(t *testing.T) (*fake, *network, *webtest.House) {
	t.Helper()
	f, n := newFake(), &network{}
	f.answer = n.answer
	s, err := New(f, newMemory(), Config{Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return f, n, webtest.Serve(t, f, s)
}

// TestBrowser looks at the shop's pages in a real Chromium.
func TestBrowser(t *testing.T) {
	chromium := webtest.Chromium(t)
	for _, c := range []struct {
		width, height int64
		language      string
	}{{1366, 768, "en"}, {360, 740, "mr"}} {
		t.Run(fmt.Sprintf("onboarding %d %s", c.width, c.language), func(t *testing.T) { onboarding(t, chromium, c.width, c.height, c.language) })
		t.Run(fmt.Sprintf("code %d %s", c.width, c.language), func(t *testing.T) { codes(t, chromium, c.width, c.height, c.language) })
	}
	t.Run("poster", func(t *testing.T) { poster(t, chromium) })
	t.Run("languages", func(t *testing.T) { languages(t, chromium) })
}

// onboarding walks the wizard by keyboard alone.
func onboarding(t *testing.T, chromium context.Context, width, height int64, language string) {
	f, n, h := house(t)
	said := h.Kit.In(language)
	b := webtest.Open(t, chromium, h.Base, width, height)
	b.Go("/enter?language=" + language + "&to=/shop/aeps")
	asks := func(step string) {
		t.Helper()
		b.Sees(fmt.Sprintf(`document.querySelector("#shop-form")?.action.endsWith("/shop/aeps/%s") && document.readyState === "complete"`, step))
		if width > 1000 && !webtest.Eval[bool](b, `document.querySelector("#shop-form button.main").getBoundingClientRect().bottom <= innerHeight`) {
			t.Errorf("%s: the button is below the window", step)
		}
	}
	asks("status")
	b.Shot(language + "-status")
	b.Focused("#shop-form button")
	b.Press(kb.Enter)
	asks("begin")
	b.Shot(language + "-begin")
	b.Focused("#shop-form button")
	b.Press(kb.Enter)
	asks("mobile")
	b.Press(kb.Enter)
	asks("otp")
	b.Focused("#otp")
	b.Press("1", "2", kb.Enter)
	b.Sees(`document.querySelector(".field.bad") || document.querySelector(".alert")`)
	b.Shot(language + "-otp-wrong")
	// The counter rings: the page looks, and sends nothing again.
	webtest.Eval[any](b, `void (window.same = true)`)
	f.Change(func(s *edge.Status) { s.Merchant = "Lakshmi Stores" })
	f.Change(func(s *edge.Status) { s.Link.Up = false })
	b.Sees(`document.querySelector("#chips").innerText && document.querySelector("#chips .chip.bad, #chips .chip.warn")`)
	if !webtest.Eval[bool](b, `window.same && !!document.querySelector(".alert")`) {
		t.Error("a page that tells what was typed wrong was lost to a ring")
	}
	f.Change(func(s *edge.Status) { s.Link.Up = true })
	b.Go("/shop/aeps")
	b.Focused("#otp")
	b.Press("4", "8", "2", "9", "1", "3", kb.Enter)
	asks("pan")
	b.Focused("#pan")
	for _, text := range []string{"ABCDE1234F", "Fatima Bedi", "5-1-1980"} {
		for _, letter := range text {
			b.Press(string(letter))
		}
		if !strings.HasPrefix(text, "5") {
			b.Press(kb.Tab)
		}
	}
	b.Shot(language + "-pan")
	b.Press(kb.Enter)
	asks("aadhaar")
	b.Press(kb.Enter)
	asks("finger")
	b.Press(kb.Enter)
	b.Focused("#do-capture")
	b.Shot(language + "-finger")
	b.Press("s")
	asks("submit")
	b.Press(kb.Enter)
	b.Sees(fmt.Sprintf(`document.querySelector(".column h2")?.innerText === %q`, said.Say("shop.done.title")))
	b.Tab(`form[action="/shop/aeps/status"] button`)
	b.Press(kb.Enter)
	b.Sees(fmt.Sprintf(`document.body.innerText.includes(%q)`, said.Say("shop.status.approved")))
	b.Shot(language + "-approved")

	// The network lost it all: what it names as missing is what is opened.
	n.done = 3
	b.Go("/shop/aeps?again=submit")
	asks("submit")
	b.Press(kb.Enter)
	asks("pan") // "updatebiodetail has to be done first; the next step is verify_pan"
	b.Shot(language + "-missing")
	if len(f.asked) == 0 {
		t.Error("nothing was asked")
	}
}

// codes walks to a code of an amount that comes late, and to one that lies.
func codes(t *testing.T, chromium context.Context, width, height int64, language string) {
	f, _, h := house(t)
	f.answer = nil
	b := webtest.Open(t, chromium, h.Base, width, height)
	b.Go("/enter?language=" + language + "&to=/qr")
	b.Focused("#amount")
	b.Shot(language + "-qr")
	b.Press("5", "0", "0", kb.Enter)
	b.Sees(`location.pathname.length > 10 && document.querySelector(".band.wait")`)
	b.Shot(language + "-qr-wait")
	f.settle(func(edge.Request) (op.State, string) { return op.Succeeded, qrReply(link, "500.00") })
	b.Sees(`document.querySelector("svg.qr")`)
	if !webtest.Eval[bool](b, `document.querySelector("svg.qr").getBoundingClientRect().bottom <= innerHeight`) {
		t.Error("the code is below the window")
	}
	if size := webtest.Eval[float64](b, `document.querySelector("svg.qr").getBoundingClientRect().width`); size < 280 {
		t.Errorf("the code is %f pixels wide", size)
	}
	b.Shot(language + "-qr-code")
	b.Do(chromedp.Reload())
	b.Sees(`document.querySelector("svg.qr")`)
	b.Press("n")
	b.Focused("#amount")
	b.Press("7", kb.Enter)
	b.Sees(`location.pathname.length > 10 && document.querySelector(".band.wait")`)
	f.settle(func(edge.Request) (op.State, string) { return op.Succeeded, qrReply(link, "500.00") })
	b.Sees(`document.querySelector(".band.stop")`)
	b.Shot(language + "-qr-wrong")
}

// pdfBox finds the size of a PDF's page, in points.
var pdfBox = regexp.MustCompile(`/MediaBox\s*\[\s*0\s+0\s+([\d.]+)\s+([\d.]+)\s*\]`)

// poster prints the counter's code on the two papers.
func poster(t *testing.T, chromium context.Context) {
	f, _, h := house(t)
	static := strings.Replace(link, "&am=500.00", "", 1)
	f.answer = func(edge.Request) (op.State, string) { return op.Succeeded, qrReply(static, "0") }
	for _, size := range []struct{ width, height int64 }{{1366, 768}, {360, 740}} {
		b := webtest.Open(t, chromium, h.Base, size.width, size.height)
		b.Go("/enter?language=hi&to=/qr/poster")
		if size.width > 1000 {
			b.Shot("poster-none")
			b.Tab(`form[action="/qr/poster"] button`)
			b.Press(kb.Enter)
			b.Sees(`document.querySelector("svg.qr")`)
		}
		for paper, points := range map[string]string{"a4": "595 842", "a5": "420 595"} {
			b.Go("/qr/poster?paper=" + paper)
			b.Sees(fmt.Sprintf(`document.querySelector(".shop-poster.%s svg.qr")`, paper))
			b.Shot("poster-" + paper)
			if dir := os.Getenv("GALLA_SHOTS"); dir != "" && size.width > 1000 {
				b.N++
				paperShot(b, filepath.Join(dir, fmt.Sprintf("%s-%02d-paper-%s.png", b.Size, b.N, paper)), points)
			}
			pdf, err := chromedp.Run(b.Ctx, chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize(), chromedp.PDFPrintBackground()))
			if err != nil {
				t.Fatal(err)
			}
			boxes := pdfBox.FindAllStringSubmatch(string(pdf), -1)
			if len(boxes) != 1 {
				t.Fatalf("%s: %d pages are printed", paper, len(boxes))
			}
			var w, h float64
			_, _ = fmt.Sscan(boxes[0][1], &w)
			_, _ = fmt.Sscan(boxes[0][2], &h)
			if got := fmt.Sprintf("%.0f %.0f", w, h); got != points {
				t.Errorf("%s is printed on %s points, want %s", paper, got, points)
			}
			if dir := os.Getenv("GALLA_SHOTS"); dir != "" {
				if err := os.WriteFile(filepath.Join(dir, b.Size+"-poster-"+paper+".pdf"), pdf, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// paperShot keeps a picture of the page as the paper shows it.
func paperShot(b *webtest.Browser, file, points string) {
	b.T.Helper()
	var w, h int64
	_, _ = fmt.Sscan(points, &w, &h)
	media := func(name string) chromedp.Action[chromedp.Void] {
		return func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
			_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: name})
			return chromedp.Void{}, err
		}
	}
	b.Do(media("print"), chromedp.EmulateViewport(w*96/72, h*96/72))
	png, err := chromedp.Run(b.Ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(file, png, 0o644)
	}
	if err != nil {
		b.T.Fatal(err)
	}
	b.Do(media(""), chromedp.EmulateViewport(1366, 768))
}

// languages looks at the pages in every language on a phone, where labels are
// cut first.
func languages(t *testing.T, chromium context.Context) {
	f, _, h := house(t)
	b := webtest.Open(t, chromium, h.Base, 360, 740)
	b.Go("/enter?to=/qr")
	for _, language := range words.Languages() {
		b.Speak(language.Code)
		f.answer = func(edge.Request) (op.State, string) { return op.Succeeded, qrReply(link, "500.00") }
		for _, path := range []string{"/shop/aeps", "/qr", "/qr/poster"} {
			b.Go(path)
			b.Look(language.Code + strings.ReplaceAll(path, "/", "-"))
		}
	}
}
