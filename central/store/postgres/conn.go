package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"galla/central/store/dbconn"
)

// conn runs statements of a read, or of a change inside its transaction.
type conn struct {
	ctx       context.Context
	own       *pgx.Conn
	delivered bool // the caller got a result of a statement
}

// Exec implements dbconn.Conn.
func (c *conn) Exec(statement string, args []any) (int64, error) {
	tag, err := c.own.Exec(c.ctx, statement, args...)
	if err == nil {
		c.delivered = true
	}
	return tag.RowsAffected(), err
}

// Each implements dbconn.Conn.
func (c *conn) Each(statement string, args []any, scan func(dbconn.Row) error) error {
	rows, err := c.own.Query(c.ctx, statement, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		c.delivered = true
		if err := scan(row{rows}); err != nil {
			return err
		}
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		return err
	}
	c.delivered = true
	return nil
}

// row is the present row of a result.
type row struct{ pgx.Rows }

// Scan implements dbconn.Row.
func (r row) Scan(dest ...any) error { return r.Rows.Scan(dbconn.Scanners(dest)...) }
