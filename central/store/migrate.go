package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"regexp"
	"strings"
	"text/template"

	"github.com/pressly/goose/v3"

	"galla/central/store/sqlite"
)

// migrationFiles are the numbered migrations of the schema, for both databases. There is no
// way back, and a released file is never changed: a new one is added.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS

// Tables in which the migrations are recorded.
const (
	versionTable  = "schema_versions"
	checksumTable = `CREATE TABLE IF NOT EXISTS schema_checksums (version INTEGER NOT NULL PRIMARY KEY, sha256 TEXT NOT NULL)`
)

// migrationLock is the advisory lock of PostgreSQL during a migration; the letters "galla".
const migrationLock = 0x67_61_6c_6c_61

// migration is one step of the schema, as one database spells it.
type migration struct {
	file    string
	version int64
	text    string
}

// migrations reads the numbered migrations of a folder.
func (d dialect) migrations(files fs.FS) ([]migration, error) {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	list := make([]migration, len(names))
	for i, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return nil, err
		}
		file, err := template.ParseFS(files, name)
		if err != nil {
			return nil, err
		}
		var text strings.Builder
		if err := file.Execute(&text, map[string]any{"Postgres": d.goose == goose.DialectPostgres, "Operations": d.names, "ID": d.indexedID}); err != nil {
			return nil, err
		}
		// A checkout may change the ends of lines.
		list[i] = migration{file: name, version: version, text: d.spell(strings.ReplaceAll(text.String(), "\r\n", "\n"))}
	}
	return list, nil
}

// spellForSQLite spells a migration for SQLite.
func spellForSQLite(text string) string {
	return regexp.MustCompile(`EXECUTE FUNCTION refuse\((.*)\);`).ReplaceAllString(text, "BEGIN SELECT RAISE(ABORT, $1); END;")
}

// spellForPostgres spells a migration for PostgreSQL.
func spellForPostgres(text string) string {
	return strings.NewReplacer(" TEXT", ` TEXT COLLATE "C"`, " INTEGER", " BIGINT", " BLOB", " BYTEA", " VIRTUAL", " STORED",
		") STRICT, WITHOUT ROWID;", ");", ") STRICT;", ");").Replace(text)
}

// migrate migrates a database to the newest schema of the program, one node at a time. It
// refuses a database that a newer program has migrated, and one whose applied migrations
// differ from the program's.
func migrate(ctx context.Context, d dialect, db *sql.DB, files fs.FS, log *slog.Logger) (err error) {
	list, err := d.migrations(files)
	if err != nil {
		return fmt.Errorf("read the program's migrations: %w", err)
	}
	if d.goose == goose.DialectPostgres {
		// On SQLite no other program writes. The lock also protects the checksums, and ends
		// with its connection.
		locked, err := db.Conn(ctx)
		if err != nil {
			return fmt.Errorf("connect to the database: %w", err)
		}
		defer locked.Close()
		if _, err := locked.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, migrationLock); err != nil {
			return fmt.Errorf("wait for other nodes that migrate the database: %w", err)
		}
		defer func() {
			_, unlockErr := locked.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, migrationLock)
			err = errors.Join(err, unlockErr)
		}()
	}
	return migrateAlone(ctx, d.goose, db, list, log)
}

func migrateAlone(ctx context.Context, dialect goose.Dialect, db *sql.DB, list []migration, log *slog.Logger) error {
	steps := make([]*goose.Migration, len(list))
	for i, m := range list {
		steps[i] = goose.NewGoMigration(m.version, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, m.text)
			return err
		}}, nil)
	}
	provider, err := goose.NewProvider(dialect, db, nil,
		goose.WithGoMigrations(steps...), goose.WithTableName(versionTable), goose.WithDisableGlobalRegistry(true), goose.WithSlog(log))
	if err != nil {
		return fmt.Errorf("read the program's migrations: %w", err)
	}
	current, newest, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", sqlite.Explain(err))
	}
	if current > newest {
		return fmt.Errorf("the database has schema version %d and this program knows only up to %d: start the newer program that migrated it", current, newest)
	}
	if _, err := db.ExecContext(ctx, checksumTable); err != nil {
		return fmt.Errorf("create the table of checksums: %w", sqlite.Explain(err))
	}
	for _, m := range list {
		if err := matchChecksum(ctx, db, m, current); err != nil {
			return fmt.Errorf("migration %s: %w", m.file, sqlite.Explain(err))
		}
	}
	if current == newest {
		return nil
	}
	applied, err := provider.Up(ctx)
	if err != nil {
		return fmt.Errorf("migrate the schema from version %d to %d: %w", current, newest, sqlite.Explain(err))
	}
	log.Info("the schema was migrated", "from", current, "to", newest, "migrations", len(applied))
	return nil
}

// withStopCause adds the cause of a cancelled context to an error. Drivers do not always
// name it: a statement "was interrupted", or a connection "is bad".
func withStopCause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	return err
}

// SchemaVersion returns the version of the database's schema and the program's own. A newer
// schema works too: migrations only add.
func (s *DB) SchemaVersion(ctx context.Context) (has, brings int64, err error) {
	list, err := s.dialect.migrations(migrationFiles)
	if err != nil {
		return 0, 0, fmt.Errorf("read the program's migrations: %w", err)
	}
	for _, m := range list {
		brings = max(brings, m.version)
	}
	err = s.read(ctx, func(c conn) error {
		return c.one(`SELECT max(version_id) FROM `+versionTable, nil, &has)
	})
	if err != nil {
		return 0, 0, fmt.Errorf("read the schema's version: %w", err)
	}
	return has, brings, nil
}

// matchChecksum compares an applied migration with its record. A migration that is not
// applied yet is recorded before it runs. After a crash in between, the next start
// overwrites the record.
func matchChecksum(ctx context.Context, db *sql.DB, m migration, current int64) error {
	digest := sha256.Sum256([]byte(m.text))
	sum := hex.EncodeToString(digest[:])
	if m.version > current {
		_, err := db.ExecContext(ctx, `INSERT INTO schema_checksums (version, sha256) VALUES ($1, $2)
			ON CONFLICT (version) DO UPDATE SET sha256 = excluded.sha256`, m.version, sum)
		return err
	}
	var recorded string
	err := db.QueryRowContext(ctx, `SELECT sha256 FROM schema_checksums WHERE version = $1`, m.version).Scan(&recorded)
	if errors.Is(err, sql.ErrNoRows) {
		return errors.New("it was applied to the database without a checksum: the schema is not this program's")
	}
	if err != nil {
		return err
	}
	if recorded != sum {
		return fmt.Errorf("it was changed after it was applied (recorded %.12s, now %.12s): use the program that the database belongs to, and put changes into a new migration", recorded, sum)
	}
	return nil
}
