package store

import (
	"context"
	"fmt"
	"time"

	"galla/central"
	"galla/central/store/postgres"
	"galla/shared/op"
)

// DB is a store in one database. It implements central.Store and is safe for
// concurrent use.
type DB struct {
	db   database
	node string
}

var _ central.Store = (*DB)(nil)

// database is what the statements of this package run on. Its errors leave with
// words for whoever runs the program.
type database interface {
	// Write commits what do changes, or nothing of it. do may be run more than
	// once: it assigns its results, and never adds to what a former run left.
	Write(ctx context.Context, do func(link) error) error
	// Read runs do on a connection that nobody else uses meanwhile.
	Read(ctx context.Context, do func(link) error) error
	// Close takes nothing more and waits for what is under way.
	Close() error
	// Abandon ends as a killed process would.
	Abandon() error
	// Name tells people which database it is, without its password.
	Name() string
	// Dialect says what it speaks.
	Dialect() dialect
}

// link runs statements on one connection.
type link interface {
	// Exec runs a statement and tells how many rows it changed.
	Exec(statement string, args []any) (int64, error)
	// Each hands every row of a statement to scan, and runs it to its end.
	Each(statement string, args []any, scan func(row) error) error
}

// row is one row of a result, valid until scan returns.
type row interface {
	Scan(dest ...any) error
}

// Name tells people which database it is, without its password.
func (s *DB) Name() string { return s.db.Name() }

// Close takes nothing more, commits what is queued, waits for reads under way
// and closes the database. Calls that come later fail; closing again only waits.
func (s *DB) Close() error { return s.db.Close() }

// Abandon closes the store as if the process had been killed: what is queued
// or in an open transaction is not committed and its callers get an error. It
// is for simulations of a crash.
func (s *DB) Abandon() error { return s.db.Abandon() }

// Lost receives once where another central has taken this one's node name, which
// needs an outage of the connection that holds it: the node must then stop taking
// work. It is nil, and so never receives, on SQLite and without Config.Ring.
func (s *DB) Lost() <-chan error {
	if shared, ok := s.db.(server); ok {
		return shared.Lost()
	}
	return nil
}

// Load tells how much of a shared database's connections this node uses, for
// metrics; false: the database is a file.
func (s *DB) Load() (postgres.Load, bool) {
	if shared, ok := s.db.(server); ok {
		return shared.Load(), true
	}
	return postgres.Load{}, false
}

// write commits a change.
func (s *DB) write(ctx context.Context, do func(conn) error) error {
	return s.db.Write(ctx, func(l link) error { return do(s.conn(l)) })
}

// read reads.
func (s *DB) read(ctx context.Context, do func(conn) error) error {
	return s.db.Read(ctx, func(l link) error { return do(s.conn(l)) })
}

func (s *DB) conn(l link) conn { return conn{link: l, node: s.node, dialect: s.db.Dialect()} }

// ring wakes those who watch a name, at every node that shares the database,
// once the change is committed. Where there is only this one, its engine rings.
func (c conn) ring(name string) error {
	if c.dialect.ring == "" {
		return nil
	}
	return c.each(c.dialect.ring, []any{name}, func(row) error { return nil })
}

// Ping tells whether the store reads and takes changes: it goes through the
// queue and a transaction that changes nothing, and so fails with
// central.ErrBusy where readiness should.
func (s *DB) Ping(ctx context.Context) error {
	if err := s.write(ctx, func(conn) error { return nil }); err != nil {
		return fmt.Errorf("database %s takes no changes: %w", s.db.Name(), err)
	}
	var n int
	if err := s.read(ctx, func(c conn) error { return c.one(`SELECT count(*) FROM counters`, nil, &n) }); err != nil {
		return fmt.Errorf("database %s cannot be read: %w", s.db.Name(), err)
	}
	return nil
}

// Waiting is how many operations wait, and since when the one does that waits
// longest; zero: none waits.
type Waiting struct {
	Count  int
	Oldest time.Time
}

// Backlog is what is not final, by state. Pending has all operations that wait
// for the bank's word, Stuck those among them that wait for a person.
type Backlog struct {
	Received, Dispatched, Pending, Stuck Waiting
}

// Backlog counts the operations that are not final, for metrics. Of a pending
// operation the time is that of its beginning.
func (s *DB) Backlog(ctx context.Context) (b Backlog, err error) {
	err = s.read(ctx, func(c conn) error {
		states := map[string]*Waiting{string(op.Received): &b.Received, string(op.Dispatched): &b.Dispatched, string(op.Pending): &b.Pending}
		err := c.each(`SELECT state, count(*), min(created_at) FROM operations WHERE settled_at IS NULL GROUP BY state`, nil, func(row row) error {
			var state string
			var w Waiting
			if err := row.Scan(&state, &w.Count, moment{&w.Oldest}); err != nil {
				return err
			}
			if to, open := states[state]; open {
				*to = w
			}
			return nil
		})
		if err != nil {
			return err
		}
		return c.one(`SELECT count(*), min(created_at) FROM operations WHERE state = 'pending' AND stuck_at IS NOT NULL`, nil,
			&b.Stuck.Count, moment{&b.Stuck.Oldest})
	})
	if err != nil {
		return Backlog{}, fmt.Errorf("count operations that are not final: %w", err)
	}
	return b, nil
}
