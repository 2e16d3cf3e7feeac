package store

import (
	"context"
	"fmt"
	"time"

	"galla/central"
	"galla/central/duty"
)

var _ duty.Chores = (*DB)(nil)

const choreColumns = `name, due_at, node, started_at, ended_at, failures, note`

func scanChore(row row) (r duty.ChoreRecord, err error) {
	err = row.Scan(&r.Name, moment{&r.DueAt}, optional[string]{&r.Node}, moment{&r.StartedAt}, moment{&r.EndedAt}, &r.Failures, &r.Note)
	return r, err
}

// EnrolChore implements duty.Chores.
func (s *DB) EnrolChore(ctx context.Context, name string, now time.Time, every time.Duration) error {
	err := s.write(ctx, func(c conn) error {
		if _, err := c.exec(`INSERT INTO chores (name, due_at) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, name, ms(now)); err != nil {
			return err
		}
		_, err := c.exec(`UPDATE chores SET due_at = $1 WHERE name = $2 AND node IS NULL AND due_at > $1`, ms(now.Add(every)), name)
		return err
	})
	if err != nil {
		return fmt.Errorf("enter chore %s into its table: %w", name, err)
	}
	return nil
}

// Chores implements duty.Chores; at most 1000.
func (s *DB) Chores(ctx context.Context) (list []duty.ChoreRecord, err error) {
	err = s.read(ctx, func(c conn) error {
		list = nil
		return c.each(`SELECT `+choreColumns+` FROM chores ORDER BY name LIMIT $1`, []any{int64(maxRows)}, func(row row) error {
			r, err := scanChore(row)
			list = append(list, r)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list the chores: %w", err)
	}
	return list, nil
}

// ClaimChore implements duty.Chores. Of several nodes that try at one time, the
// row's lock lets one through, and the others find that it is no longer due.
func (s *DB) ClaimChore(ctx context.Context, name string, now, until time.Time) (r duty.ChoreRecord, err error) {
	err = s.write(ctx, func(c conn) error {
		found := false
		err := c.each(`UPDATE chores SET due_at = $1, node = $2, started_at = $3 WHERE name = $4 AND due_at <= $3 RETURNING `+choreColumns,
			[]any{ms(until), c.node, ms(now), name}, func(row row) error {
				var err error
				r, err = scanChore(row)
				found = true
				return err
			})
		if err == nil && !found {
			err = central.ErrState
		}
		return err
	})
	if err != nil {
		return duty.ChoreRecord{}, fmt.Errorf("claim chore %s: %w", name, err)
	}
	return r, nil
}

// EndChore implements duty.Chores.
func (s *DB) EndChore(ctx context.Context, e duty.ChoreEnd) error {
	err := s.write(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE chores SET due_at = $1, node = NULL, ended_at = $2,
				failures = CASE WHEN $3 = 1 THEN failures + 1 ELSE 0 END, note = $4
			WHERE name = $5 AND node = $6 AND started_at = $7`,
			ms(e.Next), ms(e.At), bit(e.Failed), clip(e.Note), e.Name, c.node, ms(e.StartedAt))
		if err == nil && changed == 0 {
			err = central.ErrState
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("record the end of chore %s: %w", e.Name, err)
	}
	return nil
}
