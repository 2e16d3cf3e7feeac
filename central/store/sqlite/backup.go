package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/mattn/go-sqlite3"
)

// Limits of a copy.
const (
	// copyPages is the number of pages between two checks of the context: a megabyte.
	copyPages = 256
	// copyRetry and copyRetries bound the wait for another program's lock on the files of a
	// copy; none should have one.
	copyRetry   = 50 * time.Millisecond
	copyRetries = 100
	// maxFaults bounds the faults that a check reports.
	maxFaults = 10
)

// Copy copies the database in the file from, as it is at one moment, to the new file to.
// Other programs may read and write it: what they write during the copy is not in it. The
// copy is one file without a log, and on the disk when Copy returns nil. The caller removes
// the files of a failed copy.
func Copy(ctx context.Context, from, to string) error {
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("create the file of the copy: %w", err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("create the file of the copy: %w", err)
	}
	absolute, err := filepath.Abs(from)
	if err != nil {
		return fmt.Errorf("find database %s: %w", from, err)
	}
	source, err := readerConnector(absolute).open()
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := open(to, "rw")
	if err != nil {
		return err
	}
	err = copyAll(ctx, source, target)
	if err == nil {
		// The copy is marked for a write-ahead log, like its source.
		_, err = target.Exec("PRAGMA journal_mode = DELETE", nil)
	}
	if err := errors.Join(err, target.Close()); err != nil {
		return fmt.Errorf("copy database %s: %w", from, Explain(err))
	}
	return Sync(to)
}

// copyAll copies in one read transaction of the source, for which writers don't wait.
func copyAll(ctx context.Context, source, target *sqlite3.SQLiteConn) error {
	for _, statement := range []string{"BEGIN", "SELECT count(*) FROM sqlite_schema"} {
		if _, err := source.Exec(statement, nil); err != nil {
			return err
		}
	}
	b, err := target.Backup("main", source, "main")
	if err != nil {
		return err
	}
	err = errors.Join(stepAll(ctx, b), b.Finish())
	_, end := source.Exec("ROLLBACK", nil)
	return errors.Join(err, end)
}

func stepAll(ctx context.Context, b *sqlite3.SQLiteBackup) error {
	last, retries := -1, 0
	for {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("the copy was stopped: %w", err)
		}
		done, err := b.Step(copyPages)
		if err != nil || done {
			return err
		}
		if left := b.Remaining(); left != last {
			last, retries = left, 0
			continue
		}
		if retries++; retries > copyRetries {
			return errors.New("another program holds the lock of the copy's file")
		}
		pause := time.NewTimer(copyRetry)
		select {
		case <-ctx.Done():
		case <-pause.C:
		}
		pause.Stop()
	}
}

// Check reads a whole database file that no program has open, and fails if a page, an index, a
// constraint or a reference between records is broken.
func Check(path string) error {
	link, err := open(path, "ro")
	if err != nil {
		return err
	}
	faults, err := firstColumn(link, fmt.Sprintf("PRAGMA integrity_check(%d)", maxFaults))
	if err == nil && len(faults) == 1 && faults[0] == "ok" {
		faults, err = firstColumn(link, "PRAGMA foreign_key_check")
	}
	if err := errors.Join(err, link.Close()); err != nil {
		return fmt.Errorf("check database %s: %w", path, Explain(err))
	}
	if len(faults) > 0 {
		return fmt.Errorf("database %s is damaged: %d faults, the first: %s", path, len(faults), faults[0])
	}
	return nil
}

// firstColumn reads the first column of a pragma's rows, at most maxFaults.
func firstColumn(link *sqlite3.SQLiteConn, statement string) (found []string, err error) {
	rows, err := link.Query(statement, nil)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	values := make([]driver.Value, len(rows.Columns()))
	for len(found) < maxFaults && rows.Next(values) == nil {
		found = append(found, fmt.Sprint(values[0]))
	}
	return found, nil
}

// ErrOpenElsewhere means that another program has the database open.
var ErrOpenElsewhere = errors.New("another program has the database open: stop the central first")

// LockExclusively locks a database file, so that it can be moved: its log is copied into it and
// removed, and no program can open it until release. ErrOpenElsewhere: one has it open.
func LockExclusively(path string) (release func() error, err error) {
	link, err := open(path, "rw")
	if err != nil {
		return nil, err
	}
	for _, statement := range []string{"PRAGMA busy_timeout = 0", "PRAGMA journal_mode = DELETE", "BEGIN EXCLUSIVE"} {
		if _, err = link.Exec(statement, nil); err != nil {
			break
		}
	}
	if err == nil {
		return link.Close, nil
	}
	if e := (sqlite3.Error{}); errors.As(err, &e) && (e.Code == sqlite3.ErrBusy || e.Code == sqlite3.ErrLocked) {
		err = fmt.Errorf("%w (%w)", ErrOpenElsewhere, err)
	}
	return nil, errors.Join(fmt.Errorf("lock database %s: %w", path, Explain(err)), link.Close())
}

// IsDamaged tells whether an error means that the file is damaged or not a database.
func IsDamaged(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrCorrupt || e.Code == sqlite3.ErrNotADB)
}

// open opens an existing file, without the settings of a DB.
func open(path, mode string) (*sqlite3.SQLiteConn, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	file := url.URL{Scheme: "file", Path: filepath.ToSlash(absolute), RawQuery: url.Values{"mode": {mode}, "_synchronous": {"FULL"}}.Encode()}
	own, err := (&sqlite3.SQLiteDriver{}).Open(file.String())
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, Explain(err))
	}
	return own.(*sqlite3.SQLiteConn), nil
}

// Sync writes a file and its name in the folder to the disk.
func Sync(path string) error {
	for _, name := range []string{path, filepath.Dir(path)} {
		f, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("sync %s: %w", name, err)
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return fmt.Errorf("sync %s: %w", name, err)
		}
	}
	return nil
}
