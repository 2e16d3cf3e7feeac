package postgres

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"galla/central"
)

// transaction is what tells later what became of one.
type transaction struct {
	number string // that of the server, which does not wrap around
	mark   uint64 // where the first record of it ends in the server's log
	life   life   // the server's
}

// The statements that open a transaction, sent together: the second has the
// server give it a number and write its first record. See the package comment.
const (
	begin  = `BEGIN ISOLATION LEVEL READ COMMITTED`
	number = `SELECT pg_current_xact_id()::text, pg_logical_emit_message(true, 'galla', ''::text)::text`
)

func open(ctx context.Context, c *pgx.Conn) (transaction, error) {
	var both pgx.Batch
	both.Queue(begin)
	both.Queue(number)
	results := c.SendBatch(ctx, &both)
	t := transaction{life: lifeOf(c)}
	var place string
	_, err := results.Exec()
	if err == nil {
		err = results.QueryRow().Scan(&t.number, &place)
	}
	if closeErr := results.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		t.mark, err = logPlace(place)
	}
	if err != nil {
		return transaction{}, fmt.Errorf("begin a transaction: %w", err)
	}
	return t, nil
}

// logPlace reads a place in the server's log as the server writes it: two
// hexadecimal numbers, the upper half and the lower.
func logPlace(text string) (uint64, error) {
	upper, lower, _ := strings.Cut(text, "/")
	high, highErr := strconv.ParseUint(upper, 16, 32)
	low, lowErr := strconv.ParseUint(lower, 16, 32)
	if err := errors.Join(highErr, lowErr); err != nil {
		return 0, fmt.Errorf("read a place in the server's log: %w", err)
	}
	return high<<32 | low, nil
}

// errUndone says that the server answered COMMIT by undoing: a statement had
// failed, and its error was not given back.
var errUndone = errors.New("a statement of the change failed, and the change is undone")

// unansweredError says that a COMMIT was sent and may have been carried out.
type unansweredError struct {
	of  transaction
	err error
}

func (e *unansweredError) Error() string { return "no answer to COMMIT: " + e.err.Error() }
func (e *unansweredError) Unwrap() error { return e.err }

// errWarned says that the server warned when it committed, as it does where the
// wait for the standby was ended by somebody.
var errWarned = errors.New("the server committed with a warning")

// commit ends a transaction. An *unansweredError leaves open what became of it;
// after any other, nothing was committed.
func commit(ctx context.Context, c *pgx.Conn, t transaction) error {
	if c.IsClosed() {
		return &lostError{pgconn.ErrConnClosed} // nothing of it is sent
	}
	delete(c.PgConn().CustomData(), keyWarned)
	// The driver's own word that an error came before anything was sent
	// (pgconn.SafeToRetry) is not to be had here: an answer that is lost while it
	// is waited for is told as a connection that was closed before.
	tag, err := c.Exec(ctx, "COMMIT")
	switch {
	case err == nil && tag.String() != "COMMIT":
		return errUndone
	case err == nil && c.PgConn().CustomData()[keyWarned] != nil:
		return &unansweredError{of: t, err: errWarned}
	case err == nil:
		return nil
	case c.IsClosed() || c.PgConn().TxStatus() != 'I':
		return &unansweredError{of: t, err: err}
	}
	return err // the server said no, and is there
}

// Write runs do in a transaction and commits it; see the package comment for
// what is run again, and what an error says. A caller whose context ends takes
// the change back if it was not begun; if it was, the caller still learns what
// became of it.
func (d *DB) Write(ctx context.Context, do func(*Link) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("the caller left before the change was queued: %w", err)
	}
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	deadline := time.Now().Add(d.cfg.Patience)
	taken := 0
	for n := 0; ; n++ {
		err := d.settle(ctx, d.attempt(ctx, deadline, do))
		if err == nil || errors.Is(err, ErrUnknown) {
			return err
		}
		if d.abandoned.Load() {
			return ErrAbandoned
		}
		cure := curable(err)
		if cure.taken {
			taken++
		}
		if !cure.any() || taken >= maxTaken {
			return Explain(err)
		}
		if ctx.Err() != nil || !d.pacer.before(ctx, deadline, n) {
			return d.gaveUp(ctx, err)
		}
	}
}

// settle asks what became of a transaction where that is open, and makes a
// certain error or none of it.
func (d *DB) settle(ctx context.Context, err error) error {
	var unanswered *unansweredError
	if !errors.As(err, &unanswered) {
		return err
	}
	committed, fateErr := d.fate(ctx, unanswered.of)
	switch {
	case fateErr != nil && d.abandoned.Load():
		return ErrAbandoned
	case fateErr != nil:
		return fmt.Errorf("%w: %w; %w", ErrUnknown, Explain(unanswered.err), fateErr)
	case committed:
		return nil
	}
	return &lostError{unanswered.err}
}

// gaveUp is the error of a change that was not made, and is not tried again.
func (d *DB) gaveUp(ctx context.Context, why error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("the caller left before the change was made: %w", ctx.Err())
	}
	return fmt.Errorf("the database did not take the change within %s, nothing was recorded: %w (%w)", d.cfg.Patience, Explain(why), central.ErrBusy)
}

// attempt runs do once. Before it has a connection it heeds the caller and the
// deadline, and from then on only a bound of its own: half of patience.
func (d *DB) attempt(ctx context.Context, deadline time.Time, do func(*Link) error) error {
	waiting, left := context.WithDeadline(ctx, deadline)
	defer left()
	defer context.AfterFunc(d.life, left)()
	pc, err := d.acquire(waiting)
	switch {
	case err != nil && waiting.Err() != nil:
		return &lostError{fmt.Errorf("no connection to the database was free: %w", err)}
	case err != nil:
		return &lostError{err}
	}
	defer d.release(pc)
	c := pc.Conn()
	// Where the other end is silent, there must be time left for another.
	own, cancel := d.within(ctx, time.Now().Add(d.cfg.Patience/2))
	defer cancel()
	t, err := open(own, c)
	if err == nil {
		err = d.guarded(&Link{ctx: own, own: c}, do)
	}
	if err == nil && d.abandoned.Load() {
		return ErrAbandoned
	}
	if err == nil {
		return commit(own, c, t)
	}
	return undo(own, c, err)
}

// undo rolls a transaction back because of an error, and gives that error.
func undo(ctx context.Context, c *pgx.Conn, why error) error {
	if !c.IsClosed() && c.PgConn().TxStatus() != 'I' {
		// Where this fails the connection is of no more use, and the server rolls
		// back by itself when it is closed.
		if _, err := c.Exec(ctx, "ROLLBACK"); err != nil {
			_ = c.PgConn().Conn().Close()
		}
	}
	if endsConnection(why) {
		_ = c.Close(ctx)
	}
	if c.IsClosed() {
		return &lostError{why}
	}
	return why
}

// guarded runs a change and makes an error of a panic.
func (d *DB) guarded(l *Link, do func(*Link) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			d.log.Error("panic in a change of the database; the change is undone", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = errPanic
		}
	}()
	return do(l)
}

var errPanic = errors.New("internal error (panic) in the change; it is undone")
