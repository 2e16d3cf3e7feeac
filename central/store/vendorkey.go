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
	err = row.Scan(&k.ID, &k.Vendor, digest{&k.ClientHash}, &k.Hint, &k.Sealed,
		moment{&k.CreatedAt}, moment{&k.RevokedAt}, moment{&k.UsedAt}, &k.Uses)
	return k, err
}

func (c conn) vendorKeys(statement string, args ...any) (list []central.VendorKey, err error) {
	err = c.each(statement, args, func(row row) error {
		k, err := scanVendorKey(row)
		list = append(list, k)
		return err
	})
	return list, err
}

// AddVendorKey implements central.VendorKeys. Keys begin unused and live.
func (s *DB) AddVendorKey(ctx context.Context, k central.VendorKey) error {
	err := s.write(ctx, func(c conn) error {
		if err := holdVendor(c, k.Vendor); err != nil {
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
			return fmt.Errorf("the vendor has %d live keys, which is all it may have: revoke one first: %w", live, central.ErrState)
		}
		if _, err := c.exec(`INSERT INTO vendor_keys (id, vendor, client_hash, hint, sealed, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
			string(k.ID), string(k.Vendor), k.ClientHash[:], k.Hint, k.Sealed, ms(k.CreatedAt)); err != nil {
			return err
		}
		return newEdition(c)
	})
	if err != nil {
		return fmt.Errorf("record key %s of vendor %s: %w", k.ID, k.Vendor, err)
	}
	return nil
}

// newEdition tells every node that the list of keys has changed.
func newEdition(c conn) error {
	changed, err := c.exec(`UPDATE counters SET value = value + 1 WHERE name = 'vendor-keys'`)
	if err == nil && changed != 1 {
		err = errors.New("the database has no edition of the list of keys")
	}
	return err
}

// VendorKeysOf implements central.VendorKeys; at most 1000, the oldest.
func (s *DB) VendorKeysOf(ctx context.Context, vendor central.VendorID) (list []central.VendorKey, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		if vendor == "" {
			list, err = c.vendorKeys(`SELECT `+vendorKeyColumns+` FROM vendor_keys ORDER BY created_at, id LIMIT $1`, maxRows)
		} else {
			list, err = c.vendorKeys(`SELECT `+vendorKeyColumns+` FROM vendor_keys WHERE vendor = $1 ORDER BY created_at, id LIMIT $2`, string(vendor), maxRows)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the keys of vendors: %w", err)
	}
	return list, nil
}

// LiveVendorKeys implements central.VendorKeys; at most 20,000, the oldest. The
// edition is read first: a change in between is seen by the next reading.
func (s *DB) LiveVendorKeys(ctx context.Context) (list []central.VendorKey, edition int64, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		if edition, err = keysEdition(c); err != nil {
			return err
		}
		list, err = c.vendorKeys(`SELECT `+vendorKeyColumns+` FROM vendor_keys WHERE revoked_at IS NULL ORDER BY created_at, id LIMIT $1`, maxLiveKeys)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list the live keys of vendors: %w", err)
	}
	return list, edition, nil
}

// VendorKeysEdition implements central.VendorKeys.
func (s *DB) VendorKeysEdition(ctx context.Context) (edition int64, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		edition, err = keysEdition(c)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("read the edition of vendors' keys: %w", err)
	}
	return edition, nil
}

func keysEdition(c conn) (edition int64, err error) {
	err = c.one(`SELECT value FROM counters WHERE name = 'vendor-keys'`, nil, &edition)
	return edition, err
}

// RevokeVendorKey implements central.VendorKeys. The first moment stays.
func (s *DB) RevokeVendorKey(ctx context.Context, id central.KeyID, at time.Time) error {
	err := s.write(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE vendor_keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2`, ms(at), string(id))
		if err != nil {
			return err
		}
		if changed == 0 {
			return central.ErrNotFound
		}
		return newEdition(c)
	})
	if err != nil {
		return fmt.Errorf("revoke vendor key %s: %w", id, err)
	}
	return nil
}

// ResealVendorKey implements central.VendorKeys.
func (s *DB) ResealVendorKey(ctx context.Context, id central.KeyID, was, is []byte) error {
	err := s.write(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE vendor_keys SET sealed = $1 WHERE id = $2 AND sealed = $3`, is, string(id), was)
		if err != nil {
			return err
		}
		if changed == 0 {
			return central.ErrState
		}
		return newEdition(c)
	})
	if err != nil {
		return fmt.Errorf("seal vendor key %s anew: %w", id, err)
	}
	return nil
}

// LeaseUses implements central.VendorKeys.
func (s *DB) LeaseUses(ctx context.Context, id central.KeyID, n, bound int64) (uses int64, err error) {
	err = s.write(ctx, func(c conn) error {
		err := c.one(`UPDATE vendor_keys SET uses = uses + $1 WHERE id = $2 AND revoked_at IS NULL AND uses <= $3 RETURNING uses`,
			[]any{n, string(id), bound - n}, &uses)
		if errors.Is(err, central.ErrNotFound) {
			err = central.ErrState
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("set uses of vendor key %s aside: %w", id, err)
	}
	return uses, nil
}

// SawVendorKeys implements central.VendorKeys.
func (s *DB) SawVendorKeys(ctx context.Context, seen map[central.KeyID]time.Time) error {
	err := s.write(ctx, func(c conn) error {
		// In one order, so that two nodes never wait for each other.
		for _, id := range slices.Sorted(maps.Keys(seen)) {
			if _, err := c.exec(`UPDATE vendor_keys SET used_at = $1 WHERE id = $2 AND (used_at IS NULL OR used_at < $1)`,
				ms(seen[id]), string(id)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("note when vendors' keys were used: %w", err)
	}
	return nil
}

// SpendIV implements central.Replays. A few expired messages are forgotten on
// the way, more than one call adds.
func (s *DB) SpendIV(ctx context.Context, key central.KeyID, iv central.IV, now, expires time.Time) error {
	err := s.write(ctx, func(c conn) error {
		added, err := c.exec(`INSERT INTO gateway_messages (vendor_key, iv, expires_at) VALUES ($1, $2, $3) ON CONFLICT (vendor_key, iv) DO NOTHING`,
			string(key), iv[:], ms(expires))
		if err != nil {
			return err
		}
		if added == 0 {
			return central.ErrTaken
		}
		_, err = c.exec(`DELETE FROM gateway_messages WHERE (vendor_key, iv) IN (
			SELECT vendor_key, iv FROM gateway_messages WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2`+c.dialect.skipLocked+`)`, ms(now), purgeLimit)
		return err
	})
	if err != nil {
		return fmt.Errorf("record a gateway message under key %s: %w", key, err)
	}
	return nil
}

// SpentIV implements central.Replays.
func (s *DB) SpentIV(ctx context.Context, key central.KeyID, iv central.IV) (spent bool, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		spent, err = c.exists(`SELECT 1 FROM gateway_messages WHERE vendor_key = $1 AND iv = $2`, string(key), iv[:])
		return err
	})
	if err != nil {
		return false, fmt.Errorf("look for a gateway message under key %s: %w", key, err)
	}
	return spent, nil
}
