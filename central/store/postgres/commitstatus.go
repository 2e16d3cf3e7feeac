package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"galla/central/store/dbconn"
)

var (
	errInProgress = errors.New("the transaction is still in progress")
	errForgotten  = errors.New("the server no longer knows the transaction")
)

// commitStatus asks for the result of a transaction whose COMMIT was not answered, for up to
// RetryFor: the caller waits longer, but a wrong answer would be worse.
func (d *DB) commitStatus(ctx context.Context, t transaction) (committed bool, err error) {
	deadline := time.Now().Add(d.cfg.RetryFor)
	own, cancel := d.boundedContext(ctx, deadline)
	defer cancel()
	for n := 0; ; n++ {
		once, end := context.WithTimeout(own, d.cfg.RetryFor/2)
		committed, err = d.queryCommitStatus(once, t)
		end()
		if err == nil {
			d.log.Info("a connection was lost while a change was committed; its result is known", "database", d.Name(), "committed", committed)
			return committed, nil
		}
		if d.abandoned.Load() {
			return false, dbconn.ErrAbandoned
		}
		var unanswered *unansweredError
		if !errors.Is(err, errInProgress) && !errors.As(err, &unanswered) && !retryable(err).any() {
			return false, Explain(err)
		}
		if !waitUntil(own, deadline, n) {
			return false, fmt.Errorf("the database did not answer within %s: %w", d.cfg.RetryFor, Explain(err))
		}
	}
}

// queryCommitStatus asks once, in its own transaction. After the answer 'committed', it waits
// for its own commit: that record is behind the other one in the log, so the standby has
// both.
func (d *DB) queryCommitStatus(ctx context.Context, t transaction) (committed bool, err error) {
	pc, err := d.acquire(ctx)
	if err != nil {
		return false, &lostError{err}
	}
	defer d.release(pc)
	c := pc.Conn()
	now, err := beginTransaction(ctx, c)
	if err != nil {
		return false, rollBack(ctx, c, err)
	}
	if now.incarnation != t.incarnation && now.incarnation.recovered != 0 && now.incarnation.recovered < t.lsn {
		return false, endQuestion(ctx, c)
	}
	var status *string
	err = c.QueryRow(ctx, `SELECT pg_xact_status($1::text::xid8)`, t.number).Scan(&status)
	var said *pgconn.PgError
	switch {
	case errors.As(err, &said) && said.Code == codeInvalidParameter:
		return false, endQuestion(ctx, c) // a number that was not used yet
	case err != nil:
		return false, rollBack(ctx, c, err)
	case status == nil:
		return false, rollBack(ctx, c, errForgotten)
	case *status == "aborted":
		return false, endQuestion(ctx, c)
	case *status == "in progress":
		return false, rollBack(ctx, c, errInProgress)
	case now.incarnation.timeline != t.incarnation.timeline && now.incarnation.recovered == 0:
		// It was promoted and shut down since. How far it had received the log is unknown, and
		// so is whose number this is.
		return false, rollBack(ctx, c, errForgotten)
	}
	if err := commit(ctx, c, now); err != nil {
		return false, err
	}
	return true, nil
}

// endQuestion ends the transaction of a query.
func endQuestion(ctx context.Context, c *pgx.Conn) error {
	_ = rollBack(ctx, c, nil) // an open transaction ends with its connection
	return nil
}
