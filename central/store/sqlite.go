package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/pressly/goose/v3"

	"galla/central"
)

// SQLite is a store in one SQLite file. It implements central.Store and is
// safe for concurrent use.
type SQLite struct {
	path   string
	writer *writer
	// readers holds the connections that nobody reads with at the moment.
	readers chan conn
	pools   []*sql.DB

	stopped  chan struct{} // closed when nothing more is taken
	finished chan struct{} // closed when everything has ended
	closeErr error         // set before finished is closed

	mu     sync.RWMutex // held for reading while a job is queued
	closed bool
}

var _ central.Store = (*SQLite)(nil)

// OpenSQLite opens the database in the given file, makes it if there is none,
// and migrates it to the newest schema. It refuses a database that a newer
// program has migrated, and one that does not take the settings on which the
// store's promises rest: write-ahead log, synchronous=FULL, foreign keys.
//
// Close or Abandon ends what it starts.
func OpenSQLite(ctx context.Context, path string, cfg Config) (*SQLite, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	path, err = prepareFile(path)
	if err != nil {
		return nil, err
	}
	if err := migrateFile(ctx, path, cfg); err != nil {
		return nil, fmt.Errorf("migrate database %s: %w", path, err)
	}
	s := &SQLite{
		path:     path,
		readers:  make(chan conn, cfg.Readers),
		stopped:  make(chan struct{}),
		finished: make(chan struct{}),
	}
	if err := s.connect(ctx, cfg); err != nil {
		return nil, errors.Join(err, s.disconnect())
	}
	go s.writer.run()
	return s, nil
}

// migrateFile migrates over a connection of its own, so that none of those
// that work has seen an older schema.
func migrateFile(ctx context.Context, path string, cfg Config) error {
	db := openDB(writing(path), 1)
	steps, err := fs.Sub(sqliteMigrations, "migrations/sqlite")
	if err != nil {
		return errors.Join(err, db.Close())
	}
	return errors.Join(migrate(ctx, goose.DialectSQLite3, db, steps, cfg.Logger), db.Close())
}

// connect opens the writer's connection and the readers'.
func (s *SQLite) connect(ctx context.Context, cfg Config) error {
	open := func(c connector, n int, take func(conn)) error {
		db := openDB(c, n)
		s.pools = append(s.pools, db)
		for range n {
			link, err := db.Conn(ctx)
			if err != nil {
				return err
			}
			take(conn{link: link, node: cfg.Node})
		}
		return nil
	}
	err := open(writing(s.path), 1, func(c conn) {
		s.writer = &writer{
			c: c, queue: make(chan *job, cfg.Queue), batch: cfg.Batch, log: cfg.Logger, ended: make(chan struct{}),
		}
	})
	if err != nil {
		return err
	}
	return open(reading(s.path), cfg.Readers, func(c conn) { s.readers <- c })
}

// disconnect closes the connections that are not in use, and the pools.
func (s *SQLite) disconnect() error {
	var errs []error
	for range len(s.readers) {
		errs = append(errs, (<-s.readers).link.Close())
	}
	if s.writer != nil {
		errs = append(errs, s.writer.c.link.Close())
	}
	for _, db := range s.pools {
		errs = append(errs, db.Close())
	}
	return errors.Join(errs...)
}

// Close takes nothing more, commits what is queued, waits for reads under way
// and closes the file. Calls that come later fail; closing again only waits.
func (s *SQLite) Close() error { return s.end(false) }

// Abandon closes the store as if the process had been killed: what is queued
// or in an open transaction is not committed and its callers get an error. It
// is for simulations of a crash.
func (s *SQLite) Abandon() error { return s.end(true) }

func (s *SQLite) end(abandon bool) error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	if abandon {
		s.writer.abandoned.Store(true)
	}
	if first {
		close(s.stopped)
		close(s.writer.queue)
	}
	s.mu.Unlock()
	if !first {
		<-s.finished
		return s.closeErr
	}
	<-s.writer.ended
	// Wait for the readers' last users by collecting every connection.
	var all []conn
	for range cap(s.readers) {
		all = append(all, <-s.readers)
	}
	for _, c := range all {
		s.readers <- c
	}
	if err := s.disconnect(); err != nil {
		s.closeErr = fmt.Errorf("close database %s: %w", s.path, explain(err))
	}
	close(s.finished)
	return s.closeErr
}

// write queues a change and waits until it is committed. A caller whose
// context ends takes the change back if it was not begun; if it was, the
// caller still learns what became of it.
func (s *SQLite) write(ctx context.Context, do func(conn) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("the caller left before the change was queued: %w", err)
	}
	j := &job{do: do, done: make(chan struct{})}
	if err := s.queue(j); err != nil {
		return err
	}
	select {
	case <-j.done:
	case <-ctx.Done():
		if j.withdraw() {
			return fmt.Errorf("the caller left before the change was begun: %w", ctx.Err())
		}
		<-j.done
	}
	return j.err
}

func (s *SQLite) queue(j *job) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return errClosed
	}
	select {
	case s.writer.queue <- j:
		return nil
	default:
		return fmt.Errorf("%d changes wait for the database: %w", cap(s.writer.queue), central.ErrBusy)
	}
}

// read runs do on a connection that nobody else uses meanwhile.
func (s *SQLite) read(ctx context.Context, do func(conn) error) error {
	select {
	case <-s.stopped:
		return errClosed
	default:
	}
	select {
	case <-s.stopped:
		return errClosed
	case <-ctx.Done():
		return fmt.Errorf("the caller left before the database was read: %w", ctx.Err())
	case c := <-s.readers:
		defer func() { s.readers <- c }()
		return explain(do(c))
	}
}

// Ping tells whether the store reads and takes changes: it goes through the
// queue and a transaction that changes nothing, and so fails with
// central.ErrBusy where readiness should.
func (s *SQLite) Ping(ctx context.Context) error {
	if err := s.write(ctx, func(conn) error { return nil }); err != nil {
		return fmt.Errorf("database %s takes no changes: %w", s.path, err)
	}
	var n int
	if err := s.read(ctx, func(c conn) error { return c.one(`SELECT count(*) FROM counters`, nil, &n) }); err != nil {
		return fmt.Errorf("database %s cannot be read: %w", s.path, err)
	}
	return nil
}

// Backlog counts the operations that wait for the bank's word, for metrics:
// pending has all of them, stuck those among them that wait for a person.
func (s *SQLite) Backlog(ctx context.Context) (pending, stuck int, err error) {
	err = s.read(ctx, func(c conn) error {
		return c.one(`SELECT
			(SELECT count(*) FROM operations WHERE settled_at IS NULL AND state = 'pending'),
			(SELECT count(*) FROM operations WHERE state = 'pending' AND stuck_at IS NOT NULL)`, nil, &pending, &stuck)
	})
	if err != nil {
		return 0, 0, fmt.Errorf("count pending operations: %w", err)
	}
	return pending, stuck, nil
}
