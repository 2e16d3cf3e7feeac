package ui

import (
	"slices"
	"strings"
	"unicode/utf8"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/shared/money"
)

// Kinds of fields.
const (
	Text   = "text"
	Digits = "digits" // digits only, such as an account number
	Mobile = "mobile" // ten digits, grouped as they are read aloud
	Amount = "amount" // rupees, with quick keys, read back in words
	OTP    = "otp"    // password that is used once; never sent back
	PIN    = "pin"    // hidden; never sent back
	Search = "search"
)

// Field is an input with its label, hint and error: the piece "field". All texts are
// localized.
type Field struct {
	Name      string // of the form's field, and the element's id
	Kind      string // one of the kinds of fields; empty: Text
	Label     string
	Hint      string
	Error     string // error message
	Value     string // never of an OTP or PIN
	Max       int    // characters; 0: 100
	Focus     bool   // gets the focus
	Missing   string // message for an empty field, before sending; empty: it may be empty
	Wrong     string // message for an amount that is no number, or for too few digits
	MinDigits int    // 0: any number
	Keys      []Key  // quick keys of an amount
	Limit     Limit  // of an amount
	KeysLabel string // their label
	Spelling  string // of an amount: Localizer.Spelling
	// List is what the browser suggests while somebody types; other texts are taken too.
	List []string
}

func (f Field) Length() int {
	switch {
	case f.Max > 0:
		return f.Max
	case f.Kind == Mobile:
		return 14 // ten digits, spaces, +91
	case f.Kind == Amount:
		return 15
	case f.Kind == OTP, f.Kind == PIN:
		return 12
	}
	return 100
}

// Limit is what an amount may be, for the page to check while it is typed.
type Limit struct {
	Least, Most string // in rupees; empty: no limit
	Text        string // beside the field
	Outside     string // message for an amount outside
}

// AmountLimit tells the page the counter's bounds of an amount.
func AmountLimit(w *i18n.Localizer, b edge.Bounds) Limit {
	var l Limit
	if b.Max > 0 {
		l.Most, l.Text, l.Outside = b.Max.Number(), w.Text("app.amount.limit", "most", i18n.ShortRupees(b.Max)), outcome.AmountText(w, b, b.Max+1)
	}
	if b.Min > 0 {
		l.Least, l.Outside = b.Min.Number(), outcome.AmountText(w, b, b.Min-1)
	}
	return l
}

// Key is a quick key of an amount.
type Key struct {
	Value  string // in rupees
	Text   string
	Letter string // chooses it from within the field; empty: none
	Chosen bool
}

// Cap is the letter as printed on keyboards.
func (k Key) Cap() string { return strings.ToUpper(k.Letter) }

// letters are those of the quick keys, in their order.
const letters = "abcdefgh"

// Keys makes quick keys of amounts; chosen is the selected value.
func Keys(chosen string, amounts ...money.Paise) []Key {
	out := make([]Key, len(amounts))
	for i, p := range amounts {
		out[i] = Key{Value: p.Number(), Text: i18n.ShortRupees(p), Chosen: p.Number() == chosen}
		if i < len(letters) {
			out[i].Letter = letters[i : i+1]
		}
	}
	return out
}

// Choice is a list with one selected option: the piece "choice".
type Choice struct {
	Name    string
	Label   string
	Hint    string
	Error   string
	Missing string // message where nothing is chosen; empty: optional
	Focus   bool
	Options []Option
}

// Option is one of a Choice.
type Option struct {
	Value  string
	Text   string
	Note   string // small text beside it
	Lang   string // of Text, where it is not the page's
	Chosen bool
}

// LanguageChoice offers the languages for a customer, each under its own name.
func LanguageChoice(name, label, chosen string) Choice {
	c := Choice{Name: name, Label: label}
	for _, l := range i18n.Languages() {
		c.Options = append(c.Options, Option{Value: l.Code, Text: l.Name, Lang: l.Code, Chosen: l.Code == chosen})
	}
	return c
}

// Step is a step of a wizard or an operation: the piece "steps".
type Step struct {
	Name string
	Mark string // done, now, next, bad
	Icon string
}

// Steps marks the steps of a wizard: those before at are done.
func Steps(at int, names ...string) []Step {
	out := make([]Step, len(names))
	for i, name := range names {
		out[i] = Step{Name: name, Mark: "next", Icon: "next"}
		switch {
		case i < at:
			out[i].Mark, out[i].Icon = "done", "tick"
		case i == at:
			out[i].Mark, out[i].Icon = "now", "answer"
		}
	}
	return out
}

// Banner says first what to do: the piece "banner". Tone and Icon are those of package
// outcome.
type Banner struct {
	Tone    string
	Icon    string
	Group   string // cash or goods: selects the shape for what must not be given
	Subject string // what it is about
	Title   string
	Lead    string
	Reason  string
}

// Table is the piece "table". Rows are as long as Heads.
type Table struct {
	Caption string // for screen readers
	Heads   []Head
	Rows    [][]Cell
	Foot    []Cell
	Empty   string // text for no rows
}

// Head is the head of a column.
type Head struct {
	Text string
	Num  bool // numbers: aligned right
}

// Cell is one of a table.
type Cell struct {
	Text string
	Href string // empty: no link
	Tone string // ok, warn, bad; empty: none
	Num  bool
}

// Meter shows how much of a limit is used: the piece "meter".
type Meter struct {
	Label string
	Text  string // the same in words, with numbers
	Part  int64
	Whole int64
}

// Width is the used part in thousandths.
func (m Meter) Width() int64 {
	if m.Whole <= 0 {
		return 0
	}
	return min(max(m.Part, 0), m.Whole) * 1000 / m.Whole
}

// Tone is ok, warn from four fifths, bad when full.
func (m Meter) Tone() string {
	switch w := m.Width(); {
	case w >= 1000:
		return "bad"
	case w >= 800:
		return "warn"
	}
	return "ok"
}

// Fact is a line of details: the piece "facts".
type Fact struct{ Label, Value string }

// How many characters of one word, such as a reference, fit half of a phone's width: in
// Latin letters and digits, and in the wider Indian scripts.
const (
	maxWord       = 14
	maxIndianWord = 10
)

// Long reports whether a word of the value would break in half of a phone's width.
func (f Fact) Long() bool {
	return slices.ContainsFunc(strings.Fields(f.Value), func(word string) bool {
		n := utf8.RuneCountInString(word)
		return n > maxWord || n > maxIndianWord && n < len(word)
	})
}

// maxReason bounds central's message of a refusal, in characters: two lines.
const maxReason = 160

// ShortReason shortens central's message of a refusal to the space on a page.
func ShortReason(message string) string {
	r := []rune(strings.TrimSpace(message))
	if len(r) > maxReason {
		return string(r[:maxReason-1]) + "…"
	}
	return string(r)
}
