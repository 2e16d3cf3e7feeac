package web

import (
	"net/http"
	"strings"
	"unicode/utf8"

	"galla/edge"
	"galla/edge/told"
	"galla/edge/words"
	"galla/shared/op"
)

// cashKey is the shortcut of the strip, and opens only. No page uses it for anything
// else, and it is not the key that says that cash was given: pressed twice, it must
// not answer for a customer whose operation nobody looked at.
const cashKey = "g"

// strip is the cash that waits for somebody's answer, as every page shows it:
// the one that ended first, and how many more.
type strip struct {
	Shown  bool
	Tone   string // of package told
	Icon   string
	Label  string // give cash, or do not, and how much
	Who    string // first name
	Ending string // the last four digits of the Aadhaar number
	Href   string // empty: the counter is locked
	Key    string // empty: the page is an operation's, and its keys are about that one
	More   string // how many others wait; empty: none

	// State names what waits, so that the page's script knows what is new: that of
	// the operation that the page shows too, which nobody may be looking at.
	State string
	Sound bool
}

// Cap is the key as it is printed on keyboards.
func (s strip) Cap() string { return strings.ToUpper(s.Key) }

// open makes the strip. On a locked counter it names nobody. The operation that
// the page shows is left out: the page says the same in large letters.
func (k *Kit) open(r *http.Request, w *words.Words, st edge.Status, ses *Session, shown op.ID) strip {
	s := strip{Sound: sounds(r)}
	if shown == "" {
		s.Key = cashKey
	}
	var waits []edge.Record
	var state []string
	for _, c := range st.Cash {
		if !c.Cash().Asks() {
			continue
		}
		state = append(state, string(c.ID)+":"+string(c.Cash()))
		if c.ID != shown {
			waits = append(waits, c)
		}
	}
	s.State = strings.Join(state, " ")
	if len(waits) == 0 {
		return s
	}
	first := waits[0]
	t := told.Tell(w, edge.View{Record: first}, st)
	s.Shown, s.Tone, s.Icon = true, t.Tone, t.Icon
	s.Label = told.Notice(w, first, st)
	if len(waits) > 1 {
		s.More = w.Count("cash.more", len(waits)-1)
	}
	if ses == nil {
		return s
	}
	s.Who, s.Ending, s.Href = firstName(first.Customer), ending(first.Aadhaar), "/op/"+string(first.ID)
	return s
}

// leastName is the letters of a first word that names somebody; initials do not.
const leastName = 3

// firstName is what a customer is called at the counter.
func firstName(name string) string {
	first, _, _ := strings.Cut(name, " ")
	if utf8.RuneCountInString(strings.Trim(first, ".")) < leastName {
		return name
	}
	return first
}

// ending is the last four digits of a masked number, as people compare them.
func ending(masked string) string {
	if len(masked) < 4 {
		return ""
	}
	return "…" + masked[len(masked)-4:]
}

// soundCookie holds that this browser stays silent. A counter's second browser
// stands where the customer is, or in the back room.
const soundCookie = "galla_sound"

const soundOff = "off"

func sounds(r *http.Request) bool {
	c, err := r.Cookie(CookieName(r, soundCookie))
	return err != nil || c.Value != soundOff
}

// Settings gives the way to the settings.
func (k *Kit) Settings(ses *Session) Entry {
	said := ses.Words()
	return Entry{Href: "/settings", Icon: "sound", Title: said.Say("settings.entry"), Hint: said.Say("settings.hint")}
}

// settings shows what this browser does by itself.
func (k *Kit) settings(w http.ResponseWriter, r *http.Request, ses *Session) {
	said, on := ses.Words(), sounds(r)
	k.Render(w, r, ses, http.StatusOK, Page{
		Name: "web/settings", Title: said.Say("settings.title"), Back: "/",
		Data: Choice{
			Name: "sound", Label: said.Say("settings.sound"), Hint: said.Say("settings.sound.hint"),
			Options: []Option{{Value: "on", Text: said.Say("settings.on"), Chosen: on}, {Value: soundOff, Text: said.Say("settings.off"), Chosen: !on}},
		},
	})
}

// keepSettings keeps them in the browser.
func (k *Kit) keepSettings(w http.ResponseWriter, r *http.Request, _ *Session) {
	value := "on"
	if r.PostForm.Get("sound") == soundOff {
		value = soundOff
	}
	http.SetCookie(w, &http.Cookie{
		Name: CookieName(r, soundCookie), Value: value, Path: "/", MaxAge: languageDays * 24 * 60 * 60, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	http.Redirect(w, r, "/settings", http.StatusSeeOther)
}
