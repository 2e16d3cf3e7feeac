package central

import (
	"context"
	"fmt"

	"galla/shared/money"
	"galla/shared/op"
)

// Decision is the outcome that staff decided for an operation whose outcome the bank
// does not tell (operations.md, section 15).
type Decision struct {
	Case   string   // for logs and errors
	By     string   // who confirmed it
	To     op.State // succeeded, failed or reversed
	Charge money.Paise

	STAN, RRN, Code string // of the bank's settlement file; empty: not in it
}

// Decisions reads what staff decided.
type Decisions interface {
	// DecisionFor gives the newest decision on an operation that is in force: not
	// withdrawn, and of a settlement file that was not replaced. ErrNotFound: there
	// is none.
	DecisionFor(ctx context.Context, reference Reference) (Decision, error)
}

// withDecision gives the answer to an enquiry, where staff decided about the
// operation. The decision is the answer where the bank gives no final one. Where the
// two contradict each other, there is no answer: the operation stays pending, and
// staff must look at it.
func withDecision(answer BankAnswer, err error, d Decision) (BankAnswer, error) {
	decided := d.answer()
	switch {
	case err != nil || answer.Status == BankInProgress:
		return decided, nil
	case answer.Status == decided.Status || answer.Status == BankNotFound && decided.Status == BankDeclined:
		return answer, nil // it has more in it, such as the balance
	}
	return BankAnswer{}, fmt.Errorf("the bank answers %s, and case %s was decided as %s: staff must withdraw the decision, or ask the bank", answer.Status, d.Case, d.To)
}

// answer is the decision as an answer of the bank.
func (d Decision) answer() BankAnswer {
	a := BankAnswer{Code: d.Code, STAN: d.STAN, RRN: d.RRN, Charge: d.Charge}
	switch d.To {
	case op.Succeeded:
		a.Status, a.Code, a.Message = BankApproved, CodeApproved, "SUCCESS"
	case op.Reversed:
		a.Status, a.Code, a.Message = BankReversed, codeReversed, "REVERSED"
	default:
		a.Status, a.Message = BankDeclined, "DECLINED, NO MONEY MOVED"
		if a.Code == "" || a.Code == CodeApproved || a.Code == codeReversed {
			a.Code = codeNotFound // the file's code contradicts the decision, or there is none
		}
	}
	return a
}
