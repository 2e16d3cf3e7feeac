package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"github.com/mattn/go-sqlite3"
)

// pragma is a setting of a connection that must read back as it was set.
type pragma struct {
	name, want, why string
}

// connector opens connections to one file, and refuses connections without the settings that
// the store needs.
type connector struct {
	dsn  string
	path string
	want []pragma
	// after runs on each new connection; these settings may fail silently.
	after []string
}

// writerConnector connects for the writer and for migrations.
func writerConnector(path string) connector { return newConnector(path, false, writerCache) }

// readerConnector connects for reads; such a connection refuses to write.
func readerConnector(path string) connector { return newConnector(path, true, readerCache) }

func newConnector(path string, readOnly bool, cache int) connector {
	only := "0"
	if readOnly {
		only = "1"
	}
	milliseconds := strconv.FormatInt(busyTimeout.Milliseconds(), 10)
	query := url.Values{
		"_journal_mode": {"WAL"},
		"_synchronous":  {"FULL"},
		"_foreign_keys": {"1"},
		"_busy_timeout": {milliseconds},
		"_query_only":   {only},
		"_txlock":       {"immediate"},
		"_mutex":        {"no"}, // each connection is used by one goroutine at a time
		"_cache_size":   {strconv.Itoa(-cache / 1024)},
	}
	file := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: query.Encode()}
	return connector{
		dsn:  file.String(),
		path: path,
		want: []pragma{
			{"journal_mode", "wal", "a write-ahead log is needed; the file system must support shared memory, so a network share will not do"},
			{"synchronous", "2", "only FULL keeps acknowledged records through a power cut"},
			{"foreign_keys", "1", "references between records must hold"},
			{"ignore_check_constraints", "0", "the schema's constraints must hold"},
			{"busy_timeout", milliseconds, "the writer must wait for the lock of another program, such as a backup"},
			{"query_only", only, "only the writer's connection writes"},
		},
		after: []string{
			"PRAGMA journal_size_limit = " + strconv.Itoa(walLimit),
			"PRAGMA wal_autocheckpoint = " + strconv.Itoa(walPages),
			"PRAGMA temp_store = MEMORY", // savepoints keep copies of pages, which need no file
		},
	}
}

// Connect implements driver.Connector.
func (c connector) Connect(context.Context) (driver.Conn, error) { return c.open() }

// link opens a connection for statements of the store.
func (c connector) link() (*link, error) {
	own, err := c.open()
	if err != nil {
		return nil, err
	}
	return &link{own: own, statements: map[string]*statement{}}, nil
}

func (c connector) open() (*sqlite3.SQLiteConn, error) {
	opened, err := (&sqlite3.SQLiteDriver{}).Open(c.dsn)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", c.path, Explain(err))
	}
	own := opened.(*sqlite3.SQLiteConn)
	if err := c.check(own); err != nil {
		return nil, errors.Join(err, own.Close())
	}
	for _, statement := range c.after {
		if _, err := own.Exec(statement, nil); err != nil {
			return nil, errors.Join(fmt.Errorf("set up database %s: %w", c.path, Explain(err)), own.Close())
		}
	}
	return own, nil
}

// Driver implements driver.Connector.
func (c connector) Driver() driver.Driver { return &sqlite3.SQLiteDriver{} }

// check reads every setting back: SQLite ignores a setting that it can't take.
func (c connector) check(own *sqlite3.SQLiteConn) error {
	for _, p := range c.want {
		got, err := readPragma(own, p.name)
		if err != nil {
			return fmt.Errorf("database %s: read setting %s: %w", c.path, p.name, Explain(err))
		}
		if got != p.want {
			return fmt.Errorf("database %s: setting %s is %q and must be %q: %s", c.path, p.name, got, p.want, p.why)
		}
	}
	return nil
}

func readPragma(own *sqlite3.SQLiteConn, name string) (string, error) {
	rows, err := own.Query("PRAGMA "+name, nil)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	value := make([]driver.Value, 1)
	if err := rows.Next(value); err != nil {
		return "", err
	}
	return fmt.Sprint(value[0]), nil
}

// prepareFile returns the absolute path of the database, and creates the file, readable by its
// owner only. The log gets its permissions.
func prepareFile(path string) (string, error) {
	if path == "" || path == ":memory:" {
		return "", errors.New("a store needs the path of a database file: a database in memory is not durable")
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find database %s: %w", path, err)
	}
	file, err := os.OpenFile(absolute, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return "", fmt.Errorf("open or create the database file; its folder must exist and be writable: %w", err)
	}
	return absolute, file.Close()
}

// Connect opens a file with one connection that may write, with the settings of a DB, for
// migrations and tests.
func Connect(path string) *sql.DB {
	db := sql.OpenDB(writerConnector(path))
	db.SetMaxOpenConns(1)
	db.SetMaxIdleConns(1)
	return db
}
