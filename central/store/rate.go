package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
	"galla/central/duty"
)

var _ duty.Rates = (*DB)(nil)

// SpareRate implements duty.Rates.
func (s *DB) SpareRate(ctx context.Context, name string, rate duty.Rate, now time.Time) (wait time.Duration, err error) {
	var was duty.Bucket
	err = s.read(ctx, func(c conn) error {
		return c.one(`SELECT level, at FROM rates WHERE name = $1`, []any{name}, &was.Level, moment{&was.At})
	})
	if errors.Is(err, central.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look at the rate of %s: %w", name, err)
	}
	_, _, wait = was.Take(rate, 1, now)
	return wait, nil
}

// LeaseRate implements duty.Rates. Who comes at the same time waits for the
// row.
func (s *DB) LeaseRate(ctx context.Context, name string, rate duty.Rate, want int, now time.Time) (given int, wait time.Duration, err error) {
	err = s.write(ctx, func(c conn) error {
		given = 0
		var was duty.Bucket
		read := func() error {
			return c.one(`SELECT level, at FROM rates WHERE name = $1`+c.dialect.hold, []any{name}, &was.Level, moment{&was.At})
		}
		err := read()
		if errors.Is(err, central.ErrNotFound) {
			// Since 1970 it has filled up; another node may be quicker.
			if _, err := c.exec(`INSERT INTO rates (name, level, at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING`, name, 0, 0); err != nil {
				return err
			}
			err = read()
		}
		if err != nil {
			return err
		}
		var left duty.Bucket
		if left, given, wait = was.Take(rate, want, now); given == 0 {
			return nil
		}
		_, err = c.exec(`UPDATE rates SET level = $1, at = $2 WHERE name = $3`, left.Level, ms(left.At), name)
		return err
	})
	if err != nil {
		return 0, 0, fmt.Errorf("take uses out of the rate of %s: %w", name, err)
	}
	return given, wait, nil
}
