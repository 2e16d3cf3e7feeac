package dayend

import (
	"html/template"

	"galla/edge/cashbook"
	"galla/shared/theme"
)

// Chart draws bars by their sums as SVG (package shared/theme). name is the element's id;
// the page has the same numbers in a table. The page's styles give the colours: classes
// dayend-bar, label and axis. "" without bars.
func Chart(name, title, description string, bars []cashbook.Bar) template.HTML {
	columns := make([]theme.ChartColumn, len(bars))
	for i, b := range bars {
		columns[i] = theme.ChartColumn{Label: b.Label, Parts: []theme.ChartPart{{Class: "dayend-bar", Value: int64(b.Sum)}}}
	}
	return theme.ColumnChart(theme.ChartText{Name: name, Title: title, Description: description}, columns)
}
