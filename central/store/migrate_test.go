package store

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"io/fs"
	"log/slog"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"
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

func TestMigrations(t *testing.T) { onBoth(t, migrations) }

func migrations(t *testing.T, on kind) {
	place := on.empty(t)
	run := func(list fs.FS) error {
		db := on.raw(t, place)
		return errors.Join(migrate(background, on.goose(), db, list, slog.New(slog.DiscardHandler)), db.Close())
	}
	rows := func(want int) {
		t.Helper()
		db := on.raw(t, place)
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

	db := on.raw(t, place)
	_, err := db.Exec("DELETE FROM schema_checksums WHERE version = 2")
	wantErr(t, "forget a checksum", errors.Join(err, db.Close()), nil)
	refused(steps(first, second), "without a checksum")
}

// TestMigrateAtOnce starts many nodes on an empty database: one migrates, and
// the others find it done. A file of SQLite has one program.
func TestMigrateAtOnce(t *testing.T) {
	place := onPostgres.empty(t)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			s, err := openPlace(place, testConfig())
			if err == nil {
				err = errors.Join(s.Seed(background, testSeed()), s.Close())
			}
			wantNil(t, err)
		})
	}
	wg.Wait()
	created(t, openAt(t, place, testConfig()))
}

// TestMigrationsStopped: whoever stops a program while it migrates, at any moment,
// is told of the stop, and the next start finishes the work.
func TestMigrationsStopped(t *testing.T) { onBoth(t, migrationsStopped) }

func migrationsStopped(t *testing.T, on kind) {
	const moments = 60
	whole := time.Now()
	openAt(t, on.empty(t), testConfig())
	each := time.Since(whole) / moments
	for i := range moments {
		place := on.empty(t)
		ctx, stop := context.WithTimeout(background, time.Duration(i)*each)
		s, err := openPlaceUntil(ctx, place, testConfig())
		stop()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("stopped after %d of %d: %v", i, moments, err)
		}
		if s != nil {
			wantErr(t, "close", s.Close(), nil)
		}
		if i%10 == 0 {
			openAt(t, place, testConfig())
		}
	}
}

// TestMigrationsAreForwardOnly: a released schema is left by a new migration,
// never by the way back.
func TestMigrationsAreForwardOnly(t *testing.T) {
	var twins [2][]string
	for i, files := range []embed.FS{sqliteMigrations, postgresMigrations} {
		names, err := fs.Glob(files, "migrations/*/*.sql")
		wantErr(t, "list", err, nil)
		if len(names) == 0 || !slices.IsSorted(names) {
			t.Fatalf("migrations: %v", names)
		}
		for _, name := range names {
			text, err := files.ReadFile(name)
			wantErr(t, "read", err, nil)
			if !bytes.Contains(text, []byte("+goose Up")) || bytes.Contains(text, []byte("+goose Down")) {
				t.Errorf("%s must have a way up and no way down", name)
			}
			twins[i] = append(twins[i], path.Base(name))
		}
	}
	if !slices.Equal(twins[0], twins[1]) {
		t.Errorf("each migration of one database has its twin in the other: %v and %v", twins[0], twins[1])
	}
}

func TestNewerDatabaseIsRefused(t *testing.T) { onBoth(t, newerDatabaseIsRefused) }

func newerDatabaseIsRefused(t *testing.T, on kind) {
	place := on.seeded(t)
	s := openAt(t, place, testConfig())
	wantErr(t, "pretend", s.write(background, func(c conn) error {
		_, err := c.exec("INSERT INTO " + versionTable + " (version_id, is_applied) VALUES (9999, true)")
		return err
	}), nil)
	wantErr(t, "close", s.Close(), nil)
	_, err := openPlace(place, testConfig())
	if err == nil || !strings.Contains(err.Error(), "start the newer program") {
		t.Errorf("opened a newer program's database: %v", err)
	}
}
