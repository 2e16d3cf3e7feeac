package theme

import (
	"fmt"
	"html"
	"html/template"
	"strings"
)

// ChartPart is a piece of a column, from the bottom upwards, or a row's bar.
type ChartPart struct {
	Class string
	Value int64 // not negative
}

// ChartColumn is a column of a chart.
type ChartColumn struct {
	Label string // under it
	Parts []ChartPart
}

// ChartText is a chart's text for screen readers. Name is the element's id, unique on the
// page.
type ChartText struct{ Name, Title, Description string }

// Measures of columns, in units of the viewBox; the page scales it.
const (
	columnsHeight = 120
	labelHeight   = 18 // for the labels
	columnWidth   = 22
	columnGap     = 6
	labelEvery    = 5 // where there are many columns
	manyColumns   = 16
)

// ColumnChart draws columns on a common baseline. Their classes are those of the parts,
// label and axis. "" without columns.
func ColumnChart(text ChartText, columns []ChartColumn) template.HTML {
	if len(columns) == 0 {
		return ""
	}
	top := int64(1)
	for _, c := range columns {
		top = max(top, c.sum())
	}
	across := len(columns)*(columnWidth+columnGap) + columnGap
	var out strings.Builder
	text.writeStart(&out, across, columnsHeight)
	const plot = int64(columnsHeight - labelHeight)
	for i, c := range columns {
		x := columnGap + i*(columnWidth+columnGap)
		at := plot
		for _, p := range c.Parts {
			if p.Value <= 0 {
				continue
			}
			h := min(max(p.Value*plot/top, 2), at) // anything is visible
			at -= h
			fmt.Fprintf(&out, `<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="2"/>`, html.EscapeString(p.Class), x, at, columnWidth, h)
		}
		if len(columns) <= manyColumns || i == 0 || (i+1)%labelEvery == 0 {
			fmt.Fprintf(&out, `<text class="label" x="%d" y="%d" text-anchor="middle">%s</text>`, x+columnWidth/2, columnsHeight-4, html.EscapeString(c.Label))
		}
	}
	fmt.Fprintf(&out, `<path class="axis" d="M0 %d.5H%d"/></svg>`, plot, across)
	return template.HTML(out.String()) // all its texts are escaped above
}

func (c ChartColumn) sum() (n int64) {
	for _, p := range c.Parts {
		n += max(p.Value, 0)
	}
	return n
}

// ChartRow is a row of a chart: a name, and bars from the same edge, the first drawn over
// the second.
type ChartRow struct {
	Label string
	Bars  []ChartPart
	Note  string // beside the longest bar
}

// Measures of rows.
const (
	rowWidth  = 560
	rowHeight = 30
	rowBar    = 10
	rowNote   = 90 // for the note
	rowLabel  = 14
)

// RowChart draws named bars, all on one scale. "" without rows.
func RowChart(text ChartText, rows []ChartRow) template.HTML {
	if len(rows) == 0 {
		return ""
	}
	top := int64(1)
	for _, r := range rows {
		for _, b := range r.Bars {
			top = max(top, b.Value)
		}
	}
	var out strings.Builder
	text.writeStart(&out, rowWidth, len(rows)*rowHeight)
	for i, r := range rows {
		y := i * rowHeight
		fmt.Fprintf(&out, `<text class="label" x="0" y="%d">%s</text>`, y+rowLabel-3, html.EscapeString(r.Label))
		longest := int64(0)
		for n := len(r.Bars) - 1; n >= 0; n-- {
			w := max(r.Bars[n].Value, 0) * (rowWidth - rowNote) / top
			longest = max(longest, w)
			fmt.Fprintf(&out, `<rect class="%s" x="0" y="%d" width="%d" height="%d" rx="2"/>`, html.EscapeString(r.Bars[n].Class), y+rowLabel, w, rowBar)
		}
		fmt.Fprintf(&out, `<text class="label" x="%d" y="%d">%s</text>`, longest+6, y+rowLabel+rowBar-1, html.EscapeString(r.Note))
	}
	out.WriteString(`</svg>`)
	return template.HTML(out.String()) // all its texts are escaped above
}

func (t ChartText) writeStart(out *strings.Builder, across, down int) {
	id := html.EscapeString(t.Name)
	fmt.Fprintf(out, `<svg id="%s" class="chart" role="img" viewBox="0 0 %d %d" aria-labelledby="%s-title %s-desc">`, id, across, down, id, id)
	fmt.Fprintf(out, `<title id="%s-title">%s</title><desc id="%s-desc">%s</desc>`, id, html.EscapeString(t.Title), id, html.EscapeString(t.Description))
}
