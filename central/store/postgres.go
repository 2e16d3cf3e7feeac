package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"galla/central/store/postgres"
)

//go:embed migrations/postgres/*.sql
var postgresMigrations embed.FS

// OpenPostgres opens the database of a URL and migrates it to the newest
// schema, one node at a time. It refuses a database that a newer program has
// migrated.
//
// Close or Abandon ends what it starts.
func OpenPostgres(ctx context.Context, url string, cfg Config) (*DB, error) {
	settings, err := cfg.server()
	if err != nil {
		return nil, err
	}
	steps, err := fs.Sub(postgresMigrations, "migrations/postgres")
	if err != nil {
		return nil, err
	}
	parsed, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the database's URL can't be read") // its text has the password
	}
	own := stdlib.OpenDB(*parsed)
	err = migrate(ctx, goose.DialectPostgres, own, steps, cfg.Logger)
	if closeErr := own.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, err
	}
	db, err := postgres.Open(ctx, url, settings)
	if err != nil {
		return nil, err
	}
	return &DB{db: server{db}, node: cfg.Node}, nil
}

// server is a PostgreSQL database as the statements see it.
type server struct{ *postgres.DB }

var _ database = server{}

// Write implements database; see postgres.DB.Write.
func (s server) Write(ctx context.Context, do func(link) error) error {
	return s.DB.Write(ctx, func(tx pgx.Tx) error { return do(serverLink{ctx, tx}) })
}

// Read implements database; see postgres.DB.Read.
func (s server) Read(ctx context.Context, do func(link) error) error {
	return s.DB.Read(ctx, func(c *pgx.Conn) error { return do(serverLink{ctx, c}) })
}

// Dialect implements database.
func (server) Dialect() dialect { return postgresDialect() }

// runner is a connection or a transaction.
type runner interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// serverLink runs statements over the network, for as long as the caller has.
type serverLink struct {
	ctx context.Context
	own runner
}

// Exec implements link.
func (l serverLink) Exec(statement string, args []any) (int64, error) {
	tag, err := l.own.Exec(l.ctx, statement, args...)
	return tag.RowsAffected(), err
}

// Each implements link.
func (l serverLink) Each(statement string, args []any, scan func(row) error) error {
	rows, err := l.own.Query(l.ctx, statement, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	rows.Close()
	return rows.Err()
}
