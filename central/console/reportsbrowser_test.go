package console

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"galla/shared/op"
)

// reports: a viewer reads a report of complete days, prints it, and looks at the files.
func (w *walk) reports() {
	w.t.Helper()
	day := today().Add(-2) // yesterday has other operations of the walk, shortly after midnight
	for n := range 3 {
		w.h.operation(w.t, 20+n, time.Since(day.Noon()), op.Succeeded)
	}
	w.h.closeDays(w.t)
	if _, err := w.h.console.Reports.Files.Work(w.t.Context(), time.Now()); err != nil {
		w.t.Fatal(err)
	}
	v := w.enter("vikram")
	v.Navigate("/console/reports")
	v.WaitForHeading("Reports")
	v.Screenshot("reports-settlement")
	v.Navigate("/console/reports?report=volumes-by-merchant&from=" + string(day) + "&to=" + string(day))
	v.WaitFor(`document.querySelector(".report tbody").innerText.includes("Lakshmi Kirana Store") && document.querySelector(".report tfoot").innerText.includes("₹1,500")`)
	v.Screenshot("reports-merchants")
	v.Navigate("/console/reports?report=commission&from=" + string(day) + "&to=" + string(day))
	v.WaitFor(`document.querySelector(".report thead").innerText.toUpperCase().includes("TDS")`)
	v.Screenshot("reports-commission")
	v.Navigate("/console/reports/print?report=volumes-by-merchant&from=" + string(day) + "&to=" + string(day))
	v.WaitFor(`document.querySelector(".letterhead").innerText.includes("Sahyadri Payments Ltd") && document.querySelector("[data-print]") !== null`)
	v.Screenshot("reports-print")
	v.Do(asMedia("print"))
	v.WaitFor(`[".bar", ".head", ".unprinted"].every(part => getComputedStyle(document.querySelector(part)).display === "none") && document.querySelector(".letterhead").offsetHeight > 0`)
	v.Do(asMedia("screen"))
	v.Navigate("/console/reports/files")
	v.WaitForHeading("Files of reports")
	v.WaitFor(`document.querySelector(".table tbody").innerText.includes("volumes-by-merchant_")`)
	v.Screenshot("reports-files")
}

// asMedia shows the page as it is on a screen, or in print.
func asMedia(name string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: name})
		return chromedp.Void{}, err
	}
}
