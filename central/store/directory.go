package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
)

// Client implements central.Directory; central.ErrNotFound if there is none.
func (s *DB) Client(ctx context.Context, clientID string) (central.Client, error) {
	x := central.Client{ID: clientID}
	err := s.read(ctx, func(c conn) error {
		return c.one(`SELECT secret_hash, role, merchant, vendor, aggregator, active, generation FROM clients WHERE id = $1`,
			[]any{clientID}, &x.SecretHash, &x.Principal.Role,
			optional[central.MerchantID]{&x.Principal.Merchant},
			optional[central.VendorID]{&x.Principal.Vendor},
			optional[central.AggregatorID]{&x.Principal.Aggregator}, truth{&x.Active}, &x.Generation)
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

// Bounds of the networks that are kept of a client.
const (
	maxNetworks = 64                  // the newest
	networkLife = 90 * 24 * time.Hour // after the last token there
)

// ClientNetwork implements central.Directory.
func (s *DB) ClientNetwork(ctx context.Context, clientID, network string) (seen time.Time, err error) {
	err = s.read(ctx, func(c conn) error {
		return c.one(`SELECT seen_at FROM client_networks WHERE client = $1 AND network = $2`, []any{clientID, network}, moment{&seen})
	})
	if errors.Is(err, central.ErrNotFound) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("look whether an OAuth client is known in a network: %w", err)
	}
	return seen, nil
}

// NoteClientNetwork implements central.Directory. Of a client's networks the
// newest are kept.
func (s *DB) NoteClientNetwork(ctx context.Context, clientID, network string, at time.Time) error {
	err := s.write(ctx, func(c conn) error {
		if _, err := c.exec(`INSERT INTO client_networks (client, network, seen_at) VALUES ($1, $2, $3)
			ON CONFLICT (client, network) DO UPDATE SET seen_at = excluded.seen_at`, clientID, network, ms(at)); err != nil {
			return err
		}
		_, err := c.exec(`DELETE FROM client_networks WHERE client = $1 AND (seen_at < $2 OR network NOT IN (
			SELECT network FROM client_networks WHERE client = $1 ORDER BY seen_at DESC, network DESC LIMIT $3))`, clientID, ms(at.Add(-networkLife)), maxNetworks)
		return err
	})
	if err != nil {
		return fmt.Errorf("note a network of client %s: %w", clientID, err)
	}
	return nil
}
