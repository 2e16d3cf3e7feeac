package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"time"

	"galla/central"
	"galla/central/store/dbconn"
	"galla/shared/money"
	"galla/shared/op"
)

// connection runs the statements of all areas in one database, under the name of this
// node.
type connection struct {
	db      dbconn.DB
	dialect dialect
	node    string
	// raised counts raised topics, and changes the commits with one (cache.Source).
	raised, changes atomic.Int64
	shared          *sharedStatements // nil: the database has none
}

// row is one row of a result, valid until its scan returns.
type row struct{ dbconn.Row }

// conn runs statements on one connection: a reader, or the transaction of one change.
type conn struct {
	dbconn.Conn
	node    string // written into the steps of a history
	dialect dialect
	raised  *atomic.Int64
}

func (s *connection) conn(c dbconn.Conn) conn {
	return conn{Conn: c, node: s.node, dialect: s.dialect, raised: &s.raised}
}

// write commits a change. It may run do more than once.
func (s *connection) write(ctx context.Context, do func(conn) error) error {
	before := s.raised.Load()
	err := s.db.Write(ctx, func(c dbconn.Conn) error { return do(s.conn(c)) })
	if s.raised.Load() != before { // by this change, or by another one at the same time
		s.changes.Add(1)
	}
	return err
}

// read runs do on a reader. It may run do more than once.
func (s *connection) read(ctx context.Context, do func(conn) error) error {
	return s.db.Read(ctx, func(c dbconn.Conn) error { return do(s.conn(c)) })
}

// task is a call of the store. Its text names the call in an error.
type task struct {
	*connection
	format string
	args   []any
}

func (s *connection) task(format string, args ...any) task { return task{s, format, args} }

// query reads a result.
func query[T any](ctx context.Context, t task, do func(conn) (T, error)) (T, error) {
	return run(ctx, t, t.read, do)
}

// update commits a change that has a result.
func update[T any](ctx context.Context, t task, do func(conn) (T, error)) (T, error) {
	return run(ctx, t, t.write, do)
}

// change commits a change.
func (t task) change(ctx context.Context, do func(conn) error) error {
	_, err := update(ctx, t, func(c conn) (struct{}, error) { return struct{}{}, do(c) })
	return err
}

func run[T any](ctx context.Context, t task, in func(context.Context, func(conn) error) error, do func(conn) (T, error)) (T, error) {
	var result T
	err := in(ctx, func(c conn) (err error) {
		result, err = do(c)
		return err
	})
	if err != nil {
		var none T
		return none, fmt.Errorf("%s: %w", fmt.Sprintf(t.format, t.args...), err)
	}
	return result, nil
}

// listRows reads all rows of one statement.
func listRows[T any](ctx context.Context, t task, scan func(row, *T) error, statement string, args ...any) ([]T, error) {
	return query(ctx, t, func(c conn) ([]T, error) { return allRows(c, scan, statement, args...) })
}

// oneRow reads the first row of one statement; central.ErrNotFound if there is none.
func oneRow[T any](ctx context.Context, t task, scan func(row, *T) error, statement string, args ...any) (T, error) {
	return query(ctx, t, func(c conn) (T, error) { return firstRow(c, scan, statement, args...) })
}

// exists tells whether one statement has a row; it must select an integer.
func (t task) exists(ctx context.Context, statement string, args ...any) (bool, error) {
	return query(ctx, t, func(c conn) (bool, error) { return c.exists(statement, args...) })
}

// exec commits one statement.
func (t task) exec(ctx context.Context, statement string, args ...any) error {
	return t.change(ctx, func(c conn) error { _, err := c.exec(statement, args...); return err })
}

// changeRow commits one statement that must change a row; otherwise is the error where
// there is none.
func (t task) changeRow(ctx context.Context, otherwise error, statement string, args ...any) error {
	return t.change(ctx, func(c conn) error { return c.changeRow(otherwise, statement, args...) })
}

// exec runs a statement and returns the number of rows that it changed.
func (c conn) exec(statement string, args ...any) (int64, error) {
	return c.Exec(statement, stored(args))
}

// Each calls scan for each row of a statement, and runs the statement to its end.
func (c conn) Each(statement string, args []any, scan func(row) error) error {
	return c.Conn.Each(statement, stored(args), func(r dbconn.Row) error { return scan(row{r}) })
}

// changeRow runs a statement that must change a row; otherwise is the error where there
// is none.
func (c conn) changeRow(otherwise error, statement string, args ...any) error {
	changed, err := c.exec(statement, args...)
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
func allRows[T any](c conn, scan func(row, *T) error, statement string, args ...any) (list []T, err error) {
	err = c.Each(statement, args, func(row row) error {
		var x T
		err := scan(row, &x)
		list = append(list, x)
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// firstRow reads the first row of a statement, and runs the statement to its end;
// central.ErrNotFound if there is none.
func firstRow[T any](c conn, scan func(row, *T) error, statement string, args ...any) (x T, err error) {
	found := false
	err = c.Each(statement, args, func(row row) error {
		if found {
			return nil
		}
		found = true
		return scan(row, &x)
	})
	if err == nil && !found {
		err = central.ErrNotFound
	}
	if err != nil {
		var none T
		return none, err
	}
	return x, nil
}

// scanValue scans a row of one column.
func scanValue[T any](row row, x *T) error { return row.Scan(x) }

// exists tells whether a statement has a row; it must select an integer.
func (c conn) exists(statement string, args ...any) (bool, error) {
	var n int64
	err := c.one(statement, args, &n)
	return err == nil, instead(err, central.ErrNotFound, nil)
}

// requireRow returns an error where a statement has no row.
func (c conn) requireRow(otherwise error, statement string, args ...any) error {
	found, err := c.exists(statement, args...)
	if err == nil && !found {
		err = otherwise
	}
	return err
}

// refuseRow returns an error where a statement has a row.
func (c conn) refuseRow(why error, statement string, args ...any) error {
	found, err := c.exists(statement, args...)
	if err == nil && found {
		err = why
	}
	return err
}

// changeKnown runs a statement that must change a row. Otherwise the error is
// central.ErrNotFound where there is no row of the id, and central.ErrState where its
// present content does not allow the change.
func (c conn) changeKnown(row string, id any, statement string, args ...any) error {
	changed, err := c.exec(statement, args...)
	if err != nil || changed > 0 {
		return err
	}
	return cmp.Or(c.requireRow(central.ErrNotFound, row, id), central.ErrState)
}

// instead replaces an error.
func instead(err, from, to error) error {
	if errors.Is(err, from) {
		return to
	}
	return err
}

// notify wakes the subscribers of a name at every node of the database, once the change
// is committed. With one node only, its engine notifies them.
func (c conn) notify(name string) error {
	if c.dialect.notify == "" {
		return nil
	}
	return c.Each(c.dialect.notify, []any{name}, func(row) error { return nil })
}

// stored turns arguments of a statement, in their place, into what is stored: a time into
// milliseconds since 1970, NULL for the zero time; a boolean into 0 or 1; a digest into its
// bytes; texts and numbers of any type as such. orNull is for optional texts.
func stored(args []any) []any {
	for i, arg := range args {
		switch arg := arg.(type) {
		case nil, string, int64, []byte:
		case time.Time:
			args[i] = nil
			if !arg.IsZero() {
				args[i] = arg.UnixMilli()
			}
		case op.ID:
			args[i] = string(arg)
		case op.State:
			args[i] = string(arg)
		case money.Paise:
			args[i] = int64(arg)
		case int:
			args[i] = int64(arg)
		case bool:
			args[i] = oneIf(arg)
		case [32]byte:
			args[i] = arg[:]
		case *money.Paise:
			args[i] = nil
			if arg != nil {
				args[i] = int64(*arg)
			}
		default:
			args[i] = storedValue(reflect.ValueOf(arg))
		}
	}
	return args
}

// storedValue is a value of another type as it is stored.
func storedValue(v reflect.Value) any {
	switch {
	case v.Kind() == reflect.String:
		return v.String()
	case v.CanInt():
		return v.Int()
	case v.Kind() == reflect.Bool:
		return oneIf(v.Bool())
	}
	return v.Interface()
}

// oneIf is a boolean as it is stored.
func oneIf(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// orNull is an optional reference or text as it is stored: NULL where empty.
func orNull[S ~string](s S) any {
	if s == "" {
		return nil
	}
	return string(s)
}

// truncateToMillis is a time as the database returns it.
func truncateToMillis(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}

// clampLimit keeps the limit of a list within bounds.
func clampLimit(limit int) int { return max(0, min(limit, maxRows)) }
