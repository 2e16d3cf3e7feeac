package admincli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"galla/central/store"
)

// Migrate brings the database to this program's schema, makes it where it is missing,
// and prints the versions. A central does the same at its start; this is for
// deployments that want it done once, before the first of several new centrals starts.
// Beside running centrals it is as safe as their own start: one migrates, the others
// wait.
func Migrate(ctx context.Context, cfg Config, out io.Writer) error {
	before, err := schemaVersion(ctx, cfg)
	if err != nil {
		return err
	}
	db, err := OpenStore(ctx, cfg, store.Config{Node: cfg.Node, Logger: cfg.Logger})
	if err != nil {
		return err
	}
	has, _, err := db.SchemaVersion(ctx)
	name := db.Name()
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	switch before {
	case has:
		_, err = fmt.Fprintf(out, "%s has schema version %d; nothing was to be done.\n", name, has)
	case 0:
		_, err = fmt.Fprintf(out, "%s was made, with schema version %d.\n", name, has)
	default:
		_, err = fmt.Fprintf(out, "%s went from schema version %d to %d.\n", name, before, has)
	}
	return err
}

// schemaVersion is the version of the schema that a database has; 0: none so far.
func schemaVersion(ctx context.Context, cfg Config) (int64, error) {
	if _, err := os.Stat(cfg.Database()); cfg.DatabaseURL.IsZero() && errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	db, err := OpenStore(ctx, cfg, store.Config{Node: cfg.Node, Logger: cfg.Logger, SkipMigrations: true})
	if err != nil {
		return 0, err
	}
	has, _, err := db.SchemaVersion(ctx)
	if err != nil {
		has = 0 // an empty database has no table of versions
	}
	return has, db.Close()
}
