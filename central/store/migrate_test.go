package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pressly/goose/v3"

	"galla/central/store/sqlite"
)

// first and second are migrations of a small schema.
const (
	first  = "-- +goose Up\nCREATE TABLE a (n INTEGER);\n"
	second = "-- +goose Up\nINSERT INTO a (n) VALUES (1);\n"
	broken = "-- +goose Up\nINSERT INTO a (n) VALUES (2);\nINSERT INTO nothing (n) VALUES (1);\n"
)

func steps(texts ...string) fstest.MapFS {
	list := fstest.MapFS{}
	for i, text := range texts {
		list[[]string{"00001_a.sql", "00002_b.sql", "00003_c.sql"}[i]] = &fstest.MapFile{Data: []byte(text)}
	}
	return list
}

func TestMigrations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "central.db")
	run := func(list fs.FS) error {
		db := sqlite.Connect(path)
		return errors.Join(migrate(background, goose.DialectSQLite3, db, list, slog.New(slog.DiscardHandler)), db.Close())
	}
	rows := func(want int) {
		t.Helper()
		db := sqlite.Connect(path)
		defer db.Close()
		var n int
		if err := db.QueryRow("SELECT count(*) FROM a").Scan(&n); err != nil || n != want {
			t.Fatalf("%d rows, want %d: %v", n, want, err)
		}
	}
	refused := func(list fs.FS, want string) {
		t.Helper()
		if err := run(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("error %v, want one that says %q", err, want)
		}
	}
	wantErr(t, "the first", run(steps(first)), nil)
	rows(0)
	wantErr(t, "the first again", run(steps(first)), nil)
	refused(steps(first, broken), "from version 1 to 2")
	rows(0) // a migration that fails leaves nothing
	wantErr(t, "the second", run(steps(first, second)), nil)
	rows(1)
	wantErr(t, "with other line ends", run(steps(strings.ReplaceAll(first, "\n", "\r\n"), second)), nil)
	rows(1)
	refused(steps(first+"-- a word\n", second), "changed after it was applied")
	refused(steps(first), "schema version 2 and this program knows only up to 1")
	refused(steps(), "no migration")

	db := sqlite.Connect(path)
	_, err := db.Exec("DELETE FROM schema_checksums WHERE version = 2")
	wantErr(t, "forget a checksum", errors.Join(err, db.Close()), nil)
	refused(steps(first, second), "without a checksum")
}

// TestMigrationsAreForwardOnly: a released schema is left by a new migration,
// never by the way back.
func TestMigrationsAreForwardOnly(t *testing.T) {
	names, err := fs.Glob(sqliteMigrations, "migrations/*/*.sql")
	wantErr(t, "list", err, nil)
	if len(names) == 0 || !slices.IsSorted(names) {
		t.Fatalf("migrations: %v", names)
	}
	for _, name := range names {
		text, err := sqliteMigrations.ReadFile(name)
		wantErr(t, "read", err, nil)
		if !bytes.Contains(text, []byte("+goose Up")) || bytes.Contains(text, []byte("+goose Down")) {
			t.Errorf("%s must have a way up and no way down", name)
		}
	}
}

func TestNewerDatabaseIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "central.db")
	s := openAt(t, path, testConfig())
	wantErr(t, "pretend", s.write(background, func(c conn) error {
		_, err := c.exec("INSERT INTO " + versionTable + " (version_id, is_applied) VALUES (9999, 1)")
		return err
	}), nil)
	wantErr(t, "close", s.Close(), nil)
	_, err := OpenSQLite(context.Background(), path, testConfig())
	if err == nil || !strings.Contains(err.Error(), "start the newer program") {
		t.Errorf("opened a newer program's database: %v", err)
	}
}
