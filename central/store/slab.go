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

// bound scans an end of a band; NULL is open.
type bound struct{ to **money.Paise }

// Scan implements sql.Scanner.
func (b bound) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		*b.to = nil
	case int64:
		amount := money.Paise(v)
		*b.to = &amount
	default:
		return fmt.Errorf("an amount is stored as %T, not as integer paise", value)
	}
	return nil
}

// end is an end of a band as it is stored.
func end(amount *money.Paise) any {
	if amount == nil {
		return nil
	}
	return int64(*amount)
}

// slabs reads the slabs of a statement that selects slabColumns.
func (c conn) slabs(statement string, args ...any) (list []central.Slab, err error) {
	err = c.each(statement, args, func(row row) error {
		var x central.Slab
		err := row.Scan(&x.ID, &x.Vendor, &x.Aggregator, &x.PaymentMethod, &x.Provider, &x.TxnType,
			bound{&x.Min}, bound{&x.Max}, &x.Rate, &x.RateType, truth{&x.IsDefault}, moment{&x.CreatedAt}, moment{&x.UpdatedAt})
		list = append(list, x)
		return err
	})
	return list, err
}

func slabsAlike(c conn, vendor central.VendorID, x central.Combination) ([]central.Slab, error) {
	key := keyOf(x)
	return c.slabs(`SELECT `+slabColumns+` FROM commission_slabs WHERE vendor = $1 AND coalesce(method_key, payment_method) = $2
		AND coalesce(provider_key, provider) = $3 AND coalesce(type_key, txn_type) = $4 AND deleted_at IS NULL
		ORDER BY created_at, id`, string(vendor), key.PaymentMethod, key.Provider, key.TxnType)
}

// Slabs implements central.Administration.
func (s *DB) Slabs(ctx context.Context, vendor central.VendorID) (list []central.Slab, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		list, err = c.slabs(`SELECT `+slabColumns+` FROM commission_slabs
			WHERE vendor = $1 AND deleted_at IS NULL ORDER BY created_at, id`, string(vendor))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the slabs of vendor %s: %w", vendor, err)
	}
	return list, nil
}

// SlabsFor implements central.Administration, oldest first.
func (s *DB) SlabsFor(ctx context.Context, vendor central.VendorID, x central.Combination) (list []central.Slab, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		list, err = slabsAlike(c, vendor, x)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the slabs of vendor %s for one combination: %w", vendor, err)
	}
	return list, nil
}

// AddSlab implements central.Administration. The id and the moment are the
// caller's. central.ErrNotFound: no such vendor; central.ErrState: the vendor
// has 1000 slabs.
func (s *DB) AddSlab(ctx context.Context, x central.Slab) (central.Slab, error) {
	x.CreatedAt = cut(x.CreatedAt)
	x.UpdatedAt = x.CreatedAt
	err := s.write(ctx, func(c conn) error {
		if err := holdVendor(c, x.Vendor); err != nil {
			return err
		}
		var n int
		if err := c.one(`SELECT count(*) FROM commission_slabs WHERE vendor = $1 AND deleted_at IS NULL`, []any{string(x.Vendor)}, &n); err != nil {
			return err
		}
		if n >= maxSlabs {
			return fmt.Errorf("the vendor has %d slabs; delete some: %w", n, central.ErrState)
		}
		if err := makeRoom(c, x); err != nil {
			return err
		}
		key := keyOf(x.Combination)
		_, err := c.exec(`INSERT INTO commission_slabs (`+slabColumns+`, method_key, provider_key, type_key)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
			string(x.ID), string(x.Vendor), string(x.Aggregator), x.PaymentMethod, x.Provider, x.TxnType, end(x.Min), end(x.Max),
			int64(x.Rate), string(x.RateType), bit(x.IsDefault), ms(x.CreatedAt), ms(x.UpdatedAt),
			key.PaymentMethod, key.Provider, key.TxnType)
		return err
	})
	if err != nil {
		return central.Slab{}, fmt.Errorf("add a slab for vendor %s: %w", x.Vendor, err)
	}
	return x, nil
}

// ChangeSlab implements central.Administration.
func (s *DB) ChangeSlab(ctx context.Context, vendor central.VendorID, id central.SlabID, change central.SlabChange, at time.Time) (x central.Slab, err error) {
	err = s.write(ctx, func(c conn) error {
		if err := holdVendor(c, vendor); err != nil {
			return err
		}
		list, err := c.slabs(`SELECT `+slabColumns+` FROM commission_slabs
			WHERE id = $1 AND vendor = $2 AND deleted_at IS NULL`, string(id), string(vendor))
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return central.ErrNotFound
		}
		x = altered(list[0], change)
		x.UpdatedAt = cut(at)
		if err := makeRoom(c, x); err != nil {
			return err
		}
		key := keyOf(x.Combination)
		_, err = c.exec(`UPDATE commission_slabs SET payment_method = $1, provider = $2, txn_type = $3, min_amount = $4, max_amount = $5,
			rate = $6, rate_type = $7, is_default = $8, updated_at = $9, method_key = $10, provider_key = $11, type_key = $12 WHERE id = $13`,
			x.PaymentMethod, x.Provider, x.TxnType, end(x.Min), end(x.Max),
			int64(x.Rate), string(x.RateType), bit(x.IsDefault), ms(x.UpdatedAt), key.PaymentMethod, key.Provider, key.TxnType, string(id))
		return err
	})
	if err != nil {
		return central.Slab{}, fmt.Errorf("change slab %s of vendor %s: %w", id, vendor, err)
	}
	return x, nil
}

// altered is a slab after a change.
func altered(x central.Slab, change central.SlabChange) central.Slab {
	set(&x.PaymentMethod, change.PaymentMethod)
	set(&x.Provider, change.Provider)
	set(&x.TxnType, change.TxnType)
	set(&x.Rate, change.Rate)
	set(&x.RateType, change.RateType)
	set(&x.IsDefault, change.IsDefault)
	if change.Min != nil {
		x.Min = change.Min
	}
	if change.Max != nil {
		x.Max = change.Max
	}
	return x
}

// set gives a field its new value, if there is one.
func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// RemoveSlab implements central.Administration.
func (s *DB) RemoveSlab(ctx context.Context, vendor central.VendorID, id central.SlabID, at time.Time) error {
	err := s.write(ctx, func(c conn) error {
		if err := holdVendor(c, vendor); err != nil {
			return err
		}
		changed, err := c.exec(`UPDATE commission_slabs SET deleted_at = $1 WHERE id = $2 AND vendor = $3 AND deleted_at IS NULL`,
			ms(at), string(id), string(vendor))
		if err == nil && changed == 0 {
			err = central.ErrNotFound
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("delete slab %s of vendor %s: %w", id, vendor, err)
	}
	return nil
}

// holdVendor keeps everybody else from changing what a vendor has (its slabs,
// its keys) until the end of the transaction, by the lock on the vendor's row;
// central.ErrNotFound: no such vendor.
func holdVendor(c conn, vendor central.VendorID) error {
	known, err := c.exists(`SELECT 1 FROM vendors WHERE id = $1`+c.dialect.hold, string(vendor))
	if err == nil && !known {
		err = central.ErrNotFound
	}
	return err
}

// keyOf is a combination as it is compared, letter by letter in the form that comes
// first of those which Unicode calls one letter (simple folding): k, K and the
// Kelvin sign are K. What central.Combination.Same calls one has one key, and
// capital letters are their own.
func keyOf(x central.Combination) central.Combination {
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

// equalBands tells whether two slabs have one band: an open side is equal to an
// open one only.
func equalBands(a, b central.Slab) bool {
	same := func(a, b *money.Paise) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
	return same(a.Min, b.Min) && same(a.Max, b.Max)
}

// makeRoom refuses a slab whose band is equal to another one's, and unsets the
// earlier default where the slab is the default. The schema refuses both, too.
func makeRoom(c conn, x central.Slab) error {
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
	key := keyOf(x.Combination)
	_, err = c.exec(`UPDATE commission_slabs SET is_default = 0, updated_at = $1 WHERE vendor = $2 AND coalesce(method_key, payment_method) = $3
		AND coalesce(provider_key, provider) = $4 AND coalesce(type_key, txn_type) = $5 AND is_default = 1 AND deleted_at IS NULL AND id <> $6`,
		ms(x.UpdatedAt), string(x.Vendor), key.PaymentMethod, key.Provider, key.TxnType, string(x.ID))
	return err
}
