package aeps

import (
	"testing"

	"galla/shared/money"
)

func TestStatementEntries(t *testing.T) {
	entries := statementEntries([]string{"12/11 UPI/SHARMA STORES D 250.00", "", "  14/11 MGNREGA WAGES     C 2,310.00", "NEFT CHARGES REVERSAL", "balance: +12450.75"})
	if len(entries) != 3 {
		t.Fatalf("got %+v", entries)
	}
	if e := entries[0]; e.Date != "12/11" || e.Narration != "UPI/SHARMA STORES" || e.Credit || e.Amount != 250*money.Rupee {
		t.Errorf("the debit is %+v", e)
	}
	if e := entries[1]; e.Date != "14/11" || !e.Credit || e.Amount != 2310*money.Rupee {
		t.Errorf("the credit is %+v", e)
	}
	if e := entries[2]; e.Date != "" || e.Raw != "NEFT CHARGES REVERSAL" {
		t.Errorf("the unreadable line is %+v", e)
	}
}
