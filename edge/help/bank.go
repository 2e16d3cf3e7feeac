package help

import (
	"slices"

	"galla/edge/codes"
	"galla/edge/words"
)

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

// bankEntry is what is said of a bank's code. But for an approval, it begins with
// what must not happen.
func bankEntry(w *words.Words, c codes.Code) Entry {
	says, do := c.Keys()
	e := Entry{c.Code, w.Say(says, "code", c.Code), w.Say(do)}
	if c.Class != codes.Approved {
		e.Do = w.Say("code.no.cash") + " " + e.Do
	}
	return e
}
