package theme

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// checkWellFormed parses markup to its end.
func checkWellFormed(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
}

func TestColumnChart(t *testing.T) {
	text := ChartText{"c", `a<b>&"`, "d"}
	got := string(ColumnChart(text, []ChartColumn{{"9", []ChartPart{{"ok", 30}, {"bad", 10}}}, {"10", []ChartPart{{"ok", 0}, {"bad", 1}}}, {"11", nil}}))
	checkWellFormed(t, got)
	for _, want := range []string{
		`<title id="c-title">a&lt;b&gt;&amp;&#34;</title><desc id="c-desc">d</desc>`,
		`<rect class="ok" x="6" y="26" width="22" height="76" rx="2"/><rect class="bad" x="6" y="1" width="22" height="25" rx="2"/>`,
		`<rect class="bad" x="34" y="100" width="22" height="2" rx="2"/>`, // little, but visible
		`>11</text>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if n := strings.Count(got, "<rect"); n != 3 {
		t.Errorf("%d pieces in %s", n, got)
	}
	if ColumnChart(text, nil) != "" {
		t.Error("no columns are drawn")
	}
	crowded := make([]ChartColumn, 31)
	for i := range crowded {
		crowded[i] = ChartColumn{Label: "x", Parts: []ChartPart{{"ok", 1 << 40}}}
	}
	if got := string(ColumnChart(text, crowded)); strings.Count(got, "<text") != 7 {
		t.Errorf("of many columns every label is written: %s", got)
	}
	// Many small pieces stay inside the picture.
	small := ChartColumn{Parts: []ChartPart{{"big", 1 << 40}}}
	for range 200 {
		small.Parts = append(small.Parts, ChartPart{"small", 1})
	}
	if got := string(ColumnChart(text, []ChartColumn{small})); strings.Contains(got, `y="-`) || strings.Contains(got, `height="-`) {
		t.Errorf("a piece is outside: %s", got)
	}
}
