package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-sqlite3"

	"galla/central/store/dbconn"
)

// link is one connection of the driver with its prepared statements, without database/sql
// between. One goroutine uses it at a time.
type link struct {
	own        *sqlite3.SQLiteConn
	statements map[string]*statement // by text, at most statementCache
	uses       int64
	// changed is set by each statement that may have changed the database. The writer resets it.
	changed bool
}

// statement is one prepared statement with the buffers of its arguments and of a row.
type statement struct {
	own    *sqlite3.SQLiteStmt
	inputs int
	args   []driver.NamedValue
	row    values
	// kind tells what a statement that ran without an error has changed.
	kind changeKind
	kept bool  // in the link's map; else it is closed after its use
	busy bool  // in use: a change may run it again while it reads its rows
	used int64 // the link's count of uses at the last one
}

// changeKind says when a statement changes the database.
type changeKind int

const (
	readsOnly    changeKind = iota
	countsRows              // INSERT, UPDATE and DELETE change what they count or return
	alwaysWrites            // any other statement
)

// values is a row as the driver gives it: nil, int64, float64, string or []byte.
type values []driver.Value

// Scan implements dbconn.Row.
func (v values) Scan(dest ...any) error { return dbconn.AssignAll(dest, v) }

// Exec implements dbconn.Conn. Of a statement with a result, it counts the rows. The text is
// one statement; SQLite ignores what follows it.
func (l *link) Exec(text string, args []any) (int64, error) {
	s, err := l.take(text, args)
	if err != nil {
		return 0, err
	}
	defer l.put(s)
	if len(s.row) > 0 {
		n := int64(0)
		err := l.each(s, func(dbconn.Row) error { n++; return nil })
		return n, err
	}
	result, err := s.own.ExecContext(context.Background(), s.args)
	if err != nil {
		l.noteError(s, err)
		return 0, err
	}
	n, err := result.RowsAffected()
	l.changed = l.changed || s.kind == alwaysWrites || s.kind == countsRows && n > 0
	return n, err
}

// Each implements dbconn.Conn. Statements run to their end even if the caller leaves: they
// take microseconds.
func (l *link) Each(text string, args []any, scan func(dbconn.Row) error) error {
	s, err := l.take(text, args)
	if err != nil {
		return err
	}
	defer l.put(s)
	return l.each(s, scan)
}

func (l *link) each(s *statement, scan func(dbconn.Row) error) error {
	l.changed = l.changed || s.kind == alwaysWrites || s.kind == countsRows && len(s.row) == 0
	rows, err := s.own.QueryContext(context.Background(), s.args)
	if err != nil {
		l.noteError(s, err)
		return err
	}
	defer rows.Close()
	for {
		switch err := rows.Next(s.row); {
		case errors.Is(err, io.EOF):
			return rows.Close()
		case err != nil:
			l.noteError(s, err)
			return err
		}
		l.changed = l.changed || s.kind == countsRows
		if err := scan(s.row); err != nil {
			return err
		}
	}
}

// noteError notes that a statement failed. One that broke a constraint is undone by SQLite,
// alone and wholly. After any other error, the statement may have changed something.
func (l *link) noteError(s *statement, err error) {
	var e sqlite3.Error
	if s.kind != readsOnly && !(errors.As(err, &e) && e.Code == sqlite3.ErrConstraint) {
		l.changed = true
	}
}

// take returns a statement with its arguments, for put.
func (l *link) take(text string, args []any) (*statement, error) {
	s := l.statements[text]
	if s == nil || s.busy {
		var err error
		if s, err = l.prepare(text, s == nil); err != nil {
			return nil, err
		}
	}
	if err := s.bind(args); err != nil {
		l.put(s)
		return nil, err
	}
	l.uses++
	s.used, s.busy = l.uses, true
	return s, nil
}

func (s *statement) bind(args []any) error {
	if len(args) != s.inputs {
		return fmt.Errorf("a statement has %d parameters and got %d arguments", s.inputs, len(args))
	}
	s.args = s.args[:0]
	for i, arg := range args {
		switch arg.(type) {
		case nil, int64, string, []byte:
			s.args = append(s.args, driver.NamedValue{Ordinal: i + 1, Value: arg})
		default:
			return fmt.Errorf("argument %d of a statement is a %T, which the database does not know", i+1, arg)
		}
	}
	return nil
}

// put ends the use of a statement. Its buffers keep no data.
func (l *link) put(s *statement) {
	clear(s.args)
	clear(s.row)
	s.busy = false
	if !s.kept {
		_ = s.own.Close() // it has run; nothing is lost with it
	}
}

// prepare prepares a statement, and keeps it for later uses if it may.
func (l *link) prepare(text string, keep bool) (*statement, error) {
	prepared, err := l.own.Prepare(text)
	if err != nil {
		return nil, err
	}
	s := &statement{own: prepared.(*sqlite3.SQLiteStmt), kept: keep}
	rows, err := s.own.QueryContext(context.Background(), nil) // without a step: it runs nothing
	if err != nil {
		return nil, errors.Join(err, s.own.Close())
	}
	s.inputs, s.row, s.kind = s.own.NumInput(), make(values, len(rows.Columns())), kindOf(s.own.Readonly(), text)
	if err := rows.Close(); err != nil {
		return nil, errors.Join(err, s.own.Close())
	}
	if keep {
		l.makeRoom()
		l.statements[text] = s
	}
	return s, nil
}

func kindOf(readonly bool, text string) changeKind {
	if readonly {
		return readsOnly
	}
	for _, verb := range []string{"INSERT ", "UPDATE ", "DELETE "} {
		if strings.HasPrefix(strings.TrimSpace(text), verb) {
			return countsRows
		}
	}
	return alwaysWrites
}

// makeRoom closes the statement that was not used for the longest time, if there are too many.
func (l *link) makeRoom() {
	oldest := ""
	for text, s := range l.statements {
		if !s.busy && (oldest == "" || s.used < l.statements[oldest].used) {
			oldest = text
		}
	}
	if len(l.statements) >= statementCache && oldest != "" {
		_ = l.statements[oldest].own.Close()
		delete(l.statements, oldest)
	}
}

// Raw gives access to the driver's connection, for tests that add hooks.
func (l *link) Raw(do func(any) error) error { return do(l.own) }

// run runs a statement that has no arguments and no result.
func (l *link) run(text string) error {
	_, err := l.Exec(text, nil)
	return err
}

// close closes the statements and the connection.
func (l *link) close() error {
	var errs []error
	for _, s := range l.statements {
		errs = append(errs, s.own.Close())
	}
	return errors.Join(append(errs, l.own.Close())...)
}
