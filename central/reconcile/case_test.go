package reconcile

import (
	"strings"
	"testing"
	"time"

	"galla/shared/money"
	"galla/shared/op"
)

func TestNames(t *testing.T) {
	id := CaseID{"2026-11-21", 2, 13}
	if got, err := ParseCaseID(id.String()); err != nil || got != id {
		t.Errorf("%s is read as %v, %v", id, got, err)
	}
	for _, bad := range []string{"", "2026-11-21", "2026-11-21.1", "2026-11-21.1.x", "2026-11-21.-1.2", "2026-13-21.1.2", "2026-11-21.1.2.3"} {
		if got, err := ParseCaseID(bad); err == nil {
			t.Errorf("%q is read as %v", bad, got)
		}
	}
}

// TestReasons: a reason has no Aadhaar number, and may quote the case's RRN.
func TestReasons(t *testing.T) {
	rrn := line(func(l *Line) { l.RRN = "999971658847" }) // passes for an Aadhaar number
	for reason, good := range map[string]bool{
		"the bank's letter of 21.11.2026, file 7": true, "RRN 999971658847 is in the statement": true, "account 12345678901234": true, "RRN 632510000001": true,
		"": false, "   ": false, strings.Repeat("x", maxReason+1): false,
		"customer 999941057058": false, "9999 4105 7058": false, "9999-4105-7058": false, "632510000001, and 999941057058": false, "999971658847 and 999941057058": false,
	} {
		if err := checkReason(reason, &rrn); (err == nil) != good || err != nil && strings.Contains(err.Error(), "7058") {
			t.Errorf("%.40q: %v", reason, err)
		}
	}
	for _, odd := range []string{"the letter\x1b[2J", "\x00", "\xff", "a\x9bb"} {
		if checkReason(odd, nil) == nil {
			t.Errorf("the reason %q is accepted", odd)
		}
	}
	if checkReason("two\r\nlines, क्\u200dष", nil) != nil {
		t.Error("a reason of two lines is refused")
	}
	// No line of it may imitate a line of the report.
	if got := oneLine("fine\n2026-11-21.1.4\tdecided\x1b[1m\u202e \u2028क्\u200dष"); got != "fine 2026-11-21.1.4 decided [1m   क्\u200dष" {
		t.Errorf("on one line it is %q", got)
	}
	if checkReason("999971658847", nil) == nil {
		t.Error("a number that is no RRN of the case passes")
	}
}

func TestProposals(t *testing.T) {
	charge := func(p money.Paise) *money.Paise { return &p }
	pending, final := operation(in(op.Pending)), operation()
	transfer := operation(in(op.Pending), func(o *Operation) { o.Kind = "TRANSFER" })
	fresh := operation(in(op.Pending), func(o *Operation) { o.BankNotAfter = time.Now() })
	for name, tt := range map[string]struct {
		o    *Operation
		p    Proposal
		want string // part of the error; empty: it is accepted
	}{
		"succeeded":                   {&pending, Proposal{Verdict: Succeeded}, ""},
		"noted":                       {&pending, Proposal{Verdict: Noted}, ""},
		"nothing":                     {&pending, Proposal{}, "succeeded, failed, reversed or noted"},
		"refused":                     {&pending, Proposal{Verdict: "refused"}, "succeeded, failed, reversed or noted"},
		"a final operation":           {&final, Proposal{Verdict: Failed}, "which is final"},
		"a final operation, noted":    {&final, Proposal{Verdict: Noted}, ""},
		"no operation":                {nil, Proposal{Verdict: Succeeded}, "has no operation"},
		"no operation, noted":         {nil, Proposal{Verdict: Noted}, ""},
		"a transfer":                  {&transfer, Proposal{Verdict: Succeeded, Charge: charge(1180)}, ""},
		"a free transfer":             {&transfer, Proposal{Verdict: Succeeded, Charge: charge(0)}, ""},
		"a transfer without a charge": {&transfer, Proposal{Verdict: Succeeded}, "needs the charge"},
		"a charge above the amount":   {&transfer, Proposal{Verdict: Succeeded, Charge: charge(50001)}, "above the amount"},
		"a charge below zero":         {&transfer, Proposal{Verdict: Succeeded, Charge: charge(-1)}, "below zero"},
		"a charge of a failure":       {&transfer, Proposal{Verdict: Failed, Charge: charge(1)}, "only a transfer"},
		"a charge of a withdrawal":    {&pending, Proposal{Verdict: Succeeded, Charge: charge(1)}, "only a transfer"},
		"the bank may start it yet":   {&fresh, Proposal{Verdict: Failed}, "may still start"},
		"it started":                  {&fresh, Proposal{Verdict: Succeeded}, ""},
		"a document's name":           {&pending, Proposal{Verdict: Noted, Document: Document{Name: "999941057058.pdf"}}, "rename it"},
	} {
		tt.p.Reason = "the bank's letter"
		err := tt.p.check(Case{Operation: tt.o})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
