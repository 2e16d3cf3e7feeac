package outcome

import (
	"slices"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/i18n"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// Row is one operation in a list, as the template "row" shows it.
type Row struct {
	Href   string
	Tone   string
	Icon   string
	What   string // the kind, in words
	Who    string
	Note   string // masked number and bank
	Sum    string
	Time   string
	Word   string // the state, in words
	Advice string // Outcome.Advice
}

// OpenCashViews returns the operations whose cash is open, for the top of a list.
func OpenCashViews(st edge.Status) []edge.View {
	out := make([]edge.View, len(st.OpenCash))
	for i, r := range st.OpenCash {
		out[i] = edge.View{Record: r}
	}
	return out
}

// IsCashOpen reports whether an operation is among those of OpenCashViews.
func IsCashOpen(st edge.Status, id op.ID) bool {
	return slices.ContainsFunc(st.OpenCash, func(r edge.Record) bool { return r.ID == id })
}

// amount formats an amount for a list; "" for one that is not known.
func amount(p money.Paise) string {
	if p == 0 {
		return ""
	}
	return i18n.Rupees(p)
}

// Rows returns the rows of a list.
func Rows(w *i18n.Localizer, views []edge.View, st edge.Status) []Row {
	out := make([]Row, len(views))
	for i, v := range views {
		t := Describe(w, v, st)
		k := t.Kind
		out[i] = Row{
			Href: "/op/" + string(v.ID), Tone: t.Tone, Icon: t.Icon, What: k.Title(w), Who: v.Customer,
			Time: w.ShortTime(v.CreatedAt, st.Now), Word: t.Word, Advice: t.Advice,
		}
		if out[i].Note = v.Aadhaar; v.Aadhaar == "" && v.Mobile != "" {
			out[i].Note = secret.MaskMobile(v.Mobile)
		}
		if v.IsMessage() {
			out[i].Note = v.Title // the masked number that it goes to
		}
		if v.BankName != "" {
			out[i].Note += " · " + v.BankName
		}
		if paid, _ := cashbook.Sum(cashbook.EntriesOf(v.Record)); k.Money || v.Route == op.Refund {
			out[i].Sum = amount(cashbook.Payable(v.Record))
		} else if paid > 0 { // the fee of a registration
			out[i].Sum = amount(paid)
		}
	}
	return out
}
