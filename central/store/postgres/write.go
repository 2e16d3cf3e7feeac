package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"galla/central"
	"galla/central/store/dbconn"
)

// transaction identifies a transaction, to ask for its result later.
type transaction struct {
	number      string      // from the server; it does not wrap around
	lsn         uint64      // end of its first record in the log
	incarnation incarnation // the server's
}

// The statements that start a transaction, sent together. The second one assigns a number
// and writes the first record. See doc.go.
const (
	beginStatement  = `BEGIN ISOLATION LEVEL READ COMMITTED`
	numberStatement = `SELECT pg_current_xact_id()::text, pg_logical_emit_message(true, 'galla', ''::text)::text`
)

func beginTransaction(ctx context.Context, c *pgx.Conn) (transaction, error) {
	var both pgx.Batch
	both.Queue(beginStatement)
	both.Queue(numberStatement)
	results := c.SendBatch(ctx, &both)
	t := transaction{incarnation: incarnationOf(c)}
	var place string
	_, err := results.Exec()
	if err == nil {
		err = results.QueryRow().Scan(&t.number, &place)
	}
	if closeErr := results.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		t.lsn, err = parseLSN(place)
	}
	if err != nil {
		return transaction{}, fmt.Errorf("begin a transaction: %w", err)
	}
	return t, nil
}

// parseLSN parses a position in the server's log: two hexadecimal numbers, the upper half and
// the lower.
func parseLSN(text string) (uint64, error) {
	upper, lower, _ := strings.Cut(text, "/")
	high, highErr := strconv.ParseUint(upper, 16, 32)
	low, lowErr := strconv.ParseUint(lower, 16, 32)
	if err := errors.Join(highErr, lowErr); err != nil {
		return 0, fmt.Errorf("read a position in the server's log: %w", err)
	}
	return high<<32 | low, nil
}

// errRolledBack means that the server answered COMMIT with ROLLBACK: a statement had failed,
// and the change ignored its error.
var errRolledBack = errors.New("a statement of the change failed, and the change is undone")

// unansweredError means that a COMMIT was sent and may have succeeded.
type unansweredError struct {
	of  transaction
	err error
}

func (e *unansweredError) Error() string { return "no answer to COMMIT: " + e.err.Error() }
func (e *unansweredError) Unwrap() error { return e.err }

// errWarned means that the server warned when it committed, as it does if somebody ended the
// wait for the standby.
var errWarned = errors.New("the server committed with a warning")

// commit ends a transaction. After an *unansweredError the result is open; after any other
// error, nothing was committed.
func commit(ctx context.Context, c *pgx.Conn, t transaction) error {
	if c.IsClosed() {
		return &lostError{pgconn.ErrConnClosed} // nothing of it is sent
	}
	delete(c.PgConn().CustomData(), keyWarned)
	// pgconn.SafeToRetry is of no use here: it reports a loss during the wait for the answer
	// like a connection that was closed before.
	tag, err := c.Exec(ctx, "COMMIT")
	switch {
	case err == nil && tag.String() != "COMMIT":
		return errRolledBack
	case err == nil && c.PgConn().CustomData()[keyWarned] != nil:
		return &unansweredError{of: t, err: errWarned}
	case err == nil:
		return nil
	case c.IsClosed() || c.PgConn().TxStatus() != 'I':
		return &unansweredError{of: t, err: err}
	}
	return err // the server refused the COMMIT
}

// Write runs do in a transaction and commits it; doc.go says when it runs again and what an
// error means. If the caller's context ends before the start, nothing is changed. After
// the start, the caller waits for the result.
func (d *DB) Write(ctx context.Context, do func(dbconn.Conn) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("the caller left before the change was queued: %w", err)
	}
	if err := d.startCall(); err != nil {
		return err
	}
	defer d.endCall()
	deadline := time.Now().Add(d.cfg.RetryFor)
	taken := 0
	for n := 0; ; n++ {
		err := d.resolveUnanswered(ctx, d.writeOnce(ctx, deadline, do))
		if err == nil || errors.Is(err, ErrUnknown) {
			return err
		}
		if d.abandoned.Load() {
			return dbconn.ErrAbandoned
		}
		cure := retryable(err)
		if cure.duplicate {
			taken++
		}
		if !cure.any() || taken >= maxDuplicateRetries {
			return Explain(err)
		}
		if ctx.Err() != nil || !waitUntil(ctx, deadline, n) {
			return d.retriesEnded(ctx, err)
		}
	}
}

// resolveUnanswered asks for the result of a transaction if it is open.
func (d *DB) resolveUnanswered(ctx context.Context, err error) error {
	var unanswered *unansweredError
	if !errors.As(err, &unanswered) {
		return err
	}
	committed, statusErr := d.commitStatus(ctx, unanswered.of)
	switch {
	case statusErr != nil && d.abandoned.Load():
		return dbconn.ErrAbandoned
	case statusErr != nil:
		return fmt.Errorf("%w: %w; %w", ErrUnknown, Explain(unanswered.err), statusErr)
	case committed:
		return nil
	}
	return &lostError{unanswered.err}
}

// retriesEnded is the error of a change that was not made and is not retried.
func (d *DB) retriesEnded(ctx context.Context, why error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("the caller left before the change was made: %w", ctx.Err())
	}
	return fmt.Errorf("the database did not take the change within %s, nothing was recorded: %w (%w)", d.cfg.RetryFor, Explain(why), central.ErrBusy)
}

// writeOnce runs do once. Until it has a connection, the caller's context and the deadline
// hold; from then on only its own limit, half of RetryFor.
func (d *DB) writeOnce(ctx context.Context, deadline time.Time, do func(dbconn.Conn) error) error {
	waiting, left := context.WithDeadline(ctx, deadline)
	defer left()
	defer context.AfterFunc(d.lifetime, left)()
	pc, err := d.acquire(waiting)
	switch {
	case err != nil && waiting.Err() != nil:
		return &lostError{fmt.Errorf("no connection to the database was free: %w", err)}
	case err != nil:
		return &lostError{err}
	}
	defer d.release(pc)
	c := pc.Conn()
	// If the other end is silent, there must be time for another attempt.
	own, cancel := d.boundedContext(ctx, time.Now().Add(d.cfg.RetryFor/2))
	defer cancel()
	t, err := beginTransaction(own, c)
	if err == nil {
		err = dbconn.Run(d.log, &conn{ctx: own, own: c}, do)
	}
	if err == nil && d.abandoned.Load() {
		return dbconn.ErrAbandoned
	}
	if err == nil {
		return commit(own, c, t)
	}
	return rollBack(own, c, err)
}

// rollBack rolls a transaction back after an error, and returns that error.
func rollBack(ctx context.Context, c *pgx.Conn, why error) error {
	if !c.IsClosed() && c.PgConn().TxStatus() != 'I' {
		// If this fails, the connection is closed, and the server rolls back by itself.
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
