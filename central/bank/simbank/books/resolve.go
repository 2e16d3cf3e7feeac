package books

import (
	"context"
	"errors"
	"time"

	"galla/central/bank/network"
)

// Enquire says what became of a reference, from what is committed.
func (b *Books) Enquire(ctx context.Context, reference string) (network.Answer, error) {
	if _, err := b.resolveDue(ctx); err != nil {
		return network.Answer{}, err
	}
	r, known, err := b.db.committed(ctx).recordOf(reference)
	if err != nil {
		return network.Answer{}, err
	}
	if !known {
		return unknown(reference), nil
	}
	return answerOf(r), nil
}

// resolvePage bounds how many transactions one commit resolves, so that others
// get their turn.
const resolvePage = 100

// retryPause follows a failed look at what is due.
const retryPause = time.Second

// resolveDue ends every lost or deferred transaction whose time has come, and
// tells when the next one's does; zero: none waits.
func (b *Books) resolveDue(ctx context.Context) (next time.Time, err error) {
	for {
		next, err := b.nextDue(ctx)
		if err != nil || next.IsZero() || next.After(time.Now()) {
			return next, err
		}
		var ended []record
		err = b.db.commit(ctx, func(k ledger) error {
			ended, err = k.records(`due_at <= ? ORDER BY due_at, id`, []any{time.Now().UnixMilli()}, resolvePage)
			if err != nil {
				return err
			}
			for i := range ended {
				if err := k.resolve(&ended[i]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return time.Time{}, err
		}
		for _, r := range ended {
			b.log.Info("transaction resolved", "reference", r.reference, "state", r.state, "code", r.code)
		}
	}
}

// resolve ends one transaction as it was decided when it arrived.
func (k ledger) resolve(r *record) error {
	r.settled = time.UnixMilli(time.Now().UnixMilli())
	to := r.finalState
	if r.state == lost {
		to = abandoned
	}
	switch r.state = to; to {
	case approved:
		r.code = codeApproved
	case reversed:
		r.code, r.authCode = codeReversed, ""
	case declined, abandoned:
		r.code = codeIssuer
	default:
		return errors.New("resolve " + r.reference + ": the books have no final state for it")
	}
	if err := k.finish(*r); err != nil {
		return err
	}
	switch {
	case r.kind == network.Transfer && to == approved:
		return k.addTransferMessage(*r, r.settled)
	case r.kind == network.Transfer && to == reversed:
		return k.returnTransfer(*r, r.settled)
	case to == reversed:
		return k.reverseDebit(*r, r.settled)
	}
	return nil
}

// nextDue is when the next transaction is due; zero: none waits.
func (b *Books) nextDue(ctx context.Context) (time.Time, error) {
	var ms int64
	_, err := b.db.committed(ctx).row("look for what is due",
		`SELECT due_at FROM transactions WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1`, nil, &ms)
	return moment(ms), err
}

// Resolve ends deferred transactions when they are due, until ctx ends.
func (b *Books) Resolve(ctx context.Context) {
	for {
		next, err := b.resolveDue(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			b.log.Error("due transactions can't be resolved; trying again", "error", err)
			next = time.Now().Add(retryPause)
		}
		var due <-chan time.Time // never, where nothing waits
		if !next.IsZero() {
			due = time.After(time.Until(next))
		}
		select {
		case <-ctx.Done():
			return
		case <-b.wake:
		case <-due:
		}
	}
}

// wakeResolver tells Resolve that something new is due some day.
func (b *Books) wakeResolver() {
	select {
	case b.wake <- struct{}{}:
	default: // a call is already waiting
	}
}
