package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/central/staff"
	"galla/shared/op"
)

// Search implements staff.OperationFinder, at most 1000.
func (s Operations) Search(ctx context.Context, q staff.Search) ([]central.Operation, error) {
	from, to := max(q.From.UnixMilli(), 0), q.To.UnixMilli()
	if q.To.IsZero() {
		to = 1 << 52
	}
	limit := clampLimit(q.Limit)
	return query(ctx, s.task("search for operations"), func(c conn) ([]central.Operation, error) {
		switch {
		case q.Aadhaar != "":
			return c.operations(`SELECT `+operationColumns+` FROM operations
				WHERE aadhaar = $1 AND aadhaar <> '' AND created_at >= $2 AND created_at < $3 ORDER BY created_at DESC, id DESC LIMIT $4`,
				q.Aadhaar, from, to, limit)
		case q.Mobile != "":
			return operationsByMobile(c, q, from, to, limit)
		case q.Merchant != "":
			return operationsOfMerchant(c, string(q.Merchant), from, to, limit)
		}
		return c.operations(`SELECT `+operationColumns+` FROM operations
			WHERE amount > 0 AND created_at >= $1 AND created_at < $2 ORDER BY created_at DESC, id DESC LIMIT $3`, from, to, limit)
	})
}

func operationsOfMerchant(c conn, merchant string, from, to int64, limit int) ([]central.Operation, error) {
	return c.operations(`SELECT `+operationColumns+` FROM operations
		WHERE merchant = $1 AND created_at >= $2 AND created_at < $3 ORDER BY created_at DESC, id DESC LIMIT $4`, merchant, from, to, limit)
}

// maxMobileOwners bounds the remitters and merchants of one mobile number, which a family
// may share.
const maxMobileOwners = 20

// operationsByMobile finds the transfers of the remitters that have or had a mobile number,
// and the operations of the merchants with it.
func operationsByMobile(c conn, q staff.Search, from, to int64, limit int) ([]central.Operation, error) {
	remitter := string(accounts.CustomerByRemitter(""))
	senders, err := allRows(c, scanValue[string], `SELECT name FROM customer_names WHERE customer = $1 AND name LIKE $2
		UNION SELECT name FROM customer_former_names WHERE customer = $1 AND name LIKE $2 LIMIT $3`, q.Hash[:], remitter+"%", maxMobileOwners)
	if err != nil {
		return nil, err
	}
	merchants, err := allRows(c, scanValue[string], `SELECT id FROM merchants WHERE mobile = $1 LIMIT $2`, q.Mobile, maxMobileOwners)
	if err != nil {
		return nil, err
	}
	var list []central.Operation
	for _, sender := range senders {
		found, err := c.operations(`SELECT `+operationColumns+` FROM operations
			WHERE sender = $1 AND sender IS NOT NULL AND created_at >= $2 AND created_at < $3 ORDER BY created_at DESC, id DESC LIMIT $4`, strings.TrimPrefix(sender, remitter), from, to, limit)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	for _, merchant := range merchants {
		found, err := operationsOfMerchant(c, merchant, from, to, limit)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	slices.SortFunc(list, newestFirst)
	list = slices.CompactFunc(list, func(a, b central.Operation) bool { return a.ID == b.ID })
	return list[:min(len(list), limit)], nil
}

// LastReasons implements staff.OperationFinder.
func (s Operations) LastReasons(ctx context.Context, ids []op.ID) (map[op.ID]string, error) {
	return query(ctx, s.task("read the last reasons of operations"), func(c conn) (map[op.ID]string, error) {
		reasons := make(map[op.ID]string, len(ids))
		for _, id := range ids {
			var reason string
			err := c.one(`SELECT reason FROM operation_steps WHERE operation = $1 ORDER BY step DESC LIMIT 1`, []any{id}, &reason)
			if err != nil {
				return nil, err
			}
			reasons[id] = reason
		}
		return reasons, nil
	})
}

// EnquireNow implements staff.OperationFinder.
func (s Operations) EnquireNow(ctx context.Context, id op.ID, at time.Time, who string) error {
	return s.task("request an enquiry for operation %s", id).change(ctx, func(c conn) error {
		if err := c.changeRow(central.ErrState, `UPDATE operations SET next_enquiry = $1, stuck_at = NULL
			WHERE `+c.dialect.byUniqueName("id = $2")+` AND state = 'pending'`, at, id); err != nil {
			return err
		}
		return addStep(c, id, at, op.Pending, op.Pending, "enquiry requested by "+who)
	})
}
