package settle

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"galla/central"
)

// Bank is the network with the settlement files' evidence beside it: what the
// engine's reconciler asks. It implements central.Bank.
//
// It asks the network first, always. Where that gives no final answer and there
// is a decision on the operation, the decision is the answer; where both are
// final and differ, the answer is an error, the operation stays pending, and a
// person must look. Sending and consulting are the network's alone.
type Bank struct {
	central.Bank
	decisions Decisions
	log       *slog.Logger
}

var _ central.Bank = (*Bank)(nil)

// NewBank lays the decisions beside a network.
func NewBank(network central.Bank, decisions Decisions, log *slog.Logger) (*Bank, error) {
	if network == nil || decisions == nil || log == nil {
		return nil, errors.New("the bank with settlement files needs a network, decisions and a logger")
	}
	return &Bank{network, decisions, log}, nil
}

// Enquire implements central.Bank.
func (b *Bank) Enquire(ctx context.Context, ref central.Reference) (central.BankAnswer, error) {
	// Before the network, which may use up all the time that there is. Without
	// the evidence the network's word would be believed against it.
	e, err := b.decisions.Evidence(ctx, ref)
	decided := err == nil
	if err != nil && !errors.Is(err, central.ErrNotFound) {
		return central.BankAnswer{}, fmt.Errorf("look for a decision of reconciliation: %w", err)
	}
	said, err := b.Bank.Enquire(ctx, ref)
	if !decided {
		return said, err
	}
	by := answerOf(e)
	if err != nil || said.Status == central.BankInProgress {
		b.log.Info("operation is settled by reconciliation", "reference", ref, "case", e.Case, "by", e.By, "verdict", e.Verdict)
		return by, nil
	}
	if said.Status == by.Status || said.Status == central.BankNotFound && by.Status == central.BankDeclined {
		return said, nil // the network's has more in it: the balance, the charge
	}
	return central.BankAnswer{}, fmt.Errorf("the bank answers %s, and case %s was decided as %s: a person must look (galla-central settle withdraw lets the bank's answer stand)", said.Status, e.Case, e.Verdict)
}

// answerOf is a decision in the network's words.
func answerOf(e Evidence) central.BankAnswer {
	a := central.BankAnswer{Code: e.Code, STAN: e.STAN, RRN: e.RRN, Charge: e.Charge}
	switch e.Verdict {
	case Succeeded:
		a.Status, a.Code, a.Message = central.BankApproved, "00", "SUCCESS"
	case Reversed:
		a.Status, a.Code, a.Message = central.BankReversed, "22", "REVERSED"
	case Failed:
		a.Status, a.Message = central.BankDeclined, "DECLINED, NO MONEY MOVED"
		if a.Code == "" || a.Code == "00" || a.Code == "22" {
			a.Code = "91" // decided by people: the bank has no code of its own
		}
	}
	return a
}
