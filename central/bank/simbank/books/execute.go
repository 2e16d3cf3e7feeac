package books

import (
	"context"
	"fmt"
	"time"

	"galla/central/bank/network"
)

// Execute decides on a transaction and books it; it returns after the commit is
// on disk, with the answer and how it is to be delivered. A reference that is
// known changes nothing. After an error only the books know whether the
// transaction is in them.
func (b *Books) Execute(ctx context.Context, t network.Transaction) (network.Answer, Delivery, error) {
	s := scenarioOf(t)
	var pid openedPID
	if !s.lost {
		pid = b.openPIDBlock(t) // before the commit, since cryptography takes longer than it
	}
	return b.executeAEPS(ctx, t, pid, s)
}

// executeAEPS decides on a transaction whose PID block was examined, in one commit.
func (b *Books) executeAEPS(ctx context.Context, t network.Transaction, pid openedPID, s scenario) (network.Answer, Delivery, error) {
	return b.recordOnce(ctx, t, s, func(k ledger, r record) (network.Answer, error) { return b.decideAEPS(k, t, r, pid, s) })
}

// recordOnce gives a reference its one entry into the books: a new one is decided on
// and written by carryOut, in one commit; one that is known is refused.
func (b *Books) recordOnce(ctx context.Context, t network.Transaction, s scenario, carryOut func(ledger, record) (network.Answer, error)) (network.Answer, Delivery, error) {
	var answer network.Answer
	err := b.db.commit(ctx, func(k ledger) error {
		_, known, err := k.recordOf(t.Reference)
		if err != nil {
			return err
		}
		if known {
			answer, s = duplicate(t), scenario{}
			return nil
		}
		r, err := k.newRecord(t, time.Now())
		if err != nil {
			return err
		}
		if s.lost {
			r.state, r.code, r.due = lost, codeIssuer, r.arrived.Add(b.scaled(s.after))
			answer = unknown(t.Reference)
			return k.insert(r)
		}
		answer, err = carryOut(k, r)
		return err
	})
	if err != nil {
		return network.Answer{}, Delivery{}, fmt.Errorf("book transaction %s: %w", t.Reference, err)
	}
	if s.lost || answer.Status == network.Pending {
		b.wakeResolver()
	}
	b.log.Info("transaction", "reference", t.Reference, "kind", t.Kind, "amount", t.Amount, "status", answer.Status, "code", answer.Code)
	return answer, Delivery{Manner: s.manner, Wait: b.scaled(s.wait)}, nil
}

// duplicate refuses a reference that was used before.
func duplicate(t network.Transaction) network.Answer {
	return network.Answer{
		Reference: t.Reference, Status: network.Failed, Code: codeDuplicate, Message: meanings[codeDuplicate], STAN: t.STAN,
	}
}

// decideAEPS judges a new transaction and writes it with everything that follows.
func (b *Books) decideAEPS(k ledger, t network.Transaction, r record, pid openedPID, s scenario) (network.Answer, error) {
	c, code, err := b.checkRules(k, t, r, pid)
	if err != nil {
		return network.Answer{}, err
	}
	if code == "" {
		code = s.refuse
	}
	if code == "" && t.Kind.Debits() {
		code, err = b.checkFunds(k, c, r)
		if err != nil {
			return network.Answer{}, err
		}
	}
	r.customer = c.id
	if code != "" {
		r.state, r.code, r.settled = declined, code, r.arrived
		return answerOf(r), k.insert(r)
	}
	if err := b.approve(k, t, &r, c, s); err != nil {
		return network.Answer{}, err
	}
	a := answerOf(r)
	if r.state == approved && t.Kind == network.MiniStatement {
		a.MiniStatement, err = k.statement(c)
	}
	return a, err
}

// approve fills in and writes an approved or deferred transaction.
func (b *Books) approve(k ledger, t network.Transaction, r *record, c customer, s scenario) error {
	switch {
	case t.Kind.Debits():
		left := c.balance - t.Amount
		r.balance = &left
	case t.Kind == network.Balance:
		r.balance = &c.balance
	}
	if s.finalState == "" {
		r.state, r.code, r.settled = approved, codeApproved, r.arrived
	} else {
		r.state, r.finalState, r.code, r.due = deferred, s.finalState, codePending, r.arrived.Add(b.scaled(s.after))
		if s.finalState == reversed && !t.Kind.Debits() {
			r.finalState = declined // there is nothing to give back
		}
	}
	if t.Kind.Debits() {
		code, err := authCode(b.cfg.Rand)
		if err != nil {
			return err
		}
		r.authCode = code
	}
	if err := k.insert(*r); err != nil {
		return err
	}
	if !t.Kind.Debits() {
		return nil
	}
	return k.payDebit(*r, c, r.arrived)
}

// checkRules applies the rules that come before money: a response code, or empty.
// The customer is zero where none was found.
func (b *Books) checkRules(k ledger, t network.Transaction, r record, pid openedPID) (customer, string, error) {
	if r.arrived.After(t.NotAfter) {
		return customer{}, codeExpired, nil
	}
	switch {
	case !t.Kind.AEPS() || t.Kind == network.CashDeposit:
		return customer{}, codeInvalidKind, nil
	case !network.ValidIIN(t.IIN):
		return customer{}, codeWrongIIN, nil
	case t.Kind.Debits() && t.Amount == 0, t.Kind == network.AgentAuth && t.Amount != 0:
		return customer{}, codeInvalidAmount, nil
	}
	c, known, err := k.customer(b.aadhaarHMAC(t.Aadhaar))
	if err != nil {
		return customer{}, "", err
	}
	// An agent is authenticated as a resident, wherever the account is.
	if !known || (c.iin != t.IIN && t.Kind != network.AgentAuth) {
		return customer{}, codeNotLinked, nil
	}
	code, err := k.acceptPID(pid, t, r.id, r.arrived)
	return c, code, err
}

// acceptPID judges a PID block and takes its one use: a response code, or empty.
func (k ledger) acceptPID(pid openedPID, t network.Transaction, id int64, now time.Time) (string, error) {
	if pid.refuse != "" {
		return pid.refuse, nil
	}
	if code := pid.timeCode(now); code != "" {
		return code, nil
	}
	first, err := k.claimPID(pid, t, id)
	switch {
	case err != nil:
		return "", err
	case !first:
		return codePidTwice, nil
	case !pid.matches:
		return codeFinger, nil
	}
	return "", nil
}

// checkFunds applies the rules of money: a response code, or empty.
func (b *Books) checkFunds(k ledger, c customer, r record) (string, error) {
	spent, err := k.debited(c.id, day(r.arrived))
	if err != nil {
		return "", err
	}
	switch {
	case spent+r.amount > b.cfg.DailyCeiling:
		return codeCeiling, nil
	case r.amount > c.balance:
		return codeFunds, nil
	}
	return "", nil
}
