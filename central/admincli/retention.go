package admincli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"galla/central"
	"galla/central/retention"
	"galla/central/store"
)

// Retention archives and purges.
type Retention struct {
	db  *store.DB
	cfg Config
}

// OpenRetention opens the database of an existing central. Close ends it.
func OpenRetention(ctx context.Context, cfg Config) (*Retention, error) {
	db, err := openDatabase(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &Retention{db: db, cfg: cfg}, nil
}

func (r *Retention) Close() error { return r.db.Close() }

// Archive moves the bodies that are due into archive files.
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

// VerifyArchive compares all archive files with what the database says of them. It
// returns an error where one is missing or was changed.
func (r *Retention) VerifyArchive(ctx context.Context, out io.Writer) error {
	v, err := retention.Verify(ctx, r.db, r.cfg.ArchiveFolder())
	if err != nil {
		return err
	}
	for _, fault := range v.Faults {
		fmt.Fprintln(out, "FAULT ", fault)
	}
	for _, file := range v.Strays {
		fmt.Fprintln(out, "unlisted ", file, "(of an interrupted run; its operations are in another archive, or still in the database)")
	}
	fmt.Fprintf(out, "%d archives with %d operations are unchanged.\n", v.Files, v.Operations)
	if len(v.Faults) > 0 {
		return fmt.Errorf("%d archives are missing or changed: restore them from a backup of the folder", len(v.Faults))
	}
	return nil
}

// Purge removes rows that have no use any more.
func (r *Retention) Purge(ctx context.Context, out io.Writer) error {
	done, err := retention.Purge(ctx, r.db, time.Now())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, done)
	return err
}

// archiveText says into which archive file the body of an operation went; empty: it is
// in the database.
func (e *Operations) archiveText(ctx context.Context, o central.Operation) (string, error) {
	a, err := e.db.ArchiveOf(ctx, o.ID)
	if errors.Is(err, central.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("its reply and the reasons of its history, on %s, into %s", formatTime(a.At), a.File), nil
}
