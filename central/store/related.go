package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"galla/central"
	"galla/central/staff"
	"galla/shared/op"
)

// maxRelated bounds the operations that refer to one.
const maxRelated = 20

// Related implements staff.OperationFinder.
func (s Operations) Related(ctx context.Context, o central.Operation) (staff.Related, error) {
	return query(ctx, s.task("read what belongs to operation %s", o.ID), func(c conn) (r staff.Related, err error) {
		r.Operations, err = c.operations(`SELECT `+operationColumns+` FROM operations
			WHERE original = $1 AND original IS NOT NULL ORDER BY created_at DESC, id DESC LIMIT $2`, o.Reference, maxRelated)
		if err != nil {
			return r, err
		}
		for _, find := range []func() (central.Operation, error){
			func() (central.Operation, error) { return operationByReference(c, o.Original) },
			func() (central.Operation, error) { return operationByID(c, o.Reverses) },
		} {
			found, err := find()
			switch {
			case err == nil:
				r.Operations = append(r.Operations, found)
			case !errors.Is(err, central.ErrNotFound):
				return r, err
			}
		}
		slices.SortFunc(r.Operations, newestFirst)
		r.Operations = slices.CompactFunc(r.Operations, func(a, b central.Operation) bool { return a.ID == b.ID })
		if r.Session, err = sessionOf(c, o); err != nil {
			return r, err
		}
		r.Earning, r.Reversed, err = readEarning(c, o.ID)
		return r, err
	})
}

// sessionLead is how long before a session the operation was created that began it, at most:
// later answers to a sign-in come from enquiries.
const sessionLead = time.Hour

// sessionOf reads the agent's session under which an operation was sent, or that it began;
// nil: none.
func sessionOf(c conn, o central.Operation) (*staff.AgentSession, error) {
	at := o.SentAt
	if o.Kind == central.KindAgentAuth {
		at = o.FinishedAt // when a sign-in begins its session
	}
	if !o.Kind.AEPS() || o.TID == "" || at.IsZero() {
		return nil, nil
	}
	x := staff.AgentSession{AgentSession: central.AgentSession{TID: o.TID}}
	err := c.one(`SELECT opened_at, expires_at FROM agent_sessions WHERE tid = $1 AND opened_at <= $2 ORDER BY opened_at DESC LIMIT 1`, []any{o.TID, at}, &x.OpenedAt, &x.ExpiresAt)
	switch {
	case errors.Is(err, central.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case !at.Before(x.ExpiresAt), o.Kind == central.KindAgentAuth && !x.OpenedAt.Equal(at):
		return nil, nil
	}
	err = c.one(`SELECT id FROM operations WHERE merchant = $1 AND created_at >= $2 AND created_at <= $3 AND tid = $4
			AND (kind = 'AGENT_AUTHENTICATION' AND finished_at = $3 OR kind <> 'AGENT_AUTHENTICATION' AND sent_at >= $3)
		ORDER BY created_at DESC LIMIT 1`, []any{o.Merchant, x.OpenedAt.Add(-sessionLead), x.OpenedAt, o.TID}, &x.OpenedBy)
	return &x, instead(err, central.ErrNotFound, nil)
}

func operationByReference(c conn, reference central.Reference) (central.Operation, error) {
	if reference == "" {
		return central.Operation{}, central.ErrNotFound
	}
	return c.operation(`SELECT `+operationColumns+` FROM operations WHERE `+c.dialect.byUniqueName("reference = $1"), reference)
}

// readEarning reads what an operation earned; nil: nothing.
func readEarning(c conn, id op.ID) (*central.Earning, bool, error) {
	var e central.Earning
	var reversed int64
	err := c.one(`SELECT e.payment_method, e.provider, e.txn_type, e.amount, e.charge, e.gst, e.provider_cost, e.commission, e.tds,
		CASE WHEN e.reversed_at IS NULL THEN 0 ELSE 1 END
		FROM commissions e WHERE e.operation = $1`, []any{id},
		&e.PaymentMethod, &e.Provider, &e.TxnType, (*int64)(&e.Amount), (*int64)(&e.Charge), (*int64)(&e.GST), (*int64)(&e.ProviderCost), (*int64)(&e.Commission), (*int64)(&e.TDS), &reversed)
	switch {
	case errors.Is(err, central.ErrNotFound):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	}
	return &e, reversed == 1, nil
}
