package outcome

import (
	"slices"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/i18n"
	"galla/shared/op"
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

// Rows returns the rows of a list.
func Rows(w *i18n.Localizer, views []edge.View, st edge.Status) []Row {
	out := make([]Row, len(views))
	for i, v := range views {
		t := Describe(w, v, st)
		k := t.Kind
		out[i] = Row{
			Href: "/op/" + string(v.ID), Tone: t.Tone, Icon: t.Icon, What: k.Title(w), Who: v.Customer,
			Note: v.Aadhaar, Time: w.ShortTime(v.CreatedAt, st.Now), Word: t.Word, Advice: t.Advice,
		}
		if v.BankName != "" {
			out[i].Note += " · " + v.BankName
		}
		if k.Money {
			out[i].Sum = i18n.Rupees(cashbook.Payable(v.Record))
		}
	}
	return out
}
