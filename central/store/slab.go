package store

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"galla/central"
	"galla/shared/money"
)

const slabColumns = `id, vendor, aggregator, payment_method, provider, txn_type, min_amount, max_amount,
	rate, rate_type, is_default, created_at, updated_at`

func scanSlab(row row, x *central.Slab) error {
	return row.Scan(&x.ID, &x.Vendor, &x.Aggregator, &x.PaymentMethod, &x.Provider, &x.TxnType,
		&x.Min, &x.Max, &x.Rate, &x.RateType, &x.IsDefault, &x.CreatedAt, &x.UpdatedAt)
}

func slabsAlike(c conn, vendor central.VendorID, x central.Combination) ([]central.Slab, error) {
	key := foldedKey(x)
	return allRows(c, scanSlab, `SELECT `+slabColumns+` FROM commission_slabs WHERE vendor = $1 AND method_key = $2
		AND provider_key = $3 AND type_key = $4 AND deleted_at IS NULL
		ORDER BY created_at, id`, vendor, key.PaymentMethod, key.Provider, key.TxnType)
}

// Slabs implements central.VendorAdmin.
func (s Commission) Slabs(ctx context.Context, vendor central.VendorID) ([]central.Slab, error) {
	return listRows(ctx, s.task("list the slabs of vendor %s", vendor), scanSlab, `SELECT `+slabColumns+` FROM commission_slabs
		WHERE vendor = $1 AND deleted_at IS NULL ORDER BY created_at, id`, vendor)
}

// SlabsFor implements central.VendorAdmin, oldest first.
func (s Commission) SlabsFor(ctx context.Context, vendor central.VendorID, x central.Combination) ([]central.Slab, error) {
	return query(ctx, s.task("list the slabs of vendor %s for one combination", vendor),
		func(c conn) ([]central.Slab, error) { return slabsAlike(c, vendor, x) })
}

// AddSlab implements central.VendorAdmin. The caller chooses the id and the time.
// central.ErrNotFound: there is no such vendor. central.ErrState: the vendor has 1000
// slabs.
func (s Commission) AddSlab(ctx context.Context, x central.Slab) (central.Slab, error) {
	x.CreatedAt = truncateToMillis(x.CreatedAt)
	x.UpdatedAt = x.CreatedAt
	err := s.task("add a slab for vendor %s", x.Vendor).change(ctx, func(c conn) error {
		if err := lockVendor(c, x.Vendor); err != nil {
			return err
		}
		var n int
		if err := c.one(`SELECT count(*) FROM commission_slabs WHERE vendor = $1 AND deleted_at IS NULL`, []any{x.Vendor}, &n); err != nil {
			return err
		}
		if n >= maxSlabs {
			return fmt.Errorf("the vendor has %d slabs; delete some: %w", n, central.ErrState)
		}
		if err := checkBand(c, x); err != nil {
			return err
		}
		key := foldedKey(x.Combination)
		_, err := c.exec(`INSERT INTO commission_slabs (`+slabColumns+`, method_key, provider_key, type_key)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
			x.ID, x.Vendor, x.Aggregator, x.PaymentMethod, x.Provider, x.TxnType, x.Min, x.Max,
			x.Rate, x.RateType, x.IsDefault, x.CreatedAt, x.UpdatedAt,
			key.PaymentMethod, key.Provider, key.TxnType)
		if err != nil {
			return err
		}
		return c.raise(topicSlabs)
	})
	return x, err
}

// ChangeSlab implements central.VendorAdmin.
func (s Commission) ChangeSlab(ctx context.Context, vendor central.VendorID, id central.SlabID, change central.SlabChange, at time.Time) (central.Slab, error) {
	return update(ctx, s.task("change slab %s of vendor %s", id, vendor), func(c conn) (x central.Slab, err error) {
		if err := lockVendor(c, vendor); err != nil {
			return x, err
		}
		x, err = firstRow(c, scanSlab, `SELECT `+slabColumns+` FROM commission_slabs
			WHERE id = $1 AND vendor = $2 AND deleted_at IS NULL`, id, vendor)
		if err != nil {
			return x, err
		}
		x = applyChange(x, change)
		x.UpdatedAt = truncateToMillis(at)
		if err := checkBand(c, x); err != nil {
			return x, err
		}
		key := foldedKey(x.Combination)
		_, err = c.exec(`UPDATE commission_slabs SET payment_method = $1, provider = $2, txn_type = $3, min_amount = $4, max_amount = $5,
			rate = $6, rate_type = $7, is_default = $8, updated_at = $9, method_key = $10, provider_key = $11, type_key = $12 WHERE id = $13`,
			x.PaymentMethod, x.Provider, x.TxnType, x.Min, x.Max,
			x.Rate, x.RateType, x.IsDefault, x.UpdatedAt, key.PaymentMethod, key.Provider, key.TxnType, id)
		if err != nil {
			return x, err
		}
		return x, c.raise(topicSlabs)
	})
}

// applyChange is a slab after a change.
func applyChange(x central.Slab, change central.SlabChange) central.Slab {
	setIfGiven(&x.PaymentMethod, change.PaymentMethod)
	setIfGiven(&x.Provider, change.Provider)
	setIfGiven(&x.TxnType, change.TxnType)
	setIfGiven(&x.Rate, change.Rate)
	setIfGiven(&x.RateType, change.RateType)
	setIfGiven(&x.IsDefault, change.IsDefault)
	if change.Min != nil {
		x.Min = change.Min
	}
	if change.Max != nil {
		x.Max = change.Max
	}
	return x
}

// setIfGiven sets a field to its new value, if there is one.
func setIfGiven[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// RemoveSlab implements central.VendorAdmin.
func (s Commission) RemoveSlab(ctx context.Context, vendor central.VendorID, id central.SlabID, at time.Time) error {
	return s.task("delete slab %s of vendor %s", id, vendor).change(ctx, func(c conn) error {
		if err := lockVendor(c, vendor); err != nil {
			return err
		}
		if err := c.changeRow(central.ErrNotFound, `UPDATE commission_slabs SET deleted_at = $1 WHERE id = $2 AND vendor = $3 AND deleted_at IS NULL`,
			at, id, vendor); err != nil {
			return err
		}
		return c.raise(topicSlabs)
	})
}

// lockVendor locks the slabs and keys of a vendor until the end of the transaction, by the
// lock on the vendor's row. central.ErrNotFound: there is no such vendor.
func lockVendor(c conn, vendor central.VendorID) error {
	return c.requireRow(central.ErrNotFound, `SELECT 1 FROM vendors WHERE id = $1`+c.dialect.forUpdate, vendor)
}

// foldedKey is the key by which combinations are compared. Each letter becomes the first of
// its equivalents in Unicode (simple folding): k, K and the Kelvin sign become K.
// Combinations have one key if central.Combination.Same says that they are the same.
func foldedKey(x central.Combination) central.Combination {
	folded := func(text string) string {
		return strings.Map(func(letter rune) rune {
			first := letter
			for r := unicode.SimpleFold(letter); r != letter; r = unicode.SimpleFold(r) {
				first = min(first, r)
			}
			return first
		}, text)
	}
	return central.Combination{PaymentMethod: folded(x.PaymentMethod), Provider: folded(x.Provider), TxnType: folded(x.TxnType)}
}

// equalBands tells whether two slabs have the same band. An open side equals an open side
// only.
func equalBands(a, b central.Slab) bool {
	same := func(a, b *money.Paise) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
	return same(a.Min, b.Min) && same(a.Max, b.Max)
}

// checkBand refuses a slab with the band of another one. If the slab is the default, it
// unsets the earlier default. The schema refuses both, too.
func checkBand(c conn, x central.Slab) error {
	alike, err := slabsAlike(c, x.Vendor, x.Combination)
	if err != nil {
		return err
	}
	for _, other := range alike {
		if other.ID != x.ID && equalBands(other, x) {
			return fmt.Errorf("slab %s: %w", other.ID, central.ErrSameBand)
		}
	}
	if !x.IsDefault {
		return nil
	}
	key := foldedKey(x.Combination)
	_, err = c.exec(`UPDATE commission_slabs SET is_default = 0, updated_at = $1 WHERE vendor = $2 AND method_key = $3
		AND provider_key = $4 AND type_key = $5 AND is_default = 1 AND deleted_at IS NULL AND id <> $6`,
		x.UpdatedAt, x.Vendor, key.PaymentMethod, key.Provider, key.TxnType, x.ID)
	return err
}
