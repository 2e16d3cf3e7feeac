package store

import (
	"context"
	"fmt"
	"time"

	"galla/central"
)

// maxMonthsAhead bounds the partitions that are created in advance.
const maxMonthsAhead = 24

// EnsurePartitions creates the partitions of operations for the present Indian month and
// for so many months after it, at most 24, where the database has partitions and these
// are missing. Operations of a month without a partition are in the default partition
// and move when theirs is created. central.ErrBusy: something reads the whole table, such
// as a backup, and nothing was created. A scheduled job calls it every day; the
// migration creates the first three.
func (s Operations) EnsurePartitions(ctx context.Context, now time.Time, ahead int) error {
	if s.dialect.ensurePartitions == "" {
		return nil
	}
	return s.task("create partitions for the coming months of operations").change(ctx, func(c conn) error {
		var created int64
		err := c.one(c.dialect.ensurePartitions, []any{now, max(0, min(ahead, maxMonthsAhead))}, &created)
		if err == nil && created < 0 {
			err = fmt.Errorf("something reads the whole table, such as a backup; try again later: %w", central.ErrBusy)
		}
		return err
	})
}
