package store

import (
	"context"
	"embed"
	"errors"
	"io/fs"

	"github.com/pressly/goose/v3"

	"galla/central/store/postgres"
)

//go:embed migrations/postgres/*.sql
var postgresMigrations embed.FS

// OpenPostgres opens the database of a URL, of whose hosts it uses the one that
// takes changes, and migrates it to the newest schema, one node at a time. It
// refuses a database that a newer program has migrated, one that does not take
// the settings on which the store's promises rest (see package postgres), and,
// where Config.Ring is given, a node's name that another central has.
//
// Close or Abandon ends what it starts.
func OpenPostgres(ctx context.Context, url string, cfg Config) (_ *DB, err error) {
	defer func() { err = stopped(ctx, err) }()
	settings, err := cfg.server()
	if err != nil {
		return nil, err
	}
	steps, err := fs.Sub(postgresMigrations, "migrations/postgres")
	if err != nil {
		return nil, err
	}
	own, err := postgres.Connect(ctx, url, settings)
	if err != nil {
		return nil, err
	}
	if !cfg.AsIs {
		err = migrate(ctx, goose.DialectPostgres, own, steps, cfg.Logger)
	}
	if err := errors.Join(postgres.Explain(err), own.Close()); err != nil {
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
	return s.DB.Write(ctx, func(own *postgres.Link) error { return do(serverLink{own}) })
}

// Read implements database; see postgres.DB.Read.
func (s server) Read(ctx context.Context, do func(link) error) error {
	return s.DB.Read(ctx, func(own *postgres.Link) error { return do(serverLink{own}) })
}

// Dialect implements database.
func (server) Dialect() dialect {
	d := postgresDialect()
	d.ring = postgres.Notify
	return d
}

// serverLink runs statements over the network.
type serverLink struct{ own *postgres.Link }

// Exec implements link.
func (l serverLink) Exec(statement string, args []any) (int64, error) {
	return l.own.Exec(statement, args)
}

// Each implements link.
func (l serverLink) Each(statement string, args []any, scan func(row) error) error {
	return l.own.Each(statement, args, func(r postgres.Row) error { return scan(r) })
}
