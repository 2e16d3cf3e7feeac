package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"galla/central"
	"galla/central/store/dbconn"
)

// DB is one SQLite file that is open. It is safe for concurrent use.
type DB struct {
	path   string
	writer *writer
	// readers are the idle connections for reads.
	readers chan *link

	stopped  chan struct{} // closed when no more calls are accepted
	finished chan struct{} // closed when all calls have ended
	closeErr error         // set before finished is closed

	mu     sync.RWMutex // held for reading while a job is queued
	closed bool
}

// Open opens the database in a file, and creates it if there is none. migrate runs first, on
// its own connection, so that no other connection has seen an older schema. A file that
// does not take the settings of the package comment is refused.
//
// Close or Abandon ends it.
func Open(ctx context.Context, path string, cfg dbconn.Config, migrate func(context.Context, *sql.DB) error) (*DB, error) {
	cfg, err := cfg.WithDefaults()
	if err != nil {
		return nil, err
	}
	path, err = prepareFile(path)
	if err != nil {
		return nil, err
	}
	own := Connect(path)
	if err := errors.Join(migrate(ctx, own), own.Close()); err != nil {
		return nil, fmt.Errorf("migrate database %s: %w", path, err)
	}
	d := &DB{
		path:     path,
		readers:  make(chan *link, cfg.Readers),
		stopped:  make(chan struct{}),
		finished: make(chan struct{}),
	}
	if err := d.connect(cfg); err != nil {
		return nil, errors.Join(err, d.disconnect())
	}
	go d.writer.checkpoints.run()
	go d.writer.run()
	return d, nil
}

// Name is the absolute path of the file.
func (d *DB) Name() string { return d.path }

// connect opens the writer's connection and the readers'.
func (d *DB) connect(cfg dbconn.Config) error {
	own, err := writerConnector(d.path).link()
	if err != nil {
		return err
	}
	d.writer = &writer{
		link: own, queue: make(chan *job, cfg.Queue), batch: cfg.Batch, log: cfg.Logger, ended: make(chan struct{}),
	}
	copying, err := writerConnector(d.path).link()
	if err != nil {
		return err
	}
	d.writer.checkpoints = newCheckpointer(copying)
	for range cfg.Readers {
		own, err := readerConnector(d.path).link()
		if err != nil {
			return err
		}
		d.readers <- own
	}
	return nil
}

// disconnect closes the connections that are not in use.
func (d *DB) disconnect() error {
	var errs []error
	for range len(d.readers) {
		errs = append(errs, (<-d.readers).close())
	}
	if d.writer != nil {
		errs = append(errs, d.writer.link.close())
	}
	if d.writer != nil && d.writer.checkpoints != nil {
		errs = append(errs, d.writer.checkpoints.link.close())
	}
	return errors.Join(errs...)
}

// Close accepts no more calls, commits what is queued, waits for reads in progress and closes
// the file. Later calls fail. Closing again only waits.
func (d *DB) Close() error { return d.end(false) }

// Abandon closes the file as if the process had been killed: queued changes and open
// transactions are not committed, and their callers get an error. It is for simulations of
// a crash.
func (d *DB) Abandon() error { return d.end(true) }

func (d *DB) end(abandon bool) error {
	d.mu.Lock()
	first := !d.closed
	d.closed = true
	if abandon {
		d.writer.abandoned.Store(true)
	}
	if first {
		close(d.stopped)
		close(d.writer.queue)
	}
	d.mu.Unlock()
	if !first {
		<-d.finished
		return d.closeErr
	}
	<-d.writer.ended
	d.writer.checkpoints.stop()
	// Wait for reads in progress by collecting all connections.
	var all []*link
	for range cap(d.readers) {
		all = append(all, <-d.readers)
	}
	for _, c := range all {
		d.readers <- c
	}
	if err := d.disconnect(); err != nil {
		d.closeErr = fmt.Errorf("close database %s: %w", d.path, Explain(err))
	}
	close(d.finished)
	return d.closeErr
}

// Write queues a change and waits until it is committed. If the caller's context ends before
// the change starts, nothing is changed. After the start, the caller waits for the result.
func (d *DB) Write(ctx context.Context, do func(dbconn.Conn) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("the caller left before the change was queued: %w", err)
	}
	j := &job{do: do, done: make(chan struct{})}
	if err := d.enqueue(j); err != nil {
		return err
	}
	select {
	case <-j.done:
	case <-ctx.Done():
		if j.withdraw() {
			return fmt.Errorf("the caller left before the change was started: %w", ctx.Err())
		}
		<-j.done
	}
	return j.err
}

func (d *DB) enqueue(j *job) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed {
		return dbconn.ErrClosed
	}
	select {
	case d.writer.queue <- j:
		return nil
	default:
		return fmt.Errorf("%d changes wait for the database: %w", cap(d.writer.queue), central.ErrBusy)
	}
}

// Read runs do on a connection that no other call uses at the same time.
func (d *DB) Read(ctx context.Context, do func(dbconn.Conn) error) error {
	select {
	case <-d.stopped:
		return dbconn.ErrClosed
	default:
	}
	select {
	case <-d.stopped:
		return dbconn.ErrClosed
	case <-ctx.Done():
		return fmt.Errorf("the caller left before the database was read: %w", ctx.Err())
	case c := <-d.readers:
		defer func() { d.readers <- c }()
		return Explain(do(c))
	}
}
