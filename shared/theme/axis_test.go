package theme

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestTicks(t *testing.T) {
	for _, tt := range []struct{ top, most, step, steps int64 }{
		{0, 5, 1, 1}, {1, 5, 1, 1}, {5, 5, 1, 5}, {6, 5, 2, 3}, {11, 5, 5, 3}, {26, 5, 10, 3}, {100, 5, 20, 5}, {101, 5, 50, 3},
		{1_00_000, 5, 20_000, 5}, {12_34_567, 5, 5_00_000, 3}, {10_00_000, 4, 5_00_000, 2}, {1 << 62, 4, 2_000_000_000_000_000_000, 3}, {1<<63 - 1, 5, 1_000_000_000_000_000_000, 5},
	} {
		if step, steps := ticks(tt.top, tt.most); step != tt.step || steps != tt.steps {
			t.Errorf("ticks(%d, %d) = %d, %d, want %d, %d", tt.top, tt.most, step, steps, tt.step, tt.steps)
		}
	}
}

func TestAxisNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 50_000: "50,000", 1_00_000: "1 lakh", 2_50_000: "2.5 lakh", 20_00_000: "20 lakh", 1_00_00_000: "1 crore", 1_20_00_000: "1.2 crore", 1_05_00_000: "1.05 crore", 5_00_000_00_00_000: "5,00,000 crore"} {
		if got := AxisNumber(n); got != want {
			t.Errorf("AxisNumber(%d) = %q, want %q", n, got, want)
		}
	}
	for paise, want := range map[int64]string{0: "₹0", 20: "₹0.20", 50_000: "₹500", 1_50_000_00: "₹1.5 lakh"} {
		if got := AxisRupees(paise); got != want {
			t.Errorf("AxisRupees(%d) = %q, want %q", paise, got, want)
		}
	}
}

// day is a chart of 24 hours with one part in one of them.
func day(value, before int64) AxisChart {
	c := AxisChart{ChartText: ChartText{"day", `a<b>&"`, "d"}, Number: AxisNumber, Compared: true}
	for h := range 24 {
		c.Columns = append(c.Columns, AxisColumn{Label: fmt.Sprintf("%02d", h), Values: fmt.Sprintf("hour %d: <none>", h)})
	}
	c.Columns[9].Parts = []ChartPart{{"did", value}, {"failed", 0}}
	c.Columns[10].Before = before
	return c
}

var (
	heights = regexp.MustCompile(`<rect class="(?:did|failed)"[^>]* y="([0-9.-]+)"[^>]* height="([0-9.-]+)"`)
	numbers = regexp.MustCompile(`<text class="tick"[^>]*>([^<]*)<`)
)

// TestAxisChart: with one operation and with a million the axis has all its hours and
// round numbers, and the column is inside the plot.
func TestAxisChart(t *testing.T) {
	for value, want := range map[int64]string{1: "0 1", 1_000_000: "0 2 lakh 4 lakh 6 lakh 8 lakh 10 lakh"} {
		got := string(day(value, 0).Draw())
		checkWellFormed(t, got)
		var read []string
		for _, m := range numbers.FindAllStringSubmatch(got, -1) {
			read = append(read, m[1])
		}
		if strings.Join(read, " ") != want {
			t.Errorf("the axis of %d has %q, want %s", value, read, want)
		}
		if n := strings.Count(got, "<g><title>"); n != 24 {
			t.Errorf("%d columns have values", n)
		}
		m := heights.FindAllStringSubmatch(got, -1)
		if len(m) != 1 || m[0][1] != "0.0" || m[0][2] != strconv.Itoa(plotHeight)+".0" {
			t.Errorf("the column of %d is %q", value, m)
		}
	}
}

func TestAxisChartCompares(t *testing.T) {
	got := string(day(50, 100).Draw())
	for _, want := range []string{
		`<title id="day-title">a&lt;b&gt;&amp;&#34;</title><desc id="day-desc">d</desc>`, `<title>hour 9: &lt;none&gt;</title>`,
		`<rect class="did" x="38.08%" y="90.0" width="3.00%" height="90.0"/>`,
		`<line class="before" x1="39.58%" y1="180.0" x2="43.75%" y2="0.0"/>`, `<line class="before" x1="43.75%" y1="0.0" x2="47.92%" y2="180.0"/>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if n := strings.Count(got, `class="before"`); n != 2 {
		t.Errorf("the line has %d pieces where two are above the axis", n)
	}
	alone := day(50, 100)
	alone.Compared = false
	if got := string(alone.Draw()); strings.Contains(got, "before") || !strings.Contains(got, `height="180.0"/>`) {
		t.Errorf("what is not compared has a line, or changes the scale: %s", got)
	}
	empty := AxisChart{Number: AxisRupees, Least: 100, Columns: make([]AxisColumn, 24), Compared: true}
	if got := string(empty.Draw()); !strings.Contains(got, ">₹1</text>") || strings.Contains(got, "before") || strings.Count(got, "<g>") != 24 {
		t.Errorf("the empty chart is %s", got)
	}
	if (AxisChart{}).Draw() != "" {
		t.Error("no columns are drawn")
	}
}

// TestLittleIsVisible: one among a million is drawn, and many of them stay inside the plot.
func TestLittleIsVisible(t *testing.T) {
	c := day(1_000_000, 0)
	c.Columns[20].Parts = []ChartPart{{"failed", 1}}
	for range 200 {
		c.Columns[9].Parts = append(c.Columns[9].Parts, ChartPart{"failed", 1})
	}
	got := string(c.Draw())
	if !strings.Contains(got, `height="2.0"/>`) {
		t.Errorf("one of a million is not seen: %s", got)
	}
	for _, m := range heights.FindAllStringSubmatch(got, -1) {
		if y, err := strconv.ParseFloat(m[1], 64); err != nil || y < 0 || strings.HasPrefix(m[2], "-") {
			t.Errorf("a part is outside: %q", m)
		}
	}
}

func TestRowChart(t *testing.T) {
	tenths := func(n int64) string { return strconv.FormatInt(n, 10) + " ms" }
	got := string(RowChart(ChartText{"r", "t", "d"}, []ChartRow{
		{Label: "Bank <A>", Bars: []ChartPart{{"half", 50}, {"most", 100}}, Note: "100 ms", Values: "Bank <A>: median 50 ms"}, {Label: "B", Bars: []ChartPart{{"half", -1}}},
	}, tenths))
	checkWellFormed(t, got)
	for _, want := range []string{`height="102"`, "<title>Bank &lt;A&gt;: median 50 ms</title>", `<rect class="most" x="0" y="20" width="100.00%"`, `<rect class="half" x="0" y="20" width="50.00%"`, `<rect class="half" x="0" y="60" width="0.00%"`, `text-anchor="start">0 ms<`, `text-anchor="end">100 ms<`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if strings.Index(got, `class="most"`) > strings.Index(got, `class="half"`) {
		t.Error("the longer bar covers the shorter one")
	}
	if RowChart(ChartText{}, nil, tenths) != "" {
		t.Error("no rows are drawn")
	}
}
