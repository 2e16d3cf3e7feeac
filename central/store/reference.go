package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"galla/central"
)

// errNoReference refuses a query that does not name one operation.
var errNoReference = errors.New("exactly one reference must be asked for")

// ByReference implements central.Operations. A query that sets none or several
// of its fields is refused. Another party's operation is central.ErrNotFound.
func (s *DB) ByReference(ctx context.Context, party string, by central.ReferenceQuery) (o central.Operation, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		switch by {
		case central.ReferenceQuery{}:
			return errNoReference
		case central.ReferenceQuery{CallerRef: by.CallerRef}:
			o, err = byCallerRef(c, party, by.CallerRef)
			return err
		case central.ReferenceQuery{Reference: by.Reference}:
			o, err = c.operation(`SELECT `+operationColumns+` FROM operations WHERE `+c.dialect.called("reference = $1"), string(by.Reference))
		case central.ReferenceQuery{Pending: by.Pending}:
			o, err = c.operation(`SELECT `+operationColumns+` FROM operations WHERE `+c.dialect.called("pending_reference = $1"), by.Pending)
		default:
			return errNoReference
		}
		if err != nil {
			return err
		}
		return owned(c, o, party)
	})
	if err != nil {
		return central.Operation{}, fmt.Errorf("read an operation of %s by its reference: %w", party, err)
	}
	return o, nil
}

// byCallerRef finds a party's operation by the reference that the party chose;
// of several attempts the newest, which is the only one that the bank has not
// refused for its OTP, if any is not.
// Operations older than the column had it as their identity.
func byCallerRef(c conn, party, callerRef string) (central.Operation, error) {
	o, err := c.operation(`SELECT `+operationColumns+` FROM operations WHERE `+c.dialect.called("party = $1 AND caller_ref = $2 ORDER BY try DESC LIMIT 1"), party, callerRef)
	if !errors.Is(err, central.ErrNotFound) {
		return o, err
	}
	o, err = byIdentity(c, party, callerRef)
	if err == nil && (o.Forsworn || o.Party != "") {
		return central.Operation{}, central.ErrNotFound
	}
	return o, err
}

// owned tells by central.ErrNotFound that an operation is not the party's. One
// that is older than its column belongs to the merchant or vendor that called,
// or to the merchant whose terminal did.
func owned(c conn, o central.Operation, party string) error {
	owner := o.Party
	if owner == "" {
		owner = o.Caller
	}
	if terminal, ok := strings.CutPrefix(owner, "terminal:"); ok {
		var merchant string
		if err := c.one(`SELECT merchant FROM terminals WHERE id = $1`, []any{terminal}, &merchant); err != nil {
			return err
		}
		owner = "merchant:" + merchant
	}
	if owner != party {
		return central.ErrNotFound
	}
	return nil
}

// RefundOf implements central.Operations.
func (s *DB) RefundOf(ctx context.Context, original central.Reference) (o central.Operation, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		o, err = activeRefund(c, original)
		return err
	})
	if err != nil {
		return central.Operation{}, fmt.Errorf("read the refund of transfer %s: %w", original, err)
	}
	return o, nil
}

func activeRefund(c conn, original central.Reference) (central.Operation, error) {
	return c.operation(`SELECT `+operationColumns+` FROM operations
		WHERE original = $1 AND state <> 'failed' AND state <> 'refused' ORDER BY created_at DESC, id DESC LIMIT 1`, string(original))
}

// Newest implements central.Administration, newest first, at most 1000.
func (s *DB) Newest(ctx context.Context, merchant central.MerchantID, limit int) (list []central.Operation, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		list, err = c.operations(`SELECT `+operationColumns+` FROM operations
			WHERE merchant = $1 ORDER BY created_at DESC, id DESC LIMIT $2`, string(merchant), bounded(limit))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the newest operations of merchant %s: %w", merchant, err)
	}
	return list, nil
}
