package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"

	"github.com/pressly/goose/v3"

	"galla/central/store/sqlite"
)

// OpenSQLite opens the database in the given file, makes it if there is none,
// and migrates it to the newest schema. It refuses a database that a newer
// program has migrated, and one that does not take the settings on which the
// store's promises rest: write-ahead log, synchronous=FULL, foreign keys.
//
// Close or Abandon ends what it starts.
func OpenSQLite(ctx context.Context, path string, cfg Config) (_ *DB, err error) {
	defer func() { err = stopped(ctx, err) }()
	file, err := cfg.file()
	if err != nil {
		return nil, err
	}
	steps, err := fs.Sub(sqliteMigrations, "migrations/sqlite")
	if err != nil {
		return nil, err
	}
	db, err := sqlite.Open(ctx, path, file, func(ctx context.Context, own *sql.DB) error {
		if cfg.AsIs {
			return nil
		}
		return migrate(ctx, goose.DialectSQLite3, own, steps, cfg.Logger)
	})
	if err != nil {
		return nil, err
	}
	return &DB{db: sqliteFile{db}, node: cfg.Node}, nil
}

// sqliteFile is a SQLite file as the statements see it.
type sqliteFile struct{ *sqlite.DB }

var _ database = sqliteFile{}

// Write implements database; see sqlite.DB.Write.
func (f sqliteFile) Write(ctx context.Context, do func(link) error) error {
	return f.DB.Write(ctx, func(own *sql.Conn) error { return do(sqliteLink{own}) })
}

// Read implements database; see sqlite.DB.Read.
func (f sqliteFile) Read(ctx context.Context, do func(link) error) error {
	return f.DB.Read(ctx, func(own *sql.Conn) error { return do(sqliteLink{own}) })
}

// Name implements database.
func (f sqliteFile) Name() string { return f.Path() }

// Dialect implements database.
func (sqliteFile) Dialect() dialect { return sqliteDialect() }

// sqliteLink runs statements on a reader, or on the writer inside the savepoint
// of a job. Statements run to their end whatever becomes of the caller: they
// take microseconds, and half of one is of no use.
type sqliteLink struct{ own *sql.Conn }

// Exec implements link.
func (l sqliteLink) Exec(statement string, args []any) (int64, error) {
	result, err := l.own.ExecContext(context.Background(), statement, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Each implements link.
func (l sqliteLink) Each(statement string, args []any, scan func(row) error) error {
	rows, err := l.own.QueryContext(context.Background(), statement, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}
