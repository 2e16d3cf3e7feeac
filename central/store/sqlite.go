package store

import (
	"context"
	"database/sql"

	"galla/central/store/dbconn"
	"galla/central/store/sqlite"
)

// OpenSQLite opens the database in a file, creates it if there is none, and migrates it
// to the newest schema. It refuses a database that a newer program has migrated, and
// one that does not take the settings that the store needs: write-ahead log,
// synchronous=FULL, foreign keys.
//
// Close or Abandon ends it.
func OpenSQLite(ctx context.Context, path string, cfg Config) (_ *DB, err error) {
	defer func() { err = withStopCause(ctx, err) }()
	db, err := sqlite.Open(ctx, path, cfg, func(ctx context.Context, own *sql.DB) error {
		if cfg.SkipMigrations {
			return nil
		}
		return migrate(ctx, sqliteDialect(), own, migrationFiles, cfg.Logger)
	})
	if err != nil {
		return nil, err
	}
	if cfg.OnStatement != nil {
		return newDB(dbconn.Watched(db, cfg.OnStatement), sqliteDialect(), cfg.Node), nil
	}
	return newDB(db, sqliteDialect(), cfg.Node), nil
}
