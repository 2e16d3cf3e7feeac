package store

import (
	"context"
	"fmt"
	"time"

	"galla/central"
)

// maxMonthsAhead bounds the partitions that are made before their time: two
// years, longer than nobody looks after a database that works.
const maxMonthsAhead = 24

// EnsureMonths makes the partitions of operations for the present Indian month
// and for so many after it, at most 24, where the database has partitions and
// those are missing. Operations of a month that has none are kept apart and move
// over when it is made. central.ErrBusy: something reads the whole table, such as
// a backup, and nothing was made. It is for a chore that runs every day; the
// migrations have made the first three.
func (s *DB) EnsureMonths(ctx context.Context, now time.Time, ahead int) error {
	statement := s.db.Dialect().months
	if statement == "" {
		return nil
	}
	err := s.write(ctx, func(c conn) error {
		var made int64
		err := c.one(statement, []any{ms(now), max(0, min(ahead, maxMonthsAhead))}, &made)
		if err == nil && made < 0 {
			err = fmt.Errorf("something reads the whole table, such as a backup; try again later: %w", central.ErrBusy)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("make the months to come of the table of operations: %w", err)
	}
	return nil
}
