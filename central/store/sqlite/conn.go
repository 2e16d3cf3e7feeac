package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"galla/central/store/dbconn"
)

// conn runs statements on a reader, or on the writer inside the savepoint of a job.
// Statements run to their end even if the caller leaves: they take microseconds.
type conn struct{ own *sql.Conn }

// Raw gives access to the driver's connection, for tests that add hooks.
func (c conn) Raw(do func(any) error) error { return c.own.Raw(do) }

// Exec implements dbconn.Conn.
func (c conn) Exec(statement string, args []any) (int64, error) {
	result, err := c.own.ExecContext(context.Background(), statement, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Each implements dbconn.Conn.
func (c conn) Each(statement string, args []any, scan func(dbconn.Row) error) error {
	rows, err := c.own.QueryContext(context.Background(), statement, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}
