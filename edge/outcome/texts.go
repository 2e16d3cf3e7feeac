package outcome

import (
	"strings"

	"galla/edge"
	"galla/edge/i18n"
	"galla/shared/money"
)

// PreconditionText says why no operation can start now, and what to do.
func PreconditionText(w *i18n.Localizer, e *edge.PreconditionError) string {
	key := "precondition." + string(e.Code)
	if e.Previous != "" {
		return w.Text(key+".other", "previous", e.Previous, "user", e.User)
	}
	return w.Text(key)
}

// WarningText says what is wrong with the stored operations, and what to do.
func WarningText(w *i18n.Localizer, x edge.Warning) string {
	return w.Text("warning."+string(x.Kind), "names", strings.Join(x.Names, ", "))
}

// LinkText says why the terminal is offline; "" where it is online. The central's own
// words are English only.
func LinkText(w *i18n.Localizer, link edge.LinkState) string {
	if link.Problem == "" {
		return ""
	}
	text := w.Text("link." + string(link.Problem))
	if link.Detail != "" && w.Code() == i18n.English {
		text += " (" + link.Detail + ")"
	}
	return text
}

// AmountText says which amounts are allowed; "" for an allowed one.
func AmountText(w *i18n.Localizer, b edge.Bounds, amount money.Paise) string {
	least, most := i18n.Rupees(max(b.Min, 1)), i18n.Rupees(b.Max)
	switch {
	case b.Allow(amount):
		return ""
	case amount > 0 && amount >= b.Min && (b.Max == 0 || amount <= b.Max):
		if b.WholeRupees() {
			return w.Text("amount.whole")
		}
		return w.Text("amount.step", "step", i18n.Rupees(b.Step))
	case b.Max > 0:
		return w.Text("amount.between", "least", least, "most", most)
	}
	return w.Text("amount.least", "least", least)
}

// captureText says what to do after a failed capture. The reader's messages are
// English; in other languages the code leads to the help pages.
func captureText(w *i18n.Localizer, e *edge.CaptureError) string {
	if w.Code() == i18n.English {
		return e.Message
	}
	text := w.Text(w.FirstKey("rd.lead."+e.Action, "rd.lead.other"))
	if e.Code != "" {
		text += " " + w.Text("rd.code", "code", e.Code)
	}
	return text
}

// ReasonText says why an operation ended before the bank got it; "" where its
// other texts say it.
func ReasonText(w *i18n.Localizer, reason edge.Reason) string {
	if key := "outcome.reason." + string(reason); w.Has(key) {
		return w.Text(key)
	}
	return ""
}

// centralMessage is the message of the central's reply, which is English only.
func centralMessage(w *i18n.Localizer, r edge.Record) string {
	if w.Code() != i18n.English {
		return ""
	}
	return r.Result.Message
}
