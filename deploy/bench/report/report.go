// Package report prints what was measured: ratios for everybody, figures in Markdown for
// deploy/docs/capacity.md.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Ratio compares two sides of one work. It has one value for each round.
type Ratio struct {
	Work   string    // what was done, such as "withdrawal, SQLite, 32 connections"
	Of     string    // the two sides, such as "rate: ours / raw"
	Rounds []float64 // in the order in which they were measured
	Must   Bound     // zero: there is none
	Unit   string    // empty: a ratio
}

// Bound is what a ratio must be.
type Bound struct {
	AtLeast, AtMost float64 // 0: no such bound
}

func (b Bound) String() string {
	switch {
	case b.AtLeast > 0:
		return fmt.Sprintf("≥ %.4g", b.AtLeast)
	case b.AtMost > 0:
		return fmt.Sprintf("≤ %.4g", b.AtMost)
	}
	return ""
}

// Holds tells whether a value is within the bound.
func (b Bound) Holds(v float64) bool {
	return (b.AtLeast == 0 || v >= b.AtLeast) && (b.AtMost == 0 || v <= b.AtMost)
}

// Median is the middle one of some values, the upper of two; 0 without any.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// verdict is what people read first.
func (r Ratio) verdict() string {
	switch {
	case r.Must == Bound{}:
		return ""
	case r.Must.Holds(Median(r.Rounds)):
		return "yes"
	}
	return "NO"
}

// Figure is an absolute value with its unit: it holds for this machine only.
type Figure struct {
	What  string
	Value string
}

// Report is what a run has measured.
type Report struct {
	Machine string // its cores, load, and whether it was quiet
	Warning string // empty: the machine was quiet
	Ratios  []Ratio
	Figures []Figure
}

// Print writes the ratios for a terminal.
func (r *Report) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "work\tratio\tmedian\tlowest\thighest\tmust be\theld")
	for _, x := range r.Ratios {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", x.Work, x.Of, x.format(Median(x.Rounds)), x.format(slices.Min(x.Rounds)), x.format(slices.Max(x.Rounds)), x.Must, x.verdict())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "\n"+r.footing())
	return err
}

// Markdown writes ratios and figures as the tables of deploy/docs/capacity.md.
func (r *Report) Markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(r.footing() + "\n\n| work | ratio | median | from – to | must be | held |\n|---|---|---|---|---|---|\n")
	for _, x := range r.Ratios {
		fmt.Fprintf(&b, "| %s | %s | %s | %s – %s | %s | %s |\n", x.Work, x.Of, x.format(Median(x.Rounds)), x.format(slices.Min(x.Rounds)), x.format(slices.Max(x.Rounds)), x.Must, x.verdict())
	}
	if len(r.Figures) > 0 {
		b.WriteString("\n| what | figure |\n|---|---|\n")
		for _, f := range r.Figures {
			fmt.Fprintf(&b, "| %s | %s |\n", f.What, f.Value)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) footing() string {
	text := r.Machine
	if r.Warning != "" {
		text += "\nWARNING: " + r.Warning
	}
	return text
}

func (r Ratio) format(v float64) string {
	text := fmt.Sprintf("%.2f", v)
	if v >= 100 {
		text = fmt.Sprintf("%.0f", v)
	}
	if r.Unit != "" {
		text += " " + r.Unit
	}
	return text
}
