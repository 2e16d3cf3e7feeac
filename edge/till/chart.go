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

// count counts an operation in the bar of when it was begun.
func (b *Bar) count(r *edge.Record) {
	if r.State == op.Succeeded && r.Class == op.Money {
		b.Count++
		b.Sum += r.Amount
	}
}

// add adds cash to a bar.
func (b *Bar) add(cash ...cashbook.Entry) {
	in, out := cashbook.Sum(cash)
	b.In, b.Out = b.In+in, b.Out+out
}

// Hours gives the bars of a day: one for each hour from the first in which
// something succeeded or cash moved to the last. Cash in the day's sums that moved
// before it, when an earlier day was closed already, is in the first hour. None
// did: none.
func Hours(day Day, moved []Moved, offset time.Duration) []Bar {
	var bars [24]Bar
	hour := func(t time.Time) int {
		if DayOf(t, offset) != day {
			return 0
		}
		return t.Add(offset).In(india()).Hour()
	}
	for h := range bars {
		bars[h].Label = fmt.Sprint(h)
	}
	for _, m := range moved {
		if DayOf(m.CreatedAt, offset) == day {
			bars[hour(m.CreatedAt)].count(&m.Record)
		}
		for _, e := range m.Cash {
			bars[hour(e.At)].add(e)
		}
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
	b, month := t.books(), day.Month()
	from, _ := month[0].Add(-1).Span(b.offset) // known then, and in the books of the day after
	_, to := month[len(month)-1].Span(b.offset)
	bars := map[Day]*Bar{}
	for i, of := range month {
		bars[of] = &Bar{Label: fmt.Sprint(i + 1)}
	}
	err := t.touched(from, to, func(r *edge.Record) {
		if bar := bars[DayOf(r.CreatedAt, b.offset)]; bar != nil {
			bar.count(r)
		}
		for _, e := range b.of(*r) {
			if bar := bars[e.Day]; bar != nil {
				bar.add(e.Entry)
			}
		}
	})
	out := make([]Bar, len(month))
	for i, of := range month {
		out[i] = *bars[of]
	}
	return out, err
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
