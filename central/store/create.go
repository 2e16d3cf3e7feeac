package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"galla/central"
	"galla/shared/op"
)

// Create implements central.Operations. A new operation is returned as it is read later: in
// state received or sent, with times in milliseconds, and without later fields. Quotas of
// one key and period are one count with several limits: the operation counts once, with
// the largest amount.
func (s Operations) Create(ctx context.Context, o central.Operation, quotas []central.Quota) (known central.Operation, isNew bool, err error) {
	known, isNew, done, err := s.createShared(ctx, o, quotas)
	if done {
		return known, isNew, err
	}
	return s.createAlone(ctx, o, quotas)
}

// createAlone is Create in a transaction of its own, for every operation.
func (s Operations) createAlone(ctx context.Context, o central.Operation, quotas []central.Quota) (known central.Operation, isNew bool, err error) {
	known, err = update(ctx, s.task("record operation %s", o.ID), func(c conn) (known central.Operation, err error) {
		known, isNew, err = insertOperation(c, o, quotas)
		return known, err
	})
	return known, isNew && err == nil, err
}

// FindOrTombstone implements central.Operations. Another call after the tombstone returns
// it (Operation.Tombstone), with seen false.
func (s Operations) FindOrTombstone(ctx context.Context, caller, identity string, at time.Time) (known central.Operation, seen bool, err error) {
	// Most identities are known, and a read needs no sync of the disk.
	known, err = query(ctx, s.task("read an identity"), func(c conn) (central.Operation, error) { return operationByIdentity(c, caller, identity) })
	if errors.Is(err, central.ErrNotFound) {
		known, err = update(ctx, s.task("mark an identity as never seen"),
			func(c conn) (central.Operation, error) { return findOrTombstone(c, caller, identity, at) })
	}
	return known, err == nil && !known.Tombstone, err
}

// insertOperation records a new operation with its identity, its first steps and its
// reservations, or finds the operation to which its names lead.
func insertOperation(c conn, o central.Operation, quotas []central.Quota) (known central.Operation, isNew bool, err error) {
	n, err := resolveNames(c, o)
	if err != nil {
		return n.known, false, err
	}
	// An operation of the same reference was recorded by this very call, with its message
	// (createAfterLoss).
	if o.Message != nil && !(n.found && n.known.Reference == o.Reference) {
		if err := spendIV(c, central.ErrReplayed, o.Message); err != nil {
			return central.Operation{}, false, err
		}
	}
	if n.found {
		return n.known, false, nil
	}
	o = asCreated(o)
	o.Attempt = n.attempts + 1
	if !isMasked(o.Aadhaar) {
		return central.Operation{}, false, errUnmasked
	}
	var kyc central.KYCStep
	if o.KYC != nil {
		kyc = *o.KYC
	}
	err = c.changeRow(fmt.Errorf("the reference at the bank is not unique: %w", central.ErrTaken), `INSERT INTO operations (
			id, caller, identity, route, fingerprint, merchant, terminal, tid,
			kind, amount, aadhaar, iin, reference, stan, state, node, not_after, created_at,
			party, caller_ref, original, sender, kyc_service, kyc_to, reverses, attempt, sent_at, bank_not_after) `+
		c.dialect.unlessTaken(` $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
			$19, $20, $21, $22, $23, $24, $25, $26, $27, $28`, "$13"),
		o.ID, o.Caller, o.Identity, o.Route, o.Fingerprint[:], orNull(o.Merchant), orNull(o.Terminal), o.TID,
		o.Kind, o.Amount, o.Aadhaar, o.IIN, o.Reference, o.STAN, o.State, o.Node,
		o.NotAfter, o.CreatedAt,
		orNull(o.Party), orNull(o.CallerRef), orNull(o.Original), orNull(o.Sender), orNull(kyc.Service), orNull(kyc.To), orNull(o.Reverses), o.Attempt,
		o.SentAt, o.BankNotAfter)
	if err != nil {
		return central.Operation{}, false, err
	}
	if !n.identified { // a known identity stays with the first attempt, which leads to this one
		if err := addIdentity(c, o.Caller, o.Identity, o.ID); err != nil {
			return central.Operation{}, false, err
		}
	}
	if err := addFirstSteps(c, o); err != nil {
		return central.Operation{}, false, err
	}
	if err := reserveQuotas(c, o.ID, quotas); err != nil {
		return central.Operation{}, false, err
	}
	return o, true, nil
}

// addFirstSteps begins the history of a new operation: received, and sent if it was created
// so.
func addFirstSteps(c conn, o central.Operation) (err error) {
	if o.State == op.Sent {
		_, err = c.exec(`INSERT INTO operation_steps (operation, step, at, node, from_state, to_state, reason)
			VALUES ($1, 1, $2, $3, '', 'received', ''), ($1, 2, $4, $3, 'received', 'sent', '')`, o.ID, o.CreatedAt, c.node, o.SentAt)
		return err
	}
	_, err = c.exec(`INSERT INTO operation_steps (operation, step, at, node, from_state, to_state, reason)
		VALUES ($1, 1, $2, $3, '', 'received', '')`, o.ID, o.CreatedAt, c.node)
	return err
}

func addIdentity(c conn, caller, identity string, id op.ID) error {
	_, err := c.exec(`INSERT INTO identities (caller, identity, operation) VALUES ($1, $2, $3)`, caller, identity, id)
	return err
}

// errUnmasked does not quote the number.
var errUnmasked = errors.New("its Aadhaar number is not in the masked form: XXXXXXXX and the last four digits")

// isMasked tells whether a text may be stored as an Aadhaar number. The schema refuses
// the same texts, but the log of a server may quote a row that the schema refused.
func isMasked(aadhaar string) bool {
	return aadhaar == "" || len(aadhaar) == 12 && strings.HasPrefix(aadhaar, "XXXXXXXX") && !strings.Contains(aadhaar, "\x00")
}

// asCreated is an operation as Create records it, without later fields: sent, or received
// for any other state.
func asCreated(o central.Operation) central.Operation {
	o.NotAfter, o.CreatedAt = truncateToMillis(o.NotAfter), truncateToMillis(o.CreatedAt)
	if o.State == op.Sent {
		o.SentAt, o.BankNotAfter = truncateToMillis(o.SentAt), truncateToMillis(o.BankNotAfter)
	} else {
		o.State, o.SentAt, o.BankNotAfter = op.Received, time.Time{}, time.Time{}
	}
	o.PendingReference, o.Enquiries, o.NextEnquiry, o.StuckAt = "", 0, time.Time{}, time.Time{}
	o.FinishedAt, o.Code, o.RRN, o.HTTP, o.Reply, o.Charge, o.OTPRefused, o.Tombstone = time.Time{}, "", "", 0, nil, 0, false, false
	o.Message = nil
	if o.KYC != nil {
		step := *o.KYC
		o.KYC = &step
	}
	return o
}

// findOrTombstone finds an operation by its identity or writes a tombstone for it.
func findOrTombstone(c conn, caller, identity string, at time.Time) (central.Operation, error) {
	known, err := operationByIdentity(c, caller, identity)
	if !errors.Is(err, central.ErrNotFound) {
		return known, err
	}
	_, err = c.exec(`INSERT INTO identities (caller, identity, tombstone_at) VALUES ($1, $2, $3)`, caller, identity, at)
	return tombstoneOf(caller, identity), err
}

func tombstoneOf(caller, identity string) central.Operation {
	return central.Operation{Caller: caller, Identity: identity, Tombstone: true}
}

// operationByIdentity returns the operation or the tombstone of an identity, or
// central.ErrNotFound.
func operationByIdentity(c conn, caller, identity string) (central.Operation, error) {
	var id op.ID
	err := c.one(`SELECT operation FROM identities WHERE caller = $1 AND identity = $2`,
		[]any{caller, identity}, &id)
	if err != nil {
		return central.Operation{}, err
	}
	if id == "" {
		return tombstoneOf(caller, identity), nil
	}
	return operationByID(c, id)
}

func operationByID(c conn, id op.ID) (central.Operation, error) {
	return c.operation(`SELECT `+operationColumns+` FROM operations WHERE `+c.dialect.byUniqueName("id = $1"), id)
}
