package till

import (
	"html/template"
	"net/http"
	"slices"

	"galla/edge"
	"galla/edge/told"
	"galla/edge/web"
	"galla/edge/words"
	"galla/shared/money"
	"galla/shared/op"
)

// shownRows bounds the operations that a day's page lists beside its sums; the
// page of all operations has them all.
const shownRows = 20

type dayData struct {
	Day      Day
	Title    string
	Previous Day
	Next     Day // empty: the day is today
	Today    Day
	LeftOpen []dayLink
	Shop     string
	Made     string // when the page was made, for paper
	Opening  string // how the opening cash came about
	Expected string
	Flows    web.Table
	Left     []leftRows
	Unsure   []told.Row // whose cash nobody has said was given or not
	Paid     string     // how many are paid so
	Earned   string     // the commission that was told; empty: none was
	EarnedOf string
	Hours    chart
	Closed   *closedData
	Printer  bool
	Broken   bool
}

type dayLink struct {
	Day  Day
	Text string
}

// chart is a drawing, what it says in one line, and its numbers.
type chart struct {
	SVG   template.HTML
	Text  string
	Table web.Table
	Cash  web.Table // that came in and went out; of its own, so that both fit a phone
}

// closedData is a closing as the pages show it.
type closedData struct {
	Facts      []web.Fact
	Difference string // in words
	Tone       string // ok, bad
	Notes      web.Table
	Open       []told.Row // that had no outcome when the day was closed
	Left       string     // how many they were
}

// day shows a day's cash: what the records say, or the closing that was kept.
func (m *Room) day(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	m.dayPage(w, r, ses, http.StatusOK, "")
}

func (m *Room) dayPage(w http.ResponseWriter, r *http.Request, ses *web.Session, status int, alert string) {
	said, st, day := ses.Words(), m.counter.Status(), m.dayOf(r)
	k, err := m.till.Reckon(day)
	closing, closed, closedErr := m.till.Closed(day)
	moved, movedErr := m.till.Moving(day)
	d := m.dayData(said, st, k, err, closedErr, movedErr)
	if m.cfg.Print != nil {
		d.Printer = closed
	}
	if closed {
		d.Closed = m.closed(said, st, closing)
		k.Opening, k.Lines, k.Expected = closing.Opening, closing.Lines, closing.Expected
		d.Left = nil
	}
	_, counted, openingErr := m.till.Opening(day)
	if openingErr != nil {
		m.kit.Failed(w, r, ses, openingErr)
		return
	}
	switch {
	case counted:
		d.Opening = said.Say("till.opening.counted")
	case k.Opening != 0:
		d.Opening = said.Say("till.opening.carried")
	default:
		d.Opening = said.Say("till.opening.none")
	}
	d.Flows, d.Expected = flowTable(said, k), words.Rupees(k.Expected)
	d.Hours = m.hours(said, day, moved)
	var begun []edge.Record
	for _, r := range moved {
		if DayOf(r.CreatedAt, m.till.cfg.Offset()) == day {
			begun = append(begun, r.Record)
		}
	}
	earned, of := Earned(begun)
	if of > 0 {
		d.Earned = words.Rupees(earned)
		d.EarnedOf = said.Count("till.earned.of", of)
	}
	p := web.Page{Name: "till/day", Title: said.Say("till.title"), Back: "/", Alert: alert, Data: d}
	if !closed {
		p.Refresh = refresh
	}
	m.kit.Render(w, r, ses, status, p)
}

func (m *Room) dayData(said *words.Words, st edge.Status, k Reckoning, errs ...error) dayData {
	d := dayData{
		Day: k.Day, Title: said.Date(k.Day.Date()), Previous: k.Day.Add(-1), Today: m.till.Today(), Shop: st.Merchant, Made: said.Stamp(st.Now),
	}
	if k.Day < d.Today {
		d.Next = k.Day.Add(1)
	}
	open, err := m.till.LeftOpen()
	for _, err := range append(errs, err) {
		if err != nil {
			d.Broken = true
			m.cfg.Logger.Error("a day can't be read in full", "day", k.Day, "error", err)
		}
	}
	for _, day := range open {
		if day != k.Day {
			d.LeftOpen = append(d.LeftOpen, dayLink{day, said.Date(day.Date())})
		}
	}
	d.Left = m.left(said, st, k, shownRows)
	d.Unsure, d.Paid = m.rows(said, st, some(ids(k.Asking))), number(len(k.Asking))
	return d
}

func ids(records []edge.Record) []op.ID {
	out := make([]op.ID, len(records))
	for i, r := range records {
		out[i] = r.ID
	}
	return out
}

// leftRows are operations without an outcome of which the same can be said.
type leftRows struct {
	Title string
	Hint  string
	Rows  []told.Row
	Ack   bool // a day is closed over them only where its operator saw them
}

// left puts what has no outcome under what is known of it, up to so many of
// each.
func (m *Room) left(said *words.Words, st edge.Status, k Reckoning, most int) (left []leftRows) {
	var asked, waiting []edge.Record
	for _, r := range k.Unsettled {
		if r.State == op.Queued {
			waiting = append(waiting, r)
		} else {
			asked = append(asked, r)
		}
	}
	for _, of := range []struct {
		title, hint string
		records     []edge.Record
		ack         bool
	}{
		{"till.unsettled", "till.unsettled.hint", asked, true},
		{"till.waiting", "till.waiting.hint", waiting, true},
		{"till.due", "till.due.hint", k.Due, false},
		{"till.begun", "till.begun.hint", k.Begun, false},
	} {
		if n := len(of.records); n > 0 {
			left = append(left, leftRows{
				Title: said.Say(of.title) + " · " + number(n), Hint: said.Say(of.hint), Ack: of.ack,
				Rows: m.rows(said, st, ids(of.records[:min(n, most)])),
			})
		}
	}
	return left
}

// some are the first operations of many.
func some(ids []op.ID) []op.ID { return ids[:min(len(ids), shownRows)] }

// rows are operations as lists show them, as they stand now.
func (m *Room) rows(said *words.Words, st edge.Status, ids []op.ID) []told.Row {
	var views []edge.View
	for _, id := range ids {
		if v, err := m.counter.Operation(id); err == nil {
			views = append(views, v)
		}
	}
	return told.Rows(said, views, st)
}

// flowTable is a day's movements of cash, with what was there before and what
// should be there now.
func flowTable(said *words.Words, k Reckoning) web.Table {
	t := web.Table{
		Caption: said.Say("till.flows"), Empty: said.Say("till.flows.none"),
		Heads: []web.Head{{Text: said.Say("till.flows.what")}, {Text: said.Say("till.flows.in"), Num: true}, {Text: said.Say("till.flows.out"), Num: true}},
	}
	for _, line := range k.Lines {
		row := []web.Cell{{Text: said.Say("till.flow."+string(line.Flow)) + " · " + number(line.Count)}, {Num: true}, {Num: true}}
		at := 1
		if line.Flow.Out() {
			at = 2
		}
		row[at].Text = words.Rupees(line.Amount)
		if line.Flow.Open() {
			row[0].Tone = "warn"
		}
		t.Rows = append(t.Rows, row)
	}
	opening := []web.Cell{{Text: said.Say("till.opening")}, {Text: words.Rupees(k.Opening), Num: true}, {Num: true}}
	t.Rows = append([][]web.Cell{opening}, t.Rows...)
	return t
}

func (m *Room) hours(said *words.Words, day Day, moved []Moved) chart {
	bars := Hours(day, moved, m.till.cfg.Offset())
	return chartOf(said, "hours", said.Say("till.hours"), said.Say("till.hours.head"), bars)
}

// chartOf draws bars, and puts the same numbers into a table.
func chartOf(said *words.Words, name, title, head string, bars []Bar) chart {
	var all Bar
	c := chart{Table: web.Table{Caption: title, Heads: []web.Head{{Text: head}, {Text: said.Say("till.chart.count"), Num: true}, {Text: said.Say("till.chart.sum"), Num: true}}}}
	c.Cash = web.Table{Caption: title, Heads: []web.Head{{Text: head}, {Text: said.Say("till.chart.in"), Num: true}, {Text: said.Say("till.chart.out"), Num: true}}}
	for _, b := range bars {
		all.Count, all.Sum = all.Count+b.Count, all.Sum+b.Sum
		if b.Count > 0 {
			c.Table.Rows = append(c.Table.Rows, []web.Cell{{Text: b.Label}, {Text: number(b.Count), Num: true}, {Text: words.Rupees(b.Sum), Num: true}})
		}
		if b.In > 0 || b.Out > 0 {
			c.Cash.Rows = append(c.Cash.Rows, []web.Cell{{Text: b.Label}, {Text: words.Rupees(b.In), Num: true}, {Text: words.Rupees(b.Out), Num: true}})
		}
	}
	c.Text = said.Count("till.chart.text", all.Count, "sum", words.Short(all.Sum))
	if all.Count > 0 {
		c.SVG = Chart(name, title, c.Text, bars)
	}
	return c
}

// number writes a count with Indian grouping.
func number(n int) string { return words.Short(money.Paise(n) * money.Rupee)[len("₹"):] }

// closed puts a closing into words.
func (m *Room) closed(said *words.Words, st edge.Status, c Closing) *closedData {
	d := &closedData{Open: m.rows(said, st, some(c.Unsettled)), Left: number(len(c.Unsettled))}
	d.Difference, d.Tone = difference(said, c.Difference())
	d.Facts = []web.Fact{
		{Label: said.Say("till.expected"), Value: words.Rupees(c.Expected)},
		{Label: said.Say("till.counted"), Value: words.Rupees(c.Counted)},
		{Label: said.Say("till.difference"), Value: d.Difference},
		{Label: said.Say("till.by"), Value: c.Operator},
		{Label: said.Say("till.at"), Value: said.Stamp(c.ClosedAt)},
		{Label: said.Say("till.done"), Value: number(c.Done)},
		{Label: said.Say("till.failed"), Value: number(c.Failed)},
	}
	if c.Reason != "" {
		d.Facts = slices.Insert(d.Facts, 3, web.Fact{Label: said.Say("till.reason"), Value: c.Reason})
	}
	d.Notes = web.Table{
		Caption: said.Say("till.notes"), Empty: said.Say("till.notes.none"),
		Heads: []web.Head{{Text: said.Say("till.notes.of")}, {Text: said.Say("till.notes.pieces"), Num: true}, {Text: said.Say("till.notes.sum"), Num: true}},
		Foot:  []web.Cell{{Text: said.Say("till.counted")}, {Num: true}, {Text: words.Rupees(c.Counted), Num: true}},
	}
	for _, p := range c.Count {
		d.Notes.Rows = append(d.Notes.Rows, []web.Cell{{Text: words.Short(p.Of)}, {Text: number(p.Pieces), Num: true}, {Text: words.Short(p.Of * money.Paise(p.Pieces)), Num: true}})
	}
	return d
}

// difference says how counted cash differs.
func difference(said *words.Words, p money.Paise) (text, tone string) {
	switch {
	case p < 0:
		return said.Say("till.difference.missing", "amount", words.Rupees(-p)), "bad"
	case p > 0:
		return said.Say("till.difference.over", "amount", words.Rupees(p)), "bad"
	}
	return said.Say("till.difference.none"), "ok"
}

type monthData struct {
	Day      Day
	Title    string
	Previous Day
	Next     Day // empty: the month is this one
	Chart    chart
	Closed   web.Table
	Broken   bool
}

// month shows a month by its days, with the closings that were kept.
func (m *Room) month(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	said, day := ses.Words(), m.dayOf(r)
	days := day.Month()
	first, last := days[0], days[len(days)-1]
	d := monthData{Day: day, Title: said.Date(first.Date()) + " – " + said.Date(last.Date()), Previous: first.Add(-1)}
	if last < m.till.Today() {
		d.Next = last.Add(1)
	}
	bars, err := m.till.Days(day)
	d.Chart = chartOf(said, "days", said.Say("till.month"), said.Say("till.month.head"), bars)
	closed, closedErr := m.closings(said, first, last)
	d.Closed = closed
	if err != nil || closedErr != nil {
		d.Broken = true
		m.cfg.Logger.Error("a month can't be read in full", "month", first, "error", err, "more", closedErr)
	}
	m.kit.Render(w, r, ses, http.StatusOK, web.Page{Name: "till/month", Title: said.Say("till.month"), Back: "/till?day=" + string(day), Data: d})
}

func (m *Room) closings(said *words.Words, first, last Day) (web.Table, error) {
	t := web.Table{
		Caption: said.Say("till.closings"), Empty: said.Say("till.closings.none"),
		Heads: []web.Head{{Text: said.Say("till.month.head")}, {Text: said.Say("till.counted"), Num: true}, {Text: said.Say("till.difference")}},
	}
	days, err := m.till.ledger.KeptDays(string(first), string(last))
	for _, day := range days {
		c, _, closedErr := m.till.Closed(Day(day))
		if closedErr != nil {
			err = closedErr
			continue
		}
		text, tone := difference(said, c.Difference())
		t.Rows = append(t.Rows, []web.Cell{
			{Text: said.Date(Day(day).Date()), Href: "/till?day=" + day}, {Text: words.Rupees(c.Counted), Num: true}, {Text: text, Tone: tone},
		})
	}
	return t, err
}
