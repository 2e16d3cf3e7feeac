package told

import (
	"galla/edge"
	"galla/edge/words"
	"galla/shared/money"
)

// Precluded says why nothing can begin now, and what to do.
func Precluded(w *words.Words, e *edge.PrecludedError) string {
	if key := "precluded." + e.Code; w.Code() != words.English && w.Has(key) {
		return w.Say(key)
	}
	return e.Message // English, and more exact: it names how much and since when
}

// Amount says what an amount must keep; "" for one that keeps it.
func Amount(w *words.Words, b edge.Bounds, amount money.Paise) string {
	least, most := words.Rupees(max(b.Min, 1)), words.Rupees(b.Max)
	switch {
	case amount > 0 && amount >= b.Min && (b.Max == 0 || amount <= b.Max):
		if b.Whole() && amount%b.Step != 0 {
			return w.Say("amount.whole")
		}
		if b.Step > 0 && amount%b.Step != 0 {
			return w.Say("amount.step", "step", words.Rupees(b.Step))
		}
		return ""
	case b.Max > 0:
		return w.Say("amount.between", "least", least, "most", most)
	}
	return w.Say("amount.least", "least", least)
}

// capture says what to do after a capture that failed. The reader's own words
// are English; in other languages its code leads to the help pages.
func capture(w *words.Words, e *edge.CaptureError) string {
	if w.Code() == words.English {
		return e.Message
	}
	text := w.First([]string{"rd.lead." + e.Action, "rd.lead.other"})
	if e.Code != "" {
		text += " " + w.Say("rd.code", "code", e.Code)
	}
	return text
}

// reason is why an operation stands where it does, where that adds to what its
// texts say: the central and the counter tell it in English only.
func reason(w *words.Words, text string, said ...string) string {
	if w.Code() != words.English {
		return ""
	}
	return without(text, said...)
}
