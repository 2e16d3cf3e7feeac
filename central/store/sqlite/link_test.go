package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"galla/central/store/dbconn"
)

// newLink opens a writing connection to a new file with the table of these tests.
func newLink(t *testing.T) *link {
	t.Helper()
	_, l := newFile(t)
	return l
}

// newFile is newLink with the path of the file.
func newFile(t *testing.T) (string, *link) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "central.db")
	own := Connect(path)
	if err := errors.Join(making(t.Context(), own), own.Close()); err != nil {
		t.Fatal(err)
	}
	l, err := writerConnector(path).link()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.close(); err != nil {
			t.Error(err)
		}
	})
	return path, l
}

// TestStatementsAreKept: those used of late, not more than the limit.
func TestStatementsAreKept(t *testing.T) {
	l := newLink(t)
	if err := l.run("BEGIN"); err != nil {
		t.Fatal(err)
	}
	first := l.statements["BEGIN"]
	if err := l.run("COMMIT"); err != nil {
		t.Fatal(err)
	}
	for n := range 2 * statementCache {
		if _, err := l.Exec(fmt.Sprintf("SELECT %d", n), nil); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(l.run("BEGIN"), l.run("COMMIT")); err != nil {
			t.Fatal(err)
		}
	}
	if len(l.statements) != statementCache || l.statements["BEGIN"] != first {
		t.Errorf("%d statements are kept; one in use is among them: %v", len(l.statements), l.statements["BEGIN"] == first)
	}
}

// TestStatementInItself runs a statement while its own rows are read.
func TestStatementInItself(t *testing.T) {
	l := newLink(t)
	for n := range 3 {
		if _, err := l.Exec("INSERT INTO a (n) VALUES ($1)", []any{int64(n)}); err != nil {
			t.Fatal(err)
		}
	}
	const all = "SELECT n FROM a ORDER BY n"
	var pairs []string
	err := l.Each(all, nil, func(outer dbconn.Row) error {
		return l.Each(all, nil, func(inner dbconn.Row) error {
			var a, b int
			err := errors.Join(outer.Scan(&a), inner.Scan(&b))
			pairs = append(pairs, fmt.Sprint(a, b))
			return err
		})
	})
	if got := strings.Join(pairs, ","); err != nil || got != "0 0,0 1,0 2,1 0,1 1,1 2,2 0,2 1,2 2" {
		t.Errorf("pairs %s, %v", got, err)
	}
	if len(l.statements) != 2 {
		t.Errorf("%d statements are kept, want the insert and the query", len(l.statements))
	}
}

func TestWrongArguments(t *testing.T) {
	l := newLink(t)
	for name, args := range map[string][]any{"too few": {}, "too many": {int64(1), int64(2)}, "a type that no column has": {1.5}} {
		if _, err := l.Exec("INSERT INTO a (n) VALUES ($1)", args); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := l.Exec("INSERT INTO a (n) VALUES ($1)", []any{int64(1)}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestChangedIsNoticed: a failed job is undone only if it has changed something, so no change
// may be missed.
func TestChangedIsNoticed(t *testing.T) {
	l := newLink(t)
	scan := func(dbconn.Row) error { return nil }
	for _, c := range []struct {
		name    string
		do      func() error
		changed bool
	}{
		{"an insert", func() error { _, err := l.Exec("INSERT INTO a (n) VALUES (1)", nil); return err }, true},
		{"a read", func() error { return l.Each("SELECT n FROM a", nil, scan) }, false},
		{"an insert that meets its key", func() error {
			if _, err := l.Exec("INSERT INTO a (n) VALUES (1)", nil); err == nil {
				return errors.New("one key twice")
			}
			return nil
		}, false},
		{"an insert that gives way", func() error { _, err := l.Exec("INSERT INTO a (n) VALUES (1) ON CONFLICT DO NOTHING", nil); return err }, false},
		{"an update of no row", func() error { _, err := l.Exec("UPDATE a SET n = 5 WHERE n = 9", nil); return err }, false},
		{"an update of no row that returns", func() error { return l.Each("UPDATE a SET n = 5 WHERE n = 9 RETURNING n", nil, scan) }, false},
		{"an update that returns", func() error { return l.Each("UPDATE a SET n = 5 WHERE n = 1 RETURNING n", nil, scan) }, true},
		{"an update that returns, for its count", func() error { _, err := l.Exec("UPDATE a SET n = 6 WHERE n = 5 RETURNING n", nil); return err }, true},
		{"a delete without a result, by Each", func() error { return l.Each("DELETE FROM a WHERE n = 6", nil, scan) }, true},
		{"another statement", func() error { _, err := l.Exec("CREATE TABLE b (n INTEGER) STRICT", nil); return err }, true},
		{"a change behind WITH", func() error {
			_, err := l.Exec("WITH x AS (SELECT 3 AS n) INSERT INTO a (n) SELECT n FROM x", nil)
			return err
		}, true},
	} {
		l.changed = false
		if err := c.do(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if l.changed != c.changed {
			t.Errorf("%s: changed is %v", c.name, l.changed)
		}
	}
}
