package told

import (
	"slices"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/words"
	"galla/shared/op"
)

// Row is one operation in a list, as the pages' piece "row" shows it.
type Row struct {
	Href   string
	Tone   string
	Icon   string
	What   string // the kind, in words
	Who    string
	Note   string // masked number and bank
	Sum    string
	Time   string
	Word   string // where it stands
	Advice string // which advice it is (Outcome)
}

// CashViews are the operations whose cash is open, for the top of a list.
func CashViews(st edge.Status) []edge.View {
	out := make([]edge.View, len(st.Cash))
	for i, r := range st.Cash {
		out[i] = edge.View{Record: r}
	}
	return out
}

// CashOpen tells whether an operation stands among those of CashViews, and so
// not among what is settled.
func CashOpen(st edge.Status, id op.ID) bool {
	return slices.ContainsFunc(st.Cash, func(r edge.Record) bool { return r.ID == id })
}

// Rows puts operations into the rows of a list.
func Rows(w *words.Words, views []edge.View, st edge.Status) []Row {
	out := make([]Row, len(views))
	for i, v := range views {
		t := Tell(w, v, st)
		k := t.Kind
		out[i] = Row{
			Href: "/op/" + string(v.ID), Tone: t.Tone, Icon: t.Icon, What: k.Title(w), Who: v.Customer,
			Note: v.Aadhaar, Time: w.Clock(v.CreatedAt, st.Now), Word: t.Word, Advice: t.Advice,
		}
		if v.BankName != "" {
			out[i].Note += " · " + v.BankName
		}
		if k.Money {
			out[i].Sum = words.Rupees(cashbook.Payable(v.Record))
		}
	}
	return out
}
