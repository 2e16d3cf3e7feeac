package aeps

import (
	"io"
	"net/http"
	"path"
	"slices"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/ui/uitest"
	"galla/shared/op"
)

// pressed is when the last key was pressed, in milliseconds of the browser's clock; it
// survives a page change.
const pressed = `addEventListener("keydown", (e) => sessionStorage.setItem("pressed", performance.timeOrigin + e.timeStamp), {capture: true})`

// shownAfter is how long after the key this page was first painted.
const shownAfter = `new Promise((tell) => {
	const ask = () => {
		const paint = performance.getEntriesByName("first-contentful-paint")[0];
		if (paint) tell(performance.timeOrigin + paint.startTime - Number(sessionStorage.getItem("pressed")));
		else requestAnimationFrame(ask);
	};
	ask();
})`

// BenchmarkKeyToPage is the time from a key press to the first paint of the next page, in
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
<script>addEventListener("keydown", () => location = "/empty/there")</script></html>`)
	})
	srv := uitest.Start(b, mux)
	b.Cleanup(srv.Close)
	b.Cleanup(s.Close)
	for range 40 { // a morning's customers
		f.add(cashOp(func(v *edge.View) { paid(v); v.CashGivenAt = fakeNow }))
	}
	f.add(cashOp(func(v *edge.View) { v.State = op.Pending }))
	tab := uitest.Open(b, uitest.Chromium(b), srv.URL, 1366, 768)
	tab.Navigate("/")
	tab.WaitForHeading("Unlock the counter")
	tab.WaitForFocus("#pin")
	tab.Press("2", "5", "8", "0", kb.Enter)
	tab.WaitForHeading("What does the customer want?")
	for _, way := range []struct{ name, from, key, heading string }{
		{"empty", "/empty/here", "1", "there"},
		{"withdrawal", "/", "1", "Cash withdrawal"},
		{"statement", "/", "3", "Mini statement"},
		{"home", "/new/withdrawal", kb.Escape, "What does the customer want?"},
	} {
		b.Run(way.name, func(b *testing.B) {
			tab := *tab
			tab.T = b
			var times []float64
			for b.Loop() {
				tab.Navigate(way.from)
				tab.WaitFor(`document.readyState === "complete" && document.querySelector("[data-key]")`)
				uitest.Eval[any](&tab, pressed)
				tab.Press(way.key)
				tab.WaitForHeading(way.heading)
				times = append(times, uitest.Eval[float64](&tab, shownAfter))
			}
			slices.Sort(times)
			b.ReportMetric(times[0], "best-ms")
			b.ReportMetric(times[len(times)/2], "p50-ms")
			b.ReportMetric(times[len(times)*95/100], "p95-ms")
		})
	}
}
