package store

import (
	"context"
	"errors"

	"galla/central/store/postgres"
)

// OpenPostgres opens the database of a URL on the host that takes changes, and migrates
// it to the newest schema, one node at a time. It refuses a database that a newer
// program has migrated, one that does not take the settings that the store needs (see
// package postgres), and, with Config.OnNotify, a node name that another central has.
//
// Close or Abandon ends it.
func OpenPostgres(ctx context.Context, url string, cfg Config) (_ *DB, err error) {
	defer func() { err = withStopCause(ctx, err) }()
	own, err := postgres.Connect(ctx, url, cfg)
	if err != nil {
		return nil, err
	}
	if !cfg.SkipMigrations {
		err = migrate(ctx, postgresDialect(), own, migrationFiles, cfg.Logger)
	}
	if err := errors.Join(postgres.Explain(err), own.Close()); err != nil {
		return nil, err
	}
	db, err := postgres.Open(ctx, url, cfg)
	if err != nil {
		return nil, err
	}
	s := newDB(db, postgresDialect(), cfg.Node)
	s.shared = newSharedStatements(db, cfg.Node)
	return s, nil
}
