package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"galla/central"
)

// DB is one database. It is safe for concurrent use.
type DB struct {
	connector *connector
	pool      *pgxpool.Pool
	cfg       Config
	log       *slog.Logger
	listener  *listener // nil: this DB is no node

	life      context.Context // ends when the DB is abandoned
	end       context.CancelFunc
	pacer     *pacer
	reset     atomic.Int64 // when idle connections were last dropped, in Unix nanoseconds
	abandoned atomic.Bool

	mu       sync.Mutex
	closed   bool
	inside   int // calls under way or waiting
	calls    sync.WaitGroup
	finished chan struct{} // closed when everything has ended
}

// Open connects to the database of a URL or of a list of key=value, of whose
// hosts it uses the one that takes changes, and waits for it as long as
// Config.Patience. A server that does not have the settings of the package
// comment is refused, and so is a node's name that another holds.
//
// Close or Abandon ends what it starts.
func Open(ctx context.Context, url string, cfg Config) (*DB, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	c, err := newConnector(url, cfg)
	if err != nil {
		return nil, err
	}
	d := &DB{connector: c, cfg: cfg, log: cfg.Logger, pacer: newPacer(cfg), finished: make(chan struct{})}
	d.life, d.end = context.WithCancel(context.WithoutCancel(ctx))
	if d.pool, err = pgxpool.NewWithConfig(d.life, c.settings); err != nil {
		d.end()
		return nil, fmt.Errorf("open database %s: %w", c.name, Explain(err))
	}
	if err := d.Read(ctx, func(l *Link) error { _, err := l.Exec(`SELECT 1`, nil); return err }); err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", c.name, err), d.Close())
	}
	if cfg.Ring == nil {
		return d, nil
	}
	l := newListener(c, cfg)
	if err := l.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", c.name, err), d.Close())
	}
	d.listener = l
	return d, nil
}

// Name tells people which database it is: its name, and every host.
func (d *DB) Name() string { return d.connector.name }

// Lost receives once, when another program has taken this node's name: what
// happened and what to do. The node must then stop taking work. A DB without
// Config.Ring gives nil.
func (d *DB) Lost() <-chan error {
	if d.listener == nil {
		return nil
	}
	return d.listener.lost
}

// Load is how much of a DB is in use.
type Load struct {
	Busy    int // connections that calls have
	Open    int // connections, the idle ones included
	Limit   int // connections at most
	Waiting int // calls without a connection
}

// Load tells how much is in use, for metrics.
func (d *DB) Load() Load {
	s := d.pool.Stat()
	d.mu.Lock()
	defer d.mu.Unlock()
	busy := int(s.AcquiredConns())
	return Load{Busy: busy, Open: int(s.TotalConns()), Limit: int(s.MaxConns()), Waiting: max(0, d.inside-busy)}
}

// Close takes nothing more, waits for the calls under way and those that wait,
// gives the node's name back and closes the connections. Calls that come later
// fail with ErrClosed; closing again only waits.
func (d *DB) Close() error {
	d.finish()
	return nil
}

// Abandon cuts every connection as if the process had been killed: what no
// COMMIT was sent for is not committed, and its callers get ErrAbandoned. It is
// for simulations of a crash.
func (d *DB) Abandon() error {
	d.abandoned.Store(true)
	d.connector.abandon()
	d.end()
	d.finish()
	return nil
}

func (d *DB) finish() {
	d.mu.Lock()
	first := !d.closed
	d.closed = true
	d.mu.Unlock()
	if !first {
		<-d.finished
		return
	}
	d.calls.Wait()
	if d.listener != nil {
		d.listener.stop()
	}
	d.pool.Close()
	d.end()
	close(d.finished)
}

// enter counts a call in.
func (d *DB) enter() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return ErrClosed
	}
	if d.inside >= d.cfg.Queue+int(d.connector.settings.MaxConns) {
		return fmt.Errorf("%d calls wait for the database: %w", d.cfg.Queue, central.ErrBusy)
	}
	d.inside++
	d.calls.Add(1)
	return nil
}

func (d *DB) leave() {
	d.mu.Lock()
	d.inside--
	d.mu.Unlock()
	d.calls.Done()
}

// within gives a context that ends with the DB's life and at a deadline, and not
// with its caller's.
func (d *DB) within(ctx context.Context, deadline time.Time) (context.Context, context.CancelFunc) {
	own, cancel := context.WithDeadline(context.WithoutCancel(ctx), deadline)
	stop := context.AfterFunc(d.life, cancel)
	return own, func() { stop(); cancel() }
}

// acquire takes a connection for as long as ctx lasts.
func (d *DB) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	c, err := d.pool.Acquire(ctx)
	if err != nil && d.abandoned.Load() {
		return nil, ErrAbandoned
	}
	return c, err
}

// release gives a connection back. One that is lost takes the idle ones with it,
// which are likely as dead.
func (d *DB) release(c *pgxpool.Conn) {
	lost := c.Conn().IsClosed()
	c.Release()
	if !lost {
		return
	}
	now := time.Now().UnixNano()
	if last := d.reset.Load(); now-last >= int64(resetEvery) && d.reset.CompareAndSwap(last, now) {
		d.pool.Reset()
	}
}

// Read runs do on a connection that nobody else uses meanwhile. A caller whose
// context ends leaves at once. After a loss it runs do again as long as nothing
// that was read has reached do.
func (d *DB) Read(ctx context.Context, do func(*Link) error) error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	own, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	defer context.AfterFunc(d.life, cancel)()
	deadline := time.Now().Add(d.cfg.Patience)
	for n := 0; ; n++ {
		seen, err := d.readOnce(own, do)
		switch {
		case err == nil:
			return nil
		case d.abandoned.Load():
			return ErrAbandoned
		case ctx.Err() != nil:
			return fmt.Errorf("the caller left before the database was read: %w", ctx.Err())
		case seen || !curable(err).outage:
			return Explain(err)
		case !d.pacer.before(own, deadline, n):
			return fmt.Errorf("the database could not be read within %s: %w (%w)", d.cfg.Patience, Explain(err), central.ErrBusy)
		}
	}
}

func (d *DB) readOnce(ctx context.Context, do func(*Link) error) (seen bool, err error) {
	c, err := d.acquire(ctx)
	if err != nil {
		return false, &lostError{err}
	}
	defer d.release(c)
	l := &Link{ctx: ctx, own: c.Conn()}
	err = do(l)
	if err != nil && c.Conn().IsClosed() {
		err = &lostError{err}
	}
	return l.seen, err
}
