package report

import (
	"strings"
	"testing"
)

func TestMedian(t *testing.T) {
	for want, values := range map[float64][]float64{0: nil, 2: {3, 1, 2}, 3: {4, 1, 3, 2}} {
		if got := Median(values); got != want {
			t.Errorf("the median of %v is %v", values, got)
		}
	}
}

func TestBound(t *testing.T) {
	if least := (Bound{AtLeast: 0.7}); !least.Holds(0.7) || least.Holds(0.69) || least.String() != "≥ 0.7" {
		t.Error(least)
	}
	if most := (Bound{AtMost: 2.2}); !most.Holds(2.2) || most.Holds(2.21) || most.String() != "≤ 2.2" {
		t.Error(most)
	}
	if (Bound{}).String() != "" || !(Bound{}).Holds(1e9) {
		t.Error("without a bound everything holds")
	}
}

func TestTables(t *testing.T) {
	r := Report{
		Machine: "2 cores", Warning: "not quiet",
		Ratios: []Ratio{
			{Work: "withdrawal", Of: "ours / raw", Rounds: []float64{0.9, 0.8, 0.7}, Must: Bound{AtLeast: 0.7}},
			{Work: "withdrawal", Of: "allocations", Rounds: []float64{851}, Must: Bound{AtMost: 250}, Unit: "of them"},
		},
		Figures: []Figure{{"withdrawal", "771 a second"}},
	}
	var terminal, markdown strings.Builder
	if err := r.Print(&terminal); err != nil {
		t.Fatal(err)
	}
	if err := r.Markdown(&markdown); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"0.80", "851 of them", "yes", "NO", "2 cores", "WARNING: not quiet"} {
		if !strings.Contains(terminal.String(), want) || !strings.Contains(markdown.String(), want) {
			t.Errorf("%q is missing in\n%s\n%s", want, &terminal, &markdown)
		}
	}
	if strings.Contains(terminal.String(), "771") || !strings.Contains(markdown.String(), "| withdrawal | 771 a second |") {
		t.Errorf("figures belong into the Markdown only:\n%s\n%s", &terminal, &markdown)
	}
}
