package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"galla/central"
)

const vendorKeyColumns = `id, vendor, client_hash, hint, sealed, created_at, revoked_at, used_at, uses`

func scanVendorKey(row row) (k central.VendorKey, err error) {
	err = row.Scan(&k.ID, &k.Vendor, scanDigest{&k.ClientHash}, &k.Hint, &k.Sealed,
		scanTime{&k.CreatedAt}, scanTime{&k.RevokedAt}, scanTime{&k.UsedAt}, &k.Uses)
	return k, err
}

// AddVendorKey implements central.VendorKeys. A new key is unused and live.
func (s Keys) AddVendorKey(ctx context.Context, k central.VendorKey) error {
	return s.change(ctx, func(c conn) error {
		if err := lockVendor(c, k.Vendor); err != nil {
			return fmt.Errorf("vendor %s: %w", k.Vendor, err)
		}
		taken, err := c.exists(`SELECT 1 FROM vendor_keys WHERE id = $1 OR client_hash = $2`, string(k.ID), k.ClientHash[:])
		if err != nil {
			return err
		}
		if taken {
			return central.ErrTaken
		}
		var live int
		if err := c.one(`SELECT count(*) FROM vendor_keys WHERE vendor = $1 AND revoked_at IS NULL`, []any{string(k.Vendor)}, &live); err != nil {
			return err
		}
		if live >= central.MaxLiveKeys {
			return fmt.Errorf("the vendor has %d live keys, the most that are allowed: revoke one first: %w", live, central.ErrState)
		}
		if _, err := c.exec(`INSERT INTO vendor_keys (id, vendor, client_hash, hint, sealed, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
			string(k.ID), string(k.Vendor), k.ClientHash[:], k.Hint, k.Sealed, ms(k.CreatedAt)); err != nil {
			return err
		}
		return bumpKeysRevision(c)
	}, "record key %s of vendor %s", k.ID, k.Vendor)
}

// bumpKeysRevision tells all nodes that the list of keys has changed.
func bumpKeysRevision(c conn) error {
	return c.changeRow(errors.New("the database has no revision of the list of keys"),
		`UPDATE counters SET value = value + 1 WHERE name = 'vendor-keys'`)
}

// VendorKeysOf implements central.VendorKeys, at most 1000, the oldest.
func (s Keys) VendorKeysOf(ctx context.Context, vendor central.VendorID) ([]central.VendorKey, error) {
	return query(ctx, s.connection, func(c conn) ([]central.VendorKey, error) {
		if vendor == "" {
			return allRows(c, scanVendorKey, `SELECT `+vendorKeyColumns+` FROM vendor_keys ORDER BY created_at, id LIMIT $1`, maxRows)
		}
		return allRows(c, scanVendorKey, `SELECT `+vendorKeyColumns+` FROM vendor_keys WHERE vendor = $1 ORDER BY created_at, id LIMIT $2`, string(vendor), maxRows)
	}, "list the keys of vendors")
}

// LiveVendorKeys implements central.VendorKeys, at most 20,000, the oldest. It reads the
// revision first: the next reading sees a change in between.
func (s Keys) LiveVendorKeys(ctx context.Context) (list []central.VendorKey, revision int64, err error) {
	list, err = query(ctx, s.connection, func(c conn) (list []central.VendorKey, err error) {
		if revision, err = keysRevision(c); err != nil {
			return nil, err
		}
		return allRows(c, scanVendorKey, `SELECT `+vendorKeyColumns+` FROM vendor_keys WHERE revoked_at IS NULL ORDER BY created_at, id LIMIT $1`, maxLiveKeys)
	}, "list the live keys of vendors")
	if err != nil {
		return nil, 0, err
	}
	return list, revision, nil
}

// VendorKeysRevision implements central.VendorKeys.
func (s Keys) VendorKeysRevision(ctx context.Context) (int64, error) {
	return query(ctx, s.connection, keysRevision, "read the revision of vendors' keys")
}

func keysRevision(c conn) (revision int64, err error) {
	err = c.one(`SELECT value FROM counters WHERE name = 'vendor-keys'`, nil, &revision)
	return revision, err
}

// RevokeVendorKey implements central.VendorKeys. The first time is kept.
func (s Keys) RevokeVendorKey(ctx context.Context, id central.KeyID, at time.Time) error {
	return s.change(ctx, func(c conn) error {
		if err := c.changeRow(central.ErrNotFound, `UPDATE vendor_keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2`, ms(at), string(id)); err != nil {
			return err
		}
		return bumpKeysRevision(c)
	}, "revoke vendor key %s", id)
}

// ResealVendorKey implements central.VendorKeys.
func (s Keys) ResealVendorKey(ctx context.Context, id central.KeyID, was, is []byte) error {
	return s.change(ctx, func(c conn) error {
		if err := c.changeRow(central.ErrState, `UPDATE vendor_keys SET sealed = $1 WHERE id = $2 AND sealed = $3`, is, string(id), was); err != nil {
			return err
		}
		return bumpKeysRevision(c)
	}, "seal vendor key %s again", id)
}

// LeaseKeyUses implements central.VendorKeys.
func (s Keys) LeaseKeyUses(ctx context.Context, id central.KeyID, n, bound int64) (int64, error) {
	return update(ctx, s.connection, func(c conn) (uses int64, err error) {
		err = c.one(`UPDATE vendor_keys SET uses = uses + $1 WHERE id = $2 AND revoked_at IS NULL AND uses <= $3 RETURNING uses`,
			[]any{n, string(id), bound - n}, &uses)
		if errors.Is(err, central.ErrNotFound) {
			err = central.ErrState
		}
		return uses, err
	}, "lease uses of vendor key %s", id)
}

// RecordVendorKeyUse implements central.VendorKeys.
func (s Keys) RecordVendorKeyUse(ctx context.Context, seen map[central.KeyID]time.Time) error {
	return s.change(ctx, func(c conn) error {
		// In one order, so that two nodes never wait for each other.
		for _, id := range slices.Sorted(maps.Keys(seen)) {
			if _, err := c.exec(`UPDATE vendor_keys SET used_at = $1 WHERE id = $2 AND (used_at IS NULL OR used_at < $1)`,
				ms(seen[id]), string(id)); err != nil {
				return err
			}
		}
		return nil
	}, "record when vendors' keys were used")
}

// SpendIV implements central.ReplayProtection. Each call deletes a few expired messages,
// more than it adds.
func (s Keys) SpendIV(ctx context.Context, key central.KeyID, iv central.IV, now, expires time.Time) error {
	return s.change(ctx, func(c conn) error {
		if err := c.changeRow(central.ErrTaken, `INSERT INTO gateway_messages (vendor_key, iv, expires_at) VALUES ($1, $2, $3) ON CONFLICT (vendor_key, iv) DO NOTHING`,
			string(key), iv[:], ms(expires)); err != nil {
			return err
		}
		_, err := c.exec(`DELETE FROM gateway_messages WHERE (vendor_key, iv) IN (
			SELECT vendor_key, iv FROM gateway_messages WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2`+c.dialect.skipLocked+`)`, ms(now), purgeLimit)
		return err
	}, "record a gateway message under key %s", key)
}

// IVSpent implements central.ReplayProtection.
func (s Keys) IVSpent(ctx context.Context, key central.KeyID, iv central.IV) (bool, error) {
	return query(ctx, s.connection, func(c conn) (bool, error) {
		return c.exists(`SELECT 1 FROM gateway_messages WHERE vendor_key = $1 AND iv = $2`, string(key), iv[:])
	}, "look for a gateway message under key %s", key)
}
