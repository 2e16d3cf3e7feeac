package store

import (
	"context"
	"errors"

	"galla/central"
)

// errOneReference refuses a query that does not name one operation.
var errOneReference = errors.New("exactly one reference must be given")

// ByReference implements central.Operations. A query with none or several of its fields
// is refused. The operation of another party is central.ErrNotFound.
func (s Operations) ByReference(ctx context.Context, party string, by central.ReferenceQuery) (central.Operation, error) {
	return query(ctx, s.task("read an operation of %s by its reference", party), func(c conn) (o central.Operation, err error) {
		switch by {
		case central.ReferenceQuery{}:
			return o, errOneReference
		case central.ReferenceQuery{CallerRef: by.CallerRef}:
			return operationByCallerRef(c, party, by.CallerRef)
		case central.ReferenceQuery{Reference: by.Reference}:
			o, err = c.operation(`SELECT `+operationColumns+` FROM operations WHERE `+c.dialect.byUniqueName("reference = $1"), by.Reference)
		case central.ReferenceQuery{Pending: by.Pending}:
			o, err = c.operation(`SELECT `+operationColumns+` FROM operations WHERE `+c.dialect.byUniqueName("pending_reference = $1"), by.Pending)
		default:
			return o, errOneReference
		}
		if err == nil && o.Party != party {
			err = central.ErrNotFound
		}
		return o, err
	})
}

// operationByCallerRef finds a party's operation by the reference that the party chose. Of
// several attempts it is the newest: all earlier ones were refused for their OTP.
func operationByCallerRef(c conn, party, callerRef string) (central.Operation, error) {
	return c.operation(`SELECT `+operationColumns+` FROM operations WHERE `+c.dialect.byUniqueName("party = $1 AND caller_ref = $2 ORDER BY attempt DESC LIMIT 1"), party, callerRef)
}

// RefundOf implements central.Operations.
func (s Operations) RefundOf(ctx context.Context, original central.Reference) (central.Operation, error) {
	return query(ctx, s.task("read the refund of transfer %s", original),
		func(c conn) (central.Operation, error) { return activeRefund(c, original) })
}

func activeRefund(c conn, original central.Reference) (central.Operation, error) {
	return c.operation(`SELECT `+operationColumns+` FROM operations
		WHERE original = $1 AND state <> 'failed' AND state <> 'refused' ORDER BY created_at DESC, id DESC LIMIT 1`, original)
}

// LatestOperations implements central.VendorAdmin, newest first, at most 1000.
func (s Operations) LatestOperations(ctx context.Context, merchant central.MerchantID, limit int) ([]central.Operation, error) {
	return listRows(ctx, s.task("list the newest operations of merchant %s", merchant), scanOperation, `SELECT `+operationColumns+` FROM operations
		WHERE merchant = $1 ORDER BY created_at DESC, id DESC LIMIT $2`, merchant, clampLimit(limit))
}
