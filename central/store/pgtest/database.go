package pgtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"galla/shared/files"
)

// Variable of the environment: where tests find their server.
const Variable = "GALLA_TEST_POSTGRES"

// folderPrefix is the form of the names of Main's folders.
const folderPrefix = "galla-pg"

// staleAfter is the age from which a folder is stale: longer than a run of tests needs to
// start its server.
const staleAfter = 10 * time.Minute

// Main runs tests with a shared server, for TestMain, and drops the templates that the tests
// have filled. It uses the server of the environment variable, if it is set. Temporary
// folders are in memory where there is enough of it: most of the time of a test with a
// database, SQLite or PostgreSQL, would be syncs of the disk.
//
// The server ends with the process of the tests, in any case. The next Main removes the
// folder of a killed process.
func Main(run func() int, templates ...*Template) int {
	flag.Parse()
	// Benchmarks measure the disk, so they stay on it.
	if memory := memoryFolder(); memory != "" && os.Getenv("TMPDIR") == "" && flag.Lookup("test.bench").Value.String() == "" {
		if err := os.Setenv("TMPDIR", memory); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	if testing.Short() {
		return run() // SkipIfShort skips every test that needs the server
	}
	if os.Getenv(Variable) != "" {
		code := run()
		for _, t := range templates {
			if err := t.drop(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = max(code, 1)
			}
		}
		return code
	}
	removeStale(os.TempDir(), time.Now().Add(-staleAfter))
	folder, err := os.MkdirTemp("", folderPrefix)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	s, err := Start(folder, Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, "tests need PostgreSQL:", err)
		return 1
	}
	defer func() {
		if err := s.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		if err := os.Unsetenv(Variable); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	if err := os.Setenv(Variable, s.URL("postgres")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return run()
}

// removeStale removes the folders of servers that no longer run, because their tests were
// killed.
func removeStale(parent string, before time.Time) {
	found, _ := filepath.Glob(filepath.Join(parent, folderPrefix+"*"))
	for _, folder := range found {
		info, err := os.Stat(folder)
		if err != nil || !info.IsDir() || info.ModTime().After(before) || isRunning(filepath.Join(folder, "data")) {
			continue
		}
		_ = os.RemoveAll(folder) // the folder of another user stays
	}
}

// isRunning tells whether a server runs on a data directory.
func isRunning(data string) bool {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	id, err := strconv.Atoi(first)
	if err != nil {
		return true
	}
	err = files.Signal(id, syscall.Signal(0))
	return err == nil || errors.Is(err, syscall.EPERM)
}

// Template is a database that is filled once, for the first test that needs it, and copied for
// each test. That is faster than migrating each.
type Template struct {
	// Fill fills an empty database and leaves no connection to it.
	Fill func(url string) error

	once     sync.Once
	name     string
	strategy string // to copy files is faster than to log their pages, as servers from 15 on do
	err      error
}

// Database creates a copy of the template and returns its URL. The copy is dropped when the
// test ends.
func (t *Template) Database(tb testing.TB) string {
	tb.Helper()
	SkipIfShort(tb)
	server := sharedServer(tb)
	t.once.Do(func() {
		name := newDatabaseName("template", tb)
		if t.err = execOn(server, `CREATE DATABASE `+name); t.err == nil {
			t.name = name
			t.err = t.Fill(databaseURL(server, name))
		}
		if t.err == nil && execOn(server, `DO $$ BEGIN ASSERT current_setting('server_version_num')::int >= 150000; END $$`) == nil {
			t.strategy = ` STRATEGY FILE_COPY`
		}
	})
	if t.err != nil {
		tb.Fatalf("fill a template: %v", t.err)
	}
	return createDatabase(tb, server, ` TEMPLATE `+t.name+t.strategy)
}

func (t *Template) drop() error {
	if t.name == "" {
		return nil
	}
	return execOn(os.Getenv(Variable), `DROP DATABASE `+t.name+` WITH (FORCE)`)
}

// Database creates an empty database on the shared server and returns its URL. It is dropped
// when the test ends.
func Database(tb testing.TB) string {
	tb.Helper()
	SkipIfShort(tb)
	return createDatabase(tb, sharedServer(tb), "")
}

// SkipIfShort skips a test that needs a server. With -short, tests start none.
func SkipIfShort(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("-short: needs PostgreSQL")
	}
}

// sharedServer is the URL of the server that the tests of a binary share.
func sharedServer(tb testing.TB) string {
	tb.Helper()
	server := os.Getenv(Variable)
	if server == "" {
		tb.Fatalf("no PostgreSQL: TestMain of this package must call pgtest.Main, or %s name a server", Variable)
	}
	return server
}

// newDatabaseName returns a name for the database of a test. The server of the variable may
// serve several processes on several machines.
func newDatabaseName(kind string, tb testing.TB) string {
	host, _ := os.Hostname()
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s %d", host, os.Getpid(), tb.Name(), time.Now().UnixNano()))
	return "galla_" + kind + "_" + hex.EncodeToString(sum[:12])
}

// databaseURL is the URL of another database of the server.
func databaseURL(server, database string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server
	}
	u.Path = "/" + database
	return u.String()
}

func createDatabase(tb testing.TB, server, like string) string {
	tb.Helper()
	name := newDatabaseName("test", tb)
	if err := execOn(server, `CREATE DATABASE `+name+like); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := execOn(server, `DROP DATABASE `+name+` WITH (FORCE)`); err != nil {
			tb.Error(err)
		}
	})
	return databaseURL(server, name)
}

func execOn(server, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	c, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	_, err = c.Exec(ctx, statement)
	if err != nil {
		err = fmt.Errorf("%s: %w", strings.Fields(statement)[0], err)
	}
	return errors.Join(err, c.Close(ctx))
}
