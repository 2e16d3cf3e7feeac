package till

import (
	"fmt"
	"html/template"
	"time"

	"galla/edge"
	drawn "galla/shared/chart"
	"galla/shared/money"
	"galla/shared/op"
)

// Bar is one of a chart: a day's hour, or a month's day.
type Bar struct {
	Label string // under it: 10, or 21
	Count int    // operations that succeeded
	Sum   money.Paise
}

// Hours gives the bars of a day: one for each hour from the first in which
// something succeeded to the last. None did: none.
func Hours(records []edge.Record, offset time.Duration) []Bar {
	var bars [24]Bar
	first, last := len(bars), -1
	for _, r := range records {
		if r.State != op.Succeeded || r.Class != op.Money {
			continue
		}
		h := r.CreatedAt.Add(offset).In(india()).Hour()
		bars[h].Count++
		bars[h].Sum += r.Amount
		first, last = min(first, h), max(last, h)
	}
	for h := range bars {
		bars[h].Label = fmt.Sprint(h)
	}
	if last < 0 {
		return nil
	}
	return bars[first : last+1]
}

// Days gives the bars of a day's month, one for each of its days.
func (t *Till) Days(day Day) ([]Bar, error) {
	offset, month := t.cfg.Offset(), day.Month()
	from, _ := month[0].Span(offset)
	_, to := month[len(month)-1].Span(offset)
	bars := make([]Bar, len(month))
	for i := range bars {
		bars[i].Label = fmt.Sprint(i + 1)
	}
	err := t.each(from, to, func(r *edge.Record) {
		if r.State == op.Succeeded && r.Class == op.Money {
			at := r.CreatedAt.Add(offset).In(india()).Day() - 1
			bars[at].Count++
			bars[at].Sum += r.Amount
		}
	})
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
