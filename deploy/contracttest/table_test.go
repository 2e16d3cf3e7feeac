package contracttest

import (
	"fmt"
	"testing"
)

// row is one sentence of the document that promises something.
type row struct {
	section string
	says    string
	holds   func(t *testing.T, h *house)
}

// TestContract walks the table, and prints how many sentences it holds.
func TestContract(t *testing.T) {
	var rows []row
	for _, part := range [][]row{modes(), envelopes(), transactions(), agents(), customers(), remitters(), transfers(), qrCodes(), vendors(), tying(), refusals(), decisions()} {
		rows = append(rows, part...)
	}
	seen := map[string]bool{}
	bySection := map[string]int{}
	for _, r := range rows {
		name := r.section + " " + r.says
		if seen[name] {
			t.Errorf("the row %q stands twice", name)
		}
		seen[name] = true
		bySection[r.section]++
		t.Run(name, func(t *testing.T) { r.holds(t, running) })
	}
	fmt.Printf("the contract: %d sentences of %d sections and pages hold\n", len(rows), len(bySection))
}
