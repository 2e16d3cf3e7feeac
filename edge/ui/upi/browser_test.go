package upi

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
	"galla/edge/i18n"
	"galla/edge/ui/uitest"
	"galla/shared/op"
)

// serve serves the section over a counter whose operations stay in progress.
func serve(t *testing.T) (*uitest.Operations, *uitest.Server) {
	t.Helper()
	f := uitest.NewOperations()
	s, err := New(f, uitest.NewCache(), Config{Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return f, uitest.Serve(t, f, s)
}

// TestChromium checks the section's pages in a real Chromium.
func TestChromium(t *testing.T) {
	chromium := uitest.Chromium(t)
	for _, c := range []struct {
		width, height int64
		language      string
	}{{1366, 768, "en"}, {360, 740, "mr"}} {
		t.Run(fmt.Sprintf("code %d %s", c.width, c.language), func(t *testing.T) { codes(t, chromium, c.width, c.height, c.language) })
	}
	t.Run("poster", func(t *testing.T) { poster(t, chromium) })
	t.Run("languages", func(t *testing.T) { languages(t, chromium) })
}

// codes walks to a late code of an amount, and to a wrong one.
func codes(t *testing.T, chromium context.Context, width, height int64, language string) {
	f, h := serve(t)
	b := uitest.Open(t, chromium, h.Base, width, height)
	b.Navigate("/enter?language=" + language + "&to=/upi")
	b.WaitForFocus("#amount")
	b.Screenshot(language + "-qr")
	b.Press("5", "0", "0", kb.Enter)
	b.WaitFor(`location.pathname.length > 10 && document.querySelector(".banner.wait")`)
	b.Screenshot(language + "-qr-wait")
	f.AnswerAll(func(edge.Request) (op.State, string) { return op.Succeeded, qrReply(link, "500.00") })
	b.WaitFor(`document.querySelector("svg.qr")`)
	if !uitest.Eval[bool](b, `document.querySelector("svg.qr").getBoundingClientRect().bottom <= innerHeight`) {
		t.Error("the code is below the window")
	}
	if size := uitest.Eval[float64](b, `document.querySelector("svg.qr").getBoundingClientRect().width`); size < 280 {
		t.Errorf("the code is %f pixels wide", size)
	}
	b.Screenshot(language + "-qr-code")
	b.Do(chromedp.Reload())
	b.WaitFor(`document.querySelector("svg.qr")`)
	b.Press("n")
	b.WaitForFocus("#amount")
	b.Press("7", kb.Enter)
	b.WaitFor(`location.pathname.length > 10 && document.querySelector(".banner.wait")`)
	f.AnswerAll(func(edge.Request) (op.State, string) { return op.Succeeded, qrReply(link, "500.00") })
	b.WaitFor(`document.querySelector(".banner.stop")`)
	b.Screenshot(language + "-qr-wrong")
}

// pdfBox finds the size of a PDF's page, in points.
var pdfBox = regexp.MustCompile(`/MediaBox\s*\[\s*0\s+0\s+([\d.]+)\s+([\d.]+)\s*\]`)

// poster prints the counter's code on both papers.
func poster(t *testing.T, chromium context.Context) {
	f, h := serve(t)
	static := strings.Replace(link, "&am=500.00", "", 1)
	f.Answer(func(edge.Request) (op.State, string) { return op.Succeeded, qrReply(static, "0") })
	for _, size := range []struct{ width, height int64 }{{1366, 768}, {360, 740}} {
		b := uitest.Open(t, chromium, h.Base, size.width, size.height)
		b.Navigate("/enter?language=hi&to=/upi/poster")
		if size.width > 1000 {
			b.Screenshot("poster-none")
			b.TabTo(`form[action="/upi/poster"] button`)
			b.Press(kb.Enter)
			b.WaitFor(`document.querySelector("svg.qr")`)
		}
		for paper, points := range map[string]string{"a4": "595 842", "a5": "420 595"} {
			b.Navigate("/upi/poster?paper=" + paper)
			b.WaitFor(fmt.Sprintf(`document.querySelector(".upi-poster.%s svg.qr")`, paper))
			b.Screenshot("poster-" + paper)
			if dir := os.Getenv("GALLA_SHOTS"); dir != "" && size.width > 1000 {
				b.ScreenshotCount++
				paperShot(b, filepath.Join(dir, fmt.Sprintf("%s-%02d-paper-%s.png", b.Size, b.ScreenshotCount, paper)), points)
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

// paperShot saves a screenshot of the printed page.
func paperShot(b *uitest.Browser, file, points string) {
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

// languages checks the pages in every language on a phone, where labels are cut first.
func languages(t *testing.T, chromium context.Context) {
	f, h := serve(t)
	b := uitest.Open(t, chromium, h.Base, 360, 740)
	b.Navigate("/enter?to=/upi")
	for _, language := range i18n.Languages() {
		b.SetLanguage(language.Code)
		f.Answer(func(edge.Request) (op.State, string) { return op.Succeeded, qrReply(link, "500.00") })
		for _, path := range []string{"/upi", "/upi/poster"} {
			b.Navigate(path)
			b.Check(language.Code + strings.ReplaceAll(path, "/", "-"))
		}
	}
}
