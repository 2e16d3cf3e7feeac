package store

import (
	"context"
	"fmt"

	"galla/central"
)

// Client implements central.Directory; central.ErrNotFound if there is none.
func (s *DB) Client(ctx context.Context, clientID string) (central.Client, error) {
	x := central.Client{ID: clientID}
	err := s.read(ctx, func(c conn) error {
		return c.one(`SELECT secret_hash, role, merchant, vendor, aggregator, active FROM clients WHERE id = $1`,
			[]any{clientID}, &x.SecretHash, &x.Principal.Role,
			optional[central.MerchantID]{&x.Principal.Merchant},
			optional[central.VendorID]{&x.Principal.Vendor},
			optional[central.AggregatorID]{&x.Principal.Aggregator}, truth{&x.Active})
	})
	if err != nil {
		return central.Client{}, fmt.Errorf("read an OAuth client: %w", err)
	}
	return x, nil
}

// Vendor implements central.Directory; central.ErrNotFound if there is none.
func (s *DB) Vendor(ctx context.Context, id central.VendorID) (central.Vendor, error) {
	v := central.Vendor{ID: id}
	err := s.read(ctx, func(c conn) error {
		return c.one(`SELECT legal_name, aggregator, active FROM vendors WHERE id = $1`, []any{string(id)},
			&v.LegalName, optional[central.AggregatorID]{&v.Aggregator}, truth{&v.Active})
	})
	if err != nil {
		return central.Vendor{}, fmt.Errorf("read vendor %s: %w", id, err)
	}
	return v, nil
}
