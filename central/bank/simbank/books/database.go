package books

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"

	_ "github.com/mattn/go-sqlite3" // the database's driver
	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Names of the two files that make the books; they belong together.
const (
	booksFile   = "books.db"
	recordsFile = "records.key"
)

// maxReaders bounds the connections that look at the books beside the one
// that writes: readers of WAL block nobody.
const maxReaders = 4

// statementCache holds every statement that the writer uses, those of the
// services included.
const statementCache = "160"

// database is the books' file: one connection that writes, some that read what
// is committed.
type database struct {
	writer *sql.DB
	reader *sql.DB
	queue  queue // of changes
}

// openDatabase opens the file in dir, makes sure that a commit is on disk when
// it returns, and brings the schema up to date.
func openDatabase(ctx context.Context, dir string) (*database, error) {
	path := filepath.Join(dir, booksFile)
	writer, err := openFile(path, url.Values{
		"_journal_mode": {"WAL"}, "_synchronous": {"FULL"}, "_foreign_keys": {"on"},
		"_busy_timeout": {"5000"}, "_txlock": {"immediate"}, "_stmt_cache_size": {statementCache},
	}, 1)
	if err != nil {
		return nil, fmt.Errorf("open the books %s: %w", path, err)
	}
	d := &database{writer: writer}
	if err := d.prepare(ctx, path); err != nil {
		return nil, errors.Join(fmt.Errorf("open the books %s: %w", path, err), d.close())
	}
	return d, nil
}

func (d *database) prepare(ctx context.Context, path string) error {
	want := map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1"}
	if err := checkPragmas(ctx, d.writer, want); err != nil {
		return err
	}
	if err := migrate(ctx, d.writer); err != nil {
		return err
	}
	if err := checkPragmas(ctx, d.writer, want); err != nil {
		return err
	}
	reader, err := openFile(path, url.Values{"_query_only": {"on"}, "_busy_timeout": {"5000"}}, maxReaders)
	if err != nil {
		return err
	}
	d.reader = reader
	return checkPragmas(ctx, d.reader, map[string]string{"journal_mode": "wal", "query_only": "1"})
}

// openFile opens a file of any name with the given parameters.
func openFile(path string, params url.Values, connections int) (*sql.DB, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(absolute), RawQuery: params.Encode()}
	db, err := sql.Open("sqlite3", strings.Replace(name.String(), "file://", "file:", 1))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

// checkPragmas refuses to work on less than was asked for: the library ignores
// parameters that it does not know.
func checkPragmas(ctx context.Context, db *sql.DB, want map[string]string) error {
	for name, value := range want {
		var got string
		if err := db.QueryRowContext(ctx, "PRAGMA "+name).Scan(&got); err != nil {
			return fmt.Errorf("read pragma %s: %w", name, err)
		}
		if got != value {
			return fmt.Errorf("pragma %s is %s and must be %s: the books would not survive a power cut", name, got, value)
		}
	}
	return nil
}

// migrate applies the numbered files that the books have not seen.
func migrate(ctx context.Context, db *sql.DB) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("read embedded migrations: %w", err)
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("prepare migrations: %w", err)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate the books: %w", err)
	}
	return nil
}

func (d *database) close() error {
	err := d.writer.Close()
	if d.reader != nil {
		err = errors.Join(err, d.reader.Close())
	}
	return err
}

// committed hands out the tables as they are committed, for reading.
func (d *database) committed(ctx context.Context) ledger { return ledger{ctx: ctx, q: d.reader} }

// queryer is what a transaction and a pool have in common.
type queryer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// ledger is the tables, within one commit or as committed.
type ledger struct {
	ctx context.Context
	q   queryer
}

func (k ledger) exec(what, query string, args ...any) error {
	if _, err := k.q.ExecContext(k.ctx, query, args...); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// insertID is exec of an INSERT, and gives the new row's id.
func (k ledger) insertID(what, query string, args ...any) (int64, error) {
	result, err := k.q.ExecContext(k.ctx, query, args...)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", what, err)
	}
	id, err := result.LastInsertId()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", what, err)
	}
	return id, nil
}

// row reads one row into dest; ok is false where there is none.
func (k ledger) row(what, query string, args []any, dest ...any) (ok bool, err error) {
	err = k.q.QueryRowContext(k.ctx, query, args...).Scan(dest...)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%s: %w", what, err)
	}
	return true, nil
}

// rows calls each for every row.
func (k ledger) rows(what, query string, args []any, each func(scan func(...any) error) error) error {
	rows, err := k.q.QueryContext(k.ctx, query, args...)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
