package admincli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"galla/central/store"
	"galla/shared/secret"
)

// OpenStore opens the database of a central, and makes it where it is missing:
// PostgreSQL where a URL is given, otherwise the data folder's SQLite file.
func OpenStore(ctx context.Context, cfg Config, settings store.Config) (*store.DB, error) {
	if !cfg.DatabaseURL.IsZero() {
		return store.OpenPostgres(ctx, cfg.DatabaseURL.Reveal(), settings)
	}
	if err := os.MkdirAll(filepath.Dir(cfg.Database()), 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	return store.OpenSQLite(ctx, cfg.Database(), settings)
}

// openDatabase opens the database of an existing central.
func openDatabase(ctx context.Context, cfg Config) (*store.DB, error) {
	if err := checkExists(cfg); err != nil {
		return nil, err
	}
	return OpenStore(ctx, cfg, store.Config{Node: cfg.Node, Logger: cfg.Logger})
}

// checkExists returns an error where there is no database, since a command must not
// make one.
func checkExists(cfg Config) error {
	if !cfg.DatabaseURL.IsZero() {
		return nil
	}
	if _, err := os.Stat(cfg.Database()); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no central's database in %s: give the central's data folder (--data), and start it once, or give its PostgreSQL (--database-url)", cfg.Data)
	}
	return nil
}

// ErrDatabaseURL says that a text names no database, or names it where others could
// read its password.
var ErrDatabaseURL = errors.New("the database's URL is refused")

// ParseDatabaseURL returns the database's URL from a flag, or else from the
// environment. It refuses a password in the flag, since everybody on the machine can
// read a process's arguments. Its errors never quote the text.
func ParseDatabaseURL(flag, environment string) (secret.Token, error) {
	text := environment
	if flag != "" {
		if hasPassword(flag) {
			return secret.Token{}, fmt.Errorf("%w: --database-url has a password in it, which everybody on this machine could read: give the whole URL in GALLA_DATABASE_URL, or the password in a file that PGPASSFILE names", ErrDatabaseURL)
		}
		text = flag
	}
	if text == "" {
		return secret.Token{}, nil
	}
	out := secret.NewToken(text)
	return out, CheckDatabase(text)
}

// CheckDatabase reports whether a text can name a PostgreSQL database: a URL, or a
// list of key=value.
func CheckDatabase(text string) error {
	scheme, _, found := strings.Cut(text, "://")
	if found && scheme != "postgres" && scheme != "postgresql" || !found && !strings.Contains(text, "=") {
		return fmt.Errorf("%w: want postgres://user@host:port/database; without one the central uses SQLite in its data folder", ErrDatabaseURL)
	}
	return nil
}

// hasPassword reports whether a text may have a password in it.
func hasPassword(text string) bool {
	if strings.Contains(strings.ToLower(text), "password") {
		return true
	}
	if !strings.Contains(text, "://") {
		return false
	}
	u, err := url.Parse(text)
	if err != nil {
		// net/url refuses several hosts with ports.
		authority, _, _ := strings.Cut(text[strings.Index(text, "://")+3:], "/")
		user, _, has := strings.Cut(authority, "@")
		return has && strings.Contains(user, ":")
	}
	_, has := u.User.Password()
	return has
}
