package dayend_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"galla/edge/cashbook"
	"galla/edge/ui/dayend"
	"galla/shared/money"
)

func TestChart(t *testing.T) {
	hours := []cashbook.Bar{{Label: "9", Count: 1, Sum: 500 * money.Rupee}, {Label: "10"}, {Label: "11", Count: 1, Sum: 1000 * money.Rupee}}
	svg := string(dayend.Chart("hours", "<b>&", "By hour", hours))
	want := `<svg id="hours" class="chart" role="img" viewBox="0 0 90 120" aria-labelledby="hours-title hours-desc"><title id="hours-title">&lt;b&gt;&amp;</title><desc id="hours-desc">By hour</desc>` +
		`<rect class="dayend-bar" x="6" y="51" width="22" height="51" rx="2"/><text class="label" x="17" y="116" text-anchor="middle">9</text>` +
		`<text class="label" x="45" y="116" text-anchor="middle">10</text>` +
		`<rect class="dayend-bar" x="62" y="0" width="22" height="102" rx="2"/><text class="label" x="73" y="116" text-anchor="middle">11</text>` +
		`<path class="axis" d="M0 102.5H90"/></svg>`
	if svg != want {
		t.Errorf("it is\n%s, want\n%s", svg, want)
	}
	month := make([]cashbook.Bar, 30)
	month[1], month[20] = cashbook.Bar{Label: "2", Count: 1, Sum: 100 * money.Rupee}, cashbook.Bar{Label: "21", Count: 2, Sum: 1500 * money.Rupee}
	for d := xml.NewDecoder(strings.NewReader(string(dayend.Chart("c", "t", "d", month)))); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the chart is no XML: %v", err)
		}
	}
	if dayend.Chart("c", "t", "d", nil) != "" {
		t.Error("a chart without bars was drawn")
	}
}
