package pgtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Variable of the environment: where tests find their server.
const Variable = "GALLA_TEST_POSTGRES"

// Main runs tests beside a server that all of them share, for TestMain. Where
// the variable names a server, that one is used.
func Main(run func() int) int {
	if os.Getenv(Variable) != "" {
		return run()
	}
	folder, err := os.MkdirTemp("", "galla-pg")
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
	defer s.Stop()
	if err := os.Setenv(Variable, s.URL("postgres")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return run()
}

// Database makes an empty database on the shared server and gives its URL. It
// is dropped when the test ends.
func Database(tb testing.TB) string {
	tb.Helper()
	server := os.Getenv(Variable)
	if server == "" {
		tb.Fatalf("no PostgreSQL: TestMain of this package must call pgtest.Main, or %s name a server", Variable)
	}
	sum := sha256.Sum256([]byte(tb.Name() + time.Now().String()))
	name := "t_" + hex.EncodeToString(sum[:12])
	if err := do(server, `CREATE DATABASE `+name); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := do(server, `DROP DATABASE `+name+` WITH (FORCE)`); err != nil {
			tb.Error(err)
		}
	})
	u, err := url.Parse(server)
	if err != nil {
		tb.Fatalf("%s: want a URL", Variable)
	}
	u.Path = "/" + name
	return u.String()
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
