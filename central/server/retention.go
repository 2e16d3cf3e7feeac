package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"galla/central"
	"galla/central/duty"
	"galla/central/keep"
	"galla/central/store"
	"galla/shared/secret"
)

// monthsAhead is how many months of operations have their place made before
// they begin: one would do, and two cover a month in which nobody looks.
const monthsAhead = 2

// monthsEvery is how often that is seen to.
const monthsEvery = 24 * time.Hour

// archiver makes the archive of a central.
func archiver(cfg Config, db *store.DB) (*keep.Archiver, error) {
	return keep.NewArchiver(db, keep.ArchiverConfig{Folder: cfg.archive(), Kept: cfg.KeepBodies, Node: cfg.Node, Logger: cfg.Logger})
}

// archive is the folder that bodies are archived in.
func (c Config) archive() string {
	if c.Archive != "" {
		return c.Archive
	}
	return filepath.Join(c.Data, "archive")
}

// houseChores is the regular work of a central.
func houseChores(cfg Config, db *store.DB) ([]duty.Chore, error) {
	a, err := archiver(cfg, db)
	if err != nil {
		return nil, err
	}
	months := duty.Chore{Name: "months", Every: monthsEvery, Do: func(ctx context.Context) (string, error) {
		return fmt.Sprintf("the months up to %d ahead have their place", monthsAhead), db.EnsureMonths(ctx, time.Now(), monthsAhead)
	}}
	return append(keep.Chores(a, db), months), nil
}

// newHouseDuties makes the duties of this node, the house's regular work among
// them.
func newHouseDuties(cfg Config, masters []secret.Key, db *store.DB) (*duties, error) {
	regular, err := houseChores(cfg, db)
	if err != nil {
		return nil, err
	}
	return newDuties(cfg, masters, db, regular...)
}

// Retention archives and purges for the command line, on the database of a
// central that may be running.
type Retention struct {
	db  *store.DB
	cfg Config
}

// OpenRetention opens the database of an existing central. Of cfg it takes
// DatabaseURL, Data, Archive, KeepBodies, Node and Logger. Close ends it.
func OpenRetention(ctx context.Context, cfg Config) (*Retention, error) {
	db, err := openBeside(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &Retention{db: db, cfg: cfg}, nil
}

// Close closes the database.
func (r *Retention) Close() error { return r.db.Close() }

// Archive moves the bodies that are due into files.
func (r *Retention) Archive(ctx context.Context, out io.Writer) error {
	a, err := archiver(r.cfg, r.db)
	if err != nil {
		return err
	}
	done, err := a.Run(ctx, time.Now())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s, folder %s\n", done, r.cfg.archive())
	return err
}

// VerifyArchive compares all archives with what the database says of them. An
// error says that one is missing or was changed.
func (r *Retention) VerifyArchive(ctx context.Context, out io.Writer) error {
	v, err := keep.Verify(ctx, r.db, r.cfg.archive())
	if err != nil {
		return err
	}
	for _, fault := range v.Faults {
		fmt.Fprintln(out, "FAULT ", fault)
	}
	for _, stray := range v.Strays {
		fmt.Fprintln(out, "stray ", stray, "(of an interrupted run; its operations are in another archive, or still in the database)")
	}
	fmt.Fprintf(out, "%d archives with %d operations are what was written.\n", v.Files, v.Operations)
	if len(v.Faults) > 0 {
		return fmt.Errorf("%d archives are not what was written: put them back from a backup of the folder", len(v.Faults))
	}
	return nil
}

// Purge forgets what has no use any more.
func (r *Retention) Purge(ctx context.Context, out io.Writer) error {
	done, err := keep.Purge(ctx, r.db, time.Now())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, done)
	return err
}

// archived tells into which file the body of an operation went; empty: it is in
// the database.
func (e *Evidence) archived(ctx context.Context, o central.Operation) (string, error) {
	a, err := e.db.ArchiveOf(ctx, o.ID)
	if errors.Is(err, central.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("its reply and the reasons of its history, on %s, into %s", when(a.At), a.File), nil
}
