package screen

import (
	"context"
	"io/fs"
	"net/http"
	"testing"
	"testing/fstest"

	"github.com/chromedp/chromedp/kb"

	"galla/edge/web"
	"galla/edge/web/webtest"
)

// twoMore is a room with two more actions and some other ways in.
type twoMore struct{}

func (twoMore) Name() string                      { return "more" }
func (twoMore) Files() fs.FS                      { return fstest.MapFS{} }
func (twoMore) Register(*http.ServeMux, *web.Kit) {}
func (twoMore) Entries(ses *web.Session) []web.Entry {
	said := ses.Words()
	return []web.Entry{
		{Href: "/send", Icon: "send", Title: said.Say("kind.transfer"), Hint: said.Say("kind.withdrawal.hint"), Key: "5", Tile: true},
		{Href: "/qr", Icon: "purchase", Title: said.Say("kind.refund"), Hint: said.Say("kind.purchase.hint"), Key: "u", Tile: true},
		{Href: "/a", Icon: "list", Title: said.Say("home.all")}, {Href: "/b", Icon: "list", Title: said.Say("day.title"), Key: "r"},
	}
}

// sixTiles: with the other rooms, too, no action needs scrolling, in the
// longest language on the smallest windows.
func sixTiles(t *testing.T, chromium context.Context) {
	t.Parallel()
	f := newFake()
	srv := serve(t, f, twoMore{})
	b := webtest.Open(t, chromium, srv.URL, 1366, 768)
	b.Go("/")
	b.Reads("Unlock the counter")
	b.Press("2", "5", "8", "0", kb.Enter)
	b.Reads("What does the customer want?")
	for _, code := range []string{"en", "ta"} {
		webtest.Eval[any](b, `(() => { const s = document.querySelector("#language"); s.value = "`+code+`"; s.dispatchEvent(new Event("change", {bubbles: true})); })()`)
		b.Sees(`document.documentElement.lang === "` + code + `" && document.readyState === "complete"`)
		for _, size := range []struct{ width, height int64 }{{1366, 768}, {360, 740}} {
			b.Resize(size.width, size.height)
			b.Shot("six-" + code)
			bottom := webtest.Eval[float64](b, `Math.max(...[...document.querySelectorAll(".tile")].map(e => e.getBoundingClientRect().bottom))`)
			if bottom > float64(size.height) {
				t.Errorf("%s %s: the last action ends at %.0f px", code, b.Size, bottom)
			}
		}
		b.Resize(1366, 768)
	}
}
