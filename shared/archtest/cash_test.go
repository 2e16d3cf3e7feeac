package archtest

import (
	"fmt"
	"go/ast"
	"strings"
	"testing"
)

// cashPackage is the only package that computes what an operation did to the drawer.
const cashPackage = "edge/cashbook"

// cashFacts are what it reads for that, and what makes its entries: members of
// edge.Record, fields of replies, and its own types.
var cashFacts = map[string]bool{
	"CashGivenAt": true, "CashKept": true, "OwesCashBack": true, // of edge.Record
	"charge": true, "registrationFeeCharged": true, // of a reply
	"Entry": true, "Withdrawn": true, "Unconfirmed": true, // of the package
}

// cashReaders are the files beside it that may touch those facts; the value says
// what for. None of them adds up cash.
var cashReaders = map[string]string{
	"edge/record.go":                   "declares the facts",
	"edge/cash.go":                     "records when cash was handed over, and says whether an answer about it is missing",
	"edge/queue/index/index.go":        "finds what happened on a later day than an operation was begun",
	"edge/refund.go":                   "records which record a transfer's cash has passed to",
	"edge/ui/aeps/operation.go":        "shows when cash was handed over, and asks for it",
	"edge/outcome/outcome.go":          "says that cash was handed over, and when",
	"edge/printing/receipt/receipt.go": "prints when cash was handed over",
	"edge/ui/dmt/flow.go":              "tells the customer charge and fee before they are paid, and keeps the charge for the record",
	"edge/ui/dmt/pages.go":             "names the text of the charge",
}

func TestOneCashbook(t *testing.T) { enforce(t, cash) }

// cash refuses other readers of the cashbook's facts: two places that compute cash would
// disagree about the same money.
func cash(h *repo) []string {
	var out []string
	for _, f := range h.code() {
		if !strings.HasPrefix(f.pkg, "edge") || f.pkg == cashPackage || cashReaders[f.path] != "" {
			continue
		}
		for _, n := range cashFactsIn(f) {
			out = append(out, fmt.Sprintf("%s touches a fact of the drawer: take what an operation did to it from %s, or give the file a line in shared/archtest/cash_test.go that says why it computes no cash.", h.at(f, n), cashPackage))
			break
		}
	}
	return out
}

// cashFactsIn finds where a file reads facts of cash.
func cashFactsIn(f *file) (found []ast.Node) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			of := n.Sel.Name
			if cashFacts[of] && (of == "CashGivenAt" || of == "CashKept" || of == "OwesCashBack" || isIdent(n.X, "cashbook")) {
				found = append(found, n)
			}
		case *ast.BasicLit:
			if value := strings.Trim(n.Value, "\"`"); value == "charge" || value == "registrationFeeCharged" {
				found = append(found, n)
			}
		}
		return true
	})
	return found
}

// idleCashReaders are lines of cashReaders that nothing needs.
func idleCashReaders(h *repo) (idle []string) {
	needed := map[string]bool{}
	for _, f := range h.files {
		needed[f.path] = len(cashFactsIn(f)) > 0
	}
	for _, p := range sortedKeys(cashReaders) {
		if !needed[p] {
			idle = append(idle, p)
		}
	}
	return idle
}
