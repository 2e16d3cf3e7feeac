package ui

import (
	"net/http"
	"strings"
	"unicode/utf8"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/shared/op"
	"galla/shared/webguard"
)

// openCashKey is the shortcut of the cash bar. It only opens the operation, and differs
// from the key that confirms cash: pressed twice, it must not answer for a customer.
const openCashKey = "g"

// cashBar shows on every page the cash that needs an answer: the operation that finished
// first, and how many more.
type cashBar struct {
	Shown      bool
	Tone       string // of package outcome
	Icon       string
	Label      string // give cash or do not, and how much
	Who        string // first name
	LastDigits string // the last four digits of the Aadhaar number
	Href       string // empty: the counter is locked
	Key        string // empty on an operation's page, whose keys belong to that operation
	More       string // how many others; empty: none

	// Open names all operations that need an answer, the shown one included, so that the
	// script knows what is new.
	Open  string
	Sound bool
}

// Cap is the key as printed on keyboards.
func (s cashBar) Cap() string { return strings.ToUpper(s.Key) }

// openCashBar makes the cash bar. On a locked counter it names nobody. It leaves out the
// operation that the page itself shows.
func (k *Kit) openCashBar(r *http.Request, w *i18n.Localizer, st edge.Status, ses *Session, shown op.ID) cashBar {
	s := cashBar{Sound: soundOn(r)}
	if shown == "" {
		s.Key = openCashKey
	}
	var waits []edge.Record
	var state []string
	for _, c := range st.OpenCash {
		if !c.Cash().NeedsAnswer() {
			continue
		}
		state = append(state, string(c.ID)+":"+string(c.Cash()))
		if c.ID != shown {
			waits = append(waits, c)
		}
	}
	s.Open = strings.Join(state, " ")
	if len(waits) == 0 {
		return s
	}
	first := waits[0]
	t := outcome.Describe(w, edge.View{Record: first}, st)
	s.Shown, s.Tone, s.Icon = true, t.Tone, t.Icon
	s.Label = outcome.CashNotice(w, first, st)
	if len(waits) > 1 {
		s.More = w.Plural("cash.more", len(waits)-1)
	}
	if ses == nil {
		return s
	}
	s.Who, s.LastDigits, s.Href = firstName(first.Customer), lastDigits(first.Aadhaar), "/op/"+string(first.ID)
	return s
}

// minFirstName is the least number of letters of a first name; shorter words are initials.
const minFirstName = 3

// firstName returns how people address a customer.
func firstName(name string) string {
	first, _, _ := strings.Cut(name, " ")
	if utf8.RuneCountInString(strings.Trim(first, ".")) < minFirstName {
		return name
	}
	return first
}

// lastDigits returns the last four digits of a masked number, which people compare.
func lastDigits(masked string) string {
	if len(masked) < 4 {
		return ""
	}
	return "…" + masked[len(masked)-4:]
}

// soundCookie holds that this browser is silent: a second browser may stand near the
// customer.
const soundCookie = "galla_sound"

const soundOff = "off"

func soundOn(r *http.Request) bool {
	c, err := r.Cookie(webguard.CookieName(r, soundCookie))
	return err != nil || c.Value != soundOff
}

// settingsMenuItem returns the menu item of the settings.
func (k *Kit) settingsMenuItem(ses *Session) MenuItem {
	words := ses.Words()
	return MenuItem{Href: "/settings", Icon: "sound", Title: words.Text("settings.entry"), Hint: words.Text("settings.hint")}
}

func (k *Kit) showSettings(w http.ResponseWriter, r *http.Request, ses *Session) {
	words, on := ses.Words(), soundOn(r)
	k.Render(w, r, ses, http.StatusOK, Page{
		Name: "ui/settings", Title: words.Text("settings.title"), Back: "/",
		Data: Choice{
			Name: "sound", Label: words.Text("settings.sound"), Hint: words.Text("settings.sound.hint"),
			Options: []Option{{Value: "on", Text: words.Text("settings.on"), Chosen: on}, {Value: soundOff, Text: words.Text("settings.off"), Chosen: !on}},
		},
	})
}

func (k *Kit) saveSettings(w http.ResponseWriter, r *http.Request, _ *Session) {
	value := "on"
	if r.PostForm.Get("sound") == soundOff {
		value = soundOff
	}
	http.SetCookie(w, &http.Cookie{
		Name: webguard.CookieName(r, soundCookie), Value: value, Path: "/", MaxAge: languageCookieDays * 24 * 60 * 60, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	http.Redirect(w, r, "/settings", http.StatusSeeOther)
}
