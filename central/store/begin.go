package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"galla/central"
	"galla/shared/bug"
	"galla/shared/op"
)

// Begin implements central.Operations. What it returns of a new operation is
// what a reading returns: a state of received, times in milliseconds, and
// nothing of what comes later. Quotas of one key and period are one count with
// several bounds: the operation counts once there, with the largest amount.
func (s *DB) Begin(ctx context.Context, o central.Operation, quotas []central.Quota) (known central.Operation, isNew bool, err error) {
	err = s.write(ctx, func(c conn) error {
		var err error
		known, isNew, err = begin(c, o, quotas)
		return err
	})
	if err != nil {
		return central.Operation{}, false, fmt.Errorf("record operation %s: %w", o.ID, err)
	}
	return known, isNew, nil
}

// Ask implements central.Operations. Asking again after a tombstone was
// written gives the tombstone (Forsworn), with seen false.
func (s *DB) Ask(ctx context.Context, caller, identity string, at time.Time) (known central.Operation, seen bool, err error) {
	// Most of those who ask are right, and a read costs no sync of the disk.
	err = s.read(ctx, func(c conn) error {
		var err error
		known, err = byIdentity(c, caller, identity)
		return err
	})
	if err == nil && !known.Forsworn {
		return known, true, nil
	}
	if err == nil {
		return known, false, nil
	}
	if !errors.Is(err, central.ErrNotFound) {
		return central.Operation{}, false, err
	}
	err = s.write(ctx, func(c conn) error {
		var err error
		known, seen, err = forswear(c, caller, identity, at)
		return err
	})
	if err != nil {
		return central.Operation{}, false, fmt.Errorf("declare an identity never seen: %w", err)
	}
	return known, seen, nil
}

// begin records a new operation, its identity, its first step and what it
// counts for, or finds what its names stand for.
func begin(c conn, o central.Operation, quotas []central.Quota) (known central.Operation, isNew bool, err error) {
	n, err := named(c, o)
	if err != nil || n.found {
		return n.known, false, err
	}
	o = received(o)
	o.Try = n.tries + 1
	if !masked(o.Aadhaar) {
		return central.Operation{}, false, errUnmasked
	}
	inserted, err := c.exec(`INSERT INTO operations (
			id, caller, identity, route, fingerprint, merchant, terminal, tid,
			kind, amount, aadhaar, iin, reference, stan, state, node, not_after, created_at,
			party, caller_ref, original, sender, kyc_service, kyc_to, reverses, try)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
			$19, $20, $21, $22, $23, $24, $25, $26
		WHERE NOT EXISTS (SELECT 1 FROM `+c.dialect.names+` WHERE reference = $13)`,
		string(o.ID), o.Caller, o.Identity, string(o.Route), o.Fingerprint[:], ref(o.Merchant), ref(o.Terminal), o.TID,
		string(o.Kind), int64(o.Amount), o.Aadhaar, o.IIN, string(o.Reference), o.STAN, string(o.State), o.Node,
		ms(o.NotAfter), ms(o.CreatedAt),
		ref(o.Party), ref(o.CallerRef), ref(o.Original), ref(o.Sender), kycService(o), kycTo(o), ref(o.Reverses), int64(o.Try))
	if err != nil {
		return central.Operation{}, false, err
	}
	if inserted == 0 {
		return central.Operation{}, false, fmt.Errorf("the reference at the bank is not unique: %w", central.ErrTaken)
	}
	if !n.identified { // it stays the identity of the first attempt, which leads to this one
		if err := addIdentity(c, o.Caller, o.Identity, o.ID); err != nil {
			return central.Operation{}, false, err
		}
	}
	if _, err := c.exec(`INSERT INTO operation_steps (operation, step, at, node, from_state, to_state, reason)
		VALUES ($1, 1, $2, $3, '', 'received', '')`, string(o.ID), ms(o.CreatedAt), c.node); err != nil {
		return central.Operation{}, false, err
	}
	if err := reserve(c, o.ID, quotas); err != nil {
		return central.Operation{}, false, err
	}
	return o, true, nil
}

func addIdentity(c conn, caller, identity string, id op.ID) error {
	_, err := c.exec(`INSERT INTO identities (caller, identity, operation) VALUES ($1, $2, $3)`, caller, identity, string(id))
	return err
}

// errUnmasked does not quote what it refuses.
var errUnmasked = errors.New("its Aadhaar number is not in the masked form: XXXXXXXX and the last four digits")

// masked tells whether a text is fit for the column of the Aadhaar number. The
// schema refuses the same; but a server's log may quote what a schema refused.
func masked(aadhaar string) bool {
	return aadhaar == "" || len(aadhaar) == 12 && strings.HasPrefix(aadhaar, "XXXXXXXX") && !strings.Contains(aadhaar, "\x00")
}

// received is an operation as it stands after Begin.
func received(o central.Operation) central.Operation {
	new := central.Operation{
		ID: o.ID, Caller: o.Caller, Identity: o.Identity, Route: o.Route, Fingerprint: o.Fingerprint,
		Merchant: o.Merchant, Terminal: o.Terminal, TID: o.TID,
		Kind: o.Kind, Amount: o.Amount, Aadhaar: o.Aadhaar, IIN: o.IIN, Reference: o.Reference, STAN: o.STAN,
		Party: o.Party, CallerRef: o.CallerRef, Original: o.Original, Sender: o.Sender, Reverses: o.Reverses,
		Try: max(o.Try, 1), State: op.Received, Node: o.Node, NotAfter: cut(o.NotAfter), CreatedAt: cut(o.CreatedAt),
	}
	if o.KYC != nil {
		step := *o.KYC
		new.KYC = &step
	}
	return new
}

// forswear finds an operation by its identity or writes a tombstone for it.
func forswear(c conn, caller, identity string, at time.Time) (known central.Operation, seen bool, err error) {
	known, err = byIdentity(c, caller, identity)
	if err == nil {
		return known, !known.Forsworn, nil
	}
	if !errors.Is(err, central.ErrNotFound) {
		return central.Operation{}, false, err
	}
	if bug.ForgetTombstone {
		return tombstone(caller, identity), false, nil
	}
	if _, err := c.exec(`INSERT INTO identities (caller, identity, forsworn_at) VALUES ($1, $2, $3)`,
		caller, identity, ms(at)); err != nil {
		return central.Operation{}, false, err
	}
	return tombstone(caller, identity), false, nil
}

func tombstone(caller, identity string) central.Operation {
	return central.Operation{Caller: caller, Identity: identity, Forsworn: true}
}

// byIdentity gives what an identity stands for: an operation, a tombstone, or
// central.ErrNotFound.
func byIdentity(c conn, caller, identity string) (central.Operation, error) {
	var id op.ID
	err := c.one(`SELECT operation FROM identities WHERE caller = $1 AND identity = $2`,
		[]any{caller, identity}, optional[op.ID]{&id})
	if err != nil {
		return central.Operation{}, err
	}
	if id == "" {
		return tombstone(caller, identity), nil
	}
	return operationByID(c, id)
}

func operationByID(c conn, id op.ID) (central.Operation, error) {
	return c.operation(`SELECT `+operationColumns+` FROM operations WHERE `+c.dialect.called("id = $1"), string(id))
}
