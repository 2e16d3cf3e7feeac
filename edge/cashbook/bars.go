package cashbook

import (
	"fmt"
	"slices"
	"time"

	"galla/edge"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

// Bar is a bar of a chart: an hour of a day, or a day of a month.
type Bar struct {
	Label string      // under it: 10, or 21
	Count int         // operations that succeeded
	Sum   money.Paise // their total amount
	In    money.Paise // cash into the drawer
	Out   money.Paise // cash out of it
}

func (b Bar) hasData() bool { return b.Count > 0 || b.In > 0 || b.Out > 0 }

// count counts an operation in the bar of its creation.
func (b *Bar) count(r *edge.Record) {
	if r.State == op.Succeeded && r.Class == op.Money {
		b.Count++
		b.Sum += r.Amount
	}
}

func (b *Bar) add(cash ...Entry) {
	in, out := Sum(cash)
	b.In, b.Out = b.In+in, b.Out+out
}

// HourBars returns the bars of a day: one for each hour from the first in which something
// succeeded or cash moved to the last. Cash in the day's sums that moved earlier is in the
// first hour. No bars if nothing happened.
func (t *Book) HourBars(day ist.Day, moved []DayOperation) []Bar {
	offset := t.cfg.Offset()
	var bars [24]Bar
	hour := func(at time.Time) int {
		if ist.DayOf(at.Add(offset)) != day {
			return 0
		}
		return at.Add(offset).In(ist.Zone()).Hour()
	}
	for h := range bars {
		bars[h].Label = fmt.Sprint(h)
	}
	for _, m := range moved {
		if ist.DayOf(m.CreatedAt.Add(offset)) == day {
			bars[hour(m.CreatedAt)].count(&m.Record)
		}
		for _, e := range m.Cash {
			bars[hour(e.At)].add(e)
		}
	}
	first := slices.IndexFunc(bars[:], Bar.hasData)
	if first < 0 {
		return nil
	}
	last := len(bars) - 1
	for !bars[last].hasData() {
		last--
	}
	return bars[first : last+1]
}

// MonthBars returns the bars of a day's month, one for each day.
func (t *Book) MonthBars(day ist.Day) ([]Bar, error) {
	b, month := t.newAllocation(), day.Month()
	from, _ := span(month[0].Add(-1), b.offset) // known then, and in the sums of the day after
	_, to := span(month[len(month)-1], b.offset)
	bars := map[ist.Day]*Bar{}
	for i, of := range month {
		bars[of] = &Bar{Label: fmt.Sprint(i + 1)}
	}
	err := t.eachAffected(from, to, func(r *edge.Record) {
		if bar := bars[ist.DayOf(r.CreatedAt.Add(b.offset))]; bar != nil {
			bar.count(r)
		}
		for _, e := range b.entries(*r) {
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
