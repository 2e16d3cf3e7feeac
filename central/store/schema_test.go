package store

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"galla/central"
	"galla/shared/op"
)

var allStates = []op.State{op.Received, op.Dispatched, op.Pending, op.Succeeded, op.Failed, op.Reversed, op.Refused}

// tryWrite runs statements in a job and undoes them.
func tryWrite(s *DB, statements ...string) error {
	undone := fmt.Errorf("undone")
	var failure error
	_ = s.write(background, func(c conn) error {
		for _, statement := range statements {
			if _, err := c.exec(statement); err != nil {
				failure = err
				return err
			}
		}
		return undone
	})
	return failure
}

// columnsOf says what a row of a state must have, so that only the step itself
// can be at fault.
func columnsOf(state op.State) string {
	set := "state = '" + string(state) + "'"
	switch state {
	case op.Dispatched:
		set += ", dispatched_at = 1, bank_not_after = 2"
	case op.Pending:
		set += ", dispatched_at = 1, bank_not_after = 2, pending_reference = 'P-x', next_enquiry = 3"
	case op.Succeeded, op.Failed, op.Reversed, op.Refused:
		set += ", settled_at = 4, reply = x'7b7d', http = 200, next_enquiry = NULL"
	}
	return set
}

// TestStatesInSQL walks every pair of states through SQL, past the methods, and
// compares the schema with central.CanBecome.
func TestStatesInSQL(t *testing.T) {
	s := openSeeded(t, testConfig())
	for _, from := range allStates {
		o := inState(t, s, from)
		for _, to := range append(allStates, op.Expired, op.Queued, "") {
			err := tryWrite(s, fmt.Sprintf(`UPDATE operations SET %s WHERE id = '%s'`, columnsOf(to), o.ID))
			if legal := central.CanBecome(from, to); legal != (err == nil) {
				t.Errorf("%s to %q: the table says %v, the schema says %v", from, to, legal, err)
			}
		}
		// Only the state received begins.
		err := tryWrite(s, `CREATE TEMP TABLE copy AS SELECT * FROM operations WHERE id = '`+string(o.ID)+`'`,
			`UPDATE copy SET id = 'other', reference = 'other', pending_reference = NULL`,
			`INSERT INTO operations SELECT * FROM copy`)
		if from == op.Received != (err == nil) {
			t.Errorf("an operation began in state %s: %v", from, err)
		}
	}
}

// TestStateNamesOfSteps compares the constraint on the history with the table
// of transitions; an enquiry is a step from pending to pending.
func TestStateNamesOfSteps(t *testing.T) {
	s := openSeeded(t, testConfig())
	o := begun(t, s)
	for _, from := range append(allStates, "") {
		for _, to := range append(allStates, "") {
			legal := central.CanBecome(from, to) || from == "" && to == op.Received || from == op.Pending && to == op.Pending
			err := tryWrite(s, fmt.Sprintf(`INSERT INTO operation_steps (operation, step, at, node, from_state, to_state, reason)
				VALUES ('%s', 99, 1, '', '%s', '%s', '')`, o.ID, from, to))
			if legal != (err == nil) {
				t.Errorf("step from %q to %q: legal %v, the schema says %v", from, to, legal, err)
			}
		}
	}
}

func TestSchemaRefuses(t *testing.T) {
	s := openSeeded(t, testConfig())
	terminal := enrolled(t, s, 1)
	ids := map[op.State]op.ID{}
	for _, state := range allStates {
		ids[state] = inState(t, s, state, func(o *central.Operation) { o.Terminal = terminal.ID }).ID
	}
	set := func(state op.State, what string) string {
		return fmt.Sprintf(`UPDATE operations SET %s WHERE id = '%s'`, what, ids[state])
	}
	cases := []struct{ name, statement string }{
		{"a final operation's reply", set(op.Succeeded, "reply = x'00'")},
		{"a final operation's attempts", set(op.Refused, "attempts = 7")},
		{"an amount", set(op.Received, "amount = 1")},
		{"a reference", set(op.Received, "reference = 'other'")},
		{"an identity", set(op.Received, "identity = 'other'")},
		{"an Aadhaar number", set(op.Received, "aadhaar = '999941057058'")},
		{"a dispatch without a state", set(op.Received, "dispatched_at = 1, bank_not_after = 2")},
		{"a dispatch without a deadline", set(op.Received, "state = 'dispatched', dispatched_at = 1")},
		{"pending without a reference", set(op.Dispatched, "state = 'pending', next_enquiry = 1")},
		{"pending without an enquiry", set(op.Dispatched, "state = 'pending', pending_reference = 'x'")},
		{"an enquiry after a dispatched one", set(op.Dispatched, "next_enquiry = 1")},
		{"a stuck dispatched one", set(op.Dispatched, "stuck_at = 1")},
		{"a pending reference that is taken", set(op.Dispatched, "state = 'pending', next_enquiry = 1, pending_reference = (SELECT pending_reference FROM operations WHERE state = 'pending')")},
		{"a failure without a moment", set(op.Dispatched, "state = 'failed', reply = x'00', http = 200")},
		{"a failure without a reply", set(op.Dispatched, "state = 'failed', settled_at = 1")},
		{"a failure without an HTTP status", set(op.Dispatched, "state = 'failed', settled_at = 1, reply = x'00'")},
		{"a reply before the end", set(op.Dispatched, "reply = x'00', http = 200")},
		{"text for a time", set(op.Pending, "next_enquiry = 'tomorrow'")},
		{"a fraction of a millisecond", set(op.Pending, "next_enquiry = 1.5")},
		{"a negative count", set(op.Pending, "attempts = -1")},
		{"a deleted operation", "DELETE FROM operations"},
		{"a deleted identity", "DELETE FROM identities"},
		{"another identity", "UPDATE identities SET identity = 'other'"},
		{"an identity of nothing", "INSERT INTO identities (caller, identity) VALUES ('a', 'b')"},
		{"a rewritten history", "UPDATE operation_steps SET reason = 'other'"},
		{"a deleted history", "DELETE FROM operation_steps"},
		{"an event of nothing", fmt.Sprintf("INSERT INTO events (terminal, cursor, kind, at) VALUES ('%s', 9, 'outcome', 1)", terminal.ID)},
		{"a kind of event that is none", fmt.Sprintf("INSERT INTO events (terminal, cursor, kind, at) VALUES ('%s', 9, 'party', 1)", terminal.ID)},
		{"a terminal of nobody", "UPDATE terminals SET merchant = 'nobody'"},
		{"a merchant's deletion", "DELETE FROM merchants"},
		{"a code that is no hash", "INSERT INTO enrolment_codes (hash, merchant, created_at, expires_at) VALUES (x'00', '" + string(merchant1) + "', 1, 2)"},
		{"a used code without a terminal", "UPDATE enrolment_codes SET terminal = NULL"},
	}
	for _, c := range cases {
		if err := tryWrite(s, c.statement); err == nil {
			t.Errorf("the schema takes %s: %s", c.name, c.statement)
		}
	}
}

// TestPlans asks SQLite how it would run the statements that must stay fast
// with millions of operations.
func TestPlans(t *testing.T) {
	s := openSeeded(t, testConfig())
	for _, file := range sources(t) {
		for _, statement := range file.statements {
			if strings.HasPrefix(statement, "CREATE") || strings.Contains(statement, "schema_") {
				continue
			}
			args := make([]any, len(numbers(statement)))
			err := s.read(background, func(c conn) error {
				return c.each("EXPLAIN QUERY PLAN "+statement, args, func(row row) error {
					var id, parent, unused int
					var detail string
					if err := row.Scan(&id, &parent, &unused, &detail); err != nil {
						return err
					}
					if strings.HasPrefix(detail, "SCAN") && !harmless(statement, detail) {
						t.Errorf("%s: a table is read from end to end (%s) by\n%s", file.name, detail, statement)
					}
					if strings.Contains(detail, "TEMP B-TREE") && !report(statement) {
						t.Errorf("%s: rows are sorted (%s) by\n%s", file.name, detail, statement)
					}
					return nil
				})
			})
			if err != nil {
				t.Errorf("%s: %v in\n%s", file.name, err, statement)
			}
		}
	}
}

// report tells whether a statement sums up for people: the earnings of the days
// that are asked for, found by an index, or the ledger as a whole, for audits.
func report(statement string) bool {
	return strings.Contains(statement, "AS earned GROUP BY") || strings.Contains(statement, "AS sides GROUP BY")
}

// harmless tells which scans are wanted: of the counters' single row, of the
// index that has the stuck operations only, of the list of keys, of a report, and of the tables that
// refer to a new row, which SQLite plans but reads only while a reference is
// open.
func harmless(statement, detail string) bool {
	switch {
	case strings.Contains(detail, "counters"), strings.Contains(detail, "operations_stuck"), strings.Contains(detail, "CONSTANT ROW"),
		strings.Contains(detail, "vendor_keys_live"), strings.Contains(detail, "vendor_keys_in_order"),
		// Restorations are few, what they hold is listed in the order of an
		// index, and each moves every terminal's cursor once.
		detail == "SCAN restorations", strings.Contains(detail, "held_identities_in_order"),
		detail == "SCAN terminals" && strings.Contains(statement, "SET last_event = last_event + $1"):
		return true
	case detail == "SCAN earned", detail == "SCAN sides":
		return report(statement)
	case detail == "SCAN ledger_entries" && report(statement):
		return true
	}
	refer := map[string][]string{
		"INSERT INTO operations ":  {"SCAN identities", "SCAN events", "SCAN operations", "SCAN commissions", "SCAN ledger_entries"},
		"INSERT INTO quota_usage ": {"SCAN reservations"},
		"INSERT INTO vendor_keys ": {"SCAN gateway_messages"},
	}
	for insert, scans := range refer {
		if strings.HasPrefix(statement, insert) {
			return slices.Contains(scans, detail)
		}
	}
	return false
}

// TestParametersAreInOrder: a driver of SQLite numbers $1, $2, … by their first
// appearance, PostgreSQL by their digits. They must agree.
func TestParametersAreInOrder(t *testing.T) {
	count := 0
	for _, file := range sources(t) {
		for _, statement := range file.statements {
			for i, n := range numbers(statement) {
				count++
				if n != i+1 {
					t.Errorf("%s: parameter $%d appears where $%d must, in\n%s", file.name, n, i+1, statement)
				}
			}
			if strings.Contains(statement, "?") {
				t.Errorf("%s: a parameter has no number in\n%s", file.name, statement)
			}
		}
	}
	if count < 50 {
		t.Errorf("only %d parameters were found: the test does not see the statements", count)
	}
}

// numbers gives the parameters of a statement by their first appearance.
func numbers(statement string) []int {
	var list []int
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`\$(\d+)`).FindAllStringSubmatch(statement, -1) {
		if !seen[m[1]] {
			seen[m[1]] = true
			n, _ := strconv.Atoi(m[1])
			list = append(list, n)
		}
	}
	return list
}

type source struct {
	name       string
	statements []string
}

// sources finds the SQL in the package's files.
func sources(t *testing.T) []source {
	t.Helper()
	names, err := filepath.Glob("*.go")
	wantErr(t, "list files", err, nil)
	var list []source
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		wantErr(t, "parse", err, nil)
		found := source{name: name}
		ast.Inspect(file, func(n ast.Node) bool {
			text, ok := spell(n)
			if ok && regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE)\s`).MatchString(text) {
				found.statements = append(found.statements, strings.TrimSpace(text))
				return false
			}
			return !ok
		})
		list = append(list, found)
	}
	return list
}

// spell gives the text of a literal, or of literals and the names that stand
// between them.
func spell(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		if n.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(n.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		left, ok := spell(n.X)
		right, also := spell(n.Y)
		return left + right, ok && also
	case *ast.Ident:
		switch n.Name {
		case "operationColumns":
			return operationColumns, true
		case "terminalColumns":
			return terminalColumns, true
		case "merchantColumns":
			return merchantColumns, true
		case "vendorKeyColumns":
			return vendorKeyColumns, true
		case "slabColumns":
			return slabColumns, true
		}
	case *ast.CallExpr:
		if name, ok := n.Fun.(*ast.Ident); ok && name.Name == "origins" {
			return "('received', 'dispatched')", true
		} else if ok && name.Name == "before" {
			return before(central.KYCApproved), true
		}
	}
	return "", false
}

// TestNothingInTheClear runs operations whose Aadhaar number is known and looks
// for it in every byte that the store leaves on the disk.
func TestNothingInTheClear(t *testing.T) {
	const number = "999941057058"
	path := filepath.Join(t.TempDir(), "central.db")
	s := openAt(t, path, testConfig())
	wantErr(t, "seed", s.Seed(background, testSeed()), nil)
	for _, state := range allStates {
		inState(t, s, state)
	}
	for _, text := range []string{number, " " + number, number + "\x00"} {
		o := newOperation()
		o.Aadhaar = text
		if _, _, err := s.Begin(background, o, nil); err == nil || strings.Contains(err.Error(), number) {
			t.Fatal("an Aadhaar number in the clear was taken, or quoted in the refusal")
		}
	}
	look := func(when string) {
		files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
		wantErr(t, "list files", err, nil)
		masked := false
		for _, file := range files {
			text, err := os.ReadFile(file)
			wantErr(t, "read", err, nil)
			if bytes.Contains(text, []byte(number)) {
				t.Errorf("%s: %s has an Aadhaar number in the clear", when, filepath.Base(file))
			}
			masked = masked || bytes.Contains(text, []byte("XXXXXXXX7058"))
		}
		if !masked {
			t.Errorf("%s: the masked number is nowhere: the test does not see the rows", when)
		}
	}
	look("while it is open")
	wantErr(t, "close", s.Close(), nil)
	look("after it was closed")
}
