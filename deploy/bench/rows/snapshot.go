package rows

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Row has a table's columns in their order: nil, int64, float64, string or []byte.
type Row []any

// Snapshot is all rows of a small database, by table and by primary key.
type Snapshot map[string]map[string]Row

// Take reads all rows of some tables.
func Take(ctx context.Context, db Querier, tables []Table) (Snapshot, error) {
	all := Snapshot{}
	for _, t := range tables {
		found, err := db.QueryContext(ctx, "SELECT "+strings.Join(t.Columns, ", ")+" FROM "+t.Name)
		if err != nil {
			return nil, fmt.Errorf("read table %s: %w", t.Name, err)
		}
		all[t.Name] = map[string]Row{}
		for found.Next() {
			r := make(Row, len(t.Columns))
			into := make([]any, len(r))
			for i := range r {
				into[i] = &r[i]
			}
			if err := found.Scan(into...); err != nil {
				_ = found.Close()
				return nil, fmt.Errorf("read table %s: %w", t.Name, err)
			}
			all[t.Name][t.key(r)] = r
		}
		if err := found.Err(); err != nil {
			return nil, fmt.Errorf("read table %s: %w", t.Name, err)
		}
	}
	return all, nil
}

// key writes a row's primary key as one text.
func (t Table) key(r Row) string {
	var b strings.Builder
	for _, name := range t.Key {
		fmt.Fprintf(&b, "%v\x00", r[slices.Index(t.Columns, name)])
	}
	return b.String()
}

// Change is what happened to one row.
type Change struct {
	Table    Table
	Old, New Row // nil: it was not there before, or is not there any more
}

// Diff tells what changed between two snapshots, table by table.
func Diff(tables []Table, before, after Snapshot) []Change {
	var all []Change
	for _, t := range tables {
		was, is := before[t.Name], after[t.Name]
		for _, key := range sortedKeys(was, is) {
			if c := (Change{t, was[key], is[key]}); !sameRow(c.Old, c.New) {
				all = append(all, c)
			}
		}
	}
	return all
}

func sortedKeys(maps ...map[string]Row) []string {
	var all []string
	for _, m := range maps {
		for key := range m {
			all = append(all, key)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func sameRow(a, b Row) bool {
	return (a == nil) == (b == nil) && slices.EqualFunc(a, b, sameValue)
}

func sameValue(a, b any) bool {
	x, isBytes := a.([]byte)
	y, other := b.([]byte)
	if isBytes || other {
		return isBytes && other && bytes.Equal(x, y)
	}
	return a == b
}

// fresh lists the texts that name this one withdrawal: values of unique columns that were in
// no row before. They must differ in each withdrawal that is written.
func fresh(before Snapshot, changes []Change) []string {
	known := map[string]bool{}
	for _, table := range before {
		for _, r := range table {
			for _, v := range r {
				if s, ok := v.(string); ok {
					known[s] = true
				}
			}
		}
	}
	var all []string
	for _, c := range changes {
		if c.New == nil || c.Old != nil {
			continue
		}
		for i, name := range c.Table.Columns {
			s, ok := c.New[i].(string)
			if ok && len(s) >= Digits && !known[s] && slices.Contains(c.Table.Unique, name) {
				all = append(all, s)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
