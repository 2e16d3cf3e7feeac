package sandbox

import (
	"net/http"
	"testing"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/i18n/i18ntest"
	"galla/edge/ui/uitest"
)

var links = Links{Simulator: "http://127.0.0.1:11100", Bank: "http://127.0.0.1:7300"}

func TestTexts(t *testing.T) {
	i18ntest.Check(t, i18n.Catalogue{Owner: "sandbox", Files: files})
}

// TestBadge: every page of a sandbox's counter has the badge, and none of another's.
func TestBadge(t *testing.T) {
	c := uitest.NewCounter()
	v := uitest.Serve(t, c, New(c, links)).NewClient(t)
	v.GetRedirect("/enter")
	v.Get("/sandbox", http.StatusNotFound)
	uitest.NotContains(t, v.Get("/nothing", http.StatusNotFound), `href="/sandbox"`)
	c.Update(func(s *edge.Status) { s.Sandbox = true })
	uitest.Contains(t, v.Get("/nothing", http.StatusNotFound), `<li class="chip warn"><a href="/sandbox"`, "<span>Sandbox</span>")
	uitest.Contains(t, v.Get("/sandbox", http.StatusOK), "No real money moves.", `href="`+links.Simulator+`"`, `href="`+links.Bank+`"`)
}

// TestUnknownLinks: what is not configured is not linked.
func TestUnknownLinks(t *testing.T) {
	c := uitest.NewCounter()
	c.Update(func(s *edge.Status) { s.Sandbox = true })
	v := uitest.Serve(t, c, New(c, Links{})).NewClient(t)
	v.GetRedirect("/enter")
	page := v.Get("/sandbox", http.StatusOK)
	uitest.Contains(t, page, "has the addresses of simulator and inbox")
	uitest.NotContains(t, page, `target="_blank"`)
}

// TestChromium looks at the page on a phone, in every language.
func TestChromium(t *testing.T) {
	c := uitest.NewCounter()
	c.Update(func(s *edge.Status) { s.Sandbox = true })
	b := uitest.Open(t, uitest.Chromium(t), uitest.Serve(t, c, New(c, links)).Base, 360, 740)
	b.Navigate("/enter?to=/sandbox")
	for _, l := range i18n.Languages() {
		b.SetLanguage(l.Code)
		b.Navigate("/sandbox")
		b.WaitFor(`document.readyState === "complete" && document.querySelectorAll("main a.second").length === 2`)
		b.Check(l.Code + "-sandbox")
		if l.Code == i18n.English || l.Code == "ta" {
			b.Screenshot("sandbox-" + l.Code)
		}
	}
}
