package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Config sets up a DB.
type Config struct {
	Logger *slog.Logger
}

// DB is one database. It is safe for concurrent use.
type DB struct {
	pool *pgxpool.Pool
	name string
	log  *slog.Logger
}

// Open connects to the database of a URL or of a list of key=value.
func Open(ctx context.Context, url string, cfg Config) (*DB, error) {
	settings, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("the database's URL can't be read") // its text has the password
	}
	pool, err := pgxpool.NewWithConfig(ctx, settings)
	if err != nil {
		return nil, err
	}
	c := settings.ConnConfig
	return &DB{pool: pool, name: fmt.Sprintf("%s on %s:%d", c.Database, c.Host, c.Port), log: cfg.Logger}, nil
}

// Name tells people which database it is.
func (d *DB) Name() string { return d.name }

// Close waits for what is under way.
func (d *DB) Close() error {
	d.pool.Close()
	return nil
}

// Abandon ends as a killed process would.
func (d *DB) Abandon() error { return d.Close() }

// maxRuns bounds how often Write runs a function whose rows met those of others.
const maxRuns = 5

// Write runs do in a transaction and commits it. It runs it again where another
// transaction was quicker to claim a unique name, so that it sees that one's.
func (d *DB) Write(ctx context.Context, do func(pgx.Tx) error) (err error) {
	for range maxRuns {
		err = pgx.BeginFunc(ctx, d.pool, do)
		if failed := new(pgconn.PgError); !errors.As(err, &failed) || failed.Code != uniqueViolation {
			return err
		}
	}
	return err
}

const uniqueViolation = "23505"

// Read runs do on a connection that nobody else uses meanwhile.
func (d *DB) Read(ctx context.Context, do func(*pgx.Conn) error) error {
	return d.pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error { return do(c.Conn()) })
}
