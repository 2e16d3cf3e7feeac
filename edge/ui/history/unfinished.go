package history

import (
	"cmp"
	"errors"
	"slices"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/ui"
	"galla/shared/op"
)

// Groups of unfinished operations, most urgent first.
const (
	groupCash     = "cash"      // paid and not given, or reversed: needs an answer about the cash
	groupAgent    = "agent"     // needs the agent
	groupQueued   = "queued"    // waits for the connection
	groupInFlight = "in-flight" // on its way, or enquired about
	groupPending  = "pending"   // the bank has not answered
)

type group struct {
	Name  string
	Title string
	Rows  []unfinishedRow
}

type unfinishedRow struct {
	outcome.Row
	Advice   string
	Deadline *ui.Meter // to the day on which the money must be back; nil: no account can be debited
	Owed     string    // compensation that the bank owes for later days
	Slip     string    // address of the customer's slip
}

// unfinished returns the operations with open cash or without a final outcome, in groups,
// newest first, up to limit, and how many more there are. Results beside an error are
// incomplete.
func (t *Pages) unfinished(w *i18n.Localizer, st edge.Status, limit int) (groups []group, more int, err error) {
	ids, err := t.book.UnfinishedIDs()
	views := []edge.View{}
	for _, id := range slices.Backward(ids) {
		if len(views) == limit {
			more = len(ids) - limit
			break
		}
		v, viewErr := t.counter.Operation(id)
		if viewErr == nil && !v.State.Final() {
			views = append(views, v)
		} else if viewErr != nil && !errors.Is(viewErr, edge.ErrNotFound) {
			err = errors.Join(err, viewErr)
		}
	}
	for _, v := range t.counter.Enquiries() {
		if !v.State.Final() { // they are not in the queue
			views = append(views, v)
		}
	}
	slices.SortStableFunc(views, func(a, b edge.View) int { return cmp.Compare(b.ID, a.ID) })
	byName := map[string][]unfinishedRow{}
	for _, v := range outcome.OpenCashViews(st) { // the longest waiting customer first
		byName[groupCash] = append(byName[groupCash], t.unfinishedRow(w, v, st))
	}
	for _, v := range views {
		name := groupOf(v, st.Link.Online)
		byName[name] = append(byName[name], t.unfinishedRow(w, v, st))
	}
	for _, name := range []string{groupCash, groupAgent, groupPending, groupInFlight, groupQueued} {
		if rows := byName[name]; len(rows) > 0 {
			groups = append(groups, group{Name: name, Title: w.Text("history.group."+name, "n", len(rows)), Rows: rows})
		}
	}
	return groups, more, err
}

func groupOf(v edge.View, up bool) string {
	switch {
	case v.State == op.Reserved:
		return groupAgent
	case v.State == op.Queued && !up:
		return groupQueued
	case v.State == op.Pending:
		return groupPending
	}
	return groupInFlight
}

func (t *Pages) unfinishedRow(w *i18n.Localizer, v edge.View, st edge.Status) unfinishedRow {
	d := outcome.Describe(w, v, st)
	row := unfinishedRow{Row: outcome.Rows(w, []edge.View{v}, st)[0], Advice: d.Lead}
	row.Word = d.Title // the list's own word repeats the advice
	// A transfer takes nothing from an account here: its cash is in the drawer.
	if v.State != op.Pending || v.Route != op.Withdrawal && v.Route != op.Purchase {
		return row
	}
	clock := edge.ReturnDeadlineOf(v.Record, st.Now, st.Link.Offset)
	due := w.Date(clock.Due.Noon())
	row.Deadline = &ui.Meter{
		Part: int64(clock.DaysPassed()), Whole: edge.TurnaroundDays, Label: w.Plural("history.deadline.left", clock.DaysLeft), Text: w.Text("history.deadline.by", "date", due),
	}
	switch {
	case clock.DaysLate > 0:
		row.Deadline.Label, row.Deadline.Text = w.Plural("history.deadline.late", clock.DaysLate), w.Text("history.deadline.was", "date", due)
		row.Owed = w.Text("history.deadline.owed", "amount", i18n.ShortRupees(clock.Owed), "rate", i18n.ShortRupees(edge.CompensationPerDay))
	case clock.DaysLeft == 0:
		row.Deadline.Label = w.Text("history.deadline.today")
	}
	row.Slip = row.Href + "/receipt"
	return row
}
