package help

import (
	"slices"

	"galla/edge/i18n"
	"galla/edge/outcome"
)

// classes in the order of the page, with the tone of their headings.
var classes = []struct {
	class outcome.Class
	tone  string
}{
	{outcome.ClassUncertain, "bad"}, {outcome.ClassRetry, "warn"}, {outcome.ClassRetryLater, "warn"}, {outcome.ClassFinal, ""}, {outcome.ClassSupport, ""}, {outcome.ClassApproved, "ok"},
}

func bankParts(w *i18n.Localizer) []codePart {
	parts := make([]codePart, len(classes))
	for i, c := range classes {
		parts[i] = codePart{Title: w.Text("help.bank." + string(c.class) + ".says"), Tone: c.tone, Entries: classEntries(w, c.class)}
	}
	return parts
}

func classEntries(w *i18n.Localizer, class outcome.Class) []Entry {
	var out []Entry
	for _, c := range outcome.Codes(outcome.FamilyBank) {
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

// bankEntry describes a bank's code. Except for an approval, it first says not to give
// cash.
func bankEntry(w *i18n.Localizer, c outcome.Code) Entry {
	meaning, advice := c.TextKeys()
	e := Entry{"bank", c.Code, w.Text(meaning, "code", c.Code), w.Text(advice)}
	if c.Class != outcome.ClassApproved {
		e.Do = w.Text("code.no.cash") + " " + e.Do
	}
	return e
}
