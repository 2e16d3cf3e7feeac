package dayend

import (
	"html/template"
	"net/http"
	"slices"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/ui"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

// maxListedRows bounds the operations listed beside the sums; the page of all operations
// lists every one.
const maxListedRows = 20

type dayData struct {
	Day             ist.Day
	Title           string
	Previous        ist.Day
	Next            ist.Day // empty: the day is today
	Today           ist.Day
	UnclosedDays    []dayLink
	Shop            string
	Made            string // when the page was made, for printing
	Opening         string // where the opening cash comes from
	Expected        string
	Flows           ui.Table
	UPI             string // what came to the shop's account; empty: nothing
	Unfinished      []unfinishedGroup
	Unanswered      []outcome.Row // operations whose cash nobody has answered for
	UnansweredCount string        // their number
	Commission      string        // the reported commission; empty: none
	CommissionCount string
	Chart           chart
	Closed          *closedData
	Printer         bool
	Broken          bool
}

type dayLink struct {
	Day  ist.Day
	Text string
}

type chart struct {
	SVG   template.HTML
	Text  string
	Table ui.Table
	Cash  ui.Table // cash in and out, in its own table to fit a phone
}

type closedData struct {
	Facts           []ui.Fact
	Difference      string // in words
	Tone            string // ok, bad
	Notes           ui.Table
	Unfinished      []outcome.Row // unfinished when the day was closed
	UnfinishedCount string        // their number
}

// renderDay shows a day's cash: the summary of the records, or the stored closing.
func (m *Pages) renderDay(w http.ResponseWriter, r *http.Request, ses *ui.Session, wrong ui.Problem) {
	words, st, day := ses.Words(), m.counter.Status(), m.dayOf(r)
	k, err := m.book.Summarize(day)
	closing, closed, closedErr := m.book.Closed(day)
	moved, movedErr := m.book.DayOperations(day)
	d := m.dayDataOf(words, st, k, err, closedErr, movedErr)
	if m.cfg.Print != nil {
		d.Printer = closed
	}
	if closed {
		d.Closed = m.closedDataOf(words, st, closing)
		k.Opening, k.Lines, k.Expected = closing.Opening, closing.Lines, closing.Expected
		d.Unfinished = nil
	}
	_, counted, openingErr := m.book.Opening(day)
	if openingErr != nil {
		m.kit.Fail(w, r, ses, openingErr)
		return
	}
	switch {
	case counted:
		d.Opening = words.Text("dayend.opening.counted")
	case k.Opening != 0:
		d.Opening = words.Text("dayend.opening.carried")
	default:
		d.Opening = words.Text("dayend.opening.none")
	}
	d.Flows, d.Expected = flowTable(words, k), i18n.Rupees(k.Expected)
	if k.UPI != (cashbook.BankMoney{}) {
		d.UPI = words.Plural("dayend.upi", k.UPI.Count, "amount", i18n.Rupees(k.UPI.Amount))
	}
	d.Chart = m.hourChart(words, day, moved)
	var begun []edge.Record
	for _, r := range moved {
		if m.book.DayOf(r.CreatedAt) == day {
			begun = append(begun, r.Record)
		}
	}
	earned, of := Commission(begun)
	if of > 0 {
		d.Commission = i18n.Rupees(earned)
		d.CommissionCount = words.Plural("dayend.commission.of", of)
	}
	p := ui.Page{Name: "dayend/day", Title: words.Text("dayend.title"), Back: "/", Alert: wrong.Alert, Data: d}
	if !closed {
		p.Refresh = refreshSeconds
	}
	m.kit.Render(w, r, ses, wrong.Status, p)
}

func (m *Pages) dayDataOf(words *i18n.Localizer, st edge.Status, k cashbook.Summary, errs ...error) dayData {
	d := dayData{
		Day: k.Day, Title: words.Date(k.Day.Noon()), Previous: k.Day.Add(-1), Today: m.book.Today(), Shop: st.Merchant, Made: words.DateTime(st.Now),
	}
	if k.Day < d.Today {
		d.Next = k.Day.Add(1)
	}
	open, err := m.book.UnclosedDays()
	for _, err := range append(errs, err) {
		if err != nil {
			d.Broken = true
			m.cfg.Logger.Error("a day can't be read in full", "day", k.Day, "error", err)
		}
	}
	for _, day := range open {
		if day != k.Day {
			d.UnclosedDays = append(d.UnclosedDays, dayLink{day, words.Date(day.Noon())})
		}
	}
	d.Unfinished = m.unfinishedGroups(words, st, k, maxListedRows)
	d.Unanswered, d.UnansweredCount = m.rowsOf(words, st, firstRows(cashbook.IDs(k.UnansweredCash))), number(len(k.UnansweredCash))
	return d
}

type unfinishedGroup struct {
	Title string
	Hint  string
	Rows  []outcome.Row
	Ack   bool // the user must have seen them before the day is closed
}

// unfinishedGroups groups the unfinished operations, with at most most rows in each group.
func (m *Pages) unfinishedGroups(words *i18n.Localizer, st edge.Status, k cashbook.Summary, most int) (left []unfinishedGroup) {
	var asked, waiting []edge.Record
	for _, r := range k.Unfinished {
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
		{"dayend.unfinished", "dayend.unfinished.hint", asked, true},
		{"dayend.waiting", "dayend.waiting.hint", waiting, true},
		{"dayend.cash-to-return", "dayend.cash-to-return.hint", k.CashToReturn, false},
		{"dayend.awaiting-finger", "dayend.awaiting-finger.hint", k.AwaitingFinger, false},
	} {
		if n := len(of.records); n > 0 {
			left = append(left, unfinishedGroup{
				Title: words.Text(of.title) + " · " + number(n), Hint: words.Text(of.hint), Ack: of.ack,
				Rows: m.rowsOf(words, st, cashbook.IDs(of.records[:min(n, most)])),
			})
		}
	}
	return left
}

func firstRows(ids []op.ID) []op.ID { return ids[:min(len(ids), maxListedRows)] }

func (m *Pages) rowsOf(words *i18n.Localizer, st edge.Status, ids []op.ID) []outcome.Row {
	var views []edge.View
	for _, id := range ids {
		if v, err := m.counter.Operation(id); err == nil {
			views = append(views, v)
		}
	}
	return outcome.Rows(words, views, st)
}

func flowTable(words *i18n.Localizer, k cashbook.Summary) ui.Table {
	t := ui.Table{
		Caption: words.Text("dayend.flows"), Empty: words.Text("dayend.flows.none"),
		Heads: []ui.Head{{Text: words.Text("dayend.flows.what")}, {Text: words.Text("dayend.flows.in"), Num: true}, {Text: words.Text("dayend.flows.out"), Num: true}},
	}
	for _, line := range k.Lines {
		row := []ui.Cell{{Text: words.Text("dayend.flow."+string(line.Flow)) + " · " + number(line.Count)}, {Num: true}, {Num: true}}
		at := 1
		if line.Flow.IsOut() {
			at = 2
		}
		row[at].Text = i18n.Rupees(line.Amount)
		if line.Flow.IsOpen() {
			row[0].Tone = "warn"
		}
		t.Rows = append(t.Rows, row)
	}
	opening := []ui.Cell{{Text: words.Text("dayend.opening")}, {Text: i18n.Rupees(k.Opening), Num: true}, {Num: true}}
	t.Rows = append([][]ui.Cell{opening}, t.Rows...)
	return t
}

func (m *Pages) hourChart(words *i18n.Localizer, day ist.Day, moved []cashbook.DayOperation) chart {
	bars := m.book.HourBars(day, moved)
	return chartOf(words, "hours", words.Text("dayend.hours"), words.Text("dayend.hours.head"), bars)
}

func chartOf(words *i18n.Localizer, name, title, head string, bars []cashbook.Bar) chart {
	var all cashbook.Bar
	c := chart{Table: ui.Table{Caption: title, Heads: []ui.Head{{Text: head}, {Text: words.Text("dayend.chart.count"), Num: true}, {Text: words.Text("dayend.chart.sum"), Num: true}}}}
	c.Cash = ui.Table{Caption: title, Heads: []ui.Head{{Text: head}, {Text: words.Text("dayend.chart.in"), Num: true}, {Text: words.Text("dayend.chart.out"), Num: true}}}
	for _, b := range bars {
		all.Count, all.Sum = all.Count+b.Count, all.Sum+b.Sum
		if b.Count > 0 {
			c.Table.Rows = append(c.Table.Rows, []ui.Cell{{Text: b.Label}, {Text: number(b.Count), Num: true}, {Text: i18n.Rupees(b.Sum), Num: true}})
		}
		if b.In > 0 || b.Out > 0 {
			c.Cash.Rows = append(c.Cash.Rows, []ui.Cell{{Text: b.Label}, {Text: i18n.Rupees(b.In), Num: true}, {Text: i18n.Rupees(b.Out), Num: true}})
		}
	}
	c.Text = words.Plural("dayend.chart.text", all.Count, "sum", i18n.ShortRupees(all.Sum))
	if all.Count > 0 {
		c.SVG = Chart(name, title, c.Text, bars)
	}
	return c
}

func number(n int) string { return i18n.ShortRupees(money.Paise(n) * money.Rupee)[len("₹"):] }

func (m *Pages) closedDataOf(words *i18n.Localizer, st edge.Status, c cashbook.Closing) *closedData {
	d := &closedData{Unfinished: m.rowsOf(words, st, firstRows(c.Unfinished)), UnfinishedCount: number(len(c.Unfinished))}
	d.Difference, d.Tone = difference(words, c.Difference())
	d.Facts = []ui.Fact{
		{Label: words.Text("dayend.expected"), Value: i18n.Rupees(c.Expected)},
		{Label: words.Text("dayend.counted"), Value: i18n.Rupees(c.Counted)},
		{Label: words.Text("dayend.difference"), Value: d.Difference},
		{Label: words.Text("dayend.by"), Value: c.Operator},
		{Label: words.Text("dayend.at"), Value: words.DateTime(c.ClosedAt)},
		{Label: words.Text("dayend.done"), Value: number(c.Done)},
		{Label: words.Text("dayend.failed"), Value: number(c.Failed)},
	}
	if c.Reason != "" {
		d.Facts = slices.Insert(d.Facts, 3, ui.Fact{Label: words.Text("dayend.reason"), Value: c.Reason})
	}
	d.Notes = ui.Table{
		Caption: words.Text("dayend.notes"), Empty: words.Text("dayend.notes.none"),
		Heads: []ui.Head{{Text: words.Text("dayend.notes.of")}, {Text: words.Text("dayend.notes.pieces"), Num: true}, {Text: words.Text("dayend.notes.sum"), Num: true}},
		Foot:  []ui.Cell{{Text: words.Text("dayend.counted")}, {Num: true}, {Text: i18n.Rupees(c.Counted), Num: true}},
	}
	for _, p := range c.Count {
		d.Notes.Rows = append(d.Notes.Rows, []ui.Cell{{Text: i18n.ShortRupees(p.Denomination)}, {Text: number(p.Pieces), Num: true}, {Text: i18n.ShortRupees(p.Denomination * money.Paise(p.Pieces)), Num: true}})
	}
	return d
}

func difference(words *i18n.Localizer, p money.Paise) (text, tone string) {
	switch {
	case p < 0:
		return words.Text("dayend.difference.missing", "amount", i18n.Rupees(-p)), "bad"
	case p > 0:
		return words.Text("dayend.difference.over", "amount", i18n.Rupees(p)), "bad"
	}
	return words.Text("dayend.difference.none"), "ok"
}

type monthData struct {
	Day      ist.Day
	Title    string
	Previous ist.Day
	Next     ist.Day // empty: it is the current month
	Chart    chart
	Closed   ui.Table
	Broken   bool
}

func (m *Pages) showMonth(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	words, day := ses.Words(), m.dayOf(r)
	days := day.Month()
	first, last := days[0], days[len(days)-1]
	d := monthData{Day: day, Title: words.Date(first.Noon()) + " – " + words.Date(last.Noon()), Previous: first.Add(-1)}
	if last < m.book.Today() {
		d.Next = last.Add(1)
	}
	bars, err := m.book.MonthBars(day)
	d.Chart = chartOf(words, "days", words.Text("dayend.month"), words.Text("dayend.month.head"), bars)
	closed, closedErr := m.closingTable(words, first, last)
	d.Closed = closed
	if err != nil || closedErr != nil {
		d.Broken = true
		m.cfg.Logger.Error("a month can't be read in full", "month", first, "error", err, "closedError", closedErr)
	}
	m.kit.Render(w, r, ses, http.StatusOK, ui.Page{Name: "dayend/month", Title: words.Text("dayend.month"), Back: "/day-end?day=" + string(day), Data: d})
}

func (m *Pages) closingTable(words *i18n.Localizer, first, last ist.Day) (ui.Table, error) {
	t := ui.Table{
		Caption: words.Text("dayend.closings"), Empty: words.Text("dayend.closings.none"),
		Heads: []ui.Head{{Text: words.Text("dayend.month.head")}, {Text: words.Text("dayend.counted"), Num: true}, {Text: words.Text("dayend.difference")}},
	}
	days, err := m.book.ClosedDays(first, last)
	for _, day := range days {
		c, _, closedErr := m.book.Closed(day)
		if closedErr != nil {
			err = closedErr
			continue
		}
		text, tone := difference(words, c.Difference())
		t.Rows = append(t.Rows, []ui.Cell{
			{Text: words.Date(day.Noon()), Href: "/day-end?day=" + string(day)}, {Text: i18n.Rupees(c.Counted), Num: true}, {Text: text, Tone: tone},
		})
	}
	return t, err
}
