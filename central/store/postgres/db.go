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
	"galla/central/store/dbconn"
)

// DB is one database. It is safe for concurrent use.
type DB struct {
	connector *connector
	pool      *pgxpool.Pool
	cfg       dbconn.Config
	log       *slog.Logger
	listener  *listener // nil: this DB is no node

	lifetime  context.Context // ends when the DB is abandoned
	end       context.CancelFunc
	reset     atomic.Int64 // when idle connections were last dropped, in Unix nanoseconds
	abandoned atomic.Bool

	mu       sync.Mutex
	closed   bool
	inFlight int // calls under way or waiting
	calls    sync.WaitGroup
	finished chan struct{} // closed when everything has ended
}

// Open connects to the database of a URL or of a list of key=value, on the host that takes
// changes, and waits for it up to Config.RetryFor. It refuses a server without the settings
// of the package comment, and a node name that another node has.
//
// Close or Abandon ends it.
func Open(ctx context.Context, url string, cfg dbconn.Config) (*DB, error) {
	cfg, err := cfg.WithDefaults()
	if err != nil {
		return nil, err
	}
	c, err := newConnector(url, cfg)
	if err != nil {
		return nil, err
	}
	d := &DB{connector: c, cfg: cfg, log: cfg.Logger, finished: make(chan struct{})}
	d.lifetime, d.end = context.WithCancel(context.WithoutCancel(ctx))
	if d.pool, err = pgxpool.NewWithConfig(d.lifetime, c.settings); err != nil {
		d.end()
		return nil, fmt.Errorf("open database %s: %w", c.name, Explain(err))
	}
	if err := d.Read(ctx, func(l dbconn.Conn) error { _, err := l.Exec(`SELECT 1`, nil); return err }); err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", c.name, err), d.Close())
	}
	if cfg.OnNotify == nil {
		return d, nil
	}
	l := newListener(c, cfg)
	if err := l.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", c.name, err), d.Close())
	}
	d.listener = l
	return d, nil
}

// Name is the name of the database for people, with all hosts.
func (d *DB) Name() string { return d.connector.name }

// NodeNameLost receives once, if another program has taken this node's name. The node must
// then stop. It is nil without Config.OnNotify.
func (d *DB) NodeNameLost() <-chan error {
	if d.listener == nil {
		return nil
	}
	return d.listener.lost
}

// PoolUsage is the use of a pool.
type PoolUsage struct {
	Busy    int // connections in use
	Open    int // connections, with idle ones
	Limit   int // of connections
	Waiting int // calls without a connection
}

// PoolUsage returns the use of the pool, for metrics.
func (d *DB) PoolUsage() PoolUsage {
	s := d.pool.Stat()
	d.mu.Lock()
	defer d.mu.Unlock()
	busy := int(s.AcquiredConns())
	return PoolUsage{Busy: busy, Open: int(s.TotalConns()), Limit: int(s.MaxConns()), Waiting: max(0, d.inFlight-busy)}
}

// Close accepts no more calls, waits for all calls in progress, releases the node's name and
// closes the connections. Later calls fail with dbconn.ErrClosed. Closing again only waits.
func (d *DB) Close() error {
	d.finish()
	return nil
}

// Abandon closes all connections as if the process had been killed: changes without a sent
// COMMIT are not committed, and their callers get dbconn.ErrAbandoned. It is for
// simulations of a crash.
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

// startCall counts a call.
func (d *DB) startCall() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return dbconn.ErrClosed
	}
	if d.inFlight >= d.cfg.Queue+int(d.connector.settings.MaxConns) {
		return fmt.Errorf("%d calls wait for the database: %w", d.cfg.Queue, central.ErrBusy)
	}
	d.inFlight++
	d.calls.Add(1)
	return nil
}

func (d *DB) endCall() {
	d.mu.Lock()
	d.inFlight--
	d.mu.Unlock()
	d.calls.Done()
}

// boundedContext returns a context that ends with the DB and at a deadline, but not with the
// caller's context.
func (d *DB) boundedContext(ctx context.Context, deadline time.Time) (context.Context, context.CancelFunc) {
	own, cancel := context.WithDeadline(context.WithoutCancel(ctx), deadline)
	stop := context.AfterFunc(d.lifetime, cancel)
	return own, func() { stop(); cancel() }
}

// acquire takes a connection for as long as ctx lasts.
func (d *DB) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	c, err := d.pool.Acquire(ctx)
	if err != nil && d.abandoned.Load() {
		return nil, dbconn.ErrAbandoned
	}
	return c, err
}

// release returns a connection to the pool. After a loss, the idle connections are closed
// too: they are probably dead.
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

// Read runs do on a connection that no other call uses. It ends at once when the caller's
// context ends. After a loss it runs do again, unless do has seen a row.
func (d *DB) Read(ctx context.Context, do func(dbconn.Conn) error) error {
	if err := d.startCall(); err != nil {
		return err
	}
	defer d.endCall()
	own, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	defer context.AfterFunc(d.lifetime, cancel)()
	deadline := time.Now().Add(d.cfg.RetryFor)
	for n := 0; ; n++ {
		seen, err := d.readOnce(own, do)
		switch {
		case err == nil:
			return nil
		case d.abandoned.Load():
			return dbconn.ErrAbandoned
		case ctx.Err() != nil:
			return fmt.Errorf("the caller left before the database was read: %w", ctx.Err())
		case seen || !retryable(err).outage:
			return Explain(err)
		case !waitUntil(own, deadline, n):
			return fmt.Errorf("the database could not be read within %s: %w (%w)", d.cfg.RetryFor, Explain(err), central.ErrBusy)
		}
	}
}

func (d *DB) readOnce(ctx context.Context, do func(dbconn.Conn) error) (seen bool, err error) {
	c, err := d.acquire(ctx)
	if err != nil {
		return false, &lostError{err}
	}
	defer d.release(c)
	l := &conn{ctx: ctx, own: c.Conn()}
	err = do(l)
	if err != nil && c.Conn().IsClosed() {
		err = &lostError{err}
	}
	return l.delivered, err
}
