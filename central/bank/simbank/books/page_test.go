package books

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"galla/central/bank/network"
	"galla/shared/money"
)

// TestSandboxPage holds the page for partners against what the bank plays.
func TestSandboxPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "deploy", "docs", "sandbox.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for paise := range money.Paise(100) {
		played := scenarioOf(network.Transaction{Kind: network.Withdrawal, Amount: 100*money.Rupee + paise}) != scenario{}
		if row := fmt.Sprintf("\n| .%02d | ", paise); strings.Contains(page, row) != played {
			t.Errorf("the page has a row for .%02d: %t; the bank plays it: %t", paise, !played, played)
		}
	}
	customers, err := Residents()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range customers {
		row := fmt.Sprintf("| %s | %s | %s (%s) | ", c.Aadhaar.Reveal(), c.Name, c.Bank, c.IIN)
		_, rest, ok := strings.Cut(page, row)
		balance, rest, _ := strings.Cut(rest, " | ")
		if !ok || strings.ReplaceAll(balance, ",", "") != c.Opening.String() || !strings.HasPrefix(rest, c.Mobile+" |") {
			t.Errorf("the page has no row with %s, %s and %s of %s", c.Aadhaar, c.Opening, c.Mobile, c.Name)
		}
	}
}
