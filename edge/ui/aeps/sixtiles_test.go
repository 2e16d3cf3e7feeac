package aeps

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"galla/edge/ui"
	"galla/edge/ui/uitest"
)

// twoMore is a section with two more tiles and some other menu items.
type twoMore struct{}

func (twoMore) Contents(*ui.Kit) ui.Contents {
	return ui.Contents{Name: "more", Menu: []ui.MenuItem{
		{Href: "/dmt", Icon: "send", Title: "kind.transfer", Hint: "kind.withdrawal.hint", Key: "5", Tile: true},
		{Href: "/upi", Icon: "purchase", Title: "kind.refund", Hint: "kind.purchase.hint", Key: "u", Tile: true},
		{Href: "/a", Icon: "list", Title: "home.all"}, {Href: "/b", Icon: "list", Title: "signin.title", Key: "r"},
	}}
}

// sixTiles: with the other sections, no tile needs scrolling, in the longest language on
// the smallest windows.
func sixTiles(t *testing.T, chromium context.Context) {
	t.Parallel()
	f := newFake()
	srv := serve(t, f, twoMore{})
	b := uitest.Open(t, chromium, srv.URL, 1366, 768)
	b.Navigate("/")
	b.WaitForHeading("Unlock the counter")
	b.Press("2", "5", "8", "0", kb.Enter)
	b.WaitForHeading("What does the customer need?")
	for _, code := range []string{"en", "ta"} {
		uitest.Eval[any](b, `(() => { const s = document.querySelector("#language"); s.value = "`+code+`"; s.dispatchEvent(new Event("change", {bubbles: true})); })()`)
		b.WaitFor(`document.documentElement.lang === "` + code + `" && document.readyState === "complete"`)
		for _, size := range []struct{ width, height int64 }{{1366, 768}, {360, 740}} {
			b.Resize(size.width, size.height)
			b.Screenshot("six-" + code)
			bottom := uitest.Eval[float64](b, `Math.max(...[...document.querySelectorAll(".tile")].map(e => e.getBoundingClientRect().bottom))`)
			if bottom > float64(size.height) {
				t.Errorf("%s %s: the last action ends at %.0f px", code, b.Size, bottom)
			}
		}
		b.Resize(1366, 768)
	}
}
