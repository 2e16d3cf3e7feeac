package store

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"galla/central"
	"galla/shared/op"
	"galla/shared/wire"
)

// MarkSent implements central.Operations.
func (s Operations) MarkSent(ctx context.Context, x central.SentUpdate) error {
	done, err := s.markSentShared(ctx, x)
	if done {
		return err
	}
	return s.markSentAlone(ctx, x)
}

// markSentAlone is MarkSent in a transaction of its own.
func (s Operations) markSentAlone(ctx context.Context, x central.SentUpdate) error {
	return s.task("record operation %s as sent", x.ID).change(ctx, func(c conn) error {
		if err := changeOperation(c, x.ID, `UPDATE operations SET state = 'sent', sent_at = $1, bank_not_after = $2
			WHERE `+c.dialect.byUniqueName("id = $3")+` AND state IN `+statesBefore(op.Sent), x.At, x.BankNotAfter, x.ID); err != nil {
			return err
		}
		return addStep(c, x.ID, x.At, op.Received, op.Sent, "")
	})
}

// MarkPending implements central.Operations.
func (s Operations) MarkPending(ctx context.Context, x central.PendingUpdate) (central.Operation, error) {
	o, done, err := s.markPendingShared(ctx, x)
	if done {
		return o, err
	}
	return s.markPendingAlone(ctx, x)
}

// markPendingAlone is MarkPending in a transaction of its own.
func (s Operations) markPendingAlone(ctx context.Context, x central.PendingUpdate) (central.Operation, error) {
	run := 0
	return update(ctx, s.task("record operation %s as pending", x.ID), func(c conn) (central.Operation, error) {
		defer func() { run++ }()
		return applyPending(c, x, run)
	})
}

// applyPending makes an operation pending. run counts earlier attempts, which failed because
// others took the same free reference first.
func applyPending(c conn, x central.PendingUpdate, run int) (central.Operation, error) {
	reference, err := freeReference(c, x, x.At.UnixMilli()+retryOffset(x.ID, run))
	if err != nil {
		return central.Operation{}, err
	}
	o, err := c.operation(`UPDATE operations SET state = 'pending', pending_reference = $1, next_enquiry = $2
		WHERE `+c.dialect.byUniqueName("id = $3")+` AND state IN `+statesBefore(op.Pending)+` RETURNING `+operationColumns,
		reference, x.NextEnquiry, x.ID)
	if errors.Is(err, central.ErrNotFound) {
		return central.Operation{}, stateError(c, x.ID)
	}
	if err != nil {
		return central.Operation{}, err
	}
	return o, addStep(c, x.ID, x.At, op.Sent, op.Pending, x.Reason)
}

// retryOffset separates operations that look for a free reference at the same time: by zero
// at first, then by up to a few hundred numbers, so that almost all find a free one
// in their second attempt.
func retryOffset(id op.ID, run int) int64 {
	if run == 0 {
		return 0
	}
	sum := fnv.New32a()
	_, _ = fmt.Fprint(sum, id, run)
	return int64(sum.Sum32() % (retryOffsetFirst << min(run, maxRetryDoublings)))
}

// freeReference returns the prefix with the number, or with a free number after it: one of
// the next few; then, when thousands of operations become pending in a second, one
// further on, since the next ones are all taken.
func freeReference(c conn, x central.PendingUpdate, number int64) (string, error) {
	for n := range maxPendingTries {
		offset := int64(n)
		if n >= nextPendingTries {
			offset = retryOffset(x.ID, 1+n-nextPendingTries)
		}
		reference := x.Prefix + strconv.FormatInt(number+offset, 10)
		taken, err := c.exists(`SELECT 1 FROM `+c.dialect.names+` WHERE pending_reference = $1`, reference)
		if err != nil {
			return "", err
		}
		if !taken {
			return reference, nil
		}
	}
	return "", fmt.Errorf("%d pending references from %s%d on are all taken", maxPendingTries, x.Prefix, number)
}

// Finish implements central.Operations. It returns the final operation.
func (s Operations) Finish(ctx context.Context, x central.FinalOutcome) (central.Operation, error) {
	if !x.To.Final() || x.Reply == nil {
		return central.Operation{}, fmt.Errorf("finish operation %s: the outcome needs a final state and a reply; it has state %q and %d bytes of reply", x.ID, x.To, len(x.Reply))
	}
	if x.Earning != nil && x.To != op.Succeeded {
		return central.Operation{}, fmt.Errorf("finish operation %s: only a success has an earning, and the state is %s", x.ID, x.To)
	}
	o, done, err := s.finishShared(ctx, x)
	if done {
		return o, err
	}
	return s.finishAlone(ctx, x)
}

// finishAlone is Finish in a transaction of its own, for every outcome.
func (s Operations) finishAlone(ctx context.Context, x central.FinalOutcome) (central.Operation, error) {
	return update(ctx, s.task("record operation %s as %s", x.ID, x.To), func(c conn) (central.Operation, error) { return applyOutcome(c, x) })
}

func applyOutcome(c conn, x central.FinalOutcome) (central.Operation, error) {
	o, from, err := setFinal(c, x)
	if err != nil {
		return central.Operation{}, err
	}
	if err := addStep(c, x.ID, x.At, from, x.To, x.Reason); err != nil {
		return central.Operation{}, err
	}
	if from == op.Pending && o.Terminal != "" {
		err := addEvent(c, o.Terminal, wire.EventOutcome, o.ID, x.At)
		if err == nil {
			err = c.notify(central.TerminalTopic(o.Terminal))
		}
		if err != nil {
			return central.Operation{}, err
		}
	}
	if from == op.Pending {
		if err := enqueueCallback(c, o, x.At); err != nil {
			return central.Operation{}, err
		}
	}
	if x.Session != nil {
		if err := openSession(c, *x.Session); err != nil {
			return central.Operation{}, err
		}
	}
	if x.To == op.Reversed && o.Kind == central.KindTransfer {
		if err := recordTransferProof(c, o, x.At); err != nil {
			return central.Operation{}, err
		}
	}
	if x.To != op.Succeeded {
		return o, releaseQuotas(c, o.ID)
	}
	return o, applySuccess(c, o, x)
}

// finalColumns are what an outcome sets.
const finalColumns = `state = $1, finished_at = $2, next_enquiry = NULL, code = $3, rrn = $4, http = $5, reply = $6, charge = $7`

// setFinal gives an operation its final state, and returns it with the state before. It is read
// only where the caller does not know it as it is.
func setFinal(c conn, x central.FinalOutcome) (o central.Operation, from op.State, err error) {
	refused := "" // a column that is set has its trigger and its index looked at
	if x.OTPRefused() {
		refused = ", otp_refused = 1"
	}
	if isKnownBefore(x) {
		changed, err := c.exec(`UPDATE operations SET `+finalColumns+refused+` WHERE `+c.dialect.byUniqueName("id = $8")+` AND state = $9`,
			x.To, x.At, x.Answer.Code, x.Answer.RRN, x.HTTP, x.Reply, x.Answer.Charge, x.ID, x.Before.State)
		if err != nil || changed > 0 {
			return asFinished(x), x.Before.State, err
		}
	}
	o, err = c.operation(`UPDATE operations SET `+finalColumns+refused+`
		WHERE `+c.dialect.byUniqueName("id = $8")+` AND state IN `+statesBefore(x.To)+` RETURNING `+operationColumns,
		x.To, x.At, x.Answer.Code, x.Answer.RRN, x.HTTP, x.Reply, x.Answer.Charge, x.ID)
	if errors.Is(err, central.ErrNotFound) {
		err = stateError(c, x.ID)
	}
	return o, previousState(o), err
}

// isKnownBefore tells whether the caller knows all of an operation, if it is still in the state
// that the caller knows. In state pending, enquiries change it.
func isKnownBefore(x central.FinalOutcome) bool {
	o := x.Before
	return o != nil && o.ID == x.ID && (o.State == op.Received || o.State == op.Sent) && central.CanTransition(o.State, x.To)
}

// applySuccess writes the effects of a success.
func applySuccess(c conn, o central.Operation, x central.FinalOutcome) error {
	switch o.Kind {
	case central.KindTransfer: // the bank accepted the customer's OTP
		if err := recordTransferProof(c, o, x.At); err != nil {
			return err
		}
	case central.KindBCRegister, central.KindBCAgentRegister:
		if err := recordCorrespondent(c, o, x.Answer, x.At); err != nil {
			return err
		}
	}
	if o.KYC != nil {
		if err := advanceKYC(c, o.Merchant, *o.KYC, x.At); err != nil {
			return err
		}
	}
	if o.Reverses != "" {
		if err := reverseEarning(c, o.Reverses, o.ID, x.At); err != nil {
			return err
		}
	}
	if x.Earning != nil {
		return addEarning(c, o.ID, *x.Earning, x.At)
	}
	return nil
}

// previousState is the state before a final one. The row still has the columns of that
// state, as the constraints of the schema demand.
func previousState(o central.Operation) op.State {
	switch {
	case o.PendingReference != "":
		return op.Pending
	case !o.SentAt.IsZero():
		return op.Sent
	default:
		return op.Received
	}
}

// PostponeEnquiry implements central.Operations. A stuck operation stays stuck, with its
// first time.
func (s Operations) PostponeEnquiry(ctx context.Context, id op.ID, at, next time.Time, reason string, stuck bool) error {
	var stuckAt time.Time
	if stuck {
		stuckAt = at
	}
	return s.task("record an enquiry for operation %s", id).change(ctx, func(c conn) error {
		if err := changeOperation(c, id, `UPDATE operations
			SET enquiries = enquiries + 1, next_enquiry = $1, stuck_at = coalesce(stuck_at, $2)
			WHERE `+c.dialect.byUniqueName("id = $3")+` AND state = 'pending'`, next, stuckAt, id); err != nil {
			return err
		}
		return addStep(c, id, at, op.Pending, op.Pending, reason)
	})
}

// statesBefore lists the states from which a transition to the given one is allowed, as the
// right side of IN.
func statesBefore(to op.State) string {
	var list []string
	for _, from := range central.StatesBefore(to) {
		list = append(list, "'"+string(from)+"'")
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// changeOperation runs a statement that changes an operation in an expected state.
func changeOperation(c conn, id op.ID, statement string, args ...any) error {
	changed, err := c.exec(statement, args...)
	if err == nil && changed == 0 {
		err = stateError(c, id)
	}
	return err
}

// stateError tells why a conditional change found no row.
func stateError(c conn, id op.ID) error {
	var state op.State
	if err := c.one(`SELECT state FROM operations WHERE `+c.dialect.byUniqueName("id = $1"), []any{id}, &state); err != nil {
		return err
	}
	return fmt.Errorf("it is %s: %w", state, central.ErrState)
}

// addStep adds a line to an operation's history. The step after received is always the second,
// and the step after sent the third; enquiries may come before the step after pending.
func addStep(c conn, id op.ID, at time.Time, from, to op.State, reason string) error {
	if from == op.Received || from == op.Sent {
		n := 2
		if from == op.Sent {
			n = 3
		}
		_, err := c.exec(`INSERT INTO operation_steps (operation, step, at, node, from_state, to_state, reason)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`, id, n, at, c.node, from, to, clip(reason))
		return err
	}
	_, err := c.exec(`INSERT INTO operation_steps (operation, step, at, node, from_state, to_state, reason)
		VALUES ($1, (SELECT coalesce(max(step), 0) + 1 FROM operation_steps WHERE operation = $1), $2, $3, $4, $5, $6)`,
		id, at, c.node, from, to, clip(reason))
	return err
}

// clip shortens a reason to its limit, and removes bytes that are not valid text.
func clip(reason string) string {
	if len(reason) > maxReason {
		reason = reason[:maxReason]
	}
	return strings.ReplaceAll(strings.ToValidUTF8(reason, ""), "\x00", "")
}
