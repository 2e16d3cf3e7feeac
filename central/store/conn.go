package store

import (
	"errors"
	"fmt"
	"time"

	"galla/central"
)

// conn runs statements on one connection: a reader, or the transaction of one
// change.
type conn struct {
	link
	node    string // written into the steps of a history
	dialect dialect
}

// exec runs a statement and tells how many rows it changed.
func (c conn) exec(statement string, args ...any) (int64, error) { return c.Exec(statement, args) }

// one reads the only row of a statement into dest; central.ErrNotFound if
// there is none. The statement is run to its end, since a RETURNING clause is
// part of a change.
func (c conn) one(statement string, args []any, dest ...any) error {
	found := false
	err := c.each(statement, args, func(row row) error {
		found = true
		return row.Scan(dest...)
	})
	if err == nil && !found {
		return central.ErrNotFound
	}
	return err
}

// each hands every row of a statement to scan.
func (c conn) each(statement string, args []any, scan func(row) error) error {
	return c.Each(statement, args, scan)
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

// ms is a time as it is stored: milliseconds since 1970, NULL for the zero
// time.
func ms(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// cut is a time as it comes back from the database.
func cut(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}

// moment scans what ms stored.
type moment struct{ to *time.Time }

// Scan implements sql.Scanner.
func (m moment) Scan(value any) error {
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

// ref is an optional reference or text as it is stored: NULL where empty.
func ref[S ~string](s S) any {
	if s == "" {
		return nil
	}
	return string(s)
}

// optional scans what ref stored.
type optional[S ~string] struct{ to *S }

// Scan implements sql.Scanner.
func (o optional[S]) Scan(value any) error {
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

// bit is a truth value as it is stored.
func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// truth scans what bit stored.
type truth struct{ to *bool }

// Scan implements sql.Scanner.
func (f truth) Scan(value any) error {
	n, ok := value.(int64)
	if !ok {
		return fmt.Errorf("a truth value is stored as %T, not as an integer", value)
	}
	*f.to = n != 0
	return nil
}

// digest scans a SHA-256.
type digest struct{ to *[32]byte }

// Scan implements sql.Scanner.
func (d digest) Scan(value any) error {
	text, ok := value.([]byte)
	if !ok || len(text) != len(d.to) {
		return fmt.Errorf("a digest is stored as %T of %d bytes, not as %d bytes", value, len(text), len(d.to))
	}
	copy(d.to[:], text)
	return nil
}

// bounded gives the limit of a list: what was asked for, within bounds.
func bounded(limit int) int { return max(0, min(limit, maxRows)) }
