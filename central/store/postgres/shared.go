package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"galla/central/store/dbconn"
)

// Answer is what a shared statement did for one call.
type Answer int

// The answers.
const (
	// NotServed: the statement recorded nothing of the call, and never will.
	NotServed Answer = iota
	// Served: it recorded the call, and the commit was acknowledged.
	Served
	// Unanswered: the connection was lost after the statement was sent. It may have
	// recorded the call, or may still do so.
	Unanswered
)

// SharedStatement is a statement that serves one or several calls. It is its own
// transaction, in one round trip.
type SharedStatement[C any] struct {
	// Text is the statement for a call. Calls with different texts do not share.
	Text func(C) string
	// Keys are what a call adds or locks. Calls with a common key do not share.
	Keys func(C) []string
	// Args are the arguments for some calls. The statement returns the place of each call
	// that it served, from 1, and records nothing of the others.
	Args func([]C) []any
}

// Sharing runs calls by a shared statement. While few are under way, each call has a
// statement of its own, at once. The calls that come while maxSharing statements are
// under way wait, and the next statement serves up to maxShared of them. It is safe for
// concurrent use.
type Sharing[C any] struct {
	db        *DB
	statement SharedStatement[C]

	mu      sync.Mutex
	running int // statements
	waiting []*sharer[C]
}

// sharer is a call that waits. It gets either its answer, or the turn to run the next
// statement.
type sharer[C any] struct {
	ctx    context.Context
	call   C
	turn   chan bool // true: run the next statement; false: answer and err are set
	answer Answer
	err    error
}

// NewSharing makes a Sharing. It needs no end of its own: Close of the DB waits for its
// calls.
func NewSharing[C any](d *DB, s SharedStatement[C]) *Sharing[C] {
	return &Sharing[C]{db: d, statement: s}
}

// Do runs a call. With an error, nothing of it is recorded: it had not begun when the
// caller left, too many wait (central.ErrBusy), or the DB is closed or abandoned.
func (s *Sharing[C]) Do(ctx context.Context, call C) (Answer, error) {
	if err := ctx.Err(); err != nil {
		return NotServed, errLeft(err)
	}
	if err := s.db.startCall(); err != nil {
		return NotServed, err
	}
	defer s.db.endCall()
	mine := &sharer[C]{ctx: ctx, call: call, turn: make(chan bool, 1)}
	if !s.begin(mine) {
		select {
		case runs := <-mine.turn:
			if !runs {
				return mine.answer, mine.err
			}
		case <-ctx.Done():
			if s.leave(mine) {
				return NotServed, errLeft(ctx.Err())
			}
			if runs := <-mine.turn; !runs {
				return mine.answer, mine.err
			}
		}
	}
	defer s.passOn()
	s.run(s.take(mine))
	return mine.answer, mine.err
}

func errLeft(err error) error {
	return fmt.Errorf("the caller left before the change was begun: %w", err)
}

// begin tells whether a call runs a statement at once. Otherwise it waits.
func (s *Sharing[C]) begin(mine *sharer[C]) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running < maxSharing {
		s.running++
		return true
	}
	s.waiting = append(s.waiting, mine)
	return false
}

// leave takes a call out of the line; false: it is not there any more.
func (s *Sharing[C]) leave(mine *sharer[C]) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, w := range s.waiting {
		if w == mine {
			s.waiting = append(s.waiting[:i], s.waiting[i+1:]...)
			return true
		}
	}
	return false
}

// take returns the call that runs a statement, with the calls of the line that share it.
func (s *Sharing[C]) take(first *sharer[C]) []*sharer[C] {
	s.mu.Lock()
	defer s.mu.Unlock()
	group := []*sharer[C]{first}
	if len(s.waiting) == 0 {
		return group
	}
	text, keys := s.statement.Text(first.call), map[string]bool{}
	s.claim(first, keys)
	for _, w := range s.waiting {
		if len(group) < maxShared && s.statement.Text(w.call) == text && s.claim(w, keys) {
			group = append(group, w)
		}
	}
	// The line changes here only: a panic of a call's Text or Keys leaves all of it waiting.
	taken := group[1:]
	s.waiting = slices.DeleteFunc(s.waiting, func(w *sharer[C]) bool {
		if len(taken) == 0 || w != taken[0] {
			return false
		}
		taken = taken[1:]
		return true
	})
	return group
}

// claim adds the keys of a call, unless another call has one of them.
func (s *Sharing[C]) claim(w *sharer[C], keys map[string]bool) bool {
	own := s.statement.Keys(w.call)
	for _, key := range own {
		if keys[key] {
			return false
		}
	}
	for _, key := range own {
		keys[key] = true
	}
	return true
}

// passOn gives the turn to the first call of the line.
func (s *Sharing[C]) passOn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		s.running--
		return
	}
	next := s.waiting[0]
	s.waiting = append(s.waiting[:0], s.waiting[1:]...)
	next.turn <- true
}

// run runs one statement and answers its calls. The first one is the caller's own.
func (s *Sharing[C]) run(group []*sharer[C]) {
	calls := make([]C, len(group))
	for i, w := range group {
		calls[i] = w.call
	}
	served := make([]bool, len(group))
	err := s.db.commitStatement(group[0].ctx, s.statement.Text(calls[0]), func() []any { return s.statement.Args(calls) }, served)
	var unanswered *unansweredStatement
	for i, w := range group {
		switch {
		case err != nil && s.db.abandoned.Load():
			w.err = dbconn.ErrAbandoned
		case errors.As(err, &unanswered):
			w.answer = Unanswered
		case err == nil && served[i]:
			w.answer = Served
		}
		if i > 0 {
			w.turn <- false
		}
	}
}

// unansweredStatement means that a statement was sent and may have been committed.
type unansweredStatement struct{ err error }

func (e *unansweredStatement) Error() string {
	return "no answer to a shared statement: " + e.err.Error()
}
func (e *unansweredStatement) Unwrap() error { return e.err }

// PlanSettings are sent with each shared statement, for its transaction only. The plan of a
// prepared statement is kept, so one that was made while a table was small must not read
// the table from end to end: these statements reach each row by its key. galla.names tells
// the schema that the statement writes the names of new operations itself.
const PlanSettings = `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
	set_config('enable_mergejoin', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true),
	set_config('jit', 'off', true), set_config('galla.names', 'written', true)`

// commitStatement runs a statement as a transaction of its own and notes whom it served.
// After an *unansweredStatement it is open whether it was committed; after any other error
// it was not, and will not be.
func (d *DB) commitStatement(ctx context.Context, text string, args func() []any, served []bool) error {
	own, cancel := d.boundedContext(ctx, time.Now().Add(d.cfg.RetryFor/2))
	defer cancel()
	pc, err := d.acquire(own)
	if err != nil {
		return &lostError{err}
	}
	defer d.release(pc)
	c := pc.Conn()
	delete(c.PgConn().CustomData(), keyWarned)
	err = dbconn.Run(d.log, nil, func(dbconn.Conn) error { return sendStatement(own, c, text, args(), served) })
	var said *pgconn.PgError
	switch {
	case err == nil && c.PgConn().CustomData()[keyWarned] != nil:
		return d.unanswered(errWarned)
	case err == nil:
		return nil
	case errors.As(err, &said) && !c.IsClosed() && c.PgConn().TxStatus() == 'I':
		// The server refused it and has rolled it back.
		if endsConnection(err) {
			_ = c.Close(own)
		}
		return err
	}
	// An error of our own may have come after the commit.
	if !c.IsClosed() {
		_ = c.Close(own)
	}
	return d.unanswered(err)
}

func (d *DB) unanswered(err error) error {
	d.log.Info("the result of a shared statement is not known; its calls are looked for one by one", "database", d.Name(), "error", Explain(err))
	return &unansweredStatement{err}
}

// sendStatement sends a statement with its settings in one round trip, and reads the
// answer to its end, which is behind the commit.
func sendStatement(ctx context.Context, c *pgx.Conn, text string, args []any, served []bool) error {
	var both pgx.Batch
	both.Queue(PlanSettings)
	both.Queue(text, args...)
	results := c.SendBatch(ctx, &both)
	_, err := results.Exec()
	if err == nil {
		err = readServed(results, served)
	}
	// The error of a statement says more than that of the batch.
	if closeErr := results.Close(); err == nil {
		err = closeErr
	}
	return err
}

func readServed(results pgx.BatchResults, served []bool) error {
	rows, err := results.Query()
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var place int
		if err := rows.Scan(&place); err != nil {
			return err
		}
		if place < 1 || place > len(served) {
			return fmt.Errorf("the statement served call %d of %d", place, len(served))
		}
		served[place-1] = true
	}
	rows.Close()
	return rows.Err()
}

// Unknown is the error of a call that may be recorded after all: its statement was not
// answered, and the database could not be asked. Callers must assume neither. It does not
// wrap the error, which says that nothing was recorded by another try.
func Unknown(err error) error { return fmt.Errorf("%w: %v", ErrUnknown, err) }
