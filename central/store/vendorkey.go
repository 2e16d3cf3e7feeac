package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"galla/central"
)

const vendorKeyColumns = `id, vendor, client_hash, hint, sealed, created_at, revoked_at, ends_at, used_at, uses`

func scanVendorKey(row row, k *central.VendorKey) error {
	return row.Scan(&k.ID, &k.Vendor, &k.ClientHash, &k.Hint, &k.Sealed,
		&k.CreatedAt, &k.RevokedAt, &k.EndsAt, &k.UsedAt, &k.Uses)
}

// AddVendorKey implements central.VendorKeys. A new key is unused and live.
func (s Keys) AddVendorKey(ctx context.Context, k central.VendorKey) error {
	return s.task("record key %s of vendor %s", k.ID, k.Vendor).change(ctx, func(c conn) error {
		if err := lockVendor(c, k.Vendor); err != nil {
			return fmt.Errorf("vendor %s: %w", k.Vendor, err)
		}
		if err := c.refuseRow(central.ErrTaken, `SELECT 1 FROM vendor_keys WHERE id = $1 OR client_hash = $2`, k.ID, k.ClientHash[:]); err != nil {
			return err
		}
		// Keys that have ended as planned are revoked now: they count no longer.
		if _, err := c.exec(`UPDATE vendor_keys SET revoked_at = ends_at WHERE vendor = $1 AND revoked_at IS NULL AND ends_at <= $2`, k.Vendor, k.CreatedAt); err != nil {
			return err
		}
		var live int
		if err := c.one(`SELECT count(*) FROM vendor_keys WHERE vendor = $1 AND revoked_at IS NULL`, []any{k.Vendor}, &live); err != nil {
			return err
		}
		if live >= central.MaxLiveKeys {
			return fmt.Errorf("the vendor has %d live keys, the most that are allowed: revoke one first: %w", live, central.ErrState)
		}
		if _, err := c.exec(`INSERT INTO vendor_keys (id, vendor, client_hash, hint, sealed, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
			k.ID, k.Vendor, k.ClientHash[:], k.Hint, k.Sealed, k.CreatedAt); err != nil {
			return err
		}
		return c.raise(topicVendorKeys)
	})
}

// VendorKeysOf implements central.VendorKeys, at most 1000, the oldest.
func (s Keys) VendorKeysOf(ctx context.Context, vendor central.VendorID) ([]central.VendorKey, error) {
	return query(ctx, s.task("list the keys of vendors"), func(c conn) ([]central.VendorKey, error) {
		if vendor == "" {
			return allRows(c, scanVendorKey, `SELECT `+vendorKeyColumns+` FROM vendor_keys ORDER BY created_at, id LIMIT $1`, maxRows)
		}
		return allRows(c, scanVendorKey, `SELECT `+vendorKeyColumns+` FROM vendor_keys WHERE vendor = $1 ORDER BY created_at, id LIMIT $2`, vendor, maxRows)
	})
}

// LiveVendorKeys implements central.VendorKeys, at most 20,000, the oldest.
func (s Keys) LiveVendorKeys(ctx context.Context) ([]central.VendorKey, error) {
	return listRows(ctx, s.task("list the live keys of vendors"), scanVendorKey,
		`SELECT `+vendorKeyColumns+` FROM vendor_keys WHERE revoked_at IS NULL ORDER BY created_at, id LIMIT $1`, maxLiveKeys)
}

// RevokeVendorKey implements central.VendorKeys. The first time is kept.
func (s Keys) RevokeVendorKey(ctx context.Context, id central.KeyID, at time.Time) error {
	return s.task("revoke vendor key %s", id).change(ctx, func(c conn) error {
		if err := c.changeRow(central.ErrNotFound, `UPDATE vendor_keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2`, at, id); err != nil {
			return err
		}
		return c.raise(topicVendorKeys)
	})
}

// EndVendorKey implements central.VendorKeys.
func (s Keys) EndVendorKey(ctx context.Context, vendor central.VendorID, id central.KeyID, at, ends time.Time) error {
	return s.task("plan the end of vendor key %s", id).change(ctx, func(c conn) error {
		if err := c.requireRow(central.ErrNotFound, `SELECT 1 FROM vendor_keys WHERE id = $1 AND vendor = $2`, id, vendor); err != nil {
			return err
		}
		if err := c.changeRow(central.ErrState, `UPDATE vendor_keys SET ends_at = $1 WHERE id = $2 AND revoked_at IS NULL AND (ends_at IS NULL OR ends_at > $3)`,
			ends, id, at); err != nil {
			return err
		}
		return c.raise(topicVendorKeys)
	})
}

// ResealVendorKey implements central.VendorKeys.
func (s Keys) ResealVendorKey(ctx context.Context, id central.KeyID, was, is []byte) error {
	return s.task("seal vendor key %s again", id).change(ctx, func(c conn) error {
		if err := c.changeRow(central.ErrState, `UPDATE vendor_keys SET sealed = $1 WHERE id = $2 AND sealed = $3`, is, id, was); err != nil {
			return err
		}
		return c.raise(topicVendorKeys)
	})
}

// LeaseKeyUses implements central.VendorKeys.
func (s Keys) LeaseKeyUses(ctx context.Context, id central.KeyID, n, bound int64) (int64, error) {
	return update(ctx, s.task("lease uses of vendor key %s", id), func(c conn) (uses int64, err error) {
		err = c.one(`UPDATE vendor_keys SET uses = uses + $1 WHERE id = $2 AND revoked_at IS NULL AND uses <= $3 RETURNING uses`,
			[]any{n, id, bound - n}, &uses)
		return uses, instead(err, central.ErrNotFound, central.ErrState)
	})
}

// RecordVendorKeyUse implements central.VendorKeys.
func (s Keys) RecordVendorKeyUse(ctx context.Context, seen map[central.KeyID]time.Time) error {
	return s.task("record when vendors' keys were used").change(ctx, func(c conn) error {
		// In one order, so that two nodes never wait for each other.
		for _, id := range slices.Sorted(maps.Keys(seen)) {
			if _, err := c.exec(`UPDATE vendor_keys SET used_at = $1 WHERE id = $2 AND (used_at IS NULL OR used_at < $1)`,
				seen[id], id); err != nil {
				return err
			}
		}
		return nil
	})
}

// SpendIV implements central.ReplayProtection.
func (s Keys) SpendIV(ctx context.Context, key central.KeyID, iv central.IV, expires time.Time) error {
	return s.task("record a gateway message under key %s", key).change(ctx, func(c conn) error {
		return spendIV(c, central.ErrTaken, &central.SealedMessage{Key: key, IV: iv, Expires: expires})
	})
}

// spendIV records a message, unless it is recorded: then it fails with taken, and has
// changed nothing.
func spendIV(c conn, taken error, m *central.SealedMessage) error {
	return c.changeRow(taken, `INSERT INTO gateway_messages (vendor_key, iv, expires_at) VALUES ($1, $2, $3) ON CONFLICT (vendor_key, iv) DO NOTHING`,
		string(m.Key), m.IV[:], m.Expires)
}

// forgetLimit is how many records one call of ForgetIVs deletes: few enough not to hold up
// the other changes.
const forgetLimit = 500

// ForgetIVs implements central.ReplayProtection.
func (s Keys) ForgetIVs(ctx context.Context, now time.Time) (more bool, err error) {
	n, err := update(ctx, s.task("forget expired gateway messages"), func(c conn) (int64, error) {
		return c.exec(`DELETE FROM gateway_messages WHERE (vendor_key, iv) IN (
			SELECT vendor_key, iv FROM gateway_messages WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2`+c.dialect.skipLocked+`)`, now, forgetLimit)
	})
	return n >= forgetLimit, err
}

// IVSpent implements central.ReplayProtection.
func (s Keys) IVSpent(ctx context.Context, key central.KeyID, iv central.IV) (bool, error) {
	return s.task("look for a gateway message under key %s", key).exists(ctx,
		`SELECT 1 FROM gateway_messages WHERE vendor_key = $1 AND iv = $2`, key, iv[:])
}
