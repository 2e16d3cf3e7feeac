package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

var (
	errInProgress = errors.New("the server still works on the transaction")
	errForgotten  = errors.New("the server remembers the transaction no more")
)

// fate asks what became of a transaction whose COMMIT was not answered, as long
// as the patience of one more change lasts: the caller waits, but a wrong word
// would be worse.
func (d *DB) fate(ctx context.Context, t transaction) (committed bool, err error) {
	deadline := time.Now().Add(d.cfg.Patience)
	own, cancel := d.within(ctx, deadline)
	defer cancel()
	for n := 0; ; n++ {
		once, end := context.WithTimeout(own, d.cfg.Patience/2)
		committed, err = d.ask(once, t)
		end()
		if err == nil {
			d.log.Info("a connection was lost while a change was committed; its fate is known", "database", d.Name(), "committed", committed)
			return committed, nil
		}
		if d.abandoned.Load() {
			return false, ErrAbandoned
		}
		var unanswered *unansweredError
		if !errors.Is(err, errInProgress) && !errors.As(err, &unanswered) && !curable(err).any() {
			return false, Explain(err)
		}
		if !d.pacer.before(own, deadline, n) {
			return false, fmt.Errorf("the database did not tell within %s: %w", d.cfg.Patience, Explain(err))
		}
	}
}

// ask asks once, in a transaction of its own. Where the answer is 'committed',
// that one's commit is acknowledged first: its record lies behind the other's in
// the log, so that the standby that was waited for has both.
func (d *DB) ask(ctx context.Context, t transaction) (committed bool, err error) {
	pc, err := d.acquire(ctx)
	if err != nil {
		return false, &lostError{err}
	}
	defer d.release(pc)
	c := pc.Conn()
	now, err := open(ctx, c)
	if err != nil {
		return false, undo(ctx, c, err)
	}
	if now.life != t.life && now.life.recovered != 0 && now.life.recovered < t.mark {
		return false, forget(ctx, c)
	}
	var status *string
	err = c.QueryRow(ctx, `SELECT pg_xact_status($1::text::xid8)`, t.number).Scan(&status)
	var said *pgconn.PgError
	switch {
	case errors.As(err, &said) && said.Code == codeInvalidParameter:
		return false, forget(ctx, c) // a number that was not given out so far
	case err != nil:
		return false, undo(ctx, c, err)
	case status == nil:
		return false, undo(ctx, c, errForgotten)
	case *status == "aborted":
		return false, forget(ctx, c)
	case *status == "in progress":
		return false, undo(ctx, c, errInProgress)
	case now.life.timeline != t.life.timeline && now.life.recovered == 0:
		// Promoted and stopped in order since: how far it was fed is not known any
		// more, and so not whose number this is.
		return false, undo(ctx, c, errForgotten)
	}
	if err := commit(ctx, c, now); err != nil {
		return false, err
	}
	return true, nil
}

// forget ends the transaction of a question whose answer is known.
func forget(ctx context.Context, c *pgx.Conn) error {
	_ = undo(ctx, c, nil) // what is left open is closed with its connection
	return nil
}
