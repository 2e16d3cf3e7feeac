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

// Dispatch implements central.Operations.
func (s *DB) Dispatch(ctx context.Context, id op.ID, at, bankNotAfter time.Time) error {
	err := s.write(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE operations SET state = 'dispatched', dispatched_at = $1, bank_not_after = $2
			WHERE `+c.dialect.called("id = $3")+` AND state IN `+origins(op.Dispatched), ms(at), ms(bankNotAfter), string(id))
		if err != nil {
			return err
		}
		if changed == 0 {
			return refusal(c, id)
		}
		return addStep(c, id, at, op.Received, op.Dispatched, "")
	})
	if err != nil {
		return fmt.Errorf("record operation %s as dispatched: %w", id, err)
	}
	return nil
}

// Suspend implements central.Operations.
func (s *DB) Suspend(ctx context.Context, x central.Suspension) (o central.Operation, err error) {
	run := 0
	err = s.write(ctx, func(c conn) error {
		var err error
		o, err = suspend(c, x, run)
		run++
		return err
	})
	if err != nil {
		return central.Operation{}, fmt.Errorf("record operation %s as pending: %w", x.ID, err)
	}
	return o, nil
}

// suspend makes an operation pending. The run is how often it was tried before,
// in vain: others were quicker to take the reference that it had found free.
func suspend(c conn, x central.Suspension, run int) (central.Operation, error) {
	reference, err := freeReference(c, x.Prefix, x.At.UnixMilli()+apart(x.ID, run))
	if err != nil {
		return central.Operation{}, err
	}
	o, err := c.operation(`UPDATE operations SET state = 'pending', pending_reference = $1, next_enquiry = $2
		WHERE `+c.dialect.called("id = $3")+` AND state IN `+origins(op.Pending)+` RETURNING `+operationColumns,
		reference, ms(x.NextEnquiry), string(x.ID))
	if errors.Is(err, central.ErrNotFound) {
		return central.Operation{}, refusal(c, x.ID)
	}
	if err != nil {
		return central.Operation{}, err
	}
	return o, addStep(c, x.ID, x.At, op.Dispatched, op.Pending, x.Reason)
}

// apart leads those that look for a free reference at one time away from each
// other: by nothing at first, then by up to a few hundred numbers, of which the
// second trial of a whole crowd leaves almost everybody one of his own.
func apart(id op.ID, run int) int64 {
	if run == 0 {
		return 0
	}
	sum := fnv.New32a()
	_, _ = fmt.Fprint(sum, id, run)
	return int64(sum.Sum32() % (apartAtFirst << min(run, maxApart)))
}

// freeReference gives prefix and number, or the next number that no operation
// has.
func freeReference(c conn, prefix string, number int64) (string, error) {
	for n := range int64(maxPendingTries) {
		reference := prefix + strconv.FormatInt(number+n, 10)
		taken, err := c.exists(`SELECT 1 FROM `+c.dialect.names+` WHERE pending_reference = $1`, reference)
		if err != nil {
			return "", err
		}
		if !taken {
			return reference, nil
		}
	}
	return "", fmt.Errorf("all of the %d pending references from %s%d on are taken", maxPendingTries, prefix, number)
}

// Settle implements central.Operations. The operation that it returns is the
// final one.
func (s *DB) Settle(ctx context.Context, x central.Settlement) (o central.Operation, err error) {
	if !x.To.Final() || x.Reply == nil {
		return central.Operation{}, fmt.Errorf("settle operation %s: a settlement needs a final state and a reply; it has state %q and %d bytes of reply", x.ID, x.To, len(x.Reply))
	}
	if x.Earning != nil && x.To != op.Succeeded {
		return central.Operation{}, fmt.Errorf("settle operation %s: only a success earns, and it is to be %s", x.ID, x.To)
	}
	err = s.write(ctx, func(c conn) error {
		var err error
		o, err = conclude(c, x)
		return err
	})
	if err != nil {
		return central.Operation{}, fmt.Errorf("record operation %s as %s: %w", x.ID, x.To, err)
	}
	return o, nil
}

func conclude(c conn, x central.Settlement) (central.Operation, error) {
	o, err := c.operation(`UPDATE operations
		SET state = $1, settled_at = $2, next_enquiry = NULL, code = $3, rrn = $4, http = $5, reply = $6, charge = $7, otp_refused = $8
		WHERE `+c.dialect.called("id = $9")+` AND state IN `+origins(x.To)+` RETURNING `+operationColumns,
		string(x.To), ms(x.At), x.Answer.Code, x.Answer.RRN, int64(x.HTTP), x.Reply, int64(x.Answer.Charge), bit(x.OTPRefused()), string(x.ID))
	if errors.Is(err, central.ErrNotFound) {
		return central.Operation{}, refusal(c, x.ID)
	}
	if err != nil {
		return central.Operation{}, err
	}
	from := cameFrom(o)
	if err := addStep(c, x.ID, x.At, from, x.To, x.Reason); err != nil {
		return central.Operation{}, err
	}
	if from == op.Pending && o.Terminal != "" {
		err := addEvent(c, o.Terminal, wire.EventOutcome, o.ID, x.At)
		if err == nil {
			err = c.ring(central.TerminalBell(o.Terminal))
		}
		if err != nil {
			return central.Operation{}, err
		}
	}
	if from == op.Pending {
		if err := oweCallback(c, o, x.At); err != nil {
			return central.Operation{}, err
		}
	}
	if x.Session != nil {
		if err := openSession(c, *x.Session); err != nil {
			return central.Operation{}, err
		}
	}
	if x.To == op.Reversed && o.Kind == central.KindTransfer {
		if err := proveTransfer(c, o, x.At); err != nil {
			return central.Operation{}, err
		}
	}
	if x.To != op.Succeeded {
		return o, giveBack(c, o.ID)
	}
	return o, succeed(c, o, x)
}

// succeed carries out what a success brings with it.
func succeed(c conn, o central.Operation, x central.Settlement) error {
	switch o.Kind {
	case central.KindTransfer: // the customer's OTP was right
		if err := proveTransfer(c, o, x.At); err != nil {
			return err
		}
	case central.KindBCRegister, central.KindBCAgentRegister:
		if err := registered(c, o, x.Answer, x.At); err != nil {
			return err
		}
	}
	if o.KYC != nil {
		if err := advance(c, o.Merchant, *o.KYC, x.At); err != nil {
			return err
		}
	}
	if o.Reverses != "" {
		if err := reverse(c, o.Reverses, o.ID, x.At); err != nil {
			return err
		}
	}
	if x.Earning != nil {
		return earn(c, o.ID, *x.Earning, x.At)
	}
	return nil
}

// cameFrom tells the state that a final operation left. What each state writes
// stays in the row, and the schema's constraints tie it to the state.
func cameFrom(o central.Operation) op.State {
	switch {
	case o.PendingReference != "":
		return op.Pending
	case !o.DispatchedAt.IsZero():
		return op.Dispatched
	default:
		return op.Received
	}
}

// Postpone implements central.Operations. An operation that is stuck stays so,
// since the first time.
func (s *DB) Postpone(ctx context.Context, id op.ID, at, next time.Time, reason string, stuck bool) error {
	var stuckAt time.Time
	if stuck {
		stuckAt = at
	}
	err := s.write(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE operations
			SET attempts = attempts + 1, next_enquiry = $1, stuck_at = coalesce(stuck_at, $2)
			WHERE `+c.dialect.called("id = $3")+` AND state = 'pending'`, ms(next), ms(stuckAt), string(id))
		if err != nil {
			return err
		}
		if changed == 0 {
			return refusal(c, id)
		}
		return addStep(c, id, at, op.Pending, op.Pending, reason)
	})
	if err != nil {
		return fmt.Errorf("record an enquiry after operation %s: %w", id, err)
	}
	return nil
}

// origins writes the states from which an operation may step to the given one,
// as the right side of IN.
func origins(to op.State) string {
	var list []string
	for _, from := range central.Origins(to) {
		list = append(list, "'"+string(from)+"'")
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// refusal says why a conditional change found no row.
func refusal(c conn, id op.ID) error {
	var state op.State
	if err := c.one(`SELECT state FROM operations WHERE `+c.dialect.called("id = $1"), []any{string(id)}, &state); err != nil {
		return err
	}
	return fmt.Errorf("it is %s: %w", state, central.ErrState)
}

// addStep adds a line to an operation's history.
func addStep(c conn, id op.ID, at time.Time, from, to op.State, reason string) error {
	_, err := c.exec(`INSERT INTO operation_steps (operation, step, at, node, from_state, to_state, reason)
		VALUES ($1, (SELECT coalesce(max(step), 0) + 1 FROM operation_steps WHERE operation = $1), $2, $3, $4, $5, $6)`,
		string(id), ms(at), c.node, string(from), string(to), clip(reason))
	return err
}

// clip cuts a reason to its limit, and to what every database takes as text.
func clip(reason string) string {
	if len(reason) > maxReason {
		reason = reason[:maxReason]
	}
	return strings.ReplaceAll(strings.ToValidUTF8(reason, ""), "\x00", "")
}
