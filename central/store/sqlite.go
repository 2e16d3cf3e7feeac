package store

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"galla/central"
	"galla/central/store/sqlite"
)

// SQLite is a store in one SQLite file. It implements central.Store and is
// safe for concurrent use.
type SQLite struct {
	db   *sqlite.DB
	node string
}

var _ central.Store = (*SQLite)(nil)

// OpenSQLite opens the database in the given file, makes it if there is none,
// and migrates it to the newest schema. It refuses a database that a newer
// program has migrated, and one that does not take the settings on which the
// store's promises rest: write-ahead log, synchronous=FULL, foreign keys.
//
// Close or Abandon ends what it starts.
func OpenSQLite(ctx context.Context, path string, cfg Config) (*SQLite, error) {
	file, err := cfg.file()
	if err != nil {
		return nil, err
	}
	steps, err := fs.Sub(sqliteMigrations, "migrations/sqlite")
	if err != nil {
		return nil, err
	}
	db, err := sqlite.Open(ctx, path, file, func(ctx context.Context, own *sql.DB) error {
		return migrate(ctx, goose.DialectSQLite3, own, steps, cfg.Logger)
	})
	if err != nil {
		return nil, err
	}
	return &SQLite{db: db, node: cfg.Node}, nil
}

// Close takes nothing more, commits what is queued, waits for reads under way
// and closes the file. Calls that come later fail; closing again only waits.
func (s *SQLite) Close() error { return s.db.Close() }

// Abandon closes the store as if the process had been killed: what is queued
// or in an open transaction is not committed and its callers get an error. It
// is for simulations of a crash.
func (s *SQLite) Abandon() error { return s.db.Abandon() }

// write commits a change; see sqlite.DB.Write.
func (s *SQLite) write(ctx context.Context, do func(conn) error) error {
	return s.db.Write(ctx, func(link *sql.Conn) error { return do(conn{link: link, node: s.node}) })
}

// read reads; see sqlite.DB.Read.
func (s *SQLite) read(ctx context.Context, do func(conn) error) error {
	return s.db.Read(ctx, func(link *sql.Conn) error { return do(conn{link: link, node: s.node}) })
}

// Ping tells whether the store reads and takes changes: it goes through the
// queue and a transaction that changes nothing, and so fails with
// central.ErrBusy where readiness should.
func (s *SQLite) Ping(ctx context.Context) error {
	if err := s.write(ctx, func(conn) error { return nil }); err != nil {
		return fmt.Errorf("database %s takes no changes: %w", s.db.Path(), err)
	}
	var n int
	if err := s.read(ctx, func(c conn) error { return c.one(`SELECT count(*) FROM counters`, nil, &n) }); err != nil {
		return fmt.Errorf("database %s cannot be read: %w", s.db.Path(), err)
	}
	return nil
}

// Backlog counts the operations that wait for the bank's word, for metrics:
// pending has all of them, stuck those among them that wait for a person.
func (s *SQLite) Backlog(ctx context.Context) (pending, stuck int, err error) {
	err = s.read(ctx, func(c conn) error {
		return c.one(`SELECT
			(SELECT count(*) FROM operations WHERE settled_at IS NULL AND state = 'pending'),
			(SELECT count(*) FROM operations WHERE state = 'pending' AND stuck_at IS NOT NULL)`, nil, &pending, &stuck)
	})
	if err != nil {
		return 0, 0, fmt.Errorf("count pending operations: %w", err)
	}
	return pending, stuck, nil
}
