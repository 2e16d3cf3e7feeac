package settle

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"galla/central"
)

// network answers enquiries with one answer.
type network struct {
	central.Bank
	answer central.BankAnswer
	err    error
}

func (n network) Enquire(context.Context, central.Reference) (central.BankAnswer, error) {
	return n.answer, n.err
}

// decided is one decision, or none.
type decided struct {
	e   Evidence
	err error
}

func (d decided) Evidence(context.Context, central.Reference) (Evidence, error) { return d.e, d.err }

// TestBankBesideDecisions: a decision speaks where the network has no final
// word, and never against it.
func TestBankBesideDecisions(t *testing.T) {
	silent := errors.New("time-out")
	said := func(s central.BankStatus) network {
		return network{answer: central.BankAnswer{Status: s, Message: "the network's"}}
	}
	none := decided{err: central.ErrNotFound}
	as := func(v Verdict) decided {
		return decided{e: Evidence{Case: CaseID{"2026-11-21", 1, 3}, Verdict: v, RRN: "632510000001", STAN: "000001", Code: "00", Charge: 1180, By: "ravi"}}
	}
	tests := map[string]struct {
		network network
		decided decided
		want    central.BankStatus // empty: an error
		by      bool               // the decision's words
	}{
		"nothing decided":                  {said(central.BankApproved), none, central.BankApproved, false},
		"nothing decided, silence":         {network{err: silent}, none, "", false},
		"decided, silence":                 {network{err: silent}, as(Succeeded), central.BankApproved, true},
		"decided, in progress":             {said(central.BankInProgress), as(Reversed), central.BankReversed, true},
		"failed, silence":                  {network{err: silent}, as(Failed), central.BankDeclined, true},
		"both agree":                       {said(central.BankApproved), as(Succeeded), central.BankApproved, false},
		"failed, and not found":            {said(central.BankNotFound), as(Failed), central.BankNotFound, false},
		"succeeded, and not found":         {said(central.BankNotFound), as(Succeeded), "", false},
		"succeeded, and declined":          {said(central.BankDeclined), as(Succeeded), "", false},
		"failed, and approved":             {said(central.BankApproved), as(Failed), "", false},
		"succeeded, and reversed":          {said(central.BankReversed), as(Succeeded), "", false},
		"the database does not answer":     {said(central.BankApproved), decided{err: silent}, "", false},
		"an answer of neither, and silent": {network{err: silent}, decided{err: silent}, "", false},
	}
	for name, tt := range tests {
		b, err := NewBank(tt.network, tt.decided, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		a, err := b.Enquire(t.Context(), "GL1")
		if (err != nil) != (tt.want == "") || a.Status != tt.want {
			t.Errorf("%s: %+v, %v", name, a, err)
			continue
		}
		if tt.by && (a.RRN != "632510000001" || a.STAN != "000001" || a.Charge != 1180 || a.Message == "the network's") || !tt.by && err == nil && a.Message != "the network's" {
			t.Errorf("%s: %+v", name, a)
		}
		if a.Status == central.BankDeclined && tt.by && a.Code != "91" || a.Status == central.BankReversed && tt.by && a.Code != "22" {
			t.Errorf("%s: code %s", name, a.Code)
		}
		if tt.want == "" && tt.decided.err == nil && !strings.Contains(err.Error(), "2026-11-21.1.3") {
			t.Errorf("%s: %v does not name the case", name, err)
		}
	}
	if _, err := NewBank(nil, none, nil); err == nil {
		t.Error("a bank of nothing")
	}
}
