package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mattn/go-sqlite3"
	"go.uber.org/goleak"

	"galla/central"
	"galla/central/store/dbconn"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// making makes the table of these tests.
func making(ctx context.Context, own *sql.DB) error {
	_, err := own.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS a (n INTEGER NOT NULL PRIMARY KEY) STRICT")
	return err
}

func config() dbconn.Config {
	return dbconn.Config{Node: "n", Logger: slog.New(slog.DiscardHandler)}
}

// TestSettingsAreChecked opens with each promise broken in turn.
func TestSettingsAreChecked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "central.db")
	own := Connect(path)
	if err := errors.Join(making(t.Context(), own), own.Close()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"_journal_mode=WAL":  "_journal_mode=DELETE",
		"_synchronous=FULL":  "_synchronous=NORMAL",
		"_foreign_keys=1":    "_foreign_keys=0",
		"_busy_timeout=5000": "_busy_timeout=0",
		"_query_only=1":      "_query_only=0",
		"_mutex=no":          "_mutex=no&_ignore_check_constraints=1",
		"_cache_size=":       "_cache_size=",
	} {
		file := path
		if strings.HasPrefix(name, "_journal_mode") {
			file = filepath.Join(t.TempDir(), "other.db")
		}
		c := readerConnector(file)
		if !strings.Contains(c.dsn, name) {
			t.Fatalf("the address of a database does not set %s: %s", name, c.dsn)
		}
		c.dsn = strings.ReplaceAll(c.dsn, name, want)
		link, err := c.Connect(t.Context())
		if name == want {
			if err != nil {
				t.Fatalf("connect with all settings: %v", err)
			}
			if err := link.Close(); err != nil {
				t.Fatal(err)
			}
		} else if err == nil || !strings.Contains(err.Error(), "must be") {
			t.Errorf("connected with %s: error %v", want, err)
		}
	}
}

// TestNumbersOfTheDriver: the settings rest on a SQLite that has STRICT tables
// and RETURNING.
func TestNumbersOfTheDriver(t *testing.T) {
	if _, number, _ := sqlite3.Version(); number < 3_037_000 {
		t.Errorf("the SQLite in the driver is %d, 3.37 is needed", number)
	}
}

// TestLife writes, fails, reads, closes and opens again. What the writer does
// with many callers, lost commits and full queues is tested in package store,
// with real records.
func TestLife(t *testing.T) {
	path := filepath.Join(t.TempDir(), "central.db")
	insert := func(n int) func(dbconn.Conn) error {
		return func(c dbconn.Conn) error {
			_, err := c.Exec("INSERT INTO a (n) VALUES ($1)", []any{int64(n)})
			return err
		}
	}
	count := func(d *DB) (n int) {
		t.Helper()
		if err := d.Read(t.Context(), func(c dbconn.Conn) error {
			return c.Each("SELECT count(*) FROM a", nil, func(r dbconn.Row) error { return r.Scan(&n) })
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for round := range 2 {
		d, err := Open(t.Context(), path, config(), making)
		if err != nil {
			t.Fatal(err)
		}
		if d.Name() != path {
			t.Errorf("name is %s", d.Name())
		}
		if err := d.Write(t.Context(), insert(round)); err != nil {
			t.Fatal(err)
		}
		if err := d.Write(t.Context(), insert(0)); err == nil || !strings.Contains(err.Error(), "such a record already") {
			t.Errorf("a second record of one key: %v", err)
		}
		if n := count(d); n != round+1 {
			t.Errorf("%d records after round %d", n, round)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if err := d.Write(t.Context(), insert(9)); !errors.Is(err, dbconn.ErrClosed) {
			t.Errorf("write after close: %v", err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "central.db")
	lost := errors.New("lost")
	for _, c := range []struct {
		name    string
		cfg     dbconn.Config
		migrate func(context.Context, *sql.DB) error
		want    string
	}{
		{"no logger", dbconn.Config{Node: "n"}, making, "needs a node name and a logger"},
		{"a negative limit", dbconn.Config{Node: "n", Logger: slog.New(slog.DiscardHandler), Batch: -1}, making, "cannot be negative"},
		{"a migration that fails", config(), func(context.Context, *sql.DB) error { return lost }, "lost"},
	} {
		if d, err := Open(t.Context(), path, c.cfg, c.migrate); err == nil {
			t.Errorf("opened with %s", c.name)
			d.Close()
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestExplain gives each error the words for whoever must act on it.
func TestExplain(t *testing.T) {
	for code, want := range map[sqlite3.ErrNo]string{
		sqlite3.ErrFull: "free space", sqlite3.ErrIoErr: "disk fails", sqlite3.ErrCorrupt: "restore a backup",
		sqlite3.ErrReadonly: "check permissions", sqlite3.ErrConstraint: "rule of the schema", sqlite3.ErrBusy: "another program",
	} {
		err := Explain(sqlite3.Error{Code: code})
		if !strings.Contains(err.Error(), want) || errors.Is(err, central.ErrBusy) != (code == sqlite3.ErrBusy || code == sqlite3.ErrFull) {
			t.Errorf("code %d: %v", code, err)
		}
	}
	if err := Explain(central.ErrTaken); err != central.ErrTaken {
		t.Errorf("another error became %v", err)
	}
}
