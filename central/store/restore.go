package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"galla/central/recovery"
	"galla/central/store/sqlite"
)

// sumSuffix ends the name of the file with the SHA-256 of a copy, in the format of
// sha256sum -c.
const sumSuffix = ".sha256"

// ErrExists means that a file would be overwritten.
var ErrExists = errors.New("the file exists")

// BackupSQLite copies the database of a file to a new file, checks the whole copy, and writes
// its SHA-256 beside it. A central may have the database open and write it. The copy gets
// its name when all of that is on the disk. ErrExists: there is a file of that name.
func BackupSQLite(ctx context.Context, from, to string) (sum string, err error) {
	if _, err := os.Lstat(to); err == nil {
		return "", fmt.Errorf("back up to %s: %w", to, ErrExists)
	}
	folder, err := os.MkdirTemp(filepath.Dir(to), ".backup-")
	if err != nil {
		return "", fmt.Errorf("back up to %s: its folder must exist and be writable: %w", to, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	part := filepath.Join(folder, "copy.db")
	if err := sqlite.Copy(ctx, from, part); err != nil {
		return "", err
	}
	if err := sqlite.Check(part); err != nil {
		return "", fmt.Errorf("the copy is damaged, and the database itself may be damaged: %w", err)
	}
	if sum, err = fileSum(part); err != nil {
		return "", err
	}
	line := sum + "  " + filepath.Base(to) + "\n"
	if err := os.WriteFile(to+sumSuffix, []byte(line), 0o600); err != nil {
		return "", fmt.Errorf("write the copy's checksum: %w", err)
	}
	if err := sqlite.Sync(to + sumSuffix); err != nil {
		return "", err
	}
	if err := os.Link(part, to); err != nil {
		return "", fmt.Errorf("name the copy: %w", err)
	}
	return sum, sqlite.Sync(to)
}

// fileSum returns the SHA-256 of a file, in hex.
func fileSum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read %s for its checksum: %w", path, err)
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("read %s for its checksum: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// RestoreConfig configures a restoration.
type RestoreConfig struct {
	From string // the copy, with its checksum beside it
	To   string // the database's file
	// Replace moves an existing database aside; without it there must be none.
	Replace bool
	// Complete states, by a person, that nothing was recorded after the copy: there is no gap.
	Complete bool
	At       time.Time
}

// RestoreResult is the result of a restoration.
type RestoreResult struct {
	recovery.Restoration
	// PresumedSent counts the operations about which the bank is asked (MarkRestored).
	PresumedSent int
	// Previous is the file of the former database; empty: there was none.
	Previous string
}

// RestoreSQLite restores a database from a copy: it verifies the checksum and all pages of
// the copy, migrates it, and marks it (MarkRestored), before it replaces the database. A
// former database is kept under another name. sqlite.ErrOpenElsewhere: a central has it
// open. ErrExists: there is one, and Replace is not set.
func RestoreSQLite(ctx context.Context, r RestoreConfig, cfg Config) (RestoreResult, error) {
	if err := checkTarget(r); err != nil {
		return RestoreResult{}, err
	}
	part := r.To + ".restoring"
	if err := removeAll(part, part+"-wal", part+"-shm", part+"-journal"); err != nil {
		return RestoreResult{}, err
	}
	if err := copyVerified(r.From, part); err != nil {
		return RestoreResult{}, err
	}
	if err := sqlite.Check(part); err != nil {
		return RestoreResult{}, fmt.Errorf("the copy can't be used: %w", err)
	}
	out, err := migrateAndMark(ctx, part, r, cfg)
	if err != nil {
		return RestoreResult{}, err
	}
	if err := sqlite.Sync(part); err != nil {
		return RestoreResult{}, err
	}
	out.Previous, err = swapIn(part, r)
	return out, err
}

// checkTarget checks whether a database exists and may be replaced.
func checkTarget(r RestoreConfig) error {
	_, err := os.Lstat(r.To)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look for a database: %w", err)
	case !r.Replace:
		return fmt.Errorf("there is a database already, %s: %w", r.To, ErrExists)
	}
	release, err := sqlite.LockExclusively(r.To)
	if sqlite.IsDamaged(err) {
		return nil // that is why it is restored
	}
	if err != nil {
		return err
	}
	return release()
}

func removeAll(paths ...string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the files of an earlier attempt: %w", err)
		}
	}
	return nil
}

// copyVerified copies the file of the copy beside the database and compares its checksum.
func copyVerified(from, to string) error {
	text, err := os.ReadFile(from + sumSuffix)
	if err != nil {
		return fmt.Errorf("read the copy's checksum, which lies beside it: %w", err)
	}
	want, _, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	source, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("open the copy: %w", err)
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("create a file beside the database: %w", err)
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(target, h), source)
	if err := errors.Join(err, target.Sync(), target.Close()); err != nil {
		return fmt.Errorf("read the copy: %w", err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		return fmt.Errorf("the copy %s was changed: its SHA-256 is %.12s… and must be %.12s…", from, got, want)
	}
	return nil
}

// migrateAndMark migrates and marks the new database.
func migrateAndMark(ctx context.Context, part string, r RestoreConfig, cfg Config) (out RestoreResult, err error) {
	db, err := OpenSQLite(ctx, part, cfg)
	if err != nil {
		return RestoreResult{}, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	out.Restoration, out.PresumedSent, err = db.MarkRestored(ctx, r.At, !r.Complete)
	return out, err
}

// swapIn gives the prepared file the name of the database. A former database gets a second
// name first, so that there is one at every moment.
func swapIn(part string, r RestoreConfig) (aside string, err error) {
	if _, err := os.Lstat(part + "-wal"); err == nil {
		return "", fmt.Errorf("the log of %s was not closed: try again", part)
	}
	if _, err := os.Lstat(r.To); errors.Is(err, fs.ErrNotExist) {
		if err := os.Link(part, r.To); err != nil {
			return "", fmt.Errorf("name the restored database: %w", err)
		}
		return "", errors.Join(os.Remove(part), sqlite.Sync(r.To))
	}
	release, err := sqlite.LockExclusively(r.To)
	if err != nil && !sqlite.IsDamaged(err) {
		return "", err
	}
	if release != nil {
		defer func() { err = errors.Join(err, release()) }()
	}
	aside = r.To + ".before-" + r.At.UTC().Format("20060102T150405.000Z")
	if err := os.Link(r.To, aside); err != nil {
		return "", fmt.Errorf("keep the former database: %w", err)
	}
	// SQLite would use the log of the former database for the new one.
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if err := os.Rename(r.To+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("move the log of the former database aside: %w", err)
		}
	}
	if err := os.Rename(part, r.To); err != nil {
		return "", fmt.Errorf("name the restored database: %w", err)
	}
	return aside, sqlite.Sync(r.To)
}
