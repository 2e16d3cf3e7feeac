package till

import (
	"fmt"
	"html/template"
	"slices"
	"time"

	"galla/edge"
	"galla/edge/cashbook"
	drawn "galla/shared/chart"
	"galla/shared/money"
	"galla/shared/op"
)

// Bar is one of a chart: a day's hour, or a month's day.
type Bar struct {
	Label string      // under it: 10, or 21
	Count int         // operations that succeeded
	Sum   money.Paise // what they were about
	In    money.Paise // cash that came into the drawer
	Out   money.Paise // and that left it
}

// shows tells whether the bar says anything.
func (b Bar) shows() bool { return b.Count > 0 || b.In > 0 || b.Out > 0 }

// tally counts an operation in the bar of when it was begun, and its cash in that
// of when it moved; at gives the bar of a time, nil: none.
func tally(r *edge.Record, at func(time.Time) *Bar) {
	if b := at(r.CreatedAt); b != nil && r.State == op.Succeeded && r.Class == op.Money {
		b.Count++
		b.Sum += r.Amount
	}
	for _, e := range cashbook.Of(*r) {
		if b := at(e.At); b != nil {
			in, out := cashbook.Sum([]cashbook.Entry{e})
			b.In, b.Out = b.In+in, b.Out+out
		}
	}
}

// Hours gives the bars of a day: one for each hour from the first in which
// something succeeded or cash moved to the last. None did: none.
func Hours(day Day, records []edge.Record, offset time.Duration) []Bar {
	var bars [24]Bar
	at := func(t time.Time) *Bar {
		if DayOf(t, offset) != day {
			return nil
		}
		return &bars[t.Add(offset).In(india()).Hour()]
	}
	for h := range bars {
		bars[h].Label = fmt.Sprint(h)
	}
	for i := range records {
		tally(&records[i], at)
	}
	first := slices.IndexFunc(bars[:], Bar.shows)
	if first < 0 {
		return nil
	}
	last := len(bars) - 1
	for !bars[last].shows() {
		last--
	}
	return bars[first : last+1]
}

// Days gives the bars of a day's month, one for each of its days.
func (t *Till) Days(day Day) ([]Bar, error) {
	offset, month := t.cfg.Offset(), day.Month()
	from, _ := month[0].Add(-lookBack).Span(offset)
	_, to := month[len(month)-1].Span(offset)
	bars := make([]Bar, len(month))
	for i := range bars {
		bars[i].Label = fmt.Sprint(i + 1)
	}
	at := func(t time.Time) *Bar {
		if i := slices.Index(month, DayOf(t, offset)); i >= 0 {
			return &bars[i]
		}
		return nil
	}
	err := t.each(from, to, func(r *edge.Record) { tally(r, at) })
	return bars, err
}

// Chart draws bars by their sums as SVG (package shared/chart). name is the element's id,
// one a page; the page puts the same numbers into a table beside it. Colours are
// the page's: classes till-bar, label and axis. No bars: "".
func Chart(name, title, description string, bars []Bar) template.HTML {
	columns := make([]drawn.Column, len(bars))
	for i, b := range bars {
		columns[i] = drawn.Column{Label: b.Label, Parts: []drawn.Part{{Class: "till-bar", Value: int64(b.Sum)}}}
	}
	return drawn.Columns(drawn.Text{Name: name, Title: title, Description: description}, columns)
}
