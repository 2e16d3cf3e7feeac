package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
	"galla/central/store/dbconn"
)

// connection runs the statements of all areas in one database, under the name of this
// node.
type connection struct {
	db      dbconn.DB
	dialect dialect
	node    string
}

// row is one row of a result, valid until its scan returns.
type row = dbconn.Row

// conn runs statements on one connection: a reader, or the transaction of one change.
type conn struct {
	dbconn.Conn
	node    string // written into the steps of a history
	dialect dialect
}

func (s *connection) conn(c dbconn.Conn) conn { return conn{Conn: c, node: s.node, dialect: s.dialect} }

// write commits a change. It may run do more than once.
func (s *connection) write(ctx context.Context, do func(conn) error) error {
	return s.db.Write(ctx, func(c dbconn.Conn) error { return do(s.conn(c)) })
}

// read runs do on a reader. It may run do more than once.
func (s *connection) read(ctx context.Context, do func(conn) error) error {
	return s.db.Read(ctx, func(c dbconn.Conn) error { return do(s.conn(c)) })
}

// query reads a result. The given text names the task in an error.
func query[T any](ctx context.Context, s *connection, do func(conn) (T, error), format string, args ...any) (T, error) {
	return run(ctx, s.read, do, format, args...)
}

// update commits a change that has a result. The given text names the task in an error.
func update[T any](ctx context.Context, s *connection, do func(conn) (T, error), format string, args ...any) (T, error) {
	return run(ctx, s.write, do, format, args...)
}

// change commits a change. The given text names the task in an error.
func (s *connection) change(ctx context.Context, do func(conn) error, format string, args ...any) error {
	_, err := run(ctx, s.write, func(c conn) (struct{}, error) { return struct{}{}, do(c) }, format, args...)
	return err
}

func run[T any](ctx context.Context, in func(context.Context, func(conn) error) error, do func(conn) (T, error), format string, args ...any) (T, error) {
	var result T
	err := in(ctx, func(c conn) (err error) {
		result, err = do(c)
		return err
	})
	if err != nil {
		var none T
		return none, fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
	}
	return result, nil
}

// exec runs a statement and returns the number of rows that it changed.
func (c conn) exec(statement string, args ...any) (int64, error) { return c.Exec(statement, args) }

// changeRow runs a statement that must change a row; otherwise is the error where there
// is none.
func (c conn) changeRow(otherwise error, statement string, args ...any) error {
	changed, err := c.Exec(statement, args)
	if err == nil && changed == 0 {
		err = otherwise
	}
	return err
}

// one reads the only row of a statement into dest; central.ErrNotFound if there is
// none. The statement runs to its end, since a RETURNING clause is part of a change.
func (c conn) one(statement string, args []any, dest ...any) error {
	found := false
	err := c.Each(statement, args, func(row row) error {
		found = true
		return row.Scan(dest...)
	})
	if err == nil && !found {
		return central.ErrNotFound
	}
	return err
}

// allRows reads all rows of a statement.
func allRows[T any](c conn, scan func(row) (T, error), statement string, args ...any) (list []T, err error) {
	err = c.Each(statement, args, func(row row) error {
		x, err := scan(row)
		list = append(list, x)
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// firstRow reads the first row of a statement; central.ErrNotFound if there is none.
func firstRow[T any](c conn, scan func(row) (T, error), statement string, args ...any) (T, error) {
	list, err := allRows(c, scan, statement, args...)
	if err == nil && len(list) == 0 {
		err = central.ErrNotFound
	}
	if err != nil {
		var none T
		return none, err
	}
	return list[0], nil
}

// scanValue scans a row of one column.
func scanValue[T any](row row) (x T, err error) {
	err = row.Scan(&x)
	return x, err
}

// exists tells whether a statement has a row; it must select an integer.
func (c conn) exists(statement string, args ...any) (bool, error) {
	var n int64
	err := c.one(statement, args, &n)
	if errors.Is(err, central.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// requireRow returns an error where a statement has no row.
func (c conn) requireRow(otherwise error, statement string, args ...any) error {
	found, err := c.exists(statement, args...)
	if err == nil && !found {
		err = otherwise
	}
	return err
}

// missingOr tells why a conditional change found no row: central.ErrNotFound where the
// statement has none, and otherwise where it has one.
func (c conn) missingOr(otherwise error, statement string, args ...any) error {
	if err := c.requireRow(central.ErrNotFound, statement, args...); err != nil {
		return err
	}
	return otherwise
}

// notify wakes the subscribers of a name at every node of the database, once the change
// is committed. With one node only, its engine notifies them.
func (c conn) notify(name string) error {
	if c.dialect.notify == "" {
		return nil
	}
	return c.Each(c.dialect.notify, []any{name}, func(row) error { return nil })
}

// ms is a time as it is stored: milliseconds since 1970, NULL for the zero time.
func ms(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// truncateToMillis is a time as the database returns it.
func truncateToMillis(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}

// scanTime scans a time that ms stored.
type scanTime struct{ to *time.Time }

// Scan implements sql.Scanner.
func (m scanTime) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		*m.to = time.Time{}
	case int64:
		*m.to = time.UnixMilli(v).UTC()
	default:
		return fmt.Errorf("a time is stored as %T, not as integer milliseconds", value)
	}
	return nil
}

// orNull is an optional reference or text as it is stored: NULL where empty.
func orNull[S ~string](s S) any {
	if s == "" {
		return nil
	}
	return string(s)
}

// scanOptional scans a text that orNull stored.
type scanOptional[S ~string] struct{ to *S }

// Scan implements sql.Scanner.
func (o scanOptional[S]) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		*o.to = ""
	case string:
		*o.to = S(v)
	default:
		return fmt.Errorf("a reference is stored as %T, not as text", value)
	}
	return nil
}

// boolInt is a truth value as it is stored.
func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// scanBool scans a truth value that boolInt stored.
type scanBool struct{ to *bool }

// Scan implements sql.Scanner.
func (f scanBool) Scan(value any) error {
	n, ok := value.(int64)
	if !ok {
		return fmt.Errorf("a truth value is stored as %T, not as an integer", value)
	}
	*f.to = n != 0
	return nil
}

// scanDigest scans a SHA-256.
type scanDigest struct{ to *[32]byte }

// Scan implements sql.Scanner.
func (d scanDigest) Scan(value any) error {
	text, ok := value.([]byte)
	if !ok || len(text) != len(d.to) {
		return fmt.Errorf("a digest is stored as %T of %d bytes, not as %d bytes", value, len(text), len(d.to))
	}
	copy(d.to[:], text)
	return nil
}

// clampLimit keeps the limit of a list within bounds.
func clampLimit(limit int) int { return max(0, min(limit, maxRows)) }
