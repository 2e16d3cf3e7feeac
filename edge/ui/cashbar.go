package ui

import (
	"net/http"
	"strings"
	"unicode/utf8"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/shared/op"
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
