// Package chart draws figures as SVG, to stand inside of a page: columns for the
// hours of a day or the days of a month, and rows for things that have names.
//
// It promises well-formed markup with every text escaped, no script, no style and
// no colour of its own: what is drawn has classes, and the page's styles give them
// colour. A chart has a title and a description for people who can't see it, and
// the page puts the same numbers into a table beside it.
package chart

import (
	"fmt"
	"html"
	"html/template"
	"strings"
)

// Part is a piece of a column, from the foot upwards, or a row's bar.
type Part struct {
	Class string
	Value int64 // not negative
}

// Column is one of a chart's.
type Column struct {
	Label string // under it
	Parts []Part
}

// Text is what a chart says to people who can't see it. Name is the element's id,
// one a page.
type Text struct{ Name, Title, Description string }

// The measures of columns, in units of the viewBox; the page scales it.
const (
	height     = 120
	foot       = 18 // for the labels
	width      = 22
	gap        = 6
	labelEvery = 5 // of many columns, so that labels do not touch
	many       = 16
)

// Columns draws columns that stand on one line. Their classes are those of the
// parts, label and axis. No columns: "".
func Columns(text Text, columns []Column) template.HTML {
	if len(columns) == 0 {
		return ""
	}
	top := int64(1)
	for _, c := range columns {
		top = max(top, c.sum())
	}
	across := len(columns)*(width+gap) + gap
	var out strings.Builder
	text.open(&out, across, height)
	const plot = int64(height - foot)
	for i, c := range columns {
		x := gap + i*(width+gap)
		at := plot
		for _, p := range c.Parts {
			if p.Value <= 0 {
				continue
			}
			h := min(max(p.Value*plot/top, 2), at) // what happened is seen
			at -= h
			fmt.Fprintf(&out, `<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="2"/>`, html.EscapeString(p.Class), x, at, width, h)
		}
		if len(columns) <= many || i == 0 || (i+1)%labelEvery == 0 {
			fmt.Fprintf(&out, `<text class="label" x="%d" y="%d" text-anchor="middle">%s</text>`, x+width/2, height-4, html.EscapeString(c.Label))
		}
	}
	fmt.Fprintf(&out, `<path class="axis" d="M0 %d.5H%d"/></svg>`, plot, across)
	return template.HTML(out.String()) // all text in it is escaped above
}

func (c Column) sum() (n int64) {
	for _, p := range c.Parts {
		n += max(p.Value, 0)
	}
	return n
}

// Row is one of a chart of rows: a name, and bars from the same edge, the first of
// which is drawn over the second.
type Row struct {
	Label string
	Bars  []Part
	Note  string // beside the longest bar
}

// The measures of rows.
const (
	rowAcross = 560
	rowHeight = 30
	rowBar    = 10
	rowNote   = 90 // for the note
	rowLabel  = 14
)

// Rows draws bars with names, the values of all on one scale. No rows: "".
func Rows(text Text, rows []Row) template.HTML {
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
	text.open(&out, rowAcross, len(rows)*rowHeight)
	for i, r := range rows {
		y := i * rowHeight
		fmt.Fprintf(&out, `<text class="label" x="0" y="%d">%s</text>`, y+rowLabel-3, html.EscapeString(r.Label))
		longest := int64(0)
		for n := len(r.Bars) - 1; n >= 0; n-- {
			w := max(r.Bars[n].Value, 0) * (rowAcross - rowNote) / top
			longest = max(longest, w)
			fmt.Fprintf(&out, `<rect class="%s" x="0" y="%d" width="%d" height="%d" rx="2"/>`, html.EscapeString(r.Bars[n].Class), y+rowLabel, w, rowBar)
		}
		fmt.Fprintf(&out, `<text class="label" x="%d" y="%d">%s</text>`, longest+6, y+rowLabel+rowBar-1, html.EscapeString(r.Note))
	}
	out.WriteString(`</svg>`)
	return template.HTML(out.String()) // all text in it is escaped above
}

// open begins the element.
func (t Text) open(out *strings.Builder, across, down int) {
	id := html.EscapeString(t.Name)
	fmt.Fprintf(out, `<svg id="%s" class="chart" role="img" viewBox="0 0 %d %d" aria-labelledby="%s-title %s-desc">`, id, across, down, id, id)
	fmt.Fprintf(out, `<title id="%s-title">%s</title><desc id="%s-desc">%s</desc>`, id, html.EscapeString(t.Title), id, html.EscapeString(t.Description))
}
