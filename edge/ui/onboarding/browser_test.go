package onboarding

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/ui/uitest"
)

// serve serves the section over a counter of its own.
func serve(t *testing.T) (*uitest.Operations, *network, *uitest.Server) {
	t.Helper()
	f, n := uitest.NewOperations(), &network{}
	f.Answer(n.answer)
	s, err := New(f, uitest.NewCache(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return f, n, uitest.Serve(t, f, s)
}

// TestChromium checks the section's pages in a real Chromium.
func TestChromium(t *testing.T) {
	chromium := uitest.Chromium(t)
	for _, c := range []struct {
		width, height int64
		language      string
	}{{1366, 768, "en"}, {360, 740, "mr"}} {
		t.Run(fmt.Sprintf("onboarding %d %s", c.width, c.language), func(t *testing.T) { onboarding(t, chromium, c.width, c.height, c.language) })
	}
	t.Run("languages", func(t *testing.T) { languages(t, chromium) })
}

// onboarding walks the wizard by keyboard alone.
func onboarding(t *testing.T, chromium context.Context, width, height int64, language string) {
	f, n, h := serve(t)
	words := h.Kit.In(language)
	b := uitest.Open(t, chromium, h.Base, width, height)
	b.Navigate("/enter?language=" + language + "&to=/onboarding")
	asks := func(step string) {
		t.Helper()
		b.WaitFor(fmt.Sprintf(`document.querySelector("#onboarding-form")?.action.endsWith("/onboarding/%s") && document.readyState === "complete"`, step))
		if width > 1000 && !uitest.Eval[bool](b, `document.querySelector("#onboarding-form button.main").getBoundingClientRect().bottom <= innerHeight`) {
			t.Errorf("%s: the button is below the window", step)
		}
	}
	asks("status")
	b.Screenshot(language + "-status")
	b.WaitForFocus("#onboarding-form button")
	b.Press(kb.Enter)
	asks("begin")
	b.Screenshot(language + "-begin")
	b.WaitForFocus("#onboarding-form button")
	b.Press(kb.Enter)
	asks("mobile")
	b.Press(kb.Enter)
	asks("otp")
	b.WaitForFocus("#otp")
	b.Press("1", "2", kb.Enter)
	b.WaitFor(`document.querySelector(".field.bad") || document.querySelector(".alert")`)
	b.Screenshot(language + "-otp-wrong")
	// A notification: the page refreshes, and sends nothing again.
	uitest.Eval[any](b, `void (window.same = true)`)
	f.Update(func(s *edge.Status) { s.Merchant = "Lakshmi Stores" })
	f.Update(func(s *edge.Status) { s.Link.Online = false })
	b.WaitFor(`document.querySelector("#chips").innerText && document.querySelector("#chips .chip.bad, #chips .chip.warn")`)
	if !uitest.Eval[bool](b, `window.same && !!document.querySelector(".alert")`) {
		t.Error("a page with an error was lost in a refresh")
	}
	f.Update(func(s *edge.Status) { s.Link.Online = true })
	b.Navigate("/onboarding")
	b.WaitForFocus("#otp")
	b.Press("4", "8", "2", "9", "1", "3", kb.Enter)
	asks("pan")
	b.WaitForFocus("#pan")
	for _, text := range []string{"ABCDE1234F", "Fatima Bedi", "5-1-1980"} {
		for _, letter := range text {
			b.Press(string(letter))
		}
		if !strings.HasPrefix(text, "5") {
			b.Press(kb.Tab)
		}
	}
	b.Screenshot(language + "-pan")
	b.Press(kb.Enter)
	asks("aadhaar")
	b.Press(kb.Enter)
	asks("finger")
	b.Screenshot(language + "-finger")
	b.Press(kb.Enter)
	asks("submit")
	b.Press(kb.Enter)
	b.WaitFor(fmt.Sprintf(`document.querySelector(".column h2")?.innerText === %q`, words.Text("onboarding.done.title")))
	b.TabTo(`form[action="/onboarding/status"] button`)
	b.Press(kb.Enter)
	b.WaitFor(fmt.Sprintf(`document.body.innerText.includes(%q)`, words.Text("onboarding.status.approved")))
	b.Screenshot(language + "-approved")

	// The network lost it all: the step that it names as missing is opened.
	n.done = 3
	b.Navigate("/onboarding?again=submit")
	asks("submit")
	b.Press(kb.Enter)
	asks("pan") // "updatebiodetail has to be done first; the next step is verify_pan"
	b.Screenshot(language + "-missing")
	if len(f.Requests()) == 0 {
		t.Error("nothing was asked")
	}
}

// languages checks the pages in every language on a phone, where labels are cut first.
func languages(t *testing.T, chromium context.Context) {
	_, _, h := serve(t)
	b := uitest.Open(t, chromium, h.Base, 360, 740)
	b.Navigate("/enter?to=/onboarding")
	for _, language := range i18n.Languages() {
		b.SetLanguage(language.Code)
		b.Check(language.Code + "-onboarding")
	}
}
