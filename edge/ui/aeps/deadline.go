package aeps

import (
	"galla/edge"
	"galla/edge/i18n"
	"galla/shared/op"
)

// returnDeadline is the deadline of a debit without an answer: by T+5 the bank returns or
// pays the money, and afterwards it owes compensation for each day.
type returnDeadline struct {
	Late bool
	Head string
	Text string
	Days []string // done, now, next: the days to T+5
}

// returnDeadlineOf returns the deadline of a pending debit, counted as on its slip; nil
// for any other operation.
func returnDeadlineOf(words *i18n.Localizer, v edge.View, st edge.Status) *returnDeadline {
	if v.State != op.Pending {
		return nil
	}
	clock := edge.ReturnDeadlineOf(v.Record, st.Now, st.Link.Offset)
	date := words.Date(clock.Due.Noon())
	d := &returnDeadline{Late: clock.DaysLate > 0}
	for day := edge.TurnaroundDays; day > 0; day-- {
		switch {
		case day > clock.DaysLeft:
			d.Days = append(d.Days, "done")
		case day == clock.DaysLeft:
			d.Days = append(d.Days, "now")
		default:
			d.Days = append(d.Days, "next")
		}
	}
	switch {
	case d.Late:
		d.Head = words.Plural("deadline.late", clock.DaysLate)
		d.Text = words.Text("deadline.late.text", "date", date, "owed", i18n.ShortRupees(clock.Owed))
	case clock.DaysLeft == 0:
		d.Head, d.Text = words.Text("deadline.today"), words.Text("deadline.text", "date", date)
	default:
		d.Head, d.Text = words.Plural("deadline.left", clock.DaysLeft), words.Text("deadline.text", "date", date)
	}
	return d
}
