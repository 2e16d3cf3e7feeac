package estate

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
	"galla/central/console"
	"galla/central/operator"
	"galla/central/parties"
	"galla/shared/chart"
	"galla/shared/money"
)

func (e *Estate) figureRoutes() []console.Route {
	return []console.Route{
		get("figures", operator.Viewer, e.figures),
		get("float", operator.Viewer, e.float),
		post("float", operator.Operator, e.readFloat),
	}
}

// maxBanks is how many banks the day's picture has: those with most answers.
const maxBanks = 12

// hour is one of a day's, for the table beside the pictures.
type hour struct {
	Label string
	parties.Sums
}

// bank is a bank with its name.
type bank struct {
	Name string
	parties.Speed
}

// figuresPage is a day's data.
type figuresPage struct {
	parties.Day
	Before, After central.Day // After is empty where it would be tomorrow
	Hours         []hour      // from the first in which something was begun to the last
	Banks         []bank
	Rest          int // banks that are not among them
	Outcomes      template.HTML
	Amounts       template.HTML
	Speeds        template.HTML
	Share         string // of those that ended by themselves, how many succeeded
}

func (e *Estate) figures(v *console.Visit) {
	day := cmp.Or(central.Day(v.Query().Get("day")), today())
	f, err := e.Roll.Day(v.Context(), day)
	if err != nil {
		v.Fail(words(err))
		return
	}
	d := figuresPage{Day: f}
	at, _ := time.Parse(time.DateOnly, string(day)) // Day has read it
	d.Before = central.Day(at.AddDate(0, 0, -1).Format(time.DateOnly))
	if day < today() {
		d.After = central.Day(at.AddDate(0, 0, 1).Format(time.DateOnly))
	}
	if ended := f.All.Succeeded + f.All.Failed; ended > 0 {
		d.Share = fmt.Sprintf("%.1f %%", float64(f.All.Succeeded)*100/float64(ended))
	}
	d.draw(e)
	v.Show(http.StatusOK, console.Page{Name: "figures", Title: "The day " + string(day), Data: d})
}

// draw makes the pictures and the tables beside them.
func (d *figuresPage) draw(e *Estate) {
	all := d.Day.Hours[:]
	first := slices.IndexFunc(all, func(s parties.Sums) bool { return s.All() > 0 })
	var outcomes, amounts []chart.Column
	for h := first; first >= 0 && h < len(all); h++ {
		if !slices.ContainsFunc(all[h:], func(s parties.Sums) bool { return s.All() > 0 }) {
			break
		}
		s, label := all[h], fmt.Sprint(h)
		d.Hours = append(d.Hours, hour{label, s})
		outcomes = append(outcomes, chart.Column{Label: label, Parts: []chart.Part{
			{Class: "did", Value: int64(s.Succeeded)}, {Class: "open", Value: int64(s.Open)}, {Class: "failed", Value: int64(s.Failed)}, {Class: "refused", Value: int64(s.Refused)},
		}})
		amounts = append(amounts, chart.Column{Label: label, Parts: []chart.Part{{Class: "sum", Value: int64(s.Moved)}}})
	}
	d.Outcomes = chart.Columns(chart.Text{Name: "outcomes", Title: "Operations by hour and outcome",
		Description: fmt.Sprintf("%d succeeded, %d failed, %d were refused, %d are open; the table below has each hour", d.All.Succeeded, d.All.Failed, d.All.Refused, d.All.Open)}, outcomes)
	d.Amounts = chart.Columns(chart.Text{Name: "amounts", Title: "Amounts by hour", Description: d.All.Moved.Rupees() + " in all; the table below has each hour"}, amounts)
	var rows []chart.Row
	for i, s := range d.Day.Banks {
		if i == maxBanks {
			d.Rest = len(d.Day.Banks) - maxBanks
			break
		}
		b := bank{nameOf(e, s.IIN), s}
		d.Banks = append(d.Banks, b)
		rows = append(rows, chart.Row{Label: b.Name, Note: seconds(s.Q95), Bars: []chart.Part{
			{Class: "half", Value: s.Half.Milliseconds()}, {Class: "most", Value: s.Q95.Milliseconds()},
		}})
	}
	d.Speeds = chart.Rows(chart.Text{Name: "speeds", Title: "How long banks took to answer", Description: "The table below has each bank"}, rows)
}

// nameOf is a bank by its IIN; transfers name none.
func nameOf(e *Estate, iin string) string {
	if iin == "" {
		return "Money transfers"
	}
	return cmp.Or(e.Banks.Name(iin), "IIN "+iin)
}

// seconds is a time to a tenth of a second.
func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// HalfText and MostText are the times of half and of 95 in a hundred answers.
func (b bank) HalfText() string { return upTo(b.Half) }

// MostText is the time of 95 in a hundred.
func (b bank) MostText() string { return upTo(b.Q95) }

func upTo(d time.Duration) string {
	switch {
	case d == 0:
		return "—"
	case d > parties.LastStep*parties.StepLength:
		return "more than " + seconds(parties.LastStep*parties.StepLength)
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
	Aggregators []parties.Aggregator
	Chosen      parties.Aggregator // zero: there is none
	Newest      *parties.Reading
	Readings    []parties.Reading // the newest first
	Picture     template.HTML
}

func (e *Estate) float(v *console.Visit) {
	e.showFloat(v, central.AggregatorID(v.Query().Get("aggregator")), http.StatusOK, "")
}

// showFloat shows one aggregator's float, the first one's where none is named.
func (e *Estate) showFloat(v *console.Visit, id central.AggregatorID, status int, alert string) {
	now := time.Now()
	aggregators, err := e.Roll.Aggregators(v.Context())
	if err != nil {
		v.Fail(err)
		return
	}
	var chosen parties.Aggregator
	for i, a := range aggregators {
		if a.ID == id || id == "" && i == 0 {
			chosen = a
		}
	}
	list, err := e.Roll.ReadingsSince(v.Context(), chosen.ID, now.Add(-floatDays), maxReadings)
	if err != nil {
		v.Fail(err)
		return
	}
	d := floatPage{Aggregators: aggregators, Chosen: chosen, Picture: floatPicture(list, now)}
	if len(list) > 0 {
		d.Newest = &list[0]
	}
	d.Readings = list[:min(len(list), pageSize)]
	v.Show(status, console.Page{Name: "float", Title: "Float", Alert: alert, Data: d})
}

// floatPicture draws the last reading of each of the last week's stretches; those
// without one are empty.
func floatPicture(list []parties.Reading, now time.Time) template.HTML {
	if len(list) == 0 {
		return ""
	}
	columns := make([]chart.Column, floatColumns)
	const stretch = floatDays / floatColumns
	var low, high money.Paise = list[0].Balance, list[0].Balance
	for i, r := range list { // the newest first: the first of a stretch is its last word
		low, high = min(low, r.Balance), max(high, r.Balance)
		n := floatColumns - 1 - int(now.Sub(r.At)/stretch)
		if n < 0 || n >= floatColumns || columns[n].Parts != nil {
			continue
		}
		columns[n].Parts = []chart.Part{{Class: "sum", Value: int64(list[i].Balance)}}
	}
	for n := range columns {
		columns[n].Label = now.Add(-time.Duration(floatColumns-1-n) * stretch).In(india).Format("2 Jan, 15h")
	}
	columns[0].Label = "" // it would stand half outside
	return chart.Columns(chart.Text{Name: "float", Title: "The float in the last seven days",
		Description: fmt.Sprintf("Between %s and %s; the table below has the newest readings", low.Rupees(), high.Rupees())}, columns)
}

func (e *Estate) readFloat(v *console.Visit) {
	id := central.AggregatorID(v.Form("aggregator"))
	err := v.Do(operator.Change{What: "float.read", Subject: string(id)}, func(ctx context.Context) error {
		list, err := e.Roll.Aggregators(ctx)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(list, func(a parties.Aggregator) bool { return a.ID == id }) {
			return console.Refuse("There is no such aggregator.")
		}
		_, err = e.Roll.Float(ctx, id, v.Login())
		return words(err)
	})
	if err != nil {
		if status, text, ok := v.Told(err); ok {
			e.showFloat(v, id, status, text)
		}
		return
	}
	v.To(console.Root+"float?aggregator="+url.QueryEscape(string(id)), "float-read")
}
