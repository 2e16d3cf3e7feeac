// Package rows finds out which rows a withdrawal leaves behind, and writes the same ones with
// nothing around them: the raw programs' work. It compares the database before a withdrawal,
// while the bank has it, and after its end. So it follows the schema by itself.
//
//	before ──► [first commit] ──► at the bank ──► [second commit] ──► after
package rows

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// Dialect is the database's kind.
type Dialect int

// The databases of a central.
const (
	SQLite Dialect = iota
	PostgreSQL
)

// place is the n-th parameter of a statement, from 1.
func (d Dialect) place(n int) string {
	if d == PostgreSQL {
		return fmt.Sprintf("$%d", n)
	}
	return "?"
}

// Table is what is known of one table.
type Table struct {
	Name    string
	Columns []string // without generated ones
	Key     []string // the primary key; all columns where there is none
	Unique  []string // columns of unique keys, the primary one among them
}

// Querier is a database or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Describe lists the tables, partitions excepted, in the order of their names.
func Describe(ctx context.Context, db Querier, d Dialect) ([]Table, error) {
	names := `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`
	if d == PostgreSQL {
		names = `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname`
	}
	list, err := column(ctx, db, names)
	if err != nil {
		return nil, fmt.Errorf("list the tables: %w", err)
	}
	var all []Table
	for _, name := range list {
		t := Table{Name: name}
		for _, part := range []struct {
			into *[]string
			ask  string
		}{{&t.Columns, d.columns()}, {&t.Key, d.primary()}, {&t.Unique, d.unique()}} {
			if *part.into, err = column(ctx, db, part.ask, name); err != nil {
				return nil, fmt.Errorf("describe table %s: %w", name, err)
			}
		}
		if len(t.Key) == 0 {
			t.Key = t.Columns
		}
		all = append(all, t)
	}
	return all, nil
}

func (d Dialect) columns() string {
	if d == PostgreSQL {
		return `SELECT attname FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`
	}
	return `SELECT name FROM pragma_table_info(?) ORDER BY cid`
}

func (d Dialect) primary() string {
	if d == PostgreSQL {
		return `SELECT attname FROM pg_index, pg_attribute WHERE indrelid = $1::text::regclass AND indisprimary AND attrelid = indrelid AND attnum = ANY (indkey) ORDER BY attnum`
	}
	return `SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk`
}

func (d Dialect) unique() string {
	if d == PostgreSQL {
		return `SELECT DISTINCT attname FROM pg_index, pg_attribute WHERE indrelid = $1::text::regclass AND indisunique AND attrelid = indrelid AND attnum = ANY (indkey) ORDER BY attname`
	}
	return `SELECT DISTINCT k.name FROM pragma_index_list(?) l, pragma_index_info(l.name) k WHERE l."unique" = 1 AND k.name IS NOT NULL
		UNION SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY 1`
}

// column reads a list of texts.
func column(ctx context.Context, db Querier, query string, args ...any) ([]string, error) {
	found, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = found.Close() }()
	var all []string
	for found.Next() {
		var s string
		if err := found.Scan(&s); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, found.Err()
}

// Copy copies the rows of a table that have a value in a column, with other values in some
// columns.
func Copy(ctx context.Context, db Querier, d Dialect, table, where string, value any, set map[string]any) error {
	columns, err := column(ctx, db, d.columns(), table)
	if err != nil {
		return err
	}
	args, selected := []any{}, make([]string, len(columns))
	for i, name := range columns {
		selected[i] = name
		if v, other := set[name]; other {
			args = append(args, v)
			selected[i] = "CAST(" + d.place(len(args)) + " AS TEXT)"
		}
	}
	args = append(args, value)
	done, err := db.ExecContext(ctx, fmt.Sprintf(`INSERT INTO %s (%s) SELECT %s FROM %s WHERE %s = %s`,
		table, strings.Join(columns, ", "), strings.Join(selected, ", "), table, where, d.place(len(args))), args...)
	if err != nil {
		return fmt.Errorf("copy a row of %s: %w", table, err)
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return fmt.Errorf("copy a row of %s: there is none with that %s", table, where)
	}
	return nil
}
