package office

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

// OpenStore opens the database of a central that is going to serve: PostgreSQL
// where a URL is given, the data folder's file otherwise. It makes what is
// missing.
func OpenStore(ctx context.Context, cfg Config, settings store.Config) (*store.DB, error) {
	if !cfg.DatabaseURL.IsZero() {
		return store.OpenPostgres(ctx, cfg.DatabaseURL.Reveal(), settings)
	}
	if err := os.MkdirAll(filepath.Dir(cfg.Database()), 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	return store.OpenSQLite(ctx, cfg.Database(), settings)
}

// openBeside opens the database of a central that may be running, for a
// command of the operator.
func openBeside(ctx context.Context, cfg Config) (*store.DB, error) {
	if err := checkBegun(cfg); err != nil {
		return nil, err
	}
	return OpenStore(ctx, cfg, store.Config{Node: cfg.Node, Logger: cfg.Logger})
}

// checkBegun sees that a command does not make the database which it wants to
// look into.
func checkBegun(cfg Config) error {
	if !cfg.DatabaseURL.IsZero() {
		return nil
	}
	if _, err := os.Stat(cfg.Database()); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no central's database in %s: name the data folder of the central (--data), and start it once, or name its PostgreSQL (--database-url)", cfg.Data)
	}
	return nil
}

// ErrDatabaseURL says that a text names no database, or names it where others
// could read its password.
var ErrDatabaseURL = errors.New("the database's URL is refused")

// ParseDatabaseURL reads where the database is: from a flag, or else from the
// environment. A password in the flag is refused, since the arguments of a
// process can be read by everybody on its machine. No error quotes the text.
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

// CheckDatabase tells whether a text can be a PostgreSQL database's name: a
// URL, or a list of key=value.
func CheckDatabase(text string) error {
	scheme, _, found := strings.Cut(text, "://")
	if found && scheme != "postgres" && scheme != "postgresql" || !found && !strings.Contains(text, "=") {
		return fmt.Errorf("%w: want postgres://user@host:port/database; without one the central keeps SQLite in its data folder", ErrDatabaseURL)
	}
	return nil
}

// hasPassword errs on the side of yes.
func hasPassword(text string) bool {
	if strings.Contains(strings.ToLower(text), "password") {
		return true
	}
	if !strings.Contains(text, "://") {
		return false
	}
	u, err := url.Parse(text)
	if err != nil {
		// Several hosts with ports are no URL for everybody.
		authority, _, _ := strings.Cut(text[strings.Index(text, "://")+3:], "/")
		user, _, has := strings.Cut(authority, "@")
		return has && strings.Contains(user, ":")
	}
	_, has := u.User.Password()
	return has
}
