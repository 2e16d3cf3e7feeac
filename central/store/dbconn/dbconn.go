// Package dbconn is the interface between the statements of package store and the two
// databases that run them. Packages sqlite and postgres implement it.
package dbconn

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
)

// DB is an open database. It is safe for concurrent use. Its errors say what the
// operator of the program must do.
type DB interface {
	// Write commits the changes of do, or none of them. do may run more than once, so
	// it must assign its results and never add to those of an earlier run.
	Write(ctx context.Context, do func(Conn) error) error
	// Read runs do on a connection that no other call uses at the same time.
	Read(ctx context.Context, do func(Conn) error) error
	// Close accepts no more calls and waits for those in progress.
	Close() error
	// Abandon ends like a killed process. It is for simulations of a crash.
	Abandon() error
	// Name is the name of the database for people, without its password.
	Name() string
}

// Conn runs statements on one connection, until the function that got it returns. Arguments
// are nil, int64, string or []byte.
type Conn interface {
	// Exec runs one statement and returns the number of rows that it changed.
	Exec(statement string, args []any) (int64, error)
	// Each calls scan for each row of a statement, and runs the statement to its end.
	Each(statement string, args []any, scan func(Row) error) error
}

// Row is one row of a result. It is valid until scan returns.
type Row interface {
	// Scan stores the columns in variables, by the rules of Assign.
	Scan(dest ...any) error
}

// Errors of both databases.
var (
	// ErrClosed is the error of each call after Close or Abandon.
	ErrClosed = errors.New("the store is closed")
	// ErrAbandoned is the error of calls that were in progress when Abandon was called.
	ErrAbandoned = errors.New("the store was abandoned before the change was committed")
	// ErrPanic is the error of a change that panicked. It is undone.
	ErrPanic = errors.New("internal error (panic) in the change; it is undone")
)

// Run runs a change. A panic is logged with its stack and becomes ErrPanic.
func Run(log *slog.Logger, c Conn, do func(Conn) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("panic in a change of the database; the change is undone", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = ErrPanic
		}
	}()
	return do(c)
}
