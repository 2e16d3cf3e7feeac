package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"galla/central"
	"galla/central/operator"
	"galla/shared/op"
)

var (
	_ operator.Finder  = (*DB)(nil)
	_ operator.Mobiles = (*DB)(nil)
)

// Search implements operator.Finder, at most 1000.
func (s *DB) Search(ctx context.Context, q operator.Search) (list []central.Operation, err error) {
	from, to := max(q.From.UnixMilli(), 0), q.To.UnixMilli()
	if q.To.IsZero() {
		to = 1 << 52
	}
	limit := bounded(q.Limit)
	err = s.read(ctx, func(c conn) error {
		var err error
		switch {
		case q.Aadhaar != "":
			list, err = c.operations(`SELECT `+operationColumns+` FROM operations
				WHERE aadhaar = $1 AND aadhaar <> '' AND created_at >= $2 AND created_at < $3 ORDER BY created_at DESC, id DESC LIMIT $4`,
				q.Aadhaar, from, to, limit)
		case q.Mobile != "":
			list, err = byMobile(c, q, from, to, limit)
		case q.Merchant != "":
			list, err = c.operations(`SELECT `+operationColumns+` FROM operations
				WHERE merchant = $1 AND created_at >= $2 AND created_at < $3 ORDER BY created_at DESC, id DESC LIMIT $4`,
				string(q.Merchant), from, to, limit)
		default:
			list, err = c.operations(`SELECT `+operationColumns+` FROM operations
				WHERE amount > 0 AND created_at >= $1 AND created_at < $2 ORDER BY created_at DESC, id DESC LIMIT $3`, from, to, limit)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("search for operations: %w", err)
	}
	return list, nil
}

// maxBearers bounds the remitters and merchants of one mobile number: a family
// shares a telephone.
const maxBearers = 20

// byMobile gives the transfers of the remitters who have a mobile number, and
// the operations of the merchants who have it.
func byMobile(c conn, q operator.Search, from, to int64, limit int) ([]central.Operation, error) {
	var senders, merchants []string
	gather := func(to *[]string) func(row) error {
		return func(row row) error {
			var name string
			err := row.Scan(&name)
			*to = append(*to, name)
			return err
		}
	}
	if err := c.each(`SELECT sender FROM remitter_mobiles WHERE mobile = $1 LIMIT $2`, []any{q.Hash[:], maxBearers}, gather(&senders)); err != nil {
		return nil, err
	}
	if err := c.each(`SELECT id FROM merchants WHERE mobile = $1 LIMIT $2`, []any{q.Mobile, maxBearers}, gather(&merchants)); err != nil {
		return nil, err
	}
	var list []central.Operation
	for _, sender := range senders {
		found, err := c.operations(`SELECT `+operationColumns+` FROM operations
			WHERE sender = $1 AND sender IS NOT NULL AND created_at >= $2 AND created_at < $3 ORDER BY created_at DESC, id DESC LIMIT $4`, sender, from, to, limit)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	for _, merchant := range merchants {
		found, err := c.operations(`SELECT `+operationColumns+` FROM operations
			WHERE merchant = $1 AND created_at >= $2 AND created_at < $3 ORDER BY created_at DESC, id DESC LIMIT $4`, merchant, from, to, limit)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	slices.SortFunc(list, func(a, b central.Operation) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	list = slices.CompactFunc(list, func(a, b central.Operation) bool { return a.ID == b.ID })
	return list[:min(len(list), limit)], nil
}

// LastWords implements operator.Finder.
func (s *DB) LastWords(ctx context.Context, ids []op.ID) (words map[op.ID]string, err error) {
	err = s.read(ctx, func(c conn) error {
		words = make(map[op.ID]string, len(ids))
		for _, id := range ids {
			var reason string
			err := c.one(`SELECT reason FROM operation_steps WHERE operation = $1 ORDER BY step DESC LIMIT 1`, []any{string(id)}, &reason)
			if err != nil {
				return err
			}
			words[id] = reason
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the last words on operations: %w", err)
	}
	return words, nil
}

// EnquireNow implements operator.Finder.
func (s *DB) EnquireNow(ctx context.Context, id op.ID, at time.Time, who string) error {
	err := s.write(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE operations SET next_enquiry = $1, stuck_at = NULL WHERE `+c.dialect.called("id = $2")+` AND state = 'pending'`, ms(at), string(id))
		if err != nil {
			return err
		}
		if changed == 0 {
			return central.ErrState
		}
		return addStep(c, id, at, op.Pending, op.Pending, "an enquiry is made now, as "+who+" wants")
	})
	if err != nil {
		return fmt.Errorf("have the bank asked after operation %s: %w", id, err)
	}
	return nil
}

// NoteMobile implements operator.Mobiles. Most are known: those leave the writer
// alone.
func (s *DB) NoteMobile(ctx context.Context, hash [32]byte, sender string, at time.Time) error {
	known := false
	err := s.read(ctx, func(c conn) error {
		var err error
		known, err = c.exists(`SELECT 1 FROM remitter_mobiles WHERE mobile = $1 AND sender = $2`, hash[:], sender)
		return err
	})
	if err == nil && !known {
		err = s.write(ctx, func(c conn) error {
			_, err := c.exec(`INSERT INTO remitter_mobiles (mobile, sender, at) VALUES ($1, $2, $3) ON CONFLICT (mobile, sender) DO NOTHING`, hash[:], sender, ms(at))
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("note a remitter's number: %w", err)
	}
	return nil
}
