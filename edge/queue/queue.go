package queue

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"galla/edge"
	"galla/edge/queue/index"
	"galla/edge/queue/stored"
	"galla/shared/op"
	"galla/shared/seal"
	"galla/shared/secret"
)

// Defaults and limits.
const (
	// DefaultMaxSize bounds the queue file, in bytes: half a year of a busy
	// counter is some 60 MB.
	DefaultMaxSize = 256 << 20
	// MinMaxSize is the smallest MaxSize.
	MinMaxSize = 8 << 20
	// DefaultLockTimeout is how long Open waits for another process: a restart
	// may overlap with the end of the program before it.
	DefaultLockTimeout = 1500 * time.Millisecond
	// Retention is how long ended operations are stored (domain.md: logs 180
	// days): Purge(now.Add(-Retention)), once a day, by the central's clock.
	Retention = 180 * 24 * time.Hour

	maxWaiting    = 256     // changes that wait for the writer; then callers wait to get in
	maxBatch      = 256     // changes in one transaction: a page of memory each, and one fsync for all
	maxRecent     = 1000    // operations that one Recent reads: pages show fewer
	maxCacheValue = 1 << 20 // bytes; a bank list is some 20 KB
	maxCacheName  = 64      // bytes
)

// Config sets up a Queue. Path, Key, Rand and Logger are needed.
type Config struct {
	// Path of the bbolt file; the keys file is beside it. The folder is created
	// with mode 0700.
	Path string
	// Key seals all values: 32 bytes, not in the folder's backup.
	Key secret.Key
	// Rand is read by one goroutine at a time.
	Rand   io.Reader
	Logger *slog.Logger

	MaxSize     int           // bytes; 0: DefaultMaxSize
	LockTimeout time.Duration // 0: DefaultLockTimeout
	// Verify checks the file at the path before it is opened for writing. Nil:
	// VerifyFile, in this process; ChildVerifier survives any damage.
	Verify func(path string) error
	Now    func() time.Time // nil: time.Now
}

func (c Config) complete() (Config, error) {
	if c.Path == "" || c.Rand == nil || c.Logger == nil {
		return c, errors.New("queue needs a path, randomness and a logger")
	}
	if c.MaxSize == 0 {
		c.MaxSize = DefaultMaxSize
	}
	if c.MaxSize < MinMaxSize {
		return c, fmt.Errorf("queue: MaxSize is %d bytes, at least %d are needed", c.MaxSize, MinMaxSize)
	}
	if c.LockTimeout == 0 {
		c.LockTimeout = DefaultLockTimeout
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c, nil
}

// Queue is edge.Queue on a bbolt file. Its methods may be called from many
// goroutines; those that write return after the fsync.
type Queue struct {
	cfg  Config
	log  *slog.Logger
	box  *seal.Box
	keys *bodyKeys
	// journal is where changes become durable; waiting is what is only there.
	journal *journal
	waiting waitingPuts
	file    *lockedDB
	index   *index.Index

	requests  chan *request
	closeOnce sync.Once
	stopping  chan struct{} // closed: no new changes
	killed    atomic.Bool   // Kill was called: nothing more is committed
	done      chan struct{} // the writer has ended

	// Owned by the writer.
	state      state // of the file
	restFailed bool  // the last rest failed; logged

	cursor     atomic.Int64
	depth      atomic.Int64
	mu         sync.Mutex
	unreported []op.ID // damaged records that Unresolved has not returned yet
}

// Queue is what the counter needs.
var _ edge.Queue = (*Queue)(nil)

type lockedDB struct {
	*bbolt.DB
	opened   *os.File
	pageSize int
	// stuck: a transaction panicked in bbolt, which takes no other and can't be closed.
	stuck atomic.Bool
}

// close closes the file; of a stuck one only the descriptor, with its lock.
func (f *lockedDB) close() error {
	if f.stuck.Load() {
		return f.opened.Close()
	}
	return f.Close()
}

// Close ends the queue after the changes that were accepted are on the disk.
func (q *Queue) Close() error {
	q.closeOnce.Do(func() { close(q.stopping) })
	<-q.done
	return q.closeFiles()
}

// Kill ends the queue as a killed process would: nothing more is committed or
// cleaned up, and waiting callers get ErrClosed. It is for tests that crash a
// counter.
func (q *Queue) Kill() {
	q.killed.Store(true)
	q.closeOnce.Do(func() { close(q.stopping) })
	<-q.done
	if err := q.closeFiles(); err != nil {
		q.log.Warn("the abandoned queue can't be closed", "error", err)
	}
}

func (q *Queue) closeFiles() error {
	var errs []error
	if q.file != nil {
		errs = append(errs, q.file.close())
	}
	for _, f := range []*os.File{q.keys.f, q.journal.f} {
		if err := f.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, q.keys.unlock())...)
}

// Add implements edge.Queue. The id must be a UUIDv7 (op.ErrID), and the state
// one of a counter (edge.ErrIllegal). It fails with ErrFull while there is still
// space to end every operation in the queue.
func (q *Queue) Add(r edge.Record) error {
	if err := checkNew(r); err != nil {
		return err
	}
	_, err := q.submit(&request{adds: true, run: func(s *batchView) (change, error) {
		if _, err := s.get(r.ID); !errors.Is(err, edge.ErrNotFound) || errors.Is(err, ErrDamaged) {
			if err == nil || errors.Is(err, ErrDamaged) {
				err = edge.ErrExists
			}
			return change{}, fmt.Errorf("add operation %s: %w", r.ID, err)
		}
		put := r.Finalized(q.cfg.Now)
		return change{put: &put, fresh: true}, nil
	}})
	return err
}

func checkNew(r edge.Record) error {
	if _, err := op.ParseID(string(r.ID)); err != nil {
		return fmt.Errorf("add an operation: its id %w", err)
	}
	if !stored.IsCounterState(r.State) {
		return fmt.Errorf("add operation %s in state %q: %w", r.ID, r.State, edge.ErrIllegal)
	}
	return nil
}

// Change implements edge.Queue. A record that does not open is *DamagedError.
// change is called once, by the writer: it must not call the queue.
func (q *Queue) Change(id op.ID, alter func(*edge.Record) error) (edge.Record, error) {
	return q.submit(&request{run: func(s *batchView) (change, error) { return s.change(id, alter) }})
}

// ApplyEvent implements edge.Queue. An operation whose record does not open counts
// as missing. For a cursor that was applied before, it returns the operation
// unchanged.
func (q *Queue) ApplyEvent(cursor int64, id op.ID, alter func(*edge.Record) error) (edge.Record, error) {
	return q.submit(&request{run: func(s *batchView) (change, error) {
		if cursor <= s.cursor {
			r, err := s.get(id)
			if errors.Is(err, edge.ErrNotFound) {
				err = nil
			}
			return change{answer: r}, err
		}
		if id == "" {
			return change{cursor: cursor}, nil
		}
		c, err := s.change(id, alter)
		if errors.Is(err, edge.ErrNotFound) && !s.isReadable(id) {
			if errors.Is(err, ErrDamaged) {
				q.log.Error("the central reported an outcome of an unreadable operation", "operation", id, "event", cursor)
			}
			c, err = change{}, nil
		}
		c.cursor = cursor
		return c, err
	}})
}

// AddByEvent implements edge.Queue, under the rules of Add.
func (q *Queue) AddByEvent(cursor int64, r edge.Record) (edge.Record, error) {
	if err := checkNew(r); err != nil {
		return edge.Record{}, err
	}
	return q.submit(&request{adds: true, run: func(s *batchView) (change, error) {
		known, err := s.get(r.ID)
		switch {
		case err == nil, errors.Is(err, ErrDamaged):
			return change{cursor: newer(cursor, s.cursor), answer: known}, nil
		case !errors.Is(err, edge.ErrNotFound):
			return change{}, err
		}
		put := r.Finalized(q.cfg.Now)
		return change{put: &put, fresh: true, cursor: newer(cursor, s.cursor), answer: put}, nil
	}})
}

// newer is a cursor that moves on; 0: it does not.
func newer(cursor, applied int64) int64 {
	if cursor <= applied {
		return 0
	}
	return cursor
}

// PutCache implements edge.Queue.
func (q *Queue) PutCache(name string, value []byte, at time.Time) error {
	if name == "" || len(name) > maxCacheName || len(value) > maxCacheValue {
		return fmt.Errorf("cache %.64q: a name has 1 to %d bytes, a value up to %d", name, maxCacheName, maxCacheValue)
	}
	_, err := q.submit(&request{run: func(*batchView) (change, error) {
		return change{cache: &cached{name: name, value: value, at: at}}, nil
	}})
	return err
}

// Purge deletes the operations that ended before the given time, and damaged ones
// that were created before it, and returns how many. Others stay.
func (q *Queue) Purge(before time.Time) (int, error) {
	if _, err := q.submit(&request{rest: true, run: func(*batchView) (change, error) { return change{}, nil }}); err != nil {
		return 0, fmt.Errorf("purge operations that ended before %s: %w", before.Format(time.DateOnly), err)
	}
	total := 0
	for after := ""; ; {
		ids, last, err := q.purgeCandidates(after, before)
		if err != nil || last == "" {
			return total, err
		}
		n := 0
		_, err = q.submit(&request{run: func(s *batchView) (change, error) {
			gone, err := s.purgeable(ids, before)
			n = len(gone)
			return change{purge: gone}, err
		}})
		if err != nil {
			return total, fmt.Errorf("purge operations that ended before %s: %w", before.Format(time.DateOnly), err)
		}
		total, after = total+n, last
	}
}

// Cursor implements edge.Queue.
func (q *Queue) Cursor() (int64, error) {
	select {
	case <-q.done:
		return 0, ErrClosed
	default:
		return q.cursor.Load(), nil
	}
}

// UnresolvedCount implements edge.Queue.
func (q *Queue) UnresolvedCount() int { return int(q.depth.Load()) }

// view runs a short read transaction. fn copies out what it needs.
func (q *Queue) view(fn func(tx *bbolt.Tx) error) (err error) {
	defer recoverFault(&err)()
	return mapClosed(q.file.View(fn))
}

// update runs a transaction that is fsynced when it returns nil.
func (q *Queue) update(fn func(tx *bbolt.Tx) error) (err error) {
	if q.file.stuck.Load() {
		return damaged("the queue file is damaged; stop the program and call support")
	}
	defer func() {
		if isDamage(err) {
			q.file.stuck.Store(true)
		}
	}()
	defer recoverFault(&err)()
	return mapClosed(q.file.Update(fn))
}

func mapClosed(err error) error {
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return ErrClosed
	}
	return err
}

// recoverFault turns a panic of bbolt, or a fault of its mapped file, into *damage.
// bbolt trusts what it maps, and maps what the disk holds.
func recoverFault(err *error) func() {
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		if p := recover(); p != nil {
			*err = damaged("the queue file is damaged (%v); stop the program and call support", p)
		}
	}
}
