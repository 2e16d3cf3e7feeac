package uitest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/chromedp/chromedp"
)

// Screenshot checks the page and saves a screenshot.
func (b *Browser) Screenshot(name string) {
	b.T.Helper()
	b.Check(name)
}

// saveScreenshot saves a screenshot, if a folder is set.
func (b *Browser) saveScreenshot(name string) {
	b.T.Helper()
	b.ScreenshotCount++
	defer b.atTop()()
	png, err := chromedp.Run(b.Ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.T.Fatalf("%s: picture of %s: %v", b.Size, name, err)
	}
	file := filepath.Join(b.screenshotDir, fmt.Sprintf("%s-%02d-%s.png", b.Size, b.ScreenshotCount, strings.NewReplacer("/", "-", "?", "-").Replace(name)))
	if err := os.WriteFile(file, png, 0o644); err != nil {
		b.T.Fatal(err)
	}
}

// atTop scrolls to the top of the page; the returned function scrolls back. What stays in
// sight of a window that was scrolled covers the middle of a page, and targets in it.
func (b *Browser) atTop() (back func()) {
	at := Eval[float64](b, `(at => { scrollTo({top: 0, behavior: "instant"}); return at; })(scrollY)`)
	return func() { Eval[any](b, fmt.Sprintf(`void scrollTo({top: %f, behavior: "instant"})`, at)) }
}

// PrintedPages returns the number of printed pages on paper of a width in millimetres.
func (b *Browser) PrintedPages(width float64) int {
	b.T.Helper()
	pdf, err := chromedp.Run(b.Ctx, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperSize{Width: width / 25.4, Height: 297 / 25.4})))
	if err != nil {
		b.T.Fatalf("print: %v", err)
	}
	return len(pdfPage.FindAll(pdf, -1))
}

// pdfPage matches a page's object in a PDF.
var pdfPage = regexp.MustCompile(`/Type\s*/Page\b[^s]`)
