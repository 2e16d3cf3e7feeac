package store

import (
	"context"
	"fmt"
	"time"

	"galla/central"
	"galla/shared/money"
)

// ClaimOrder implements central.Orders: it gives the amount that the order id
// was first claimed with. central.ErrNotFound: no such merchant.
func (s *DB) ClaimOrder(ctx context.Context, merchant central.MerchantID, orderID string, amount money.Paise, at time.Time) (claimed money.Paise, err error) {
	err = s.write(ctx, func(c conn) error {
		known, err := c.exists(`SELECT 1 FROM merchants WHERE id = $1`, string(merchant))
		if err != nil {
			return err
		}
		if !known {
			return central.ErrNotFound
		}
		if _, err := c.exec(`INSERT INTO upi_orders (merchant, order_id, amount, at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (merchant, order_id) DO NOTHING`, string(merchant), orderID, int64(amount), ms(at)); err != nil {
			return err
		}
		return c.one(`SELECT amount FROM upi_orders WHERE merchant = $1 AND order_id = $2`, []any{string(merchant), orderID}, &claimed)
	})
	if err != nil {
		return 0, fmt.Errorf("claim an order id of merchant %s: %w", merchant, err)
	}
	return claimed, nil
}
