package store

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"galla/central"
)

// TestPlans asks SQLite how it would run the statements that must stay fast
// with millions of operations.
func TestPlans(t *testing.T) {
	s := openSeeded(t, testConfig())
	for _, file := range sources(t, sqliteDialect()) {
		for _, statement := range file.statements {
			if !planned(statement) {
				continue
			}
			args := make([]any, len(numbers(statement)))
			err := s.read(background, func(c conn) error {
				return c.Each("EXPLAIN QUERY PLAN "+statement, args, func(row row) error {
					var id, parent, unused int
					var detail string
					if err := row.Scan(&id, &parent, &unused, &detail); err != nil {
						return err
					}
					if strings.HasPrefix(detail, "SCAN") && !harmless(statement, detail) {
						t.Errorf("%s: a table is read from end to end (%s) by\n%s", file.name, detail, statement)
					}
					// The last term sorts the few rows of one millisecond.
					if strings.Contains(detail, "TEMP B-TREE") && !strings.Contains(detail, "FOR LAST TERM OF ORDER BY") && !report(statement) {
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

// planned tells which statements are run under load: not those of
// the migrations.
func planned(statement string) bool {
	return !strings.HasPrefix(statement, "CREATE") && !strings.Contains(statement, "schema_") &&
		!strings.Contains(statement, "pg_advisory") && !strings.Contains(statement, "ensure_operation_months")
}

// fillOperations adds n finished operations, an hour after one another, and
// some of a clock that is ten years ahead, and as many terminals.
func fillOperations(t *testing.T, place string, n int) {
	t.Helper()
	db := onPostgres.raw(t, place)
	defer db.Close()
	db.SetMaxOpenConns(1) // whose temporary table it is
	for _, statement := range []string{
		fmt.Sprintf(`CREATE TEMP TABLE filled AS SELECT 'filled ' || i AS id, 'reference ' || i AS reference, 'ref ' || i AS ref,
				%d + i * 3200000::bigint + CASE WHEN i %% 20 = 0 THEN 315360000000 ELSE 0 END AS at FROM generate_series(1, %d) AS i`, t0.UnixMilli(), n),
		`INSERT INTO operations (id, caller, identity, route, fingerprint, merchant, tid, kind, amount, aadhaar, iin, reference, stan, state, node, created_at, party, caller_ref)
				SELECT id, 'vendor', ref, 'aeps.withdrawal', decode(repeat('00', 32), 'hex'), '` + string(merchant1) + `', 'GAL00001', 'WITHDRAWAL', 1, '', '', reference, '', 'received', 'n', at, 'vendor', ref FROM filled`,
		`INSERT INTO identities (caller, identity, operation) SELECT 'vendor', ref, id FROM filled`,
		`INSERT INTO operation_steps (operation, step, at, node, from_state, to_state, reason) SELECT id, 1, at, 'n', '', 'received', '' FROM filled`,
		`UPDATE operations SET state = 'failed', finished_at = created_at, http = 200, reply = '{}', rrn = 'rrn ' || id WHERE caller = 'vendor'`,
		`INSERT INTO terminals (id, merchant, name, tid, public_key, created_at)
				SELECT id, '` + string(merchant1) + `', '', id, decode(repeat('00', 32), 'hex'), at FROM filled`,
		`ANALYZE operations, operation_names, identities, operation_steps, terminals`,
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("fill: %v", err)
		}
	}
}

// TestPlansOfPostgres asks PostgreSQL the same, on a table that is worth its
// indexes. It is forced to read a table from end to end only where there is no
// other way, since the tables beside it are small; nor may it read an index from
// end to end.
func TestPlansOfPostgres(t *testing.T) {
	place := onPostgres.seeded(t)
	s := openAt(t, place, testConfig())
	wantErr(t, "make months", s.EnsurePartitions(background, t0, 6), nil)
	fillOperations(t, place, 5000)
	n := 0
	for _, file := range sources(t, postgresDialect()) {
		for _, statement := range file.statements {
			if !planned(statement) {
				continue
			}
			n++
			plan, err := postgresPlan(s, statement)
			if err != nil {
				t.Errorf("%s: %v in\n%s", file.name, err, statement)
			}
			lines := append(slices.Collect(strings.Lines(plan)), "")
			for i, line := range lines[:len(lines)-1] {
				whole := strings.Contains(line, "Seq Scan") || strings.Contains(line, "Index") && strings.Contains(line, "Scan") && !strings.Contains(lines[i+1], "Index Cond")
				if whole && !smallOnPostgres(statement, line) {
					t.Errorf("%s: a table is read from end to end (%s) by\n%s", file.name, strings.TrimSpace(line), statement)
				}
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d statements were planned: the test does not see them", n)
	}
}

// postgresPlan gives the plan of a statement for any parameters.
func postgresPlan(s *DB, statement string) (string, error) {
	args := ""
	if n := len(numbers(statement)); n > 0 {
		args = "(" + strings.TrimSuffix(strings.Repeat("NULL, ", n), ", ") + ")"
	}
	var plan strings.Builder
	undone := errors.New("undone")
	err := s.write(background, func(c conn) error {
		plan.Reset()
		for _, line := range []string{"SET LOCAL enable_seqscan = off", "SET LOCAL plan_cache_mode = force_generic_plan", "PREPARE planned AS " + statement} {
			if _, err := c.exec(line); err != nil {
				return err
			}
		}
		err := c.Each("EXPLAIN EXECUTE planned"+args, nil, func(row row) error {
			var line string
			err := row.Scan(&line)
			plan.WriteString(line + "\n")
			return err
		})
		_, freeErr := c.exec("DEALLOCATE planned")
		return errors.Join(err, freeErr, undone)
	})
	if errors.Is(err, undone) {
		err = nil
	}
	return plan.String(), err
}

// smallOnPostgres tells which readings from end to end are wanted: of the few
// counters, of the lists of keys, of the scheduled jobs, of the indexes that have only
// what is stuck or waits or was given up, and of the ledger for its audit.
func smallOnPostgres(statement, line string) bool {
	return strings.Contains(line, "on counters") || strings.Contains(line, "on ledger_entries") && report(statement) ||
		strings.Contains(line, "vendor_keys_live") || strings.Contains(line, "vendor_keys_in_order") || strings.Contains(line, "_stuck_at_idx ") ||
		strings.Contains(line, "on restorations") || strings.Contains(line, "held_identities_in_order") || leaps(statement) ||
		strings.Contains(line, "on events e") && purgesEvents(statement) ||
		strings.Contains(line, "_state_created_at_id_idx") && strings.Contains(statement, "GROUP BY state") || // those that are not final, counted
		strings.Contains(statement, "SELECT min(finished_at)") || // the first entry of each month's index
		strings.Contains(line, "on archives") || // one a month
		strings.Contains(line, "on settlement_files") && strings.Contains(statement, "settlement_summed") || // one a day
		strings.Contains(line, "report_runs_waiting") || strings.Contains(line, "report_runs_newest") || // those that wait, counted, and the newest
		strings.Contains(line, "on vendors v") && strings.Contains(statement, "AS earned GROUP BY merchant") || // the vendors of a day's report
		strings.Contains(line, "on operations") && strings.Contains(statement, "created_at < $2) AS figures") || // a day with archived operations, closed once
		strings.Contains(line, "on aggregators") || strings.Contains(line, "on uplink_nodes") || // a handful
		strings.Contains(line, "on staff") || // at most staff.MaxMembers
		strings.Contains(line, "merchants_pkey") && strings.Contains(statement, "merchants WHERE id IN (SELECT e.value") || // of a handful in this test
		strings.Contains(line, "reconciliation_cases_opened") || // the newest that were opened by hand
		strings.Contains(line, "settlement_files_by_moment") || // the newest, one a day
		strings.Contains(line, "reconciliation_cases_missing") || // the few that are open
		strings.Contains(line, "reconciliation_cases_waiting") || // those that wait for people, counted
		strings.Contains(line, "on scheduled_jobs") || strings.Contains(line, "callbacks_waiting_since") || strings.Contains(line, "callbacks_given_up") ||
		strings.Contains(line, "s_with_disabled_callback")
}

// TestNamesLeadToOnePartition: a look by any name that is unique opens no month but
// the operation's own.
func TestNamesLeadToOnePartition(t *testing.T) {
	s := onPostgres.open(t, testConfig())
	wantErr(t, "make months", s.EnsurePartitions(background, t0, 6), nil)
	o := created(t, s, withRef("R-1"))
	d := s.dialect
	for _, condition := range []string{
		"id = '" + string(o.ID) + "'", "reference = '" + string(o.Reference) + "'",
		"party = '" + party1 + "' AND caller_ref = 'R-1'",
	} {
		for _, statement := range []string{"SELECT id FROM operations WHERE ", "UPDATE operations SET state = 'sent', sent_at = 1, bank_not_after = 2 WHERE "} {
			opened, months := 0, 0
			err := s.write(background, func(c conn) error {
				opened, months = 0, 0
				if _, err := c.exec("SET LOCAL enable_seqscan = off"); err != nil {
					return err
				}
				err := c.Each("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) "+statement+d.byUniqueName(condition), nil, func(row row) error {
					var line string
					err := row.Scan(&line)
					if strings.Contains(line, "Scan") && strings.Contains(line, " on operations_") {
						months++
						if !strings.Contains(line, "never executed") {
							opened++
						}
					}
					return err
				})
				return errors.Join(err, errors.New("undone"))
			})
			if opened != 1 || months < 8 {
				t.Errorf("%s%s: %d of %d months were opened: %v", statement, condition, opened, months, err)
			}
		}
	}
}

// report tells whether a statement sums up for people: the earnings of the days
// that are asked for, found by an index, or the ledger as a whole, for audits.
// The merchants that are owed callbacks are sorted, too: they are few beside the
// callbacks. So are the operations and callbacks of a vendor's merchants in the days that
// it asks for, each merchant's found by an index.
func report(statement string) bool {
	return strings.Contains(statement, "merchant IN (SELECT id FROM merchants WHERE vendor = $") || strings.Contains(statement, "AS earned GROUP BY") || strings.Contains(statement, "AS sides GROUP BY") ||
		strings.Contains(statement, "RECURSIVE lane") ||
		strings.Contains(statement, "AS figures GROUP BY") // a day's operations, found by an index
}

// harmless tells which scans are wanted: of the counters' single row, of the
// index that has the stuck operations only, of the list of keys, of the scheduled jobs, of
// callbacks that are counted or whose merchants are stepped through, of a report, and of the tables that
// refer to a new row, which SQLite plans but reads only while a reference is
// open.
func harmless(statement, detail string) bool {
	switch {
	case strings.Contains(detail, "counters"), strings.Contains(detail, "operations_stuck"), strings.Contains(detail, "CONSTANT ROW"), strings.Contains(detail, "VALUES CLAUSE"), detail == "SCAN due",
		strings.Contains(detail, "vendor_keys_live"), strings.Contains(detail, "vendor_keys_in_order"),
		strings.Contains(detail, "VIRTUAL TABLE"), // the rows of a parameter
		// Restorations are few, what they hold is listed in the order of an
		// index, and each moves every terminal's cursor once.
		detail == "SCAN restorations", strings.Contains(detail, "held_identities_in_order"), leaps(statement),
		strings.HasPrefix(detail, "SCAN e") && purgesEvents(statement),
		detail == "SCAN archives", detail == "SCAN f" && strings.Contains(statement, "settlement_summed"), // one a month, and one a day
		strings.Contains(detail, "report_runs_waiting"), strings.Contains(detail, "report_runs_newest"), // those that wait, counted, and the newest
		strings.Contains(detail, "SCAN v") && strings.Contains(statement, "AS earned GROUP BY merchant"), // the vendors of a day's report
		detail == "SCAN operations" && strings.Contains(statement, "created_at < $2) AS figures"),        // a day with archived operations, closed once
		strings.Contains(detail, "SCAN aggregators"),                                                     // a handful
		strings.Contains(detail, "SCAN uplink_nodes"),                                                    // a handful
		strings.Contains(detail, "SCAN staff"),                                                           // at most staff.MaxMembers
		strings.Contains(detail, "reconciliation_cases_opened"),                                          // the newest that were opened by hand
		strings.Contains(detail, "operations_unfinished"),                                                // those that are not final, counted
		strings.Contains(detail, "settlement_files_by_moment"),                                           // the newest, one a day
		strings.Contains(detail, "reconciliation_cases_missing"),                                         // the few that are open
		strings.Contains(detail, "reconciliation_cases_waiting"),                                         // those that wait for people, counted
		detail == "SCAN lane", detail == "SCAN since", strings.Contains(detail, "SCAN scheduled_jobs"),
		strings.Contains(detail, "callbacks_waiting_since"), strings.Contains(detail, "callbacks_given_up"):
		return true
	case detail == "SCAN earned", detail == "SCAN sides", detail == "SCAN figures":
		return report(statement)
	case detail == "SCAN ledger_entries" && report(statement):
		return true
	}
	refer := map[string][]string{
		"INSERT INTO operations ":  {"SCAN identities", "SCAN events", "SCAN operations", "SCAN commissions", "SCAN ledger_entries"},
		"INSERT INTO vendor_keys ": {"SCAN gateway_messages"},
		"INSERT INTO callbacks ":   {"SCAN callback_attempts"},
	}
	for insert, scans := range refer {
		if strings.HasPrefix(statement, insert) {
			return slices.Contains(scans, detail)
		}
	}
	return false
}

// leaps tells of the one change of all terminals, which a restoration makes.
func leaps(statement string) bool {
	return strings.Contains(statement, "SET last_event = last_event + $1")
}

// purgesEvents tells of the purge that looks at all events that terminals have
// not seen yet, which are few.
func purgesEvents(statement string) bool {
	return strings.HasPrefix(statement, "DELETE FROM events WHERE (terminal, cursor)")
}

// TestParametersAreInOrder: a driver of SQLite numbers $1, $2, … by their first
// appearance, PostgreSQL by their digits. They must agree.
func TestParametersAreInOrder(t *testing.T) {
	count := 0
	for _, file := range append(sources(t, sqliteDialect()), sources(t, postgresDialect())...) {
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

// sources finds the SQL in the package's files, in a dialect.
func sources(t *testing.T, d dialect) []source {
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
			text, ok := spell(n, d)
			if ok && regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|WITH)\s`).MatchString(text) {
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
func spell(n ast.Node, d dialect) (string, bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		if n.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(n.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		left, ok := spell(n.X, d)
		right, also := spell(n.Y, d)
		return left + right, ok && also
	case *ast.Ident:
		text, ok := map[string]string{
			"operationColumns": operationColumns, "terminalColumns": terminalColumns, "merchantColumns": merchantColumns,
			"vendorKeyColumns": vendorKeyColumns, "slabColumns": slabColumns, "fileColumns": fileColumns, "comparedColumns": comparedColumns,
			"caseColumns": caseColumns, "staffColumns": staffColumns, "auditColumns": auditColumns, "terminalStatusColumns": terminalStatusColumns,
			"isOnline": isOnline, "isOnlineSecond": isOnlineSecond, "versionTable": versionTable, "callbackColumns": callbackColumns, "secretColumns": secretColumns,
			"scheduledJobColumns": scheduledJobColumns, "setGivenUp": setGivenUp, "setReplayed": setReplayed,
			"dayVolumeColumns": dayVolumeColumns, "notArchived": notArchived, "alsoArchived": alsoArchived, "volumeColumns": volumeColumns, "earningColumns": earningColumns,
			"settledColumns": settledColumns, "ofFilesInForce": ofFilesInForce, "runColumns": runColumns,
			"refused": "", "finalColumns": finalColumns, "paymentColumns": paymentColumns, "codeColumns": codeColumns, "caseStepColumns": caseStepColumns,
		}[n.Name]
		return text, ok
	case *ast.SelectorExpr:
		switch n.Sel.Name {
		case "names":
			return d.names, true
		case "eachOf":
			return d.eachOf, true
		case "skipLocked":
			return d.skipLocked, true
		case "forUpdate":
			return d.forUpdate, true
		case "indexedID":
			return d.indexedID, true
		}
	case *ast.CallExpr:
		if name, ok := n.Fun.(*ast.SelectorExpr); ok && name.Sel.Name == "byUniqueName" {
			condition, ok := spell(n.Args[0], d)
			return d.byUniqueName(condition), ok
		} else if ok && name.Sel.Name == "unlessTaken" {
			values, ok := spell(n.Args[0], d)
			reference, also := spell(n.Args[1], d)
			return d.unlessTaken(values, reference), ok && also
		}
		if name, ok := n.Fun.(*ast.Ident); ok && name.Name == "statesBefore" {
			return "('received', 'sent')", true
		} else if ok && name.Name == "kycStatesBefore" {
			return kycStatesBefore(central.KYCApproved), true
		}
	}
	return "", false
}
