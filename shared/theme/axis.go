package theme

import (
	"fmt"
	"html"
	"html/template"
	"strconv"
	"strings"

	"galla/shared/money"
)

// AxisChart is a chart of columns over a whole axis, such as the 24 hours of a day, with
// numbers beside it. A column that is empty keeps its place. It is as wide as the page
// allows: positions along the axis are percent, so letters keep their size.
type AxisChart struct {
	ChartText
	Columns []AxisColumn
	// Number writes a number of the vertical axis.
	Number func(int64) string
	// Least is where the axis ends if nothing is larger; zero is one.
	Least int64
	// Compared draws Before of all columns as a line. It is left out where nothing was.
	Compared bool
}

// AxisColumn is a column of an AxisChart.
type AxisColumn struct {
	Label  string // under it; empty: none
	Values string // shown on hover: what it is, and all its values
	Parts  []ChartPart
	Before int64 // what it is compared with
}

// Measures of an AxisChart, in pixels. chart.css has the space around the plot.
const (
	plotHeight = 180
	labelDrop  = 18 // from the axis to the baseline of the labels
	maxTicks   = 5  // above zero
)

// maxScale bounds an axis: its last tick fits an int64.
const maxScale = 5_000_000_000_000_000_000

// ticks returns the step and the number of steps of an axis that begins at zero and ends
// at top or a little above. Steps are 1, 2 or 5 times a power of ten; there are at most
// most of them, and at least one.
func ticks(top, most int64) (step, steps int64) {
	top = min(max(top, 1), maxScale)
	for power := int64(1); ; power *= 10 {
		for _, step = range []int64{power, 2 * power, 5 * power} {
			if steps = (top-1)/step + 1; steps <= most {
				return step, steps
			}
		}
	}
}

// percent writes a part of the width.
func percent(of, whole float64) string {
	return strconv.FormatFloat(100*of/whole, 'f', 2, 64) + "%"
}

// Draw returns the chart as SVG; "" without columns.
func (c AxisChart) Draw() template.HTML {
	if len(c.Columns) == 0 {
		return ""
	}
	top := max(c.Least, 1)
	for _, column := range c.Columns {
		top = max(top, ChartColumn{Parts: column.Parts}.sum())
		if c.Compared {
			top = max(top, column.Before)
		}
	}
	step, steps := ticks(top, maxTicks)
	scale := float64(step) * float64(steps)
	var out strings.Builder
	c.writeOpen(&out, "axes", "")
	for i := range steps + 1 {
		y := plotHeight - plotHeight*i/steps
		class := "grid"
		if i == 0 {
			class = "axis"
		}
		fmt.Fprintf(&out, `<line class="%s" x1="0" x2="100%%" y1="%d" y2="%d"/><text class="tick" x="-8" y="%d" text-anchor="end">%s</text>`, class, y, y, y+4, html.EscapeString(c.Number(i*step)))
	}
	for i, column := range c.Columns {
		column.write(&out, i, len(c.Columns), scale)
	}
	if c.Compared {
		c.writeLine(&out, scale)
	}
	out.WriteString(`</svg>`)
	return template.HTML(out.String()) // all its texts are escaped above
}

// write draws a column: the ground that is hovered, its parts from below, and its label.
func (c AxisColumn) write(out *strings.Builder, i, columns int, scale float64) {
	const gap = 0.14 // of a column's width, on each side
	at, all := float64(i), float64(columns)
	fmt.Fprintf(out, `<g><title>%s</title><rect class="ground" x="%s" y="0" width="%s" height="%d"/>`, html.EscapeString(c.Values), percent(at, all), percent(1, all), plotHeight)
	below := float64(plotHeight)
	for _, p := range c.Parts {
		if p.Value <= 0 {
			continue
		}
		height := min(max(float64(p.Value)*plotHeight/scale, 2), below) // anything is visible
		below -= height
		fmt.Fprintf(out, `<rect class="%s" x="%s" y="%.1f" width="%s" height="%.1f"/>`, html.EscapeString(p.Class), percent(at+gap, all), below, percent(1-2*gap, all), height)
	}
	out.WriteString(`</g>`)
	if c.Label != "" {
		fmt.Fprintf(out, `<text class="label" x="%s" y="%d" text-anchor="middle">%s</text>`, percent(at+0.5, all), plotHeight+labelDrop, html.EscapeString(c.Label))
	}
}

// writeLine draws the comparison, on a halo that keeps it apart from the columns.
func (c AxisChart) writeLine(out *strings.Builder, scale float64) {
	all := float64(len(c.Columns))
	y := func(i int) float64 { return plotHeight - float64(max(c.Columns[i].Before, 0))*plotHeight/scale }
	for _, class := range []string{"halo", "before"} {
		for i := 1; i < len(c.Columns); i++ {
			if c.Columns[i-1].Before <= 0 && c.Columns[i].Before <= 0 {
				continue // the axis is there
			}
			fmt.Fprintf(out, `<line class="%s" x1="%s" y1="%.1f" x2="%s" y2="%.1f"/>`, class, percent(float64(i)-0.5, all), y(i-1), percent(float64(i)+0.5, all), y(i))
		}
	}
}

// ChartRow is a row of a chart: a name, and bars from the same edge, the first drawn over
// the second.
type ChartRow struct {
	Label  string
	Bars   []ChartPart
	Note   string // at the end of the line
	Values string // shown on hover
}

// Measures of rows, in pixels.
const (
	rowHeight = 40
	rowText   = 14 // the baseline of the label
	rowBars   = 20
	rowBar    = 10
	maxAcross = 4 // ticks
)

// RowChart draws named bars over one axis, whose numbers number writes. "" without rows.
func RowChart(text ChartText, rows []ChartRow, number func(int64) string) template.HTML {
	if len(rows) == 0 {
		return ""
	}
	top := int64(1)
	for _, r := range rows {
		for _, b := range r.Bars {
			top = max(top, b.Value)
		}
	}
	step, steps := ticks(top, maxAcross)
	scale, bottom := float64(step)*float64(steps), len(rows)*rowHeight
	var out strings.Builder
	text.writeOpen(&out, "bars", fmt.Sprintf(` height="%d"`, bottom+labelDrop+4))
	for i := range steps + 1 {
		x, anchor, class := percent(float64(i), float64(steps)), "middle", "grid"
		switch i {
		case 0:
			anchor, class = "start", "axis"
		case steps:
			anchor = "end"
		}
		fmt.Fprintf(&out, `<line class="%s" x1="%s" x2="%s" y1="0" y2="%d"/><text class="tick" x="%s" y="%d" text-anchor="%s">%s</text>`, class, x, x, bottom, x, bottom+labelDrop, anchor, html.EscapeString(number(i*step)))
	}
	for i, r := range rows {
		y := i * rowHeight
		fmt.Fprintf(&out, `<g><title>%s</title><rect class="ground" x="0" y="%d" width="100%%" height="%d"/><text class="label" x="4" y="%d">%s</text><text class="label" x="100%%" y="%d" text-anchor="end">%s</text>`,
			html.EscapeString(r.Values), y, rowHeight, y+rowText, html.EscapeString(r.Label), y+rowText, html.EscapeString(r.Note))
		for n := len(r.Bars) - 1; n >= 0; n-- {
			fmt.Fprintf(&out, `<rect class="%s" x="0" y="%d" width="%s" height="%d"/>`, html.EscapeString(r.Bars[n].Class), y+rowBars, percent(float64(max(r.Bars[n].Value, 0)), scale), rowBar)
		}
		out.WriteString(`</g>`)
	}
	out.WriteString(`</svg>`)
	return template.HTML(out.String()) // all its texts are escaped above
}

// writeOpen begins a chart whose size the page's styles give.
func (t ChartText) writeOpen(out *strings.Builder, class, size string) {
	id := html.EscapeString(t.Name)
	fmt.Fprintf(out, `<svg id="%s" class="chart %s" role="img"%s aria-labelledby="%s-title %s-desc">`, id, class, size, id, id)
	fmt.Fprintf(out, `<title id="%s-title">%s</title><desc id="%s-desc">%s</desc>`, id, html.EscapeString(t.Title), id, html.EscapeString(t.Description))
}

// Numbers from which a number of an axis is written in lakh and in crore.
const (
	lakh  = 1_00_000
	crore = 1_00_00_000
)

// AxisNumber writes a count beside an axis: 500, 50,000, 2.5 lakh, 3 crore.
func AxisNumber(n int64) string {
	for _, unit := range []struct {
		of   int64
		name string
	}{{crore, " crore"}, {lakh, " lakh"}} {
		if n >= unit.of {
			whole := money.Group(n / unit.of)
			rest := strings.TrimRight(fmt.Sprintf("%02d", n%unit.of*100/unit.of), "0")
			if rest != "" {
				whole += "." + rest
			}
			return whole + unit.name
		}
	}
	return money.Group(n)
}

// AxisRupees writes an amount in paise beside an axis: ₹0.50, ₹500, ₹2.5 lakh.
func AxisRupees(paise int64) string {
	if p := money.Paise(paise); p.Fraction() != 0 {
		return p.Rupees()
	}
	return "₹" + AxisNumber(paise/int64(money.Rupee))
}
