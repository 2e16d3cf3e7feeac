package store

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"
)

// first and second are migrations of a small schema.
const (
	first  = "CREATE TABLE a (n INTEGER);\n"
	second = "INSERT INTO a (n) VALUES (1);\n"
	broken = "INSERT INTO a (n) VALUES (2);\nINSERT INTO nothing (n) VALUES (1);\n"
)

func steps(texts ...string) fstest.MapFS {
	list := fstest.MapFS{}
	for i, text := range texts {
		list[[]string{"migrations/00001_a.sql", "migrations/00002_b.sql"}[i]] = &fstest.MapFile{Data: []byte(text)}
	}
	return list
}

func TestMigrations(t *testing.T) { onBoth(t, migrations) }

func migrations(t *testing.T, on kind) {
	place := on.empty(t)
	run := func(list fs.FS) error {
		db := on.raw(t, place)
		return errors.Join(migrate(background, on.dialect(), db, list, slog.New(slog.DiscardHandler)), db.Close())
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

// TestMigrationsStopped: a program that is stopped while it migrates, at any moment,
// reports that it was stopped, and the next start finishes the migration.
func TestMigrationsStopped(t *testing.T) { onBoth(t, migrationsStopped) }

func migrationsStopped(t *testing.T, on kind) {
	const moments = 12
	began := time.Now()
	openAt(t, on.empty(t), testConfig())
	each := time.Since(began) / moments
	place := on.empty(t)
	for i := range moments {
		ctx, stop := context.WithTimeout(background, time.Duration(i)*each)
		s, err := openPlaceUntil(ctx, place, testConfig())
		stop()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("stopped after %d of %d: %v", i, moments, err)
		}
		if s != nil { // it was faster
			wantErr(t, "close", s.Close(), nil)
			place = on.empty(t)
		}
	}
	created(t, seededAt(t, place))
}

// seededAt opens a database that may be empty, and seeds it.
func seededAt(t *testing.T, place string) *DB {
	t.Helper()
	s := openAt(t, place, testConfig())
	wantErr(t, "seed", s.Seed(background, testSeed()), nil)
	return s
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
