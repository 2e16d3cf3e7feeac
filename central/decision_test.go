package central

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/op"
)

// TestWithDecision: a decision counts where the bank has no final answer, and never
// against one.
func TestWithDecision(t *testing.T) {
	silent := errors.New("time-out")
	bank := func(s BankStatus) BankAnswer { return BankAnswer{Status: s, Message: "the bank's"} }
	tests := map[string]struct {
		answer  BankAnswer
		err     error
		to      op.State
		want    BankStatus // empty: an error
		decided bool       // the answer is the decision's
	}{
		"decided, no answer":       {BankAnswer{}, silent, op.Succeeded, BankApproved, true},
		"decided, in progress":     {bank(BankInProgress), nil, op.Reversed, BankReversed, true},
		"failed, no answer":        {BankAnswer{}, silent, op.Failed, BankDeclined, true},
		"both agree":               {bank(BankApproved), nil, op.Succeeded, BankApproved, false},
		"failed, and not found":    {bank(BankNotFound), nil, op.Failed, BankNotFound, false},
		"succeeded, and not found": {bank(BankNotFound), nil, op.Succeeded, "", false},
		"succeeded, and declined":  {bank(BankDeclined), nil, op.Succeeded, "", false},
		"failed, and approved":     {bank(BankApproved), nil, op.Failed, "", false},
		"succeeded, and reversed":  {bank(BankReversed), nil, op.Succeeded, "", false},
	}
	for name, tt := range tests {
		a, err := withDecision(tt.answer, tt.err, Decision{Case: "2026-11-21.1.3", To: tt.to, RRN: "632510000001", STAN: "000001", Code: "00", Charge: 1180, By: "ravi"})
		if (err != nil) != (tt.want == "") || a.Status != tt.want {
			t.Errorf("%s: %+v, %v", name, a, err)
			continue
		}
		if tt.decided && (a.RRN != "632510000001" || a.STAN != "000001" || a.Charge != 1180 || a.Message == "the bank's") || !tt.decided && err == nil && a.Message != "the bank's" {
			t.Errorf("%s: %+v", name, a)
		}
		if a.Status == BankDeclined && tt.decided && a.Code != "91" || a.Status == BankReversed && tt.decided && a.Code != "22" {
			t.Errorf("%s: code %s", name, a.Code)
		}
		if tt.want == "" && !strings.Contains(err.Error(), "2026-11-21.1.3") {
			t.Errorf("%s: %v does not name the case", name, err)
		}
	}
}

// fakeDecisions is one decision, or an error.
type fakeDecisions struct {
	d   Decision
	err error
}

func (f fakeDecisions) DecisionFor(context.Context, Reference) (Decision, error) { return f.d, f.err }

// TestEnquiriesReadDecisions: an enquiry reads the decision before it asks the bank;
// where it can't be read, nothing is concluded from the bank's answer.
func TestEnquiriesReadDecisions(t *testing.T) {
	for name, tt := range map[string]struct {
		decisions Decisions
		enquiries int
		want      op.State
	}{
		"none":              {fakeDecisions{err: ErrNotFound}, 1, op.Succeeded},
		"agreed":            {fakeDecisions{d: Decision{To: op.Succeeded}}, 1, op.Succeeded},
		"contradicted":      {fakeDecisions{d: Decision{To: op.Failed}}, 1, op.Pending},
		"can't be read":     {fakeDecisions{err: errors.New("disk full")}, 0, op.Pending},
		"no decisions here": {nil, 1, op.Succeeded},
	} {
		t.Run(name, func(t *testing.T) { enquireWith(t, tt.decisions, tt.enquiries, tt.want) })
	}
}

func enquireWith(t *testing.T, decisions Decisions, enquiries int, want op.State) {
	synctest.Test(t, func(t *testing.T) {
		bank := &fakeBank{executed: map[Reference]int{}}
		bank.send = bank.silent(true)
		d := start(t, newMemoryStore(), bank, EngineConfig{Decisions: decisions})
		defer d.stop()
		o, _, err := d.submit(submission(t, "k1"))
		if err != nil || o.State != op.Pending {
			t.Fatalf("%s, %v", o.State, err)
		}
		time.Sleep(1500 * time.Millisecond)
		d.want(o.ID, want)
		if n := d.bank.enquiries(); n != enquiries {
			t.Errorf("%d enquiries reached the bank, want %d", n, enquiries)
		}
	})
}
