package till

import (
	"fmt"
	"html"
	"html/template"
	"strings"
	"time"

	"galla/edge"
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

// The chart's measures, in units of its viewBox; the page scales it.
const (
	chartHeight = 120
	chartFoot   = 18 // for the labels
	barWidth    = 22
	barGap      = 6
	labelEvery  = 5 // of many bars, so that labels do not touch
	manyBars    = 16
)

// Chart draws bars by their sums as SVG. name is the element's id, one a page;
// title and description say what it shows to people who can't see it; the page
// puts the same numbers into a table beside it. Colours are the page's: classes till-bar, label and axis. No bars: "".
func Chart(name, title, description string, bars []Bar) template.HTML {
	if len(bars) == 0 {
		return ""
	}
	top := money.Paise(1)
	for _, b := range bars {
		top = max(top, b.Sum)
	}
	width := len(bars)*(barWidth+barGap) + barGap
	plot := money.Paise(chartHeight - chartFoot)
	var out strings.Builder
	id := html.EscapeString(name)
	fmt.Fprintf(&out, `<svg id="%s" class="chart" role="img" viewBox="0 0 %d %d" aria-labelledby="%s-title %s-desc">`, id, width, chartHeight, id, id)
	fmt.Fprintf(&out, `<title id="%s-title">%s</title><desc id="%s-desc">%s</desc>`, id, html.EscapeString(title), id, html.EscapeString(description))
	for i, b := range bars {
		x := barGap + i*(barWidth+barGap)
		if b.Sum > 0 {
			h := max(b.Sum*plot/top, 2) // what happened is seen
			fmt.Fprintf(&out, `<rect class="till-bar" x="%d" y="%d" width="%d" height="%d" rx="2"/>`, x, plot-h, barWidth, h)
		}
		if len(bars) <= manyBars || i == 0 || (i+1)%labelEvery == 0 {
			fmt.Fprintf(&out, `<text class="label" x="%d" y="%d" text-anchor="middle">%s</text>`, x+barWidth/2, chartHeight-4, html.EscapeString(b.Label))
		}
	}
	fmt.Fprintf(&out, `<path class="axis" d="M0 %d.5H%d"/></svg>`, plot, width)
	return template.HTML(out.String()) // all text in it is escaped above
}
