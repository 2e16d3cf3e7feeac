package truth

import (
	"os"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/web/webtest"
	"galla/shared/money"
	"galla/shared/op"
)

// TestBrowser looks at the pages in a real browser: what settles moves by
// itself, the keys lead through days and search, and nothing is cut.
func TestBrowser(t *testing.T) {
	chromium := webtest.Chromium(t)
	for _, size := range []struct{ width, height int64 }{{1366, 768}, {360, 740}} {
		s := newShop(t)
		s.did(t, 50*time.Second, op.Queued)
		waits := s.did(t, 3*time.Minute, op.Accepted)
		s.did(t, 2*day, op.Pending, func(r *edge.Record) { r.Amount = 2500 * money.Rupee })
		s.did(t, 8*day, op.Pending, func(r *edge.Record) { r.Route = op.Purchase })
		for i := range 4 {
			s.did(t, time.Duration(i)*11*time.Minute, op.Succeeded)
		}
		s.did(t, day, op.Failed, func(r *edge.Record) { r.Result.Code = "51" })
		s.asked(5*time.Minute, op.Succeeded)
		house := webtest.Serve(t, s, s.room(t))
		b := webtest.Open(t, chromium, house.Base, size.width, size.height)
		shot := b.Look
		if os.Getenv("GALLA_SHOTS") != "" {
			shot = b.Shot
		}
		b.Go("/enter?to=/operations")
		b.Reads("All operations")
		shot("operations")
		// The bank answers: the row leaves the open ones without a touch.
		b.Sees(`document.querySelectorAll(".truth-open").length === 4`)
		if _, err := s.queue.Change(waits, func(r *edge.Record) error { r.State, r.EndedAt = op.Succeeded, now(); return nil }); err != nil {
			t.Fatal(err)
		}
		s.Change(func(*edge.Status) {})
		b.Sees(`document.querySelectorAll(".truth-open").length === 3`)
		b.Sees(`document.querySelector("#truth-day ~ .rows").innerText.includes("GIVE CASH") || document.querySelector("#truth-day ~ .rows").children.length === 6`)
		b.Press("p")
		b.Sees(`location.search === "?day=2026-11-20" && document.readyState === "complete"`)
		shot("day-before")
		b.Press("x")
		b.Sees(`location.search === "?day=2026-11-21" && document.readyState === "complete"`)
		b.Tab("#q")
		b.Press("7", "0", "5", "8", kb.Enter)
		b.Reads("What was found")
		b.Sees(`document.querySelectorAll(".rows li").length === 9`)
		shot("found")
		for _, code := range []string{"hi", "mr", "bn", "te", "ta"} {
			if size.width > 1000 { // what is narrow is judged where it is narrow
				continue
			}
			b.Go("/operations")
			webtest.Eval[bool](b, `(document.querySelector("#language").value = "`+code+`", document.querySelector(".tongue").requestSubmit(), true)`)
			b.Sees(`document.readyState === "complete" && document.documentElement.lang === "` + code + `" && document.querySelector(".truth-open")`)
			shot(code + "-operations")
		}
		b.Go("/operations/found?q=nobody")
		b.Sees(`document.readyState === "complete" && document.querySelector(".empty")`)
		shot("ta-found-none")
	}
}
