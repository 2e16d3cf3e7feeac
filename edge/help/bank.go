package help

import (
	"slices"

	"galla/edge/codes"
	"galla/edge/words"
)

// Explain says in a language what a bank's response code means and what to do
// next. It never says to give cash, and knows codes that stand in no table as
// refused. The words are those of a book that holds this room's texts.
func Explain(w *words.Words, code string) (meaning, advice string) {
	e := bankEntry(w, codes.Of(code))
	return e.Says, e.Do
}

// classes in the order of the page, with the tone of their heads.
var classes = []struct {
	class codes.Class
	tone  string
}{
	{codes.Uncertain, "bad"}, {codes.Again, "warn"}, {codes.Later, "warn"}, {codes.Final, ""}, {codes.Support, ""}, {codes.Approved, "ok"},
}

// bankParts gives the bank's codes by class.
func bankParts(w *words.Words) []part {
	parts := make([]part, len(classes))
	for i, c := range classes {
		parts[i] = part{Title: w.Say("help.bank." + string(c.class) + ".says"), Tone: c.tone, Entries: bank(w, c.class)}
	}
	return parts
}

// bank gives one entry for each meaning of a class.
func bank(w *words.Words, class codes.Class) []Entry {
	var out []Entry
	for _, c := range codes.All() {
		if c.Class != class {
			continue
		}
		e := bankEntry(w, c)
		if i := slices.IndexFunc(out, func(have Entry) bool { return have.Says == e.Says && have.Do == e.Do }); i >= 0 {
			out[i].Codes += " " + c.Code
			continue
		}
		out = append(out, e)
	}
	return out
}

// bankEntry is what is said of a bank's code.
func bankEntry(w *words.Words, c codes.Code) Entry {
	says, do := textsOf(c)
	return Entry{c.Code, w.Say("help.code."+says+".says", "code", c.Code), w.Say("help.code." + do + ".do")}
}

// textsOf names the texts of a code: codes with one meaning, or one advice,
// share the texts of the first of them in the table.
func textsOf(c codes.Code) (says, do string) {
	if c.Class == codes.Unknown && c.Code == "" {
		return "none", "none"
	}
	says, do = "unknown", "unknown"
	for _, other := range slices.Backward(codes.All()) {
		if other.Meaning == c.Meaning {
			says = other.Code
		}
		if other.Advice == c.Advice && c.Class != codes.Unknown {
			do = other.Code
		}
	}
	return says, do
}
