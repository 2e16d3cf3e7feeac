package pgtest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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
)

// Variable of the environment: where tests find their server.
const Variable = "GALLA_TEST_POSTGRES"

// folders is the form of the names of Main's folders.
const folders = "galla-pg"

// leftFor is how old a folder must be to count as left over: older than a run
// of tests takes to start its server.
const leftFor = 10 * time.Minute

// Main runs tests beside a server that all of them share, for TestMain, and
// drops the templates that the tests have filled. Where the variable names a
// server, that one is used.
//
// The server ends with the process of the tests, whatever ends that; its folder
// is then removed by the next Main.
func Main(run func() int, templates ...*Template) int {
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
	parent := cmp.Or(memory(), os.TempDir())
	for _, place := range []string{parent, os.TempDir()} {
		sweep(place, time.Now().Add(-leftFor))
	}
	folder, err := os.MkdirTemp(parent, folders)
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

// sweep removes the folders of servers that do not run any more: of tests that
// were killed.
func sweep(parent string, before time.Time) {
	found, _ := filepath.Glob(filepath.Join(parent, folders+"*"))
	for _, folder := range found {
		info, err := os.Stat(folder)
		if err != nil || !info.IsDir() || info.ModTime().After(before) || runs(filepath.Join(folder, "data")) {
			continue
		}
		_ = os.RemoveAll(folder) // another user's stays, and is in nobody's way
	}
}

// runs tells whether a server runs on a data directory.
func runs(data string) bool {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	id, err := strconv.Atoi(first)
	if err != nil {
		return true
	}
	err = syscall.Kill(id, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// Template is a database that is filled once, when a test first asks for a copy
// of it, and copied for each test: that is quicker than
// migrating each.
type Template struct {
	// Fill fills an empty database and leaves no connection to it.
	Fill func(url string) error

	once sync.Once
	name string
	err  error
}

// Database makes a copy of the template and gives its URL. The copy is dropped
// when the test ends.
func (t *Template) Database(tb testing.TB) string {
	tb.Helper()
	server := shared(tb)
	t.once.Do(func() {
		name := fresh("template", tb)
		if t.err = do(server, `CREATE DATABASE `+name); t.err == nil {
			t.name = name
			t.err = t.Fill(at(server, name))
		}
	})
	if t.err != nil {
		tb.Fatalf("fill a template: %v", t.err)
	}
	return create(tb, server, ` TEMPLATE `+t.name)
}

func (t *Template) drop() error {
	if t.name == "" {
		return nil
	}
	return do(os.Getenv(Variable), `DROP DATABASE `+t.name+` WITH (FORCE)`)
}

// Database makes an empty database on the shared server and gives its URL. It
// is dropped when the test ends.
func Database(tb testing.TB) string {
	tb.Helper()
	return create(tb, shared(tb), "")
}

// shared is the URL of the server that the tests of a binary share.
func shared(tb testing.TB) string {
	tb.Helper()
	server := os.Getenv(Variable)
	if server == "" {
		tb.Fatalf("no PostgreSQL: TestMain of this package must call pgtest.Main, or %s name a server", Variable)
	}
	return server
}

// fresh names a database for a test. A server that is given may serve several
// processes, of several machines.
func fresh(kind string, tb testing.TB) string {
	host, _ := os.Hostname()
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s %d", host, os.Getpid(), tb.Name(), time.Now().UnixNano()))
	return "galla_" + kind + "_" + hex.EncodeToString(sum[:12])
}

// at is the URL of another database of the server.
func at(server, database string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server
	}
	u.Path = "/" + database
	return u.String()
}

func create(tb testing.TB, server, like string) string {
	tb.Helper()
	name := fresh("test", tb)
	if err := do(server, `CREATE DATABASE `+name+like); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := do(server, `DROP DATABASE `+name+` WITH (FORCE)`); err != nil {
			tb.Error(err)
		}
	})
	return at(server, name)
}

func do(server, statement string) error {
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
