package queue

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"galla/edge"
	"galla/edge/queue/index"
	"galla/edge/queue/stored"
	"galla/shared/files"
	"galla/shared/op"
	"galla/shared/seal"
)

// Names of the files beside the queue file.
const (
	keysSuffix    = ".keys"
	lockSuffix    = ".lock"
	journalSuffix = ".journal"
	compactSuffix = ".compacting"
	damagedInfix  = ".damaged-"
)

// Report is what Open found and did. It has no warnings where nothing is wrong.
type Report struct {
	New        bool           // a new, empty file was started
	SetAside   string         // the damaged file's new path; empty: none was damaged
	Damaged    []op.ID        // operations that don't open, found now or earlier
	LostBodies []op.ID        // operations without an end whose request can't be read; their outcome can be asked for
	Compacted  bool           // the file was rewritten without its free pages
	Warnings   []edge.Warning // for the agent
}

func (r *Report) warn(kind edge.WarningKind, names ...string) {
	r.Warnings = append(r.Warnings, edge.Warning{Kind: kind, Names: names})
}

// Open opens the queue, or creates one where there is no file. It renames a
// damaged file and creates a new one; Report.SetAside has its path. ErrLocked,
// ErrWrongKey and ErrNewer change nothing; any other error is of the disk or the
// configuration. The caller closes the queue.
func Open(cfg Config) (*Queue, Report, error) {
	var report Report
	q, err := newQueue(cfg)
	if err != nil {
		return nil, report, err
	}
	cfg = q.cfg
	if err := os.MkdirAll(filepath.Dir(cfg.Path), 0o700); err != nil {
		return nil, report, fmt.Errorf("make the queue's folder: %w", err)
	}
	unlock, err := lockFile(cfg.Path, cfg.LockTimeout)
	if err != nil {
		return nil, report, explainOpenError(cfg.Path, err)
	}
	f, err := os.OpenFile(cfg.Path+keysSuffix, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, report, explainOpenError(cfg.Path, errors.Join(err, unlock()))
	}
	q.keys = &bodyKeys{f: f, unlock: unlock, box: q.box, rand: cfg.Rand, byID: map[op.ID]bodyKey{}}
	if q.journal, err = openJournal(cfg.Path, q.box); err != nil {
		return nil, report, explainOpenError(cfg.Path, errors.Join(err, f.Close(), unlock()))
	}
	if err := files.SyncFolder(filepath.Dir(cfg.Path)); err != nil { // these files may be new
		return nil, report, explainOpenError(cfg.Path, errors.Join(err, q.closeFiles()))
	}
	if err := q.openOrReplace(&report); err != nil {
		return nil, report, explainOpenError(cfg.Path, errors.Join(err, q.closeFiles()))
	}
	if len(report.Warnings) > 0 {
		q.log.Error("the queue was opened with warnings", "path", cfg.Path, "warnings", report.Warnings)
	}
	go q.writeLoop()
	return q, report, nil
}

// newQueue makes a queue that is not open.
func newQueue(cfg Config) (*Queue, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	box, err := seal.New(cfg.Key, cfg.Rand)
	if err != nil {
		return nil, fmt.Errorf("open the queue %s: %w", cfg.Path, err)
	}
	return &Queue{
		cfg: cfg, log: cfg.Logger, box: box, index: index.New(), waiting: waitingPuts{byID: map[op.ID]waiting{}},
		requests: make(chan *request, maxWaiting), stopping: make(chan struct{}), done: make(chan struct{}),
	}, nil
}

func explainOpenError(path string, err error) error {
	switch {
	case errors.Is(err, ErrLocked):
		return fmt.Errorf("open the queue %s: %w; stop the other galla-edge, or wait until it has ended, and start again", path, err)
	case errors.Is(err, ErrWrongKey):
		return fmt.Errorf("open the queue %s: %w; restore the key file that belongs to it, nothing was changed", path, err)
	case errors.Is(err, ErrNewer):
		return fmt.Errorf("open the queue %s: %w; install that version again, nothing was changed", path, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("open the queue: %w; give this program's user the right to read and write it", err)
	}
	return fmt.Errorf("open the queue %s: %w", path, err)
}

// openOrReplace opens the file; it renames a damaged one and creates a new one.
func (q *Queue) openOrReplace(report *Report) error {
	if err := removeIf(q.cfg.Path + compactSuffix); err != nil {
		return fmt.Errorf("remove what an interrupted compaction left: %w", err)
	}
	err := q.openFile(report)
	if !isDamage(err) {
		return err
	}
	q.log.Error("the queue file is damaged", "path", q.cfg.Path, "found", err)
	aside, moveErr := q.quarantineFile()
	if moveErr != nil {
		return fmt.Errorf("the file is damaged (%w) and can't be set aside: %w", err, moveErr)
	}
	*report = Report{SetAside: aside}
	report.warn(edge.WarningSetAside, aside)
	return q.openFile(report)
}

// openFile opens the file as it is now. *damage where it must not be used.
func (q *Queue) openFile(report *Report) error {
	size, err := fileSize(q.cfg.Path)
	if err != nil {
		return err
	}
	metaLost := false
	if size > 0 {
		if metaLost, err = q.verify(); err != nil {
			return err
		}
	}
	if q.file, err = q.openForWriting(q.cfg.Path, q.cfg.MaxSize); err != nil {
		return err
	}
	if size == 0 {
		return q.create(report)
	}
	noCheck, oldSchema, err := q.checkKey()
	if err != nil {
		return err
	}
	if err := q.compact(report); err != nil {
		return err
	}
	if oldSchema { // before the journal has anything that an earlier program would miss
		if err := q.update(func(tx *bbolt.Tx) error {
			return txWriter{q: q, tx: tx}.putMeta(keyCheck, check{Schema: stored.Schema})
		}); err != nil {
			return err
		}
	}
	torn, err := q.recoverJournal()
	if err != nil {
		return err
	}
	return q.load(metaLost || torn, noCheck, report)
}

func fileSize(path string) (int64, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, err
	case !info.Mode().IsRegular():
		return 0, fmt.Errorf("%s is no file", path)
	}
	return info.Size(), nil
}

// openDB opens a bbolt file. A panic of bbolt, which can't be closed then, is
// *damage, and the file is closed for it.
func openDB(path string, options bbolt.Options) (db *lockedDB, err error) {
	var opened *os.File
	defer func() {
		if isDamage(err) && opened != nil {
			_ = opened.Close()
		}
	}()
	defer recoverFault(&err)()
	options.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		opened, err = os.OpenFile(name, flag, mode)
		return opened, err
	}
	b, err := bbolt.Open(path, 0o600, &options)
	if errors.Is(err, berrors.ErrTimeout) {
		return nil, ErrLocked
	}
	if err != nil {
		return nil, err
	}
	return &lockedDB{DB: b, opened: opened, pageSize: b.Info().PageSize}, nil
}

// openForWriting opens the queue's file, or another one of ours.
func (q *Queue) openForWriting(path string, maxSize int) (*lockedDB, error) {
	return openDB(path, bbolt.Options{Timeout: q.cfg.LockTimeout, MaxSize: maxSize, FreelistType: bbolt.FreelistMapType})
}

func openReadOnly(path string, wait time.Duration) (*lockedDB, error) {
	return openDB(path, bbolt.Options{Timeout: wait, ReadOnly: true, PreLoadFreelist: true})
}

func (q *Queue) create(report *Report) error {
	if err := q.journal.clear(); err != nil {
		return err
	}
	err := q.update(func(tx *bbolt.Tx) error {
		for _, name := range buckets() {
			if _, err := tx.CreateBucket([]byte(name)); err != nil {
				return fmt.Errorf("make bucket %s: %w", name, err)
			}
		}
		w := txWriter{q: q, tx: tx}
		return errors.Join(w.putMeta(keyCheck, check{Schema: stored.Schema}), w.putMeta(keyState, state{}))
	})
	if err != nil {
		return err
	}
	if err := files.SyncFolder(filepath.Dir(q.cfg.Path)); err != nil {
		return fmt.Errorf("make the new file durable: %w", err)
	}
	if hasHead(q.keys.f) {
		report.warn(edge.WarningFileMissing, q.cfg.Path)
	}
	report.New = true
	_, err = q.keys.load(nil)
	return err
}

// checkKey checks whether the key belongs to the file. noCheck: the check value is
// damaged, but the key is right. oldSchema: an earlier program wrote the file.
func (q *Queue) checkKey() (noCheck, oldSchema bool, err error) {
	err = q.view(func(tx *bbolt.Tx) error {
		for _, name := range buckets() {
			if tx.Bucket([]byte(name)) == nil {
				return damaged("bucket %s is missing", name)
			}
		}
		var c check
		if q.readMeta(tx, keyCheck, &c) {
			switch {
			case c.Schema > stored.Reads:
				return fmt.Errorf("%w: its schema is %d, this program reads up to %d", ErrNewer, c.Schema, stored.Reads)
			case c.Schema < 1:
				return damaged("its schema is %d", c.Schema)
			}
			oldSchema = c.Schema < stored.Schema
			return nil
		}
		noCheck = true
		if !q.keyOpensAnything(tx) {
			return ErrWrongKey
		}
		return nil
	})
	return noCheck, oldSchema, err
}

// keyOpensAnything reports whether the key opens any value of the file.
func (q *Queue) keyOpensAnything(tx *bbolt.Tx) bool {
	if q.readMeta(tx, keyState, &state{}) {
		return true
	}
	opened := errors.New("opened")
	for _, bucket := range []string{inRecords, inCache} {
		err := tx.Bucket([]byte(bucket)).ForEach(func(k, v []byte) error {
			if _, err := q.box.Open(v, sealContext(bucket, string(k))...); err == nil {
				return opened
			}
			return nil
		})
		if err != nil {
			return true
		}
	}
	return false
}

// quarantineFile renames the file, and copies its body keys beside it.
func (q *Queue) quarantineFile() (string, error) {
	if q.file != nil {
		if err := q.file.Close(); err != nil {
			q.log.Warn("the damaged queue file can't be closed", "error", err)
		}
		q.file = nil
	}
	base := q.cfg.Path + damagedInfix + q.cfg.Now().UTC().Format("20060102T150405Z")
	aside := base
	for n := 2; exists(aside) || exists(aside+keysSuffix); n++ {
		aside = fmt.Sprintf("%s-%d", base, n)
	}
	data, err := io.ReadAll(io.NewSectionReader(q.keys.f, 0, (maxSlots+1)*slotSize))
	if err == nil {
		err = writeFile(aside+keysSuffix, data)
	}
	if err != nil {
		return "", fmt.Errorf("copy its body keys: %w", err)
	}
	if data, err = io.ReadAll(io.NewSectionReader(q.journal.f, 0, journalSize)); err == nil {
		err = writeFile(aside+journalSuffix, data)
	}
	if err != nil {
		return "", fmt.Errorf("copy its journal: %w", err)
	}
	if err := os.Rename(q.cfg.Path, aside); err != nil {
		return "", err
	}
	if err := files.SyncFolder(filepath.Dir(q.cfg.Path)); err != nil {
		return "", err
	}
	return aside, errors.Join(q.keys.f.Truncate(0), q.keys.f.Sync())
}

// Compaction pays when the file is compactRatio times its live data, and not
// below compactFloor: the reserve alone makes a small file sparse.
const (
	compactRatio = 4
	compactFloor = 4 << 20 // bytes
	compactTx    = 1 << 20 // bytes in one transaction of the copy
)

// compact rewrites a file that is mostly free pages. A failure leaves the file
// as it was, and is logged.
func (q *Queue) compact(report *Report) error {
	size, err := fileSize(q.cfg.Path)
	if err != nil {
		return err
	}
	stats, used := q.file.Stats(), int64(0)
	if err := q.view(func(tx *bbolt.Tx) error { used = tx.Size(); return nil }); err != nil {
		return err
	}
	live := used - int64(stats.FreePageN+stats.PendingPageN)*int64(q.file.pageSize)
	if size < compactFloor || size < compactRatio*live {
		return nil
	}
	temp := q.cfg.Path + compactSuffix
	if err := q.copyTo(temp); err != nil {
		q.log.Warn("the queue file can't be compacted; it stays as it is", "error", err)
		return removeIf(temp)
	}
	if err := q.file.Close(); err != nil {
		return err
	}
	q.file = nil
	if err := os.Rename(temp, q.cfg.Path); err != nil {
		q.log.Warn("the compacted queue file can't take its place", "error", err)
	} else {
		report.Compacted = true
	}
	if err := files.SyncFolder(filepath.Dir(q.cfg.Path)); err != nil {
		return err
	}
	q.file, err = q.openForWriting(q.cfg.Path, q.cfg.MaxSize)
	return err
}

// copyTo writes what the file holds to a new one, fsynced.
func (q *Queue) copyTo(path string) (err error) {
	to, err := q.openForWriting(path, 0)
	if err != nil {
		return err
	}
	func() {
		defer recoverFault(&err)()
		err = bbolt.Compact(to.DB, q.file.DB, compactTx)
	}()
	return errors.Join(err, to.Close())
}
