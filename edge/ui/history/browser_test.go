package history

import (
	"os"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/ui/uitest"
	"galla/shared/money"
	"galla/shared/op"
)

// TestChromium checks the pages in a real browser: finished operations move by themselves,
// the keys lead through days and search, and nothing is cut.
func TestChromium(t *testing.T) {
	chromium := uitest.Chromium(t)
	for _, size := range []struct{ width, height int64 }{{1366, 768}, {360, 740}} {
		s := newShop(t)
		s.addOperation(t, 50*time.Second, op.Queued)
		waits := s.addOperation(t, 3*time.Minute, op.Accepted)
		s.addOperation(t, 2*day, op.Pending, func(r *edge.Record) { r.Amount = 2500 * money.Rupee })
		s.addOperation(t, 8*day, op.Pending, func(r *edge.Record) { r.Route = op.Purchase })
		for i := range 4 {
			s.addOperation(t, time.Duration(i)*11*time.Minute, op.Succeeded)
		}
		s.addOperation(t, day, op.Failed, func(r *edge.Record) { r.Result.Code = "51" })
		s.addEnquiry(5*time.Minute, op.Succeeded)
		transfer, _ := s.addTransfer(t, 2*day, asha, func(r *edge.Record) { r.State, r.RefundedAt, r.Charge = op.Reversed, now(), 10*money.Rupee })
		s.addStep(t, 2*day-time.Hour, op.Refund, asha, func(r *edge.Record) { r.LinkedTo, r.Amount = transfer, 510*money.Rupee })
		server := uitest.Serve(t, s, s.pages(t))
		b := uitest.Open(t, chromium, server.Base, size.width, size.height)
		shot := b.Check
		if os.Getenv("GALLA_SHOTS") != "" {
			shot = b.Screenshot
		}
		b.Navigate("/enter?to=/operations")
		b.WaitForHeading("All operations")
		shot("operations")
		// The bank answers: the row leaves the unfinished ones by itself.
		b.WaitFor(`document.querySelectorAll(".history-open").length === 4`)
		if _, err := s.queue.Change(waits, func(r *edge.Record) error { r.State, r.EndedAt = op.Succeeded, now(); return nil }); err != nil {
			t.Fatal(err)
		}
		s.Update(func(*edge.Status) {})
		b.WaitFor(`document.querySelectorAll(".history-open").length === 3`)
		b.WaitFor(`document.querySelector("#history-day ~ .rows").innerText.includes("GIVE CASH") || document.querySelector("#history-day ~ .rows").children.length === 6`)
		b.Press("p")
		b.WaitFor(`location.search === "?day=2026-11-20" && document.readyState === "complete"`)
		shot("day-before")
		b.Press("x")
		b.WaitFor(`location.search === "?day=2026-11-21" && document.readyState === "complete"`)
		b.TabTo("#q")
		b.Press("7", "0", "5", "8", kb.Enter)
		b.WaitForHeading("Search results")
		b.WaitFor(`document.querySelectorAll(".rows li").length === 9`)
		shot("found")
		// The filters work without scripts, and the steps open in place.
		b.Navigate("/operations?day=2026-11-19&show=sent")
		b.WaitFor(`document.readyState === "complete" && document.querySelectorAll(".rows > li").length === 1 && document.querySelector(".history-refund").innerText.includes("₹510.00")`)
		if uitest.Eval[bool](b, `document.querySelector(".history-steps ul").checkVisibility()`) {
			t.Error("the steps are open before a press")
		}
		b.TabTo(".history-steps summary")
		b.Press(kb.Enter)
		b.WaitFor(`document.querySelectorAll(".history-steps[open] li").length === 6`)
		shot("steps")
		for _, code := range []string{"hi", "mr", "bn", "te", "ta"} {
			b.SetLanguage(code)
			b.WaitFor(`document.querySelectorAll(".rows > li").length === 1`)
			shot(code + "-filtered")
		}
		b.SetLanguage("en")
		for _, code := range []string{"hi", "mr", "bn", "te", "ta"} {
			if size.width > 1000 { // narrow layouts are checked on narrow windows
				continue
			}
			b.Navigate("/operations")
			uitest.Eval[bool](b, `(document.querySelector("#language").value = "`+code+`", document.querySelector(".language").requestSubmit(), true)`)
			b.WaitFor(`document.readyState === "complete" && document.documentElement.lang === "` + code + `" && document.querySelector(".history-open")`)
			shot(code + "-operations")
		}
		b.Navigate("/operations/found?q=nobody")
		b.WaitFor(`document.readyState === "complete" && document.querySelector(".empty")`)
		shot("ta-found-none")
	}
}
