package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"galla/central"
)

// ErrClosed is the error of every call after Close or Abandon.
var ErrClosed = errors.New("the store is closed")

// ErrAbandoned is the answer to calls that Abandon found under way.
var ErrAbandoned = errors.New("the store was abandoned before the change was committed")

// ErrUnknown says that a change may be recorded or not: the connection was lost
// while it was committed, and the database could not be asked about it in time.
// Nothing may be done on the strength of the change, nor of its absence: it must
// be looked for later.
var ErrUnknown = errors.New("it is not known whether the change was recorded")

// refusal says that a server will not do, until somebody changes it.
type refusal string

func (r refusal) Error() string { return string(r) }

// lostError says that the connection is gone and that nothing was committed.
type lostError struct{ err error }

func (e *lostError) Error() string { return e.err.Error() }
func (e *lostError) Unwrap() error { return e.err }

// Codes of PostgreSQL's errors (appendix A of its manual).
const (
	codeInvalidParameter   = "22023"
	codeSerialization      = "40001"
	codeDeadlock           = "40P01"
	codeForeignKey         = "23503"
	codeUnique             = "23505"
	codeRaised             = "P0001" // by a trigger
	codeReadOnly           = "25006"
	codeIdleInTransaction  = "25P03"
	codeNotSupported       = "0A000"
	codeUnknownStatement   = "26000"
	codeNoDatabase         = "3D000"
	codeNoPrivilege        = "42501"
	codeLockNotAvailable   = "55P03"
	codeCanceled           = "57014"
	codeAdminShutdown      = "57P01"
	codeCrashShutdown      = "57P02"
	codeCannotConnectNow   = "57P03"
	codeIdleSession        = "57P05"
	codeDiskFull           = "53100"
	codeOutOfMemory        = "53200"
	codeTooManyConnections = "53300"
	codeIO                 = "58030"
	codeDataCorrupted      = "XX001"
	codeIndexCorrupted     = "XX002"

	classConnection = "08"
	classIntegrity  = "23"
	classAuth       = "28"
)

// cure says why something that failed, and recorded nothing, may succeed when it
// is run again.
type cure struct {
	outage   bool // the connection, or the server, or the way there was lost
	conflict bool // others worked on the same rows
	taken    bool // others added the same record
}

func (c cure) any() bool { return c.outage || c.conflict || c.taken }

// curable tells what running again would cure.
func curable(err error) cure {
	var no refusal
	if errors.As(err, &no) || errors.Is(err, ErrAbandoned) || errors.Is(err, errPanic) {
		return cure{}
	}
	var said *pgconn.PgError
	if errors.As(err, &said) {
		return curableCode(said)
	}
	var lost *lostError
	var connect *pgconn.ConnectError
	var network net.Error
	return cure{outage: errors.As(err, &lost) || errors.As(err, &connect) || errors.As(err, &network) ||
		errors.Is(err, errAside) || errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)}
}

func curableCode(e *pgconn.PgError) cure {
	switch e.Code {
	case codeSerialization, codeDeadlock, codeLockNotAvailable:
		return cure{conflict: true}
	case codeUnique:
		return cure{taken: true}
	case codeReadOnly, codeIdleInTransaction, codeAdminShutdown, codeCrashShutdown, codeCannotConnectNow, codeIdleSession,
		codeTooManyConnections:
		return cure{outage: true}
	case codeNotSupported:
		return cure{conflict: e.Routine == "RevalidateCachedQuery"} // a migration changed what a plan rested on
	case codeUnknownStatement:
		return cure{conflict: true} // the server forgot a prepared statement
	}
	return cure{outage: strings.HasPrefix(e.Code, classConnection)}
}

// endsConnection tells whether a connection that gave an error is of no more use
// although it stands: its server takes no changes any more.
func endsConnection(err error) bool {
	var said *pgconn.PgError
	return errors.As(err, &said) && said.Code == codeReadOnly
}

// Explain says what an error of PostgreSQL means for whoever must act on it.
// PostgreSQL's texts name tables and constraints; the values are in a detail
// that is not printed.
func Explain(err error) error {
	var no refusal
	var said *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &no):
		return err
	case errors.As(err, &said):
		return explainCode(said, err)
	case errors.Is(err, errAside):
		return fmt.Errorf("no host of the database takes changes: a standby must be promoted, or the primary started: %w", err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case curable(err).outage:
		return fmt.Errorf("the connection to the database is lost, or none can be made: check the server and the way to it: %w", err)
	}
	return err
}

func explainCode(e *pgconn.PgError, err error) error {
	switch e.Code {
	case codeDiskFull:
		return fmt.Errorf("the disk is full: free space on the database's volume: %w", err)
	case codeIO:
		return fmt.Errorf("the disk fails: check the database's volume and its free space: %w", err)
	case codeDataCorrupted, codeIndexCorrupted:
		return fmt.Errorf("the database is damaged: stop, and restore a backup or promote a standby: %w", err)
	case codeLockNotAvailable, codeDeadlock, codeSerialization:
		return fmt.Errorf("others hold what the change needs (%w): %w", err, central.ErrBusy)
	case codeCanceled:
		return fmt.Errorf("the database took too long, or somebody ended the statement (%w): %w", err, central.ErrBusy)
	case codeOutOfMemory:
		return fmt.Errorf("the database's server is out of memory (%w): %w", err, central.ErrBusy)
	case codeTooManyConnections:
		return fmt.Errorf("the database's server has no connection left: raise its max_connections, or give the nodes fewer (pool_max_conns): %w", err)
	case codeReadOnly:
		return fmt.Errorf("the database takes no changes: it is a standby, or set to read only: %w", err)
	case codeNoDatabase:
		return fmt.Errorf("there is no such database: create it, or correct the URL: %w", err)
	case codeNoPrivilege:
		return fmt.Errorf("the database's user lacks a right: grant it what the manual lists: %w", err)
	case codeForeignKey:
		return fmt.Errorf("it names a merchant, terminal or other record that does not exist: %w", err)
	case codeUnique:
		return fmt.Errorf("there is such a record already: %w", err)
	case codeRaised:
		return fmt.Errorf("the record breaks a rule of the schema: %w", err)
	case codeAdminShutdown, codeCrashShutdown, codeCannotConnectNow:
		return fmt.Errorf("the database's server is starting or stopping: %w", err)
	}
	switch {
	case strings.HasPrefix(e.Code, classIntegrity):
		return fmt.Errorf("the record breaks a rule of the schema: %w", err)
	case strings.HasPrefix(e.Code, classAuth):
		return fmt.Errorf("the database does not let this user in: check the user, the password and the server's pg_hba.conf: %w", err)
	}
	return err
}
