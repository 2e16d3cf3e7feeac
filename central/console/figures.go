package console

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
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
		getRoute("day", staff.Viewer, e.figures),
		getRoute("float", staff.Viewer, e.float),
		postRoute("float", staff.Operator, e.readFloat),
	}
}

// maxBanks is how many banks the day's chart has: those with most answers.
const maxBanks = 12

// hour is one hour of a day.
type hour struct {
	Label string
	accounts.Totals
}

// bank is a bank with its name.
type bank struct {
	Name string
	accounts.BankLatency
}

// figuresPage is a day's data.
type figuresPage struct {
	accounts.Day
	Before, After ist.Day // After is empty for today
	Hours         []hour  // from the first with an operation to the last
	Banks         []bank
	Rest          int // banks that are not in Banks
	Outcomes      template.HTML
	Amounts       template.HTML
	Speeds        template.HTML
	Share         string // of those that succeeded among those that ended by themselves
}

func (e *PartyPages) figures(v *visit) error {
	day := cmp.Or(ist.Day(v.query().Get("day")), today())
	f, err := e.Accounts.Day(v.Context(), day)
	if err != nil {
		return withWords(err)
	}
	d := figuresPage{Day: f}
	at, _ := time.Parse(time.DateOnly, string(day)) // Accounts.Day has checked it
	d.Before = ist.Day(at.AddDate(0, 0, -1).Format(time.DateOnly))
	if day < today() {
		d.After = ist.Day(at.AddDate(0, 0, 1).Format(time.DateOnly))
	}
	if ended := f.Total.Succeeded + f.Total.Failed; ended > 0 {
		d.Share = fmt.Sprintf("%.1f %%", float64(f.Total.Succeeded)*100/float64(ended))
	}
	d.draw(e)
	return v.show(http.StatusOK, page{Name: "day", Title: "The day " + string(day), Data: d})
}

// draw makes the charts and the tables beside them.
func (d *figuresPage) draw(e *PartyPages) {
	all := d.Day.Hours[:]
	first := slices.IndexFunc(all, func(s accounts.Totals) bool { return s.Count() > 0 })
	var outcomes, amounts []theme.ChartColumn
	for h := first; first >= 0 && h < len(all); h++ {
		if !slices.ContainsFunc(all[h:], func(s accounts.Totals) bool { return s.Count() > 0 }) {
			break
		}
		s, label := all[h], fmt.Sprint(h)
		d.Hours = append(d.Hours, hour{label, s})
		outcomes = append(outcomes, theme.ChartColumn{Label: label, Parts: []theme.ChartPart{
			{Class: "did", Value: int64(s.Succeeded)}, {Class: "open", Value: int64(s.Unfinished)}, {Class: "failed", Value: int64(s.Failed)}, {Class: "refused", Value: int64(s.Refused)},
		}})
		amounts = append(amounts, theme.ChartColumn{Label: label, Parts: []theme.ChartPart{{Class: "sum", Value: int64(s.Moved)}}})
	}
	d.Outcomes = theme.ColumnChart(theme.ChartText{Name: "outcomes", Title: "Operations by hour and outcome",
		Description: fmt.Sprintf("%d succeeded, %d failed, %d were refused, %d are open; the table below has each hour", d.Total.Succeeded, d.Total.Failed, d.Total.Refused, d.Total.Unfinished)}, outcomes)
	d.Amounts = theme.ColumnChart(theme.ChartText{Name: "amounts", Title: "Amounts by hour", Description: d.Total.Moved.Rupees() + " in all; the table below has each hour"}, amounts)
	var rows []theme.ChartRow
	for i, s := range d.Day.Banks {
		if i == maxBanks {
			d.Rest = len(d.Day.Banks) - maxBanks
			break
		}
		b := bank{bankName(e, s.IIN), s}
		d.Banks = append(d.Banks, b)
		rows = append(rows, theme.ChartRow{Label: b.Name, Note: seconds(s.P95), Bars: []theme.ChartPart{
			{Class: "half", Value: s.Median.Milliseconds()}, {Class: "most", Value: s.P95.Milliseconds()},
		}})
	}
	d.Speeds = theme.RowChart(theme.ChartText{Name: "speeds", Title: "How long banks took to answer", Description: "The table below has each bank"}, rows)
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

// HalfText is the time within which half of the answers came.
func (b bank) HalfText() string { return formatUpTo(b.Median) }

// MostText is the time within which 95 in a hundred came.
func (b bank) MostText() string { return formatUpTo(b.P95) }

func formatUpTo(d time.Duration) string {
	switch {
	case d == 0:
		return "—"
	case d > accounts.LastLatencyStep*accounts.LatencyStep:
		return "more than " + seconds(accounts.LastLatencyStep*accounts.LatencyStep)
	}
	return seconds(d)
}

// How far the float's history goes back.
const (
	floatDays    = 7 * 24 * time.Hour
	maxReadings  = 1000 // a week of quarters of an hour has 672
	floatColumns = 28   // six hours each
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
	now := time.Now()
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
	list, err := e.Accounts.FloatReadingsSince(v.Context(), chosen.ID, now.Add(-floatDays), maxReadings)
	if err != nil {
		return err
	}
	d := floatPage{Aggregators: aggregators, Chosen: chosen, Picture: floatPicture(list, now)}
	if len(list) > 0 {
		d.Newest = &list[0]
	}
	d.Readings = list[:min(len(list), pageSize)]
	return v.show(status, page{Name: "float", Title: "Float", Alert: alert, Data: d})
}

// floatPicture draws the last reading of each six hours of a week; periods without one
// are empty.
func floatPicture(list []accounts.FloatReading, now time.Time) template.HTML {
	if len(list) == 0 {
		return ""
	}
	columns := make([]theme.ChartColumn, floatColumns)
	const period = floatDays / floatColumns
	var low, high money.Paise = list[0].Balance, list[0].Balance
	for i, r := range list { // newest first: the first of a period is its last reading
		low, high = min(low, r.Balance), max(high, r.Balance)
		n := floatColumns - 1 - int(now.Sub(r.At)/period)
		if n < 0 || n >= floatColumns || columns[n].Parts != nil {
			continue
		}
		columns[n].Parts = []theme.ChartPart{{Class: "sum", Value: int64(list[i].Balance)}}
	}
	for n := range columns {
		columns[n].Label = now.Add(-time.Duration(floatColumns-1-n) * period).In(ist.Zone()).Format("2 Jan, 15h")
	}
	columns[0].Label = "" // it would be cut off
	return theme.ColumnChart(theme.ChartText{Name: "float", Title: "The float in the last seven days",
		Description: fmt.Sprintf("Between %s and %s; the table below has the newest readings", low.Rupees(), high.Rupees())}, columns)
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
