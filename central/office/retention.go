package office

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"galla/central"
	"galla/central/keep"
	"galla/central/store"
)

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
	a, err := r.cfg.Archiver(r.db)
	if err != nil {
		return err
	}
	done, err := a.Run(ctx, time.Now())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s, folder %s\n", done, r.cfg.ArchiveFolder())
	return err
}

// VerifyArchive compares all archives with what the database says of them. An
// error says that one is missing or was changed.
func (r *Retention) VerifyArchive(ctx context.Context, out io.Writer) error {
	v, err := keep.Verify(ctx, r.db, r.cfg.ArchiveFolder())
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
