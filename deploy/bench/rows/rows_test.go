package rows

import (
	"context"
	"database/sql"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3"
)

// schema is like the central's: rows that refer to others, and a trigger that writes names.
const schema = `
CREATE TABLE steps (operation TEXT NOT NULL REFERENCES zoperations (id), step INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (operation, step)) STRICT;
CREATE TABLE zoperations (id TEXT NOT NULL PRIMARY KEY, caller TEXT NOT NULL, reference TEXT NOT NULL UNIQUE, state TEXT NOT NULL, reply BLOB, twice TEXT GENERATED ALWAYS AS (id || id)) STRICT;
CREATE TABLE names (reference TEXT NOT NULL PRIMARY KEY) STRICT;
CREATE TABLE heartbeats (node TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL) STRICT;
CREATE TABLE usage (key TEXT NOT NULL PRIMARY KEY, count INTEGER NOT NULL) STRICT;
CREATE TRIGGER insert_names AFTER INSERT ON zoperations BEGIN INSERT INTO names VALUES (NEW.reference); END;
INSERT INTO heartbeats VALUES ('node', 1);
INSERT INTO usage VALUES ('merchant:1', 0);
INSERT INTO zoperations (id, caller, reference, state) VALUES ('01a20000-0000-7000-8000-000000000000', 'merchant:1', 'GL000000000000', 'old');
`

const (
	id  = "01a20000-0000-7000-8000-00000000000"
	ref = "GL26112300ABCDEFGHJ"
)

// withdraw is one withdrawal; the heart beats in the first one only.
func withdraw(t *testing.T, db *sql.DB, n string) Moments {
	t.Helper()
	do := func(statements ...string) func() error {
		return func() error {
			for _, s := range statements {
				if _, err := db.Exec(s); err != nil {
					return err
				}
			}
			return nil
		}
	}
	first := []string{
		`INSERT INTO zoperations (id, caller, reference, state) VALUES ('` + id + n + `', 'merchant:1', '` + ref + n + `', 'sent')`,
		`INSERT INTO steps VALUES ('` + id + n + `', 1, 77)`,
		`UPDATE usage SET count = count + 1`,
	}
	if n == "1" {
		first = append(first, `UPDATE heartbeats SET at = at + 1`)
	}
	m, err := Observe(t.Context(), db, SQLite, do(first...), do(
		`UPDATE zoperations SET state = 'succeeded', reply = CAST('{"reference":"`+ref+n+`"}' AS BLOB) WHERE id = '`+id+n+`'`,
		`INSERT INTO steps VALUES ('`+id+n+`', 2, 78)`))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func open(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(t.TempDir(), "test.db")+"?_foreign_keys=1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.Exec(schema); err != nil {
		t.Fatal(err)
	}
	return db
}

func newTestPlan(t *testing.T) (Plan, *sql.DB) {
	t.Helper()
	db, raw := open(t), open(t)
	one := withdraw(t, db, "1")
	two := withdraw(t, db, "2")
	tx, err := raw.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(t.Context(), tx, SQLite, two, one)
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	return p, raw
}

// TestPlan finds the rows of a withdrawal: in an order that their references allow, without
// those that a trigger writes and those that change anyway.
func TestPlan(t *testing.T) {
	p, raw := newTestPlan(t)
	want := "commit 1: insert zoperations insert steps update usage\ncommit 2: update zoperations insert steps\n"
	if got := p.Summary(); got != want {
		t.Errorf("the plan is\n%s not\n%s", got, want)
	}
	if want := []string{id + "2", ref + "2"}; !slices.Equal(p.Fresh, want) {
		t.Errorf("a withdrawal is named by %q, not %q", p.Fresh, want)
	}
	for _, commit := range p.Commits {
		for _, s := range commit {
			if err := attempt(t.Context(), raw, s); err != nil {
				t.Errorf("%s: %v", s.SQL, err)
			}
		}
	}
	var state, reply string
	var steps int
	err := raw.QueryRow(`SELECT state, reply, (SELECT count(*) FROM steps WHERE operation = id) FROM zoperations WHERE id = ?`, id+"2").Scan(&state, &reply, &steps)
	if err != nil || state != "succeeded" || reply != `{"reference":"`+ref+`2"}` || steps != 2 {
		t.Errorf("%s %s %d %v", state, reply, steps, err)
	}
}

// TestWrite writes the rows of several withdrawals, each with names of its own.
func TestWrite(t *testing.T) {
	p, raw := newTestPlan(t)
	tx, err := raw.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for commit := range p.Commits {
		if err := p.Write(t.Context(), tx, commit, 100, 3); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	var n int
	err = raw.QueryRow(`SELECT count(*) FROM zoperations JOIN names USING (reference) WHERE state = 'succeeded'
		AND CAST(reply AS TEXT) = '{"reference":"' || reference || '"}' AND (SELECT count(*) FROM steps WHERE operation = id) = 2`).Scan(&n)
	if err != nil || n != 3 {
		t.Errorf("%d withdrawals of 3, %v", n, err)
	}
}

func TestPlanNeedsAllRows(t *testing.T) {
	db, raw := open(t), open(t)
	m := withdraw(t, db, "1")
	if _, err := raw.Exec(`DROP TABLE zoperations`); err != nil {
		t.Fatal(err)
	}
	tx, err := raw.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := NewPlan(t.Context(), tx, SQLite, m); err == nil {
		t.Error("a plan without the operation's row was made")
	}
}

func TestPlaces(t *testing.T) {
	fresh := []string{"bench-000000000001", "01a20000-0000-7000-8000-00000000000f", "GL261123ABCDEFGHJK"}
	got := Places("GL261123ABCDEFGHJK 01a20000-0000-7000-8000-00000000000f bench-000000000001", fresh)
	want := []Place{{8, true}, {45, false}, {64, false}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
	seen := map[int64]bool{}
	for n := range int64(10_000) {
		seen[Scramble(n)] = true
	}
	if len(seen) != 10_000 || Scramble(modulus-1) < 0 {
		t.Errorf("%d different numbers of 10000; the last is %d", len(seen), Scramble(modulus-1))
	}
}

// newPostgresPlan is the test's plan with PostgreSQL's parameters.
func newPostgresPlan(t *testing.T) Plan {
	t.Helper()
	p, _ := newTestPlan(t)
	for i := range p.Commits {
		for j := range p.Commits[i] {
			s := &p.Commits[i][j]
			for n := 1; strings.Contains(s.SQL, "?"); n++ {
				s.SQL = strings.Replace(s.SQL, "?", PostgreSQL.place(n), 1)
			}
		}
	}
	return p
}

func TestFill(t *testing.T) {
	all := newPostgresPlan(t).Fill(5, 9)
	if len(all) != 3+5 {
		t.Fatalf("%q", all)
	}
	all = all[3:] // settings
	const series = " FROM generate_series(5::bigint, 9) AS g (number)"
	if want := "INSERT INTO steps (operation, step, at) SELECT (U&'01a20000-0000-7000-8000-00' || lpad(g.number::text, 10, '0') || U&''), 1, 77" + series; all[1] != want {
		t.Errorf("%s\nnot\n%s", all[1], want)
	}
	if !strings.HasPrefix(all[3], "UPDATE zoperations SET state = ") || !strings.Contains(all[3], series+" WHERE id = (U&") {
		t.Error(all[3])
	}
}

// TestScript checks what pgbench reads: it takes every colon before a name for a variable.
func TestScript(t *testing.T) {
	script := newPostgresPlan(t).Script()
	if strings.Count(script, "\\startpipeline\nBEGIN;\n") != 2 || strings.Count(script, "COMMIT;\n\\endpipeline\n") != 2 {
		t.Errorf("not two pipelines:\n%s", script)
	}
	for _, name := range regexp.MustCompile(`[^:]:([a-z_]\w*)`).FindAllStringSubmatch(script, -1) {
		if !slices.Contains([]string{"n", "base", "client_id", "number", "scrambled"}, name[1]) {
			t.Errorf("pgbench takes :%s for a variable:\n%s", name[1], script)
		}
	}
	if strings.Contains(script, "$") || !strings.Contains(script, `U&'merchant\003A1'`) {
		t.Errorf("arguments are missing:\n%s", script)
	}
}

func TestCopy(t *testing.T) {
	db := open(t)
	if err := Copy(t.Context(), db, SQLite, "zoperations", "state", "old", map[string]any{"id": "other", "reference": "another"}); err != nil {
		t.Fatal(err)
	}
	var caller string
	if err := db.QueryRow(`SELECT caller FROM zoperations WHERE id = 'other' AND reference = 'another'`).Scan(&caller); err != nil || caller != "merchant:1" {
		t.Error(caller, err)
	}
	if err := Copy(t.Context(), db, SQLite, "zoperations", "state", "none", nil); err == nil {
		t.Error("a row that is not there was copied")
	}
}
