package store

import (
	"context"
	"time"

	"galla/central"
	"galla/central/staff"
)

// StaffViews implements staff.ViewStore.
func (s Staff) StaffViews(ctx context.Context, login string) ([]staff.View, error) {
	return listRows(ctx, s.task("list saved views of %s", login), func(row row, v *staff.View) error { return row.Scan(&v.Name, &v.Query) },
		`SELECT name, query FROM staff_views WHERE login = $1 ORDER BY name LIMIT $2`, login, maxRows)
}

// SaveStaffView implements staff.ViewStore.
func (s Staff) SaveStaffView(ctx context.Context, login string, v staff.View, at time.Time, limit int) error {
	return s.task("save a view of %s", login).change(ctx, func(c conn) error {
		if _, err := lockMember(c, login); err != nil {
			return err
		}
		var others int
		if err := c.one(`SELECT count(*) FROM staff_views WHERE login = $1 AND name <> $2`, []any{login, v.Name}, &others); err != nil {
			return err
		}
		if others >= limit {
			return staff.ErrViews
		}
		_, err := c.exec(`INSERT INTO staff_views (login, name, query, saved_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (login, name) DO UPDATE SET query = excluded.query, saved_at = excluded.saved_at`, login, v.Name, v.Query, at)
		return err
	})
}

// DeleteStaffView implements staff.ViewStore.
func (s Staff) DeleteStaffView(ctx context.Context, login, name string) error {
	return s.task("delete a view of %s", login).change(ctx, func(c conn) error {
		return c.changeRow(central.ErrNotFound, `DELETE FROM staff_views WHERE login = $1 AND name = $2`, login, name)
	})
}
