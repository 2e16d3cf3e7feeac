package screen

import (
	"galla/edge"
	"galla/edge/till"
	"galla/edge/words"
	"galla/shared/op"
)

// due is the clock of a debit that the bank has not answered for: until T+5 the
// money comes back or is paid, and after it the bank owes for each day.
type due struct {
	Late bool
	Head string
	Text string
	Days []string // done, now, next: the days to T+5
}

// dueOf gives the clock of a pending debit, counted as its slip counts; nil for
// what is not pending.
func dueOf(said *words.Words, v edge.View, st edge.Status) *due {
	if v.State != op.Pending {
		return nil
	}
	sent := v.SentAt
	if sent.IsZero() {
		sent = v.CreatedAt
	}
	begun, today := till.DayOf(sent, st.Link.Offset), till.DayOf(st.Now, st.Link.Offset)
	clock, all := till.ClockOf(begun, today), till.ClockOf(begun, begun).Left
	date := said.Date(clock.Due.Date())
	d := &due{Late: clock.Late > 0}
	for day := all; day > 0; day-- {
		switch {
		case day > clock.Left:
			d.Days = append(d.Days, "done")
		case day == clock.Left:
			d.Days = append(d.Days, "now")
		default:
			d.Days = append(d.Days, "next")
		}
	}
	switch {
	case d.Late:
		d.Head = said.Count("due.late", clock.Late)
		d.Text = said.Say("due.late.text", "date", date, "owed", words.Short(clock.Owed))
	case clock.Left == 0:
		d.Head, d.Text = said.Say("due.today"), said.Say("due.text", "date", date)
	default:
		d.Head, d.Text = said.Count("due.left", clock.Left), said.Say("due.text", "date", date)
	}
	return d
}
