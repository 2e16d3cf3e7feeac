package truth

import (
	"errors"
	"slices"

	"galla/edge"
	"galla/edge/told"
	"galla/edge/web"
	"galla/edge/words"
	"galla/shared/op"
)

// groups of open operations, in the order in which they need somebody.
const (
	groupCash    = "cash"    // paid and not given, or taken back: waits for somebody's answer
	groupHere    = "here"    // waits for the agent
	groupQueued  = "queued"  // waits for the line
	groupFlight  = "flight"  // on its way, or being asked about
	groupPending = "pending" // the bank has not answered
)

// lately is how many of the newest operations are looked at for enquiries that
// wait: an agent begins them one by one.
const lately = 20

// group is the open operations that wait for the same.
type group struct {
	Name  string
	Title string
	Rows  []openRow
}

// openRow is an open operation with what it means and what to do.
type openRow struct {
	told.Row
	Lead  string
	Clock *web.Meter // to the day on which the money is back; nil: no account may be debited
	Owed  string     // what the bank owes for the days after it
	Slip  string     // where the customer's slip is printed
}

// open gives the operations whose cash is open, and those without an outcome, by
// what they wait for, newest first, up to limit, and how many more there are. An error beside them says that some can't
// be read.
func (t *Room) open(w *words.Words, st edge.Status, limit int) (groups []group, more int, err error) {
	ids, err := t.till.Open()
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
	latest, recentErr := t.counter.Recent("", lately)
	for _, v := range latest { // enquiries stand in no queue
		if v.Volatile && !v.State.Final() {
			views = append(views, v)
		}
	}
	slices.SortStableFunc(views, func(a, b edge.View) int { return -compare(a.ID, b.ID) })
	byName := map[string][]openRow{}
	for _, v := range told.CashViews(st) { // the customer who waits longest first
		byName[groupCash] = append(byName[groupCash], t.openRow(w, v, st))
	}
	for _, v := range views {
		name := groupOf(v, st.Link.Up)
		byName[name] = append(byName[name], t.openRow(w, v, st))
	}
	for _, name := range []string{groupCash, groupHere, groupPending, groupFlight, groupQueued} {
		if rows := byName[name]; len(rows) > 0 {
			groups = append(groups, group{Name: name, Title: w.Say("truth.group."+name, "n", len(rows)), Rows: rows})
		}
	}
	return groups, more, errors.Join(err, recentErr)
}

func compare(a, b op.ID) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func groupOf(v edge.View, up bool) string {
	switch {
	case v.State == op.Reserved:
		return groupHere
	case v.State == op.Queued && !up:
		return groupQueued
	case v.State == op.Pending:
		return groupPending
	}
	return groupFlight
}

func (t *Room) openRow(w *words.Words, v edge.View, st edge.Status) openRow {
	said := told.Tell(w, v, st)
	row := openRow{Row: told.Rows(w, []edge.View{v}, st)[0], Lead: said.Lead}
	row.Word = said.Title // its line for lists says what the lead says
	// A transfer takes nothing from an account here: its cash is in the drawer.
	if v.State != op.Pending || v.Route != op.Withdrawal && v.Route != op.Purchase {
		return row
	}
	clock := t.till.Clock(v.Record)
	due := w.Date(clock.Due.Date())
	row.Clock = &web.Meter{
		Part: int64(clock.Day()), Whole: edge.ReturnDays, Label: w.Count("truth.clock.left", clock.Left), Text: w.Say("truth.clock.by", "date", due),
	}
	switch {
	case clock.Late > 0:
		row.Clock.Label, row.Clock.Text = w.Count("truth.clock.late", clock.Late), w.Say("truth.clock.was", "date", due)
		row.Owed = w.Say("truth.clock.owed", "amount", words.Short(clock.Owed), "rate", words.Short(edge.OwedPerDay))
	case clock.Left == 0:
		row.Clock.Label = w.Say("truth.clock.today")
	}
	row.Slip = row.Href + "/receipt"
	return row
}
