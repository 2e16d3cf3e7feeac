package console

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/central/staff"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/theme"
)

func (e *PartyPages) figureRoutes() []route {
	return []route{
		getRoute("now", staff.Viewer, e.now),
		getRoute("day", staff.Viewer, e.figures),
		getRoute("float", staff.Viewer, e.float),
		postRoute("float", staff.Operator, e.readFloat),
	}
}

// maxBanks is how many banks the day's chart has: those with most answers.
const maxBanks = 12

// hour is one hour of a day, with that of the same weekday a week before.
type hour struct {
	Label string // such as 09–10
	accounts.Totals
	Before accounts.Totals
}

// bank is a bank with its name.
type bank struct {
	Name string
	accounts.BankLatency
}

// figuresPage is a day's data.
type figuresPage struct {
	accounts.Day
	WeekHours     [24]accounts.Totals
	Week          accounts.Totals // of the same weekday a week before
	Before, After ist.Day         // After is empty for today
	WeekBefore    ist.Day
	Hours         []hour // from the first with an operation, on either day, to the last
	Banks         []bank
	Rest          int // banks that are not in Banks
	Outcomes      template.HTML
	Amounts       template.HTML
	Speeds        template.HTML
	Share         string // of those that succeeded among those that ended by themselves
}

func (e *PartyPages) figures(v *visit) error {
	day := cmp.Or(ist.Day(v.query().Get("day")), today())
	d, err := e.readDay(v.Context(), day, true)
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, page{Name: "day", Title: day.Noon().Format("Monday, 2 January 2006"), Data: d})
}

// readDay reads a day with its charts of hours, and of its banks if they are wanted.
func (e *PartyPages) readDay(ctx context.Context, day ist.Day, banks bool) (figuresPage, error) {
	f, err := e.Accounts.Figures(ctx, day, banks)
	if err != nil {
		return figuresPage{}, withWords(err)
	}
	// Figures has checked the day.
	d := figuresPage{Day: f.Day, Week: f.Week.Total, WeekHours: f.Week.Hours, Before: day.Add(-1), WeekBefore: day.Add(-7)}
	if day < today() {
		d.After = day.Add(1)
	}
	if ended := d.Total.Succeeded + d.Total.Failed; ended > 0 {
		d.Share = fmt.Sprintf("%.1f %%", float64(d.Total.Succeeded)*100/float64(ended))
	}
	d.drawHours(f.Week)
	if banks {
		d.drawBanks(e, f.Banks)
	}
	return d, nil
}

// drawHours makes the charts of all 24 hours and the table below them.
func (d *figuresPage) drawHours(week accounts.Day) {
	if d.Total.Count()+week.Total.Count() == 0 {
		return
	}
	outcomes := theme.AxisChart{Number: theme.AxisNumber, Compared: true, ChartText: theme.ChartText{Name: "outcomes", Title: "Operations by hour and outcome",
		Description: fmt.Sprintf("%s succeeded, %s failed, %s were refused, %s are open; the table below has each hour", formatCount(d.Total.Succeeded), formatCount(d.Total.Failed), formatCount(d.Total.Refused), formatCount(d.Total.Unfinished))}}
	amounts := theme.AxisChart{Number: theme.AxisRupees, Least: int64(money.Rupee), Compared: true, ChartText: theme.ChartText{Name: "amounts", Title: "Amounts by hour",
		Description: d.Total.Moved.Rupees() + " in all; the table below has each hour"}}
	last := 0
	for h, s := range d.Day.Hours {
		x := hour{Label: fmt.Sprintf("%02d–%02d", h, h+1), Totals: s, Before: week.Hours[h]}
		if n := s.Count() + x.Before.Count(); n > 0 || len(d.Hours) > 0 {
			d.Hours = append(d.Hours, x)
			if n > 0 {
				last = len(d.Hours)
			}
		}
		label := ""
		if h%3 == 0 {
			label = fmt.Sprintf("%02d", h)
		}
		outcomes.Columns = append(outcomes.Columns, theme.AxisColumn{Label: label, Before: int64(x.Before.Count()), Values: x.countsText(), Parts: []theme.ChartPart{
			{Class: "did", Value: int64(s.Succeeded)}, {Class: "open", Value: int64(s.Unfinished)}, {Class: "failed", Value: int64(s.Failed)}, {Class: "refused", Value: int64(s.Refused)},
		}})
		amounts.Columns = append(amounts.Columns, theme.AxisColumn{Label: label, Before: int64(x.Before.Moved), Parts: []theme.ChartPart{{Class: "sum", Value: int64(s.Moved)}},
			Values: fmt.Sprintf("%s: %s; a week before %s", x.Label, s.Moved.Rupees(), x.Before.Moved.Rupees())})
	}
	d.Hours = d.Hours[:last]
	d.Outcomes, d.Amounts = outcomes.Draw(), amounts.Draw()
}

// countsText has all counts of an hour.
func (x hour) countsText() string {
	return fmt.Sprintf("%s: %s succeeded, %s open, %s failed, %s refused; a week before %s in all", x.Label,
		formatCount(x.Succeeded), formatCount(x.Unfinished), formatCount(x.Failed), formatCount(x.Refused), formatCount(x.Before.Count()))
}

// drawBanks makes the chart of the banks' answers and the table beside it.
func (d *figuresPage) drawBanks(e *PartyPages, latencies []accounts.BankLatency) {
	var rows []theme.ChartRow
	for i, s := range latencies {
		if i == maxBanks {
			d.Rest = len(latencies) - maxBanks
			break
		}
		b := bank{bankName(e, s.IIN), s}
		d.Banks = append(d.Banks, b)
		rows = append(rows, theme.ChartRow{Label: b.Name, Note: fmt.Sprintf("%s / %s", b.MedianText(), b.P95Text()),
			Values: fmt.Sprintf("%s: median %s, 95th percentile %s, %s answers", b.Name, b.MedianText(), b.P95Text(), formatCount(b.Answers)),
			Bars:   []theme.ChartPart{{Class: "half", Value: s.Median.Milliseconds()}, {Class: "most", Value: s.P95.Milliseconds()}}})
	}
	d.Speeds = theme.RowChart(theme.ChartText{Name: "speeds", Title: "How long banks took to answer", Description: "The table below has each bank"}, rows, axisSeconds)
}

// axisSeconds writes a number of milliseconds beside an axis.
func axisSeconds(ms int64) string {
	return strconv.FormatFloat(float64(ms)/1000, 'f', -1, 64) + " s"
}

// bankName names a bank by its IIN; transfers have none.
func bankName(e *PartyPages, iin string) string {
	if iin == "" {
		return "Money transfers"
	}
	return cmp.Or(e.Banks.Name(iin), "IIN "+iin)
}

// seconds prints a duration to a tenth of a second.
func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// MedianText is the time within which half of the answers came.
func (b bank) MedianText() string { return formatUpTo(b.Median) }

// P95Text is the time within which 95 of a hundred answers came.
func (b bank) P95Text() string { return formatUpTo(b.P95) }

func formatUpTo(d time.Duration) string {
	switch {
	case d == 0:
		return "—"
	case d > accounts.LastLatencyStep*accounts.LatencyStep:
		return "more than " + seconds(accounts.LastLatencyStep*accounts.LatencyStep)
	}
	return seconds(d)
}

// How far the float's history goes back: whole days, in periods of a quarter of a day.
const (
	floatDays    = 7
	floatPeriods = 4 // of a day
	floatPeriod  = 24 * time.Hour / floatPeriods
	maxReadings  = 1000 // a week of quarters of an hour has 672
)

// floatPage is the float's data.
type floatPage struct {
	Aggregators []accounts.Aggregator
	Chosen      accounts.Aggregator // zero: there is none
	Newest      *accounts.FloatReading
	Readings    []accounts.FloatReading // newest first
	Picture     template.HTML
}

func (e *PartyPages) float(v *visit) error {
	return e.showFloat(v, central.AggregatorID(v.query().Get("aggregator")), http.StatusOK, "")
}

// showFloat shows one aggregator's float, by default the first one's.
func (e *PartyPages) showFloat(v *visit, id central.AggregatorID, status int, alert string) error {
	first, from, err := floatStart(today())
	if err != nil {
		return err
	}
	aggregators, err := e.Accounts.Aggregators(v.Context())
	if err != nil {
		return err
	}
	var chosen accounts.Aggregator
	for i, a := range aggregators {
		if a.ID == id || id == "" && i == 0 {
			chosen = a
		}
	}
	list, err := e.Accounts.FloatReadingsSince(v.Context(), chosen.ID, from, maxReadings)
	if err != nil {
		return err
	}
	d := floatPage{Aggregators: aggregators, Chosen: chosen, Picture: floatPicture(list, first, from)}
	if len(list) > 0 {
		d.Newest = &list[0]
	}
	d.Readings = list[:min(len(list), pageSize)]
	return v.show(status, page{Name: "float", Title: "Float", Alert: alert, Data: d})
}

// floatStart is the first day of the history that ends with a day, and when it begins.
func floatStart(last ist.Day) (first ist.Day, from time.Time, err error) {
	first = last.Add(1 - floatDays)
	from, _, err = first.Bounds()
	return first, from, err
}

// floatPicture draws the last reading of each period of the days since first, which begins
// at from; periods without one are empty.
func floatPicture(list []accounts.FloatReading, first ist.Day, from time.Time) template.HTML {
	if len(list) == 0 {
		return ""
	}
	chart := theme.AxisChart{Number: theme.AxisRupees, Least: int64(money.Rupee), Columns: make([]theme.AxisColumn, floatDays*floatPeriods)}
	for n := range chart.Columns {
		day, begins := first.Add(n/floatPeriods), n%floatPeriods*int(floatPeriod.Hours())
		c := &chart.Columns[n]
		c.Values = fmt.Sprintf("%s, %02d–%02d: no reading", day.Noon().Format("2 Jan"), begins, begins+int(floatPeriod.Hours()))
		if n%(2*floatPeriods) == 1 { // every second day, so that a phone has room
			c.Label = day.Noon().Format("2 Jan")
		}
	}
	low, high := list[0].Balance, list[0].Balance
	for _, r := range list { // newest first: the first of a period is its last reading
		low, high = min(low, r.Balance), max(high, r.Balance)
		n := int(r.At.Sub(from) / floatPeriod)
		if n < 0 || n >= len(chart.Columns) || chart.Columns[n].Parts != nil {
			continue
		}
		chart.Columns[n].Parts = []theme.ChartPart{{Class: "sum", Value: int64(r.Balance)}}
		chart.Columns[n].Values = fmt.Sprintf("%s: %s", r.At.In(ist.Zone()).Format("2 Jan, 15:04"), r.Balance.Rupees())
	}
	chart.ChartText = theme.ChartText{Name: "float", Title: "The float in the last seven days",
		Description: fmt.Sprintf("Between %s and %s; the table below has the latest readings", low.Rupees(), high.Rupees())}
	return chart.Draw()
}

func (e *PartyPages) readFloat(v *visit) error {
	id := central.AggregatorID(v.field("aggregator"))
	err := v.runAudited(staff.Change{What: "float.read", Subject: string(id)}, func(ctx context.Context) error {
		list, err := e.Accounts.Aggregators(ctx)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(list, func(a accounts.Aggregator) bool { return a.ID == id }) {
			return refuse("There is no such aggregator.")
		}
		_, err = e.Accounts.ReadFloat(ctx, id, v.Login())
		return withWords(err)
	})
	return v.after(err, func(status int, text string) error { return e.showFloat(v, id, status, text) }, Root+"float?aggregator="+url.QueryEscape(string(id)), "float-read")
}
