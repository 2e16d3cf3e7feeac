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

	"galla/central/duty"
	"galla/central/store/sqlite"
)

// sumSuffix ends the name of the file beside a copy that has its SHA-256, in
// the form that sha256sum -c reads.
const sumSuffix = ".sha256"

// ErrExists says that a file would be written over.
var ErrExists = errors.New("the file exists")

// BackupSQLite copies the database in a file, which a central may have open and
// write, to a new file, checks the whole copy, and writes its SHA-256 beside
// it. The copy has its name only when all of that is done and on the disk.
// ErrExists: there is a file of that name.
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
		return "", fmt.Errorf("the copy is not whole, and the database itself may be damaged: %w", err)
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

// fileSum gives the SHA-256 of a file, in hex.
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

// Restoring says how a database is put back.
type Restoring struct {
	From string // the copy, with its checksum beside it
	To   string // the database's file
	// Replace sets a database that is there aside; without it there must be none.
	Replace bool
	// Complete is a person's word that nothing was recorded after the copy was
	// begun, so that there is no gap.
	Complete bool
	At       time.Time
}

// Restored is what became of it.
type Restored struct {
	duty.Restoration
	// Doubtful operations are asked after at the bank (MarkRestored).
	Doubtful int
	// Aside is the file of the database that was there; empty: none was.
	Aside string
}

// RestoreSQLite puts a database back from a copy: it verifies the copy's
// checksum and every page of it, migrates it, and marks it (MarkRestored),
// before it takes the place of the database. A database that is there is kept
// beside it, and is there until the new one has its name.
// sqlite.ErrOpenElsewhere: a central has it open. ErrExists: there is one, and
// Replace is not set.
func RestoreSQLite(ctx context.Context, r Restoring, cfg Config) (Restored, error) {
	if err := vacant(r); err != nil {
		return Restored{}, err
	}
	part := r.To + ".restoring"
	if err := removeAll(part, part+"-wal", part+"-shm", part+"-journal"); err != nil {
		return Restored{}, err
	}
	if err := fetch(r.From, part); err != nil {
		return Restored{}, err
	}
	if err := sqlite.Check(part); err != nil {
		return Restored{}, fmt.Errorf("the copy can't be used: %w", err)
	}
	out, err := prepare(ctx, part, r, cfg)
	if err != nil {
		return Restored{}, err
	}
	if err := sqlite.Sync(part); err != nil {
		return Restored{}, err
	}
	out.Aside, err = takePlace(part, r)
	return out, err
}

// vacant looks before anything is done: whether there is a database.
func vacant(r Restoring) error {
	_, err := os.Lstat(r.To)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look for a database: %w", err)
	case !r.Replace:
		return fmt.Errorf("there is a database already, %s: %w", r.To, ErrExists)
	}
	release, err := sqlite.Seclude(r.To)
	if sqlite.Damaged(err) {
		return nil // that is why a copy is put back
	}
	if err != nil {
		return err
	}
	return release()
}

func removeAll(paths ...string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove what an earlier attempt left: %w", err)
		}
	}
	return nil
}

// fetch copies a copy's file beside the database and compares its checksum.
func fetch(from, to string) error {
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
		return fmt.Errorf("make a file beside the database: %w", err)
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(target, h), source)
	if err := errors.Join(err, target.Sync(), target.Close()); err != nil {
		return fmt.Errorf("fetch the copy: %w", err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		return fmt.Errorf("the copy %s is not what was written: its SHA-256 is %.12s… and must be %.12s…", from, got, want)
	}
	return nil
}

// prepare migrates and marks the database that is going to take the place.
func prepare(ctx context.Context, part string, r Restoring, cfg Config) (out Restored, err error) {
	db, err := OpenSQLite(ctx, part, cfg)
	if err != nil {
		return Restored{}, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	out.Restoration, out.Doubtful, err = db.MarkRestored(ctx, r.At, !r.Complete)
	return out, err
}

// takePlace gives the prepared file the database's name. A database that is
// there gets a second name first, so that there is one at every moment.
func takePlace(part string, r Restoring) (aside string, err error) {
	if _, err := os.Lstat(part + "-wal"); err == nil {
		return "", fmt.Errorf("the log of %s was not closed: try again", part)
	}
	if _, err := os.Lstat(r.To); errors.Is(err, fs.ErrNotExist) {
		if err := os.Link(part, r.To); err != nil {
			return "", fmt.Errorf("name the restored database: %w", err)
		}
		return "", errors.Join(os.Remove(part), sqlite.Sync(r.To))
	}
	release, err := sqlite.Seclude(r.To)
	if err != nil && !sqlite.Damaged(err) {
		return "", err
	}
	if release != nil {
		defer func() { err = errors.Join(err, release()) }()
	}
	aside = r.To + ".before-" + r.At.UTC().Format("20060102T150405.000Z")
	if err := os.Link(r.To, aside); err != nil {
		return "", fmt.Errorf("keep the database that is there: %w", err)
	}
	// The log of a damaged one would be taken for the new one's.
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if err := os.Rename(r.To+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("set the log aside of the database that is there: %w", err)
		}
	}
	if err := os.Rename(part, r.To); err != nil {
		return "", fmt.Errorf("name the restored database: %w", err)
	}
	return aside, sqlite.Sync(r.To)
}
