package bank

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"galla/central/bank/network"
)

// TestStatementsHaveTransactionsOnly: each line of a transaction once, in its
// order, and no other.
func TestStatementsHaveTransactionsOnly(t *testing.T) {
	kept := []string{
		"21/11 AEPS CASH WDL     D 500.00", "21/11 AEPS WDL REVERSAL C 100.93", "20/11 OPENING BALANCE   C 25000.00", "01/01                   D 0.50",
		"20/11/2026 UPI/ASHA MILK DR 1,20,000.00", "20-11 SALARY CR. Rs. 12", "20-NOV-26 ATM WDL 2,000.00 Dr", "2026-11-20 NEFT C 1.00", "20Nov RENT D 5000",
		"19/11 MIN BAL CHARGES D 50.00", "19/11 वेतन C 100.00", "18/11 CASH DEP 500.00", "5/1 X D 1",
		"21/11 UPI/MILK DR 500.00 BAL 12000.00", "21/11 POS D 500.00/-", "21/11 UPI 500.00 (DR)", "21/11/2026,UPI,DR,500.00", "21112026 UPI DR 500.00", "211126|NEFT|1,250.00Cr", "21/11 ATM WDL DRs.500",
	}
	others := []string{
		"Balance:+12450.75", "Balance: 5", "AVAIL BAL: Rs. 100.00", "BALANCE AS ON 21/11 D 5.00", "21/11 AVAILABLE BALANCE 12450.75", "21/11/2026 Bal: 100.00", "21/11 Balance:+24249.50",
		"", "   ", "DATE  NARRATION  AMOUNT", "LAST 9 TRANSACTIONS", "-----------------", "TOTAL D 500.00", "THANK YOU FOR BANKING WITH US", "21/11", "21/11 NO AMOUNT", "Page 1 of 1", "\r",
		"21/11/2026 10:45 MINI STATEMENT", "21/11, BALANCE 12450.75", "12345678 A/C OF ASHA D 5.00", "21/11 BAL 12000.00",
	}
	var mixed []string
	for i, line := range kept {
		mixed = append(mixed, others[i%len(others)], line)
	}
	mixed = append(mixed, others...)
	for _, end := range []string{"\n", "\r\n"} {
		if got, want := transactions(strings.Join(mixed, end)), strings.Join(kept, "\n"); got != want {
			t.Errorf("transactions are\n%s\nwant\n%s", got, want)
		}
	}
	for _, line := range others {
		if got := transactions(line); got != "" {
			t.Errorf("%q is taken for a transaction: %q", line, got)
		}
	}
}

// TestAStatementOfWhichNothingIsLeft is told in the log, without a line of it.
func TestAStatementOfWhichNothingIsLeft(t *testing.T) {
	var log bytes.Buffer
	c := newClient(t, Config{})
	c.log = slog.New(slog.NewTextHandler(&log, nil))
	for statement, tells := range map[string]bool{"": false, "21/11 UPI D 5.00\nBalance:+1.00": false, "Nov 21: UPI, 5.00 rupees\nBalance:+1.00\n": true} {
		log.Reset()
		c.answer("GAL1", network.Answer{MiniStatement: statement})
		if got := log.String(); strings.Contains(got, "reference=GAL1 lines=2") != tells || strings.Contains(got, "UPI") {
			t.Errorf("%q: the log says %q, want something: %v", statement, got, tells)
		}
	}
}

// FuzzTransactions: what is left are lines of the statement, none empty, none a
// balance, and reading them again changes nothing.
func FuzzTransactions(f *testing.F) {
	f.Add("21/11 UPI/ASHA MILK     D 120.00\nBalance:+12450.75\n")
	f.Add("\r\n21/11 D 1\r\n\xff")
	f.Fuzz(func(t *testing.T, statement string) {
		got := transactions(statement)
		if transactions(got) != got || strings.Count(got, "\n") > strings.Count(statement, "\n") || utf8.ValidString(statement) && !utf8.ValidString(got) {
			t.Fatalf("%q became %q", statement, got)
		}
		for line := range strings.SplitSeq(got, "\n") {
			if got != "" && (strings.TrimSpace(line) != line || line == "" || !strings.Contains(statement, line)) {
				t.Fatalf("%q is no line of %q", line, statement)
			}
		}
	})
}
