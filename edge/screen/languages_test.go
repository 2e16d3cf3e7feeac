package screen

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/web/webtest"
	"galla/edge/words"
	"galla/shared/money"
	"galla/shared/op"
)

// languages walks the pages in every language, in Hindi on both sizes: nothing is cut,
// nothing spills, nothing scrolls sideways.
func languages(t *testing.T, chromium context.Context) {
	for _, l := range words.Languages()[1:] { // the gallery speaks English
		t.Run(l.Code, func(t *testing.T) {
			t.Parallel()
			f := newFake()
			srv := serve(t, f)
			b := webtest.Open(t, chromium, srv.URL, 1366, 768)
			b.Go("/")
			// The switch works on the locked page, and the unlocked one keeps it.
			b.Sees(`document.readyState === "complete"`)
			webtest.Eval[any](b, fmt.Sprintf(`(() => { const s = document.querySelector("#language"); s.value = %q; s.dispatchEvent(new Event("change", {bubbles: true})); })()`, l.Code))
			b.Sees(fmt.Sprintf(`document.documentElement.lang === %q && document.readyState === "complete"`, l.Code))
			b.Focused("#pin")
			b.Press("2", "5", "8", "0", kb.Enter)
			b.Sees(`document.querySelector(".tiles")`)
			b.Sees(fmt.Sprintf(`document.documentElement.lang === %q`, l.Code))
			spelled(b, l.Code)
			// What has room on a phone has room on a desk, but in the gallery's
			// pictures it is looked at on both.
			if os.Getenv("GALLA_SHOTS") != "" || l.Code == "hi" {
				pages(b, f, l.Code, 1366, 768)
			}
			pages(b, f, l.Code, 360, 740)
		})
	}
}

// pages looks at each page at one size.
func pages(b *webtest.Browser, f *fake, code string, width, height int64) {
	b.T.Helper()
	b.Resize(width, height)
	shot := b.Look
	open := func(path, name string) {
		b.T.Helper()
		b.Go(path)
		b.Sees(`document.readyState === "complete" && document.querySelector("h1")`)
		shot(code + "-" + name)
	}
	for i, s := range shelf {
		if width > 1000 && s.name != "pending" { // the band wraps; what is narrow is judged where it is narrow
			continue
		}
		path := "/op/" + string(f.add(s.view))
		// English and Hindi open every state; the others say other words in the
		// same places, and those are judged in place of the first one's.
		if i == 0 || code == "hi" || os.Getenv("GALLA_SHOTS") != "" {
			open(path, "op-"+s.name)
			continue
		}
		b.Instead(path)
		shot(code + "-op-" + s.name)
	}
	open("/", "home")
	open("/new/withdrawal", "form")
	if width > 1000 {
		if bottom := webtest.Eval[float64](b, `document.querySelector("form.deal button.main").getBoundingClientRect().bottom`); bottom > 768 {
			b.T.Errorf("%s: the form's button ends at %.0f px: it must be seen without scrolling", b.Size, bottom)
		}
	}
	b.Press(kb.Enter)
	b.Sees(`document.querySelectorAll(".field.bad").length > 3`)
	shot(code + "-form-errors")
	open("/new/balance", "form-balance")
	open("/day", "day")
	open("/op/"+string(f.add(cashOp(paid)))+"/receipt", "receipt")
	open("/nowhere", "nowhere")
	before := f.Status()
	f.change(func(s *edge.Status) {
		s.Link = edge.LinkState{Since: fakeNow.Add(-7 * 60e9), Offset: 7 * 60e9}
		s.Device = edge.DeviceState{Status: "NOTREADY", Name: "Mantra MFS110"}
		s.Session = edge.SessionState{Known: true}
	})
	open("/", "home-trouble")
	open("/day", "day-trouble")
	open("/line", "line-down")
	f.change(func(s *edge.Status) { *s = before })
	v := cashOp(func(v *edge.View) {
		v.State, v.Problem = op.Reserved, &edge.CaptureError{Code: "720", Action: "retry-device"}
	})
	open("/op/"+string(f.add(v)), "op-problem-720")
}

// spelled holds the script's words of numbers against the program's.
func spelled(b *webtest.Browser, code string) {
	b.T.Helper()
	book, err := words.Load()
	if err != nil {
		b.T.Fatal(err)
	}
	b.Go("/new/withdrawal")
	b.Sees(`document.querySelector("[data-spelling]")`)
	for _, p := range []money.Paise{0, 1_00, 21_00, 99_01, 100_00, 101_00, 500_00, 999_99, 1_000_00, 1_001_00, 1_250_50, 10_000_00, 1_00_000_00, 1_23_456_00} {
		want := book.In(code).Spell(p)
		got := webtest.Eval[string](b, fmt.Sprintf(`(async () => {
			const kit = [...document.scripts].find(s => s.src.endsWith("/kit.js")).src;
			const { inWords } = await import(kit.replace("kit.js", "amount.js"));
			return inWords(%d, %d, JSON.parse(document.querySelector("[data-spelling]").dataset.spelling));
		})()`, int64(p/money.Rupee), int64(p.Fraction())))
		if got != want {
			b.T.Errorf("%s: the script spells %s as %q, the program as %q", code, words.Rupees(p), got, want)
		}
	}
}
