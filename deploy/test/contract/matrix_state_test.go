package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// state is what party one has, as text.
type state struct {
	rows  map[string]bool
	trial string // of the bank's books
	texts int    // to the remitter's phone
	calls int64  // callbacks that were delivered
}

func (m *matrix) trial(t *testing.T) string {
	t.Helper()
	var trial json.RawMessage
	m.books(t, "/books/trial", &trial)
	return string(trial)
}

// state reads all rows of all tables that name party one.
func (m *matrix) state(t *testing.T) state {
	t.Helper()
	s := state{rows: map[string]bool{}, trial: m.trial(t), texts: len(m.inbox(t, m.remitter.mobile)), calls: m.delivered.Load()}
	marks := slices.Concat([]string{merchant1, vendor1, m1, v1, "sahyadri-"}, m.marks, m.column(t, "SELECT id FROM operations WHERE merchant = '"+merchant1+"'"))
	for _, table := range m.column(t, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'") {
		for _, row := range m.table(t, table) {
			if slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(row.of, mark) }) {
				s.rows[table+": "+row.text] = true
			}
		}
	}
	return s
}

// column reads one column.
func (m *matrix) column(t *testing.T, query string) (list []string) {
	t.Helper()
	rows, err := m.file.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		list = append(list, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// tableRow is a row: what it says, and the part of it that says whose it is.
type tableRow struct{ text, of string }

// table reads a table's rows.
func (m *matrix) table(t *testing.T, name string) (list []tableRow) {
	t.Helper()
	rows, err := m.file.QueryContext(t.Context(), "SELECT * FROM "+name) //nolint:gosec // the name comes from the schema
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, at := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			at[i] = &values[i]
		}
		if err := rows.Scan(at...); err != nil {
			t.Fatal(err)
		}
		var text, of strings.Builder
		for i, column := range columns {
			if raw, ok := values[i].([]byte); ok {
				values[i] = fmt.Sprintf("%q", raw)
			}
			if full := name + "." + column; usedBy[name] == "" && usedBy[full] == "" {
				fmt.Fprintf(&text, "%s=%v ", column, values[i])
				if said[full] == "" {
					fmt.Fprintf(&of, "%v ", values[i])
				}
			}
		}
		list = append(list, tableRow{text.String(), of.String()})
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// usedBy are the tables and columns in which any call of a party leaves its trace: vendor
// one calls, too.
var usedBy = map[string]string{
	"gateway_messages": "a message is good once", "log_entries": "what was made before is sealed", "rates": "how much a party called",
	"vendor_keys.used_at": "when a key was used", "vendor_keys.uses": "how often it was",
}

// said are columns that hold what a caller said, whoever it is about.
var said = map[string]string{
	"audit_log.note": "what was tried", "audit_log.actor": "who tried", "audit_log.source": "who tried", "identities.identity": "each caller has its own", "operations.identity": "each caller has its own",
	"operations.caller_ref": "each party has its own", "operation_names.identity": "each caller has its own", "operation_names.caller_ref": "each party has its own",
}

// unchanged compares party one's state with that of before.
func (m *matrix) unchanged(t *testing.T, before state, when string) {
	t.Helper()
	after := m.state(t)
	for row := range before.rows {
		if !after.rows[row] {
			t.Errorf("%s there is no more %s", when, row)
		}
	}
	for row := range after.rows {
		if !before.rows[row] {
			t.Errorf("%s there is %s", when, row)
		}
	}
	if after.trial != before.trial || after.texts != before.texts || after.calls != before.calls {
		t.Errorf("%s: the books were %s and are %s; texts %d and %d, callbacks %d and %d", when, before.trial, after.trial, before.texts, after.texts, before.calls, after.calls)
	}
	if len(before.rows) < 50 {
		t.Errorf("only %d rows of party one are watched", len(before.rows))
	}
}
