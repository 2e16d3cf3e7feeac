package sqlite

import (
	"context"
	"database/sql"
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
	// copyPages is how many pages are copied between two looks at the context:
	// a megabyte.
	copyPages = 256
	// copyRetry and copyRetries bound the wait for a lock of somebody else's on
	// the files of a copy; nobody should have one.
	copyRetry   = 50 * time.Millisecond
	copyRetries = 100
	// maxFaults bounds the faults that a check tells.
	maxFaults = 10
)

// Copy writes the database in the file from, as it is at one moment, into the
// new file to, while other programs go on reading and writing it: what they
// write meanwhile is not in the copy. The copy is one file, without a log
// beside it, and is on the disk when Copy returns nil. What a failed copy left
// is for the caller to remove.
func Copy(ctx context.Context, from, to string) error {
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("make the file of the copy: %w", err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("make the file of the copy: %w", err)
	}
	absolute, err := filepath.Abs(from)
	if err != nil {
		return fmt.Errorf("find database %s: %w", from, err)
	}
	source := pool(reading(absolute), 1)
	defer source.Close()
	target, err := open(to, "rw")
	if err != nil {
		return err
	}
	err = copyAll(ctx, source, target)
	if err == nil {
		// The copy has the source's mark of a write-ahead log.
		_, err = target.Exec("PRAGMA journal_mode = DELETE", nil)
	}
	if err := errors.Join(err, target.Close()); err != nil {
		return fmt.Errorf("copy database %s: %w", from, Explain(err))
	}
	return Sync(to)
}

// copyAll copies under one reading of the source, which writers neither wait
// for nor disturb.
func copyAll(ctx context.Context, source *sql.DB, target *sqlite3.SQLiteConn) error {
	link, err := source.Conn(ctx)
	if err != nil {
		return err
	}
	defer link.Close()
	return link.Raw(func(own any) error {
		from := own.(*sqlite3.SQLiteConn)
		for _, statement := range []string{"BEGIN", "SELECT count(*) FROM sqlite_schema"} {
			if _, err := from.Exec(statement, nil); err != nil {
				return err
			}
		}
		b, err := target.Backup("main", from, "main")
		if err != nil {
			return err
		}
		err = errors.Join(stepAll(ctx, b), b.Finish())
		_, end := from.Exec("ROLLBACK", nil)
		return errors.Join(err, end)
	})
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

// Check reads a whole database file that no program has open, and fails where
// a page, an index, a constraint or a reference between records is broken.
func Check(path string) error {
	link, err := open(path, "ro")
	if err != nil {
		return err
	}
	faults, err := list(link, fmt.Sprintf("PRAGMA integrity_check(%d)", maxFaults))
	if err == nil && len(faults) == 1 && faults[0] == "ok" {
		faults, err = list(link, "PRAGMA foreign_key_check")
	}
	if err := errors.Join(err, link.Close()); err != nil {
		return fmt.Errorf("check database %s: %w", path, Explain(err))
	}
	if len(faults) > 0 {
		return fmt.Errorf("database %s is damaged: %d faults, the first: %s", path, len(faults), faults[0])
	}
	return nil
}

// list reads the first column of a pragma's rows, as many as a check tells.
func list(link *sqlite3.SQLiteConn, statement string) (found []string, err error) {
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

// ErrOpenElsewhere says that another program has the database open.
var ErrOpenElsewhere = errors.New("another program has the database open: stop the central first")

// Seclude takes a database file for its caller alone, so that it can be set
// aside: its log is copied into it and removed, and no program can open it
// until release. ErrOpenElsewhere: one has it open.
func Seclude(path string) (release func() error, err error) {
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
	return nil, errors.Join(fmt.Errorf("take database %s: %w", path, Explain(err)), link.Close())
}

// Damaged tells of an error that the file is damaged or no database at all.
func Damaged(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrCorrupt || e.Code == sqlite3.ErrNotADB)
}

// open opens a file that is there, with none of the settings of a DB's own.
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

// Sync makes sure that a file, and its name in its folder, are on the disk.
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
