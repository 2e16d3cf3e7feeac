package told

import (
	"galla/edge"
	"galla/edge/words"
)

// Row is one operation in a list, as the pages' piece "row" shows it.
type Row struct {
	Href string
	Tone string
	Icon string
	What string // the kind, in words
	Who  string
	Note string // masked number and bank
	Sum  string
	Time string
	Word string // where it stands
}

// Rows puts operations into the rows of a list.
func Rows(w *words.Words, views []edge.View, st edge.Status) []Row {
	out := make([]Row, len(views))
	for i, v := range views {
		k, t := Of(v.Route), Tell(w, v, st)
		out[i] = Row{
			Href: "/op/" + string(v.ID), Tone: t.Tone, Icon: t.Icon, What: k.Title(w), Who: v.Customer,
			Note: v.Aadhaar, Time: w.Clock(v.CreatedAt, st.Now), Word: t.Word,
		}
		if v.BankName != "" {
			out[i].Note += " · " + v.BankName
		}
		if k.Money {
			out[i].Sum = words.Rupees(v.Amount)
		}
	}
	return out
}
