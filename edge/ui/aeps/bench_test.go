package aeps

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/ui/uitest"
	"galla/shared/op"
)

// timePages notes when a key was pressed and when a heading was painted after it, in
// milliseconds of the browser's clock. It survives a page change. A page that takes
// another's place has no first paint of its own, so the heading is what is timed.
const timePages = `(() => {
	addEventListener("keydown", (e) => {
		sessionStorage.clear();
		sessionStorage.setItem("pressed", performance.timeOrigin + e.timeStamp);
	}, {capture: true});
	new PerformanceObserver((list) => {
		for (const e of list.getEntries()) sessionStorage.setItem("shown " + e.element?.innerText.trim(), performance.timeOrigin + e.renderTime);
	}).observe({type: "element"});
	new MutationObserver(() => document.querySelector("h1:not([elementtiming])")?.setAttribute("elementtiming", "heading")).observe(document, {childList: true, subtree: true});
})()`

// shownAfter is how long after the key a heading was painted.
const shownAfter = `Number(sessionStorage.getItem("shown %s")) - Number(sessionStorage.getItem("pressed"))`

// BenchmarkKeyToPage is the time from a key press to the paint of the next page's heading, in
// a real Chromium with a usual window size, without reader and bank. Its peer is a page of
// three words without style and script: what Chromium itself needs on this machine. The
// target is under 50 ms; best-ms, p50-ms and p95-ms are the browser's times, and ns/op
// includes the test's own work.
func BenchmarkKeyToPage(b *testing.B) {
	f := newFake()
	s, err := compose(f, testConfig())
	if err != nil {
		b.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", s.Handler())
	mux.HandleFunc("/empty/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, `<!doctype html><html lang="en"><title>empty</title><h1 data-key>`+path.Base(r.URL.Path)+`</h1>
<script>addEventListener("keydown", (e) => location = e.key === "1" ? "/empty/there" : "/empty/here")</script></html>`)
	})
	srv := uitest.Start(b, mux)
	b.Cleanup(srv.Close)
	b.Cleanup(s.Close)
	for range 40 { // a morning's customers
		f.add(cashOp(func(v *edge.View) { paid(v); v.CashGivenAt = fakeNow }))
	}
	f.add(cashOp(func(v *edge.View) { v.State = op.Pending }))
	tab := uitest.Open(b, uitest.Chromium(b), srv.URL, 1366, 768)
	tab.Do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: timePages})
		return chromedp.Void{}, err
	})
	tab.Navigate("/")
	tab.WaitForHeading("Unlock the counter")
	tab.WaitForFocus("#pin")
	tab.Press("2", "5", "8", "0", kb.Enter)
	tab.WaitForHeading("What does the customer need?")
	const home = "What does the customer need?"
	for _, way := range []struct{ name, start, there, heading, back, from string }{
		{"empty", "/empty/here", "1", "there", kb.Escape, "here"},
		{"withdrawal", "/", "1", "Cash withdrawal", kb.Escape, home},
		{"statement", "/", "3", "Mini statement", kb.Escape, home},
		{"home", "/new/withdrawal", kb.Escape, home, "1", "Cash withdrawal"},
	} {
		b.Run(way.name, func(b *testing.B) {
			tab := *tab
			tab.T = b
			press := func(key, heading string) {
				tab.WaitFor(`document.readyState === "complete" && document.querySelector("[data-key]")`)
				tab.Press(key)
				tab.WaitFor(fmt.Sprintf(`sessionStorage.getItem("shown %s")`, heading))
			}
			tab.Navigate(way.start)
			var times []float64
			for b.Loop() {
				press(way.there, way.heading)
				times = append(times, uitest.Eval[float64](&tab, fmt.Sprintf(shownAfter, way.heading)))
				press(way.back, way.from)
			}
			slices.Sort(times)
			b.ReportMetric(times[0], "best-ms")
			b.ReportMetric(times[len(times)/2], "p50-ms")
			b.ReportMetric(times[len(times)*95/100], "p95-ms")
		})
	}
}
