package rows

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Plan is what has to be written for one withdrawal.
type Plan struct {
	Commits [][]Statement // of each transaction
	Fresh   []string      // texts in the arguments that each withdrawal has of its own
}

// Statement is one change of one row.
type Statement struct {
	SQL  string
	Args []Value
}

// Value is an argument: one of its fields, or NULL.
type Value struct {
	Int   *int64   `json:",omitempty"`
	Float *float64 `json:",omitempty"`
	Text  *string  `json:",omitempty"`
	Blob  []byte   `json:",omitempty"`
	Bytes bool     `json:",omitempty"` // it is Blob, which may be empty
}

func newValue(v any) Value {
	switch v := v.(type) {
	case int64:
		return Value{Int: &v}
	case float64:
		return Value{Float: &v}
	case string:
		return Value{Text: &v}
	case []byte:
		return Value{Blob: v, Bytes: true}
	case bool:
		n := int64(0)
		if v {
			n = 1
		}
		return Value{Int: &n}
	}
	return Value{}
}

// Any is the argument for a driver.
func (v Value) Any() any {
	switch {
	case v.Int != nil:
		return *v.Int
	case v.Float != nil:
		return *v.Float
	case v.Text != nil:
		return *v.Text
	case v.Bytes:
		return v.Blob
	}
	return nil
}

// Moments are the snapshots of one withdrawal, and what each of the tables is.
type Moments struct {
	Tables                []Table
	Before, AtBank, After Snapshot
}

// Observe takes the snapshots of one withdrawal; make starts it and returns when the bank has
// it, finish lets the bank answer and returns after the reply.
func Observe(ctx context.Context, db Querier, d Dialect, begin, finish func() error) (m Moments, err error) {
	if m.Tables, err = Describe(ctx, db, d); err != nil {
		return m, err
	}
	for _, step := range []struct {
		do   func() error
		into *Snapshot
	}{{func() error { return nil }, &m.Before}, {begin, &m.AtBank}, {finish, &m.After}} {
		if err := step.do(); err != nil {
			return m, err
		}
		if *step.into, err = Take(ctx, db, m.Tables); err != nil {
			return m, err
		}
	}
	return m, nil
}

// changes are those of both commits, without the tables of which quiet knows: what the
// central writes there it writes without a withdrawal, too.
func (m Moments) changes(quiet func(table string) bool) [2][]Change {
	var all [2][]Change
	for i, pair := range [2][2]Snapshot{{m.Before, m.AtBank}, {m.AtBank, m.After}} {
		for _, c := range Diff(m.Tables, pair[0], pair[1]) {
			if !quiet(c.Table.Name) {
				all[i] = append(all[i], c)
			}
		}
	}
	return all
}

// NewPlan makes the plan of a withdrawal that was observed, of those tables that changed in
// all other observations, too. It finds the order of the statements by trying them in tx, a
// transaction on a database in which the withdrawal did not happen, which its caller rolls
// back: rows that refer to others come later, and rows that triggers write are left out.
func NewPlan(ctx context.Context, tx Querier, d Dialect, observed ...Moments) (Plan, error) {
	quiet := func(table string) bool {
		return slices.ContainsFunc(observed, func(m Moments) bool {
			return len(Diff(only(m.Tables, table), m.Before, m.After)) == 0
		})
	}
	m := observed[0]
	changes := m.changes(quiet)
	p := Plan{Fresh: fresh(m.Before, append(slices.Clone(changes[0]), changes[1]...))}
	if len(p.Fresh) == 0 {
		return p, errors.New("the rows of a withdrawal have nothing that names it")
	}
	for _, commit := range changes {
		statements, err := order(ctx, tx, d, commit)
		if err != nil {
			return p, err
		}
		p.Commits = append(p.Commits, statements)
	}
	return p, nil
}

func only(tables []Table, name string) []Table {
	return slices.DeleteFunc(slices.Clone(tables), func(t Table) bool { return t.Name != name })
}

// order tries the changes until all are made. Wide rows come first: a row that a trigger
// writes has a part of the columns of the one that made it do so.
func order(ctx context.Context, tx Querier, d Dialect, changes []Change) ([]Statement, error) {
	slices.SortStableFunc(changes, func(a, b Change) int { return len(b.Table.Columns) - len(a.Table.Columns) })
	var done []Statement
	for len(changes) > 0 {
		var later []Change
		var faults []error
		for _, c := range changes {
			there, err := exists(ctx, tx, d, c)
			if err != nil {
				return nil, err
			}
			if there {
				continue
			}
			s := c.statement(d)
			if err := attempt(ctx, tx, s); err != nil {
				later, faults = append(later, c), append(faults, fmt.Errorf("%s: %w", s.SQL, err))
				continue
			}
			done = append(done, s)
		}
		if len(later) == len(changes) {
			return nil, fmt.Errorf("the rows of a withdrawal can't be written: %w", errors.Join(faults...))
		}
		changes = later
	}
	return done, nil
}

// exists tells whether a trigger has already written a new row.
func exists(ctx context.Context, tx Querier, d Dialect, c Change) (bool, error) {
	if c.New == nil {
		return false, nil
	}
	var where []string
	var args []any
	for i, name := range c.Table.Columns {
		if c.New[i] == nil {
			where = append(where, name+" IS NULL")
			continue
		}
		args = append(args, c.New[i])
		where = append(where, name+" = "+d.place(len(args)))
	}
	found, err := tx.QueryContext(ctx, "SELECT 1 FROM "+c.Table.Name+" WHERE "+strings.Join(where, " AND "), args...)
	if err != nil {
		return false, fmt.Errorf("look for a row of %s: %w", c.Table.Name, err)
	}
	defer func() { _ = found.Close() }()
	return found.Next(), found.Err()
}

// attempt makes a change, or nothing.
func attempt(ctx context.Context, tx Querier, s Statement) error {
	if _, err := tx.ExecContext(ctx, "SAVEPOINT attempt"); err != nil {
		return err
	}
	args := make([]any, len(s.Args))
	for i, v := range s.Args {
		args[i] = v.Any()
	}
	_, err := tx.ExecContext(ctx, s.SQL, args...)
	if err != nil {
		_, back := tx.ExecContext(ctx, "ROLLBACK TO SAVEPOINT attempt")
		err = errors.Join(err, back)
	}
	_, released := tx.ExecContext(ctx, "RELEASE SAVEPOINT attempt")
	return errors.Join(err, released)
}

// statement makes the change's statement: of an update, only what changes.
func (c Change) statement(d Dialect) Statement {
	s := Statement{}
	add := func(v any) string {
		s.Args = append(s.Args, newValue(v))
		return d.place(len(s.Args))
	}
	if c.Old == nil {
		places := make([]string, len(c.New))
		for i, v := range c.New {
			places[i] = add(v)
		}
		s.SQL = fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", c.Table.Name, strings.Join(c.Table.Columns, ", "), strings.Join(places, ", "))
		return s
	}
	head := "DELETE FROM " + c.Table.Name
	if c.New != nil {
		var set []string
		for i, name := range c.Table.Columns {
			if !sameValue(c.Old[i], c.New[i]) {
				set = append(set, name+" = "+add(c.New[i]))
			}
		}
		head = "UPDATE " + c.Table.Name + " SET " + strings.Join(set, ", ")
	}
	var where []string
	for _, name := range c.Table.Key {
		where = append(where, name+" = "+add(c.Old[slices.Index(c.Table.Columns, name)]))
	}
	s.SQL = head + " WHERE " + strings.Join(where, " AND ")
	return s
}

// Encode writes the plan for the raw program.
func (p Plan) Encode() ([]byte, error) { return json.Marshal(p) }

// Summary names the changes of each commit, for people.
func (p Plan) Summary() string {
	var b strings.Builder
	for i, commit := range p.Commits {
		fmt.Fprintf(&b, "commit %d:", i+1)
		for _, s := range commit {
			verb, rest, _ := strings.Cut(s.SQL, " ")
			table := strings.TrimPrefix(strings.TrimPrefix(rest, "INTO "), "FROM ")
			table, _, _ = strings.Cut(table, " ")
			fmt.Fprintf(&b, " %s %s", strings.ToLower(verb), table)
		}
		b.WriteString("\n")
	}
	return b.String()
}
