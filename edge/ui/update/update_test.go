package update

import (
	"html"
	"sync/atomic"
	"testing"
	"time"

	"galla/edge/i18n"
	"galla/edge/ui/uitest"
	"galla/edge/update"
)

// statuses are the states of the updates.
var statuses = []struct {
	name  string
	stand *update.Status // nil: no automatic updates
	key   string         // of the text
	chip  bool
}{
	{"off", nil, "update.off", false},
	{"none", &update.Status{Version: "1.0.0", CheckedAt: uitest.Now()}, "update.none", false},
	{"never", &update.Status{Version: "1.0.0"}, "update.never", false},
	{"fetching", &update.Status{Version: "1.0.0", Fetched: 42, CheckedAt: uitest.Now()}, "update.fetching", false},
	{"waits", &update.Status{Version: "1.0.0", Waiting: "1.1.0", CheckedAt: uitest.Now()}, "update.waits.text", true},
	{"problem", &update.Status{Version: "1.0.0", Problem: "secret inner reason"}, "update.failed", false},
}

// sectionOf is a section that shows one of them.
func sectionOf(stand *update.Status) *Pages {
	r := New("1.0.0", nil)
	if stand != nil {
		r = New("1.0.0", func() update.Status { return *stand })
	}
	r.now = uitest.Now
	return r
}

// The page shows version and status in every language, and every page that an update
// waits.
func TestPage(t *testing.T) {
	for _, c := range statuses {
		section := sectionOf(c.stand)
		server := uitest.Serve(t, uitest.NewCounter(), section)
		for _, l := range i18n.Languages() {
			v := server.NewClient(t)
			v.GetRedirect("/enter?language=" + l.Code)
			say := section.kit.Book().Localizer(l.Code)
			want := say.Text(c.key, "version", "1.1.0", "percent", "42")
			if want == "" || l.Code != i18n.English && want == section.kit.Book().Localizer(i18n.English).Text(c.key, "version", "1.1.0", "percent", "42") {
				t.Errorf("%s: %s has no text", c.name, l.Code)
			}
			page := v.Get("/program", 200)
			uitest.Contains(t, page, html.EscapeString(want), "1.0.0", html.EscapeString(say.Text("update.version")))
			uitest.NotContains(t, page, "secret inner reason")
			if chip := ">" + html.EscapeString(say.Text("update.chip")) + "<"; c.chip {
				uitest.Contains(t, page, chip)
			} else {
				uitest.NotContains(t, page, chip)
			}
		}
	}
}

// In Chromium, on a phone, where labels are cut first: every standing in every
// language.
func TestChromiumEveryLanguage(t *testing.T) {
	var stand atomic.Pointer[update.Status] // the browser's requests read it
	stand.Store(&update.Status{})
	section := New("1.0.0", func() update.Status { return *stand.Load() })
	section.now = uitest.Now
	b := uitest.Open(t, uitest.Chromium(t), uitest.Serve(t, uitest.NewCounter(), section).Base, 360, 740)
	b.Navigate("/enter?to=/program")
	for _, l := range i18n.Languages() {
		b.SetLanguage(l.Code)
		for _, c := range statuses {
			if c.stand == nil {
				continue
			}
			stand.Store(c.stand)
			b.Navigate("/program")
			b.WaitFor(`document.readyState === "complete" && document.querySelector("#program h2")`)
			b.Check(l.Code + "-program-" + c.name)
		}
		if l.Code == i18n.English || l.Code == "ta" {
			stand.Store(&update.Status{Version: "1.0.0", Waiting: "1.1.0", CheckedAt: uitest.Now().Add(-time.Hour)})
			b.Navigate("/program")
			b.WaitFor(`document.readyState === "complete" && document.querySelector("#program .lead")`)
			b.Screenshot("program-" + l.Code)
		}
	}
}
