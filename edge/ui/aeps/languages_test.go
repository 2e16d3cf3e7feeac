package aeps

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/ui/uitest"
	"galla/shared/money"
	"galla/shared/op"
)

// languages walks the pages in every language, in Hindi at both sizes: nothing is cut,
// spills over or scrolls sideways.
func languages(t *testing.T, chromium context.Context) {
	for _, l := range i18n.Languages()[1:] { // the gallery is in English
		t.Run(l.Code, func(t *testing.T) {
			t.Parallel()
			f := newFake()
			srv := serve(t, f)
			b := uitest.Open(t, chromium, srv.URL, 1366, 768)
			b.Navigate("/")
			// The language menu works on the locked page, and the unlocked one keeps it.
			b.WaitFor(`document.readyState === "complete"`)
			uitest.Eval[any](b, fmt.Sprintf(`(() => { const s = document.querySelector("#language"); s.value = %q; s.dispatchEvent(new Event("change", {bubbles: true})); })()`, l.Code))
			b.WaitFor(fmt.Sprintf(`document.documentElement.lang === %q && document.readyState === "complete"`, l.Code))
			b.WaitForFocus("#pin")
			b.Press("2", "5", "8", "0", kb.Enter)
			b.WaitFor(`document.querySelector(".tiles")`)
			b.WaitFor(fmt.Sprintf(`document.documentElement.lang === %q`, l.Code))
			spelled(b, l.Code)
			// What fits a phone fits a desktop; for the gallery's pictures both are checked.
			if os.Getenv("GALLA_SHOTS") != "" || l.Code == "hi" {
				pages(b, f, l.Code, 1366, 768)
			}
			pages(b, f, l.Code, 360, 740)
		})
	}
}

// pages checks each page at one size.
func pages(b *uitest.Browser, f *fake, code string, width, height int64) {
	b.T.Helper()
	b.Resize(width, height)
	shot := b.Check
	open := func(path, name string) {
		b.T.Helper()
		b.Navigate(path)
		b.WaitFor(`document.readyState === "complete" && document.querySelector("h1")`)
		shot(code + "-" + name)
	}
	opened := false
	for _, s := range galleryRecords {
		if width > 1000 && s.name != "pending" { // narrow layouts are checked on narrow windows
			continue
		}
		path := "/op/" + string(f.add(s.view))
		// English opens every state; the other languages have other words in the same places,
		// which are checked in the first one's page.
		if !opened || os.Getenv("GALLA_SHOTS") != "" {
			opened = true
			open(path, "op-"+s.name)
			continue
		}
		b.ReplaceMain(path)
		shot(code + "-op-" + s.name)
	}
	open("/", "home")
	open("/new/withdrawal", "form")
	if width > 1000 {
		if bottom := uitest.Eval[float64](b, `document.querySelector("#transaction button.main").getBoundingClientRect().bottom`); bottom > 768 {
			b.T.Errorf("%s: the form's button ends at %.0f px: it must be seen without scrolling", b.Size, bottom)
		}
	}
	b.Press(kb.Enter)
	b.WaitFor(`document.querySelectorAll(".field.bad").length > 3`)
	shot(code + "-form-errors")
	open("/new/balance", "form-balance")
	open("/sign-in", "day")
	open("/op/"+string(f.add(cashOp(paid)))+"/receipt", "receipt")
	open("/op/"+string(f.add(cashOp(paid)))+"/receipt/code", "receipt-code")
	messages(b, f, open)
	open("/nowhere", "nowhere")
	before := f.Status()
	f.change(func(s *edge.Status) {
		s.Link = edge.LinkState{Since: fakeNow.Add(-7 * 60e9), Offset: 7 * 60e9}
		s.Reader = edge.ReaderState{Status: "NOTREADY", Name: "Mantra MFS110"}
		s.Session = edge.SessionState{Known: true}
	})
	open("/", "home-trouble")
	open("/sign-in", "day-trouble")
	open("/connection", "offline")
	f.change(func(s *edge.Status) { *s = before })
	v := cashOp(func(v *edge.View) {
		v.State, v.Problem = op.Reserved, &edge.CaptureError{Code: "720", Action: "retry-device"}
	})
	open("/op/"+string(f.add(v)), "op-problem-720")
}

// messages opens the form for the SMS with a receipt, below every word on a message.
func messages(b *uitest.Browser, f *fake, open func(path, name string)) {
	b.T.Helper()
	of := f.add(cashOp(paid))
	for i, state := range []edge.Record{
		{State: op.Sent}, {State: op.Pending}, {State: op.Succeeded}, {State: op.Expired},
		{State: op.Failed, HTTP: 200, Result: edge.Result{Code: "30"}}, {State: op.Failed, HTTP: 422},
	} {
		state.Route, state.LinkedTo, state.Title = op.ReceiptMessage, of, fmt.Sprintf("XXXXXX432%d", i)
		f.add(edge.View{Record: state})
	}
	open("/op/"+string(of)+"/receipt?sms=1", "receipt-sms")
}

// spelled compares the script's spelling of numbers with the program's.
func spelled(b *uitest.Browser, code string) {
	b.T.Helper()
	book, err := i18n.Load()
	if err != nil {
		b.T.Fatal(err)
	}
	b.Navigate("/new/withdrawal")
	b.WaitFor(`document.querySelector("[data-spelling]")`)
	for _, p := range []money.Paise{0, 1_00, 21_00, 99_01, 100_00, 101_00, 500_00, 999_99, 1_000_00, 1_001_00, 1_250_50, 10_000_00, 1_00_000_00, 1_23_456_00} {
		want := book.Localizer(code).AmountInWords(p)
		got := uitest.Eval[string](b, fmt.Sprintf(`(async () => {
			const page = document.querySelector("script[type=module]").src;
			const { inWords } = await import(page.replace(/[^/]+$/, "amount.js"));
			return inWords(%d, %d, JSON.parse(document.querySelector("[data-spelling]").dataset.spelling));
		})()`, int64(p/money.Rupee), int64(p.Fraction())))
		if got != want {
			b.T.Errorf("%s: the script spells %s as %q, the program as %q", code, i18n.Rupees(p), got, want)
		}
	}
}
