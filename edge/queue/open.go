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

	"galla/edge/queue/disk"
	"galla/edge/queue/index"
	"galla/edge/queue/pages"
	"galla/edge/queue/stored"
	"galla/shared/op"
	"galla/shared/seal"
)

// Names of the files beside the queue file.
const (
	keysSuffix    = ".keys"
	compactSuffix = ".compacting"
	damagedInfix  = ".damaged-"
)

// Report says what Open found and did. Trouble is empty where there is nothing
// to tell.
type Report struct {
	New       bool    // a new, empty file was started
	SetAside  string  // where the damaged file lies now; empty: none was set aside
	Damaged   []op.ID // operations that don't open and lie set aside inside the file, from now or earlier
	NoBody    []op.ID // operations without an end whose request can't be read; their outcome can be asked for
	Compacted bool    // the file was rewritten without its free pages
	Trouble   string  // for the agent: what happened, to what, what to do
}

func (r *Report) tell(format string, args ...any) {
	if r.Trouble != "" {
		r.Trouble += " "
	}
	r.Trouble += fmt.Sprintf(format, args...)
}

// Open opens the queue, or makes a new one where there is no file. A damaged
// file is set aside and a new one started: Report says so. ErrLocked,
// ErrWrongKey and ErrNewer touch nothing; any other error is one of the disk or
// of the configuration. The caller closes the queue.
func Open(cfg Config) (*Queue, Report, error) {
	var report Report
	cfg, err := cfg.complete()
	if err != nil {
		return nil, report, err
	}
	box, err := seal.New(cfg.Key, cfg.Rand)
	if err != nil {
		return nil, report, fmt.Errorf("open the queue %s: %w", cfg.Path, err)
	}
	if err := os.MkdirAll(filepath.Dir(cfg.Path), 0o700); err != nil {
		return nil, report, fmt.Errorf("make the queue's folder: %w", err)
	}
	f, err := openKeys(cfg.Path+keysSuffix, cfg.LockTimeout)
	if err != nil {
		return nil, report, explain(cfg.Path, err)
	}
	q := &Queue{
		cfg: cfg, log: cfg.Logger, box: box, index: index.New(),
		keys:     &keys{f: f, box: box, rand: cfg.Rand, byID: map[op.ID]bodyKey{}},
		requests: make(chan *request, maxWaiting), stopping: make(chan struct{}), done: make(chan struct{}),
	}
	if err := disk.SyncFolder(filepath.Dir(cfg.Path)); err != nil { // the keys file may be new
		return nil, report, explain(cfg.Path, errors.Join(err, q.shut()))
	}
	if err := q.start(&report); err != nil {
		return nil, report, explain(cfg.Path, errors.Join(err, q.shut()))
	}
	if report.Trouble != "" {
		q.log.Error("the queue was opened with trouble", "path", cfg.Path, "trouble", report.Trouble)
	}
	go q.write()
	return q, report, nil
}

// explain says what to do about an error of Open.
func explain(path string, err error) error {
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

// start brings the file into use; a damaged one once aside.
func (q *Queue) start(report *Report) error {
	if err := os.Remove(q.cfg.Path + compactSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove what an interrupted compaction left: %w", err)
	}
	err := q.use(report)
	if !isDamage(err) {
		return err
	}
	q.log.Error("the queue file is damaged", "path", q.cfg.Path, "found", err)
	aside, moveErr := q.setFileAside()
	if moveErr != nil {
		return fmt.Errorf("the file is damaged (%w) and can't be set aside: %w", err, moveErr)
	}
	*report = Report{SetAside: aside}
	report.tell("The file of stored operations was damaged and was set aside as %s; a new one was started. Operations from before are not shown here: ask support what became of them before you give cash for one, and let the disk be checked.", aside)
	return q.use(report)
}

// use opens the file as it is now. *damage where it must not be used.
func (q *Queue) use(report *Report) error {
	size, err := sizeOf(q.cfg.Path)
	if err != nil {
		return err
	}
	var found pages.Shape
	if size > 0 {
		if found, err = verifyFile(q.cfg.Path, size); err != nil {
			return err
		}
	}
	if q.file, err = openDB(q.cfg.Path, q.cfg.LockTimeout, q.cfg.MaxSize); err != nil {
		return err
	}
	if size == 0 {
		return q.create(report)
	}
	if err := q.checkPages(); err != nil {
		return err
	}
	noCheck, err := q.checkKey()
	if err != nil {
		return err
	}
	if err := q.migrate(); err != nil {
		return err
	}
	if err := q.compact(report); err != nil {
		return err
	}
	return q.load(found.MetaLost, noCheck, report)
}

func sizeOf(path string) (int64, error) {
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

// verifyFile verifies the file's structure before bbolt maps it.
func verifyFile(path string, size int64) (pages.Shape, error) {
	f, err := os.Open(path)
	if err != nil {
		return pages.Shape{}, err
	}
	defer func() { _ = f.Close() }()
	return pages.Verify(f, size)
}

// openDB opens a bbolt file. A panic of bbolt, which can't be closed then, is
// *damage, and the file is closed for it.
func openDB(path string, wait time.Duration, maxSize int) (db *lockedDB, err error) {
	var opened *os.File
	defer func() {
		if isDamage(err) && opened != nil {
			_ = opened.Close()
		}
	}()
	defer guard(&err)()
	b, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout: wait, MaxSize: maxSize, FreelistType: bbolt.FreelistMapType,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			opened, err = os.OpenFile(name, flag, mode)
			return opened, err
		},
	})
	if errors.Is(err, berrors.ErrTimeout) {
		return nil, ErrLocked
	}
	if err != nil {
		return nil, err
	}
	return &lockedDB{DB: b, pageSize: b.Info().PageSize}, nil
}

// checkPages is bbolt's own view of what verify has seen.
func (q *Queue) checkPages() error {
	return q.view(func(tx *bbolt.Tx) error {
		var first error
		for err := range tx.Check() {
			if first == nil {
				first = damaged("the file's pages: %v", err)
			}
		}
		return first
	})
}

// create fills a new file.
func (q *Queue) create(report *Report) error {
	err := q.update(func(tx *bbolt.Tx) error {
		for _, name := range buckets() {
			if _, err := tx.CreateBucket([]byte(name)); err != nil {
				return fmt.Errorf("make bucket %s: %w", name, err)
			}
		}
		w := writing{q: q, tx: tx, state: &state{}}
		return errors.Join(w.putCheck(), w.putState())
	})
	if err != nil {
		return err
	}
	if err := disk.SyncFolder(filepath.Dir(q.cfg.Path)); err != nil {
		return fmt.Errorf("make the new file durable: %w", err)
	}
	if marked(q.keys.f) {
		report.tell("The file of stored operations %s was missing or empty; a new one was started. Operations from before are not shown here: ask support what became of them before you give cash for one.", q.cfg.Path)
	}
	report.New = true
	_, err = q.keys.read(nil)
	return err
}

// checkKey finds out whether the key is the file's. noCheck says that the check
// value is damaged, though the key is right.
func (q *Queue) checkKey() (noCheck bool, err error) {
	err = q.view(func(tx *bbolt.Tx) error {
		for _, name := range buckets() {
			if tx.Bucket([]byte(name)) == nil && name != inDays {
				return damaged("bucket %s is missing", name)
			}
		}
		var c check
		if q.readMeta(tx, keyCheck, &c) {
			switch {
			case c.Schema > stored.Reads:
				return fmt.Errorf("%w: its schema is %d, this program knows %d", ErrNewer, c.Schema, stored.Reads)
			case c.Schema < 1:
				return damaged("its schema is %d", c.Schema)
			case c.Schema >= 2 && tx.Bucket([]byte(inDays)) == nil:
				return damaged("bucket %s is missing", inDays)
			}
			return nil
		}
		noCheck = true
		if !q.opensAny(tx) {
			return ErrWrongKey
		}
		return nil
	})
	return noCheck, err
}

// migrate brings a file of an older schema to this one, in one transaction.
func (q *Queue) migrate() error {
	missing := false
	err := q.view(func(tx *bbolt.Tx) error {
		missing = tx.Bucket([]byte(inDays)) == nil
		return nil
	})
	if err != nil || !missing {
		return err
	}
	err = q.update(func(tx *bbolt.Tx) error {
		if _, err := tx.CreateBucket([]byte(inDays)); err != nil {
			return err
		}
		return writing{q: q, tx: tx, state: &state{}}.putCheck()
	})
	if err != nil {
		return fmt.Errorf("bring the file to schema %d: %w", stored.Schema, err)
	}
	return nil
}

// opensAny tells whether the key opens anything in the file.
func (q *Queue) opensAny(tx *bbolt.Tx) bool {
	if q.readMeta(tx, keyState, &state{}) {
		return true
	}
	opened := errors.New("opened")
	for _, bucket := range []string{inRecords, inCache} {
		err := tx.Bucket([]byte(bucket)).ForEach(func(k, v []byte) error {
			if _, err := q.box.Open(v, place(bucket, string(k))...); err == nil {
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

// setFileAside renames the file, copies its body keys beside it, and leaves
// room for a new one.
func (q *Queue) setFileAside() (string, error) {
	if q.file != nil {
		if err := q.file.Close(); err != nil {
			q.log.Warn("the damaged queue file can't be closed", "error", err)
		}
		q.file = nil
	}
	base := q.cfg.Path + damagedInfix + q.cfg.Now().UTC().Format("20060102T150405Z")
	aside := base
	for n := 2; disk.Exists(aside) || disk.Exists(aside+keysSuffix); n++ {
		aside = fmt.Sprintf("%s-%d", base, n)
	}
	data, err := io.ReadAll(io.NewSectionReader(q.keys.f, 0, (maxSlots+1)*slotSize))
	if err == nil {
		err = disk.WriteFile(aside+keysSuffix, data)
	}
	if err != nil {
		return "", fmt.Errorf("copy its body keys: %w", err)
	}
	if err := os.Rename(q.cfg.Path, aside); err != nil {
		return "", err
	}
	if err := disk.SyncFolder(filepath.Dir(q.cfg.Path)); err != nil {
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
	size, err := sizeOf(q.cfg.Path)
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
		return errors.Join(disk.RemoveIf(temp))
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
	if err := disk.SyncFolder(filepath.Dir(q.cfg.Path)); err != nil {
		return err
	}
	q.file, err = openDB(q.cfg.Path, q.cfg.LockTimeout, q.cfg.MaxSize)
	return err
}

// copyTo writes what the file holds to a new one, fsynced.
func (q *Queue) copyTo(path string) (err error) {
	to, err := openDB(path, q.cfg.LockTimeout, 0)
	if err != nil {
		return err
	}
	func() {
		defer guard(&err)()
		err = bbolt.Compact(to.DB, q.file.DB, compactTx)
	}()
	return errors.Join(err, to.Close())
}
