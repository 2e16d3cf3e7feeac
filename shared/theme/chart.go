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

func (t ChartText) writeStart(out *strings.Builder, across, down int) {
	id := html.EscapeString(t.Name)
	fmt.Fprintf(out, `<svg id="%s" class="chart" role="img" viewBox="0 0 %d %d" aria-labelledby="%s-title %s-desc">`, id, across, down, id, id)
	fmt.Fprintf(out, `<title id="%s-title">%s</title><desc id="%s-desc">%s</desc>`, id, html.EscapeString(t.Title), id, html.EscapeString(t.Description))
}
