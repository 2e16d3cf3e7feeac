package update

import (
	"html"
	"sync/atomic"
	"testing"
	"time"

	"galla/edge/web/webtest"
	"galla/edge/words"
)

// standings are how a program can stand.
var standings = []struct {
	name  string
	stand *Standing // nil: it is not updated by itself
	key   string    // of what is said
	chip  bool
}{
	{"off", nil, "update.off", false},
	{"none", &Standing{Own: "1.0.0", Looked: webtest.Now()}, "update.none", false},
	{"never", &Standing{Own: "1.0.0"}, "update.never", false},
	{"fetching", &Standing{Own: "1.0.0", Fetched: 42, Looked: webtest.Now()}, "update.fetching", false},
	{"waits", &Standing{Own: "1.0.0", Waiting: "1.1.0", Looked: webtest.Now()}, "update.waits.text", true},
	{"problem", &Standing{Own: "1.0.0", Problem: "secret inner reason"}, "update.problem", false},
}

// shown is a room that shows one of them.
func shown(stand *Standing) *Room {
	r := NewRoom("1.0.0", nil)
	if stand != nil {
		r = NewRoom("1.0.0", func() Standing { return *stand })
	}
	r.now = webtest.Now
	return r
}

// The page tells version and standing in every language, and every page that an
// update waits.
func TestPage(t *testing.T) {
	for _, c := range standings {
		room := shown(c.stand)
		house := webtest.Serve(t, webtest.NewCounter(), room)
		for _, l := range words.Languages() {
			v := house.Visitor(t)
			v.Leads("/enter?language=" + l.Code)
			say := room.kit.Book().In(l.Code)
			want := say.Say(c.key, "version", "1.1.0", "percent", "42")
			if want == "" || l.Code != words.English && want == room.kit.Book().In(words.English).Say(c.key, "version", "1.1.0", "percent", "42") {
				t.Errorf("%s: %s has no words", c.name, l.Code)
			}
			page := v.Get("/program", 200)
			webtest.Has(t, page, html.EscapeString(want), "1.0.0", html.EscapeString(say.Say("update.own")))
			webtest.HasNot(t, page, "secret inner reason")
			if chip := ">" + html.EscapeString(say.Say("update.chip")) + "<"; c.chip {
				webtest.Has(t, page, chip)
			} else {
				webtest.HasNot(t, page, chip)
			}
		}
	}
}

// In Chromium, on a phone, where labels are cut first: every standing in every
// language.
func TestEveryLanguageInChromium(t *testing.T) {
	var stand atomic.Pointer[Standing] // the browser's requests read it
	stand.Store(&Standing{})
	room := NewRoom("1.0.0", func() Standing { return *stand.Load() })
	room.now = webtest.Now
	b := webtest.Open(t, webtest.Chromium(t), webtest.Serve(t, webtest.NewCounter(), room).Base, 360, 740)
	b.Go("/enter?to=/program")
	for _, l := range words.Languages() {
		b.Speak(l.Code)
		for _, c := range standings {
			if c.stand == nil {
				continue
			}
			stand.Store(c.stand)
			b.Go("/program")
			b.Sees(`document.readyState === "complete" && document.querySelector("#program h2")`)
			b.Look(l.Code + "-program-" + c.name)
		}
		if l.Code == words.English || l.Code == "ta" {
			stand.Store(&Standing{Own: "1.0.0", Waiting: "1.1.0", Looked: webtest.Now().Add(-time.Hour)})
			b.Go("/program")
			b.Sees(`document.readyState === "complete" && document.querySelector("#program .lead")`)
			b.Shot("program-" + l.Code)
		}
	}
}
