package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Link runs statements on one connection: of a read, or of a change inside its
// transaction. It is valid until the function that was given it returns.
type Link struct {
	ctx  context.Context
	own  *pgx.Conn
	seen bool // a statement has given something to the caller
}

// Row is one row of a result, valid until the function that was given it
// returns.
type Row interface {
	Scan(dest ...any) error
}

// Exec runs a statement and tells how many rows it changed.
func (l *Link) Exec(statement string, args []any) (int64, error) {
	tag, err := l.own.Exec(l.ctx, statement, args...)
	if err == nil {
		l.seen = true
	}
	return tag.RowsAffected(), err
}

// Each hands every row of a statement to scan, and runs it to its end.
func (l *Link) Each(statement string, args []any, scan func(Row) error) error {
	rows, err := l.own.Query(l.ctx, statement, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		l.seen = true
		if err := scan(rows); err != nil {
			return err
		}
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		return err
	}
	l.seen = true
	return nil
}
