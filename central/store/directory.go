package store

import (
	"context"
	"time"

	"galla/central"
)

// Client implements central.Directory; central.ErrNotFound if there is none.
func (s Accounts) Client(ctx context.Context, clientID string) (central.Client, error) {
	return query(ctx, s.task("read an OAuth client"), func(c conn) (central.Client, error) {
		x := central.Client{ID: clientID}
		err := c.one(`SELECT secret_hash, role, merchant, vendor, aggregator, active, generation, generations,
			former_hash, former_generation, former_ends_at FROM clients WHERE id = $1`,
			[]any{clientID}, &x.SecretHash, &x.Principal.Role,
			&x.Principal.Merchant,
			&x.Principal.Vendor,
			&x.Principal.Aggregator, &x.Active, &x.Generation, &x.Generations,
			&x.Former.Hash, &x.Former.Generation, &x.Former.EndsAt)
		if x.Former.Hash == "" {
			x.Former = central.FormerSecret{} // what is left of one that has ended
		}
		return x, err
	})
}

// Vendor implements central.Directory; central.ErrNotFound if there is none.
func (s Accounts) Vendor(ctx context.Context, id central.VendorID) (central.Vendor, error) {
	return oneRow(ctx, s.task("read vendor %s", id), scanVendor, `SELECT id, legal_name, aggregator, active FROM vendors WHERE id = $1`, id)
}

// Limits of the networks that are stored for a client.
const (
	maxNetworks = 64                  // the newest
	networkLife = 90 * 24 * time.Hour // after the last token
)

// ClientNetworkSeenAt implements central.Directory.
func (s Accounts) ClientNetworkSeenAt(ctx context.Context, clientID, network string) (time.Time, error) {
	return query(ctx, s.task("read a network of an OAuth client"), func(c conn) (seen time.Time, err error) {
		err = c.one(`SELECT seen_at FROM client_networks WHERE client = $1 AND network = $2`, []any{clientID, network}, &seen)
		return seen, instead(err, central.ErrNotFound, nil)
	})
}

// RecordClientNetwork implements central.Directory. It keeps the newest networks of a client.
func (s Accounts) RecordClientNetwork(ctx context.Context, clientID, network string, at time.Time) error {
	return s.task("record a network of client %s", clientID).change(ctx, func(c conn) error {
		if _, err := c.exec(`INSERT INTO client_networks (client, network, seen_at) VALUES ($1, $2, $3)
			ON CONFLICT (client, network) DO UPDATE SET seen_at = excluded.seen_at`, clientID, network, at); err != nil {
			return err
		}
		_, err := c.exec(`DELETE FROM client_networks WHERE client = $1 AND (seen_at < $2 OR network NOT IN (
			SELECT network FROM client_networks WHERE client = $1 ORDER BY seen_at DESC, network DESC LIMIT $3))`, clientID, at.Add(-networkLife), maxNetworks)
		return err
	})
}
