package contract

import (
	"fmt"
	"os"
	"regexp"
	"testing"
)

// row is one sentence of interface.md that promises something.
type row struct {
	section string // of interface.md
	says    string
	holds   func(t *testing.T, h *system)
}

// TestContract walks the table, and prints how many sentences hold.
func TestContract(t *testing.T) {
	var rows []row
	for _, part := range [][]row{modes(), envelopes(), transactions(), agents(), customers(), remitters(), transfers(), qrCodes(), vendors(), relationships(), refusals(), decisions()} {
		rows = append(rows, part...)
	}
	document, err := os.ReadFile("../../docs/design/interface.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	bySection := map[string]int{}
	for _, r := range rows {
		name := r.section + " " + r.says
		if seen[name] {
			t.Errorf("the row %q stands twice", name)
		}
		seen[name] = true
		if !regexp.MustCompile(`(?m)^#+ ` + regexp.QuoteMeta(r.section) + `\.? `).Match(document) {
			t.Errorf("the row %q names a section that interface.md does not have", name)
		}
		bySection[r.section]++
		t.Run(name, func(t *testing.T) { r.holds(t, running) })
	}
	fmt.Printf("the contract: %d sentences of %d sections hold\n", len(rows), len(bySection))
}
