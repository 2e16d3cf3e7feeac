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
	"galla/central/store/dbconn"
)

// ErrUnknown means that a change may be recorded or not: the connection was lost while it was
// committed, and the database could not be asked in time. Callers must assume neither, and
// look for the change later.
var ErrUnknown = errors.New("it is not known whether the change was recorded")

// refusal means that a server can't be used until somebody changes it.
type refusal string

func (r refusal) Error() string { return string(r) }

// lostError means that the connection is lost and nothing was committed.
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

// retryReason is why a call that failed, and recorded nothing, may succeed in another run.
type retryReason struct {
	outage    bool // the connection, the server or the network was lost
	conflict  bool // others changed the same rows
	duplicate bool // others added the same record
}

func (c retryReason) any() bool { return c.outage || c.conflict || c.duplicate }

// retryable tells why another run may succeed.
func retryable(err error) retryReason {
	var no refusal
	if errors.As(err, &no) || errors.Is(err, dbconn.ErrAbandoned) || errors.Is(err, dbconn.ErrPanic) {
		return retryReason{}
	}
	var said *pgconn.PgError
	if errors.As(err, &said) {
		return retryableCode(said)
	}
	var lost *lostError
	var connect *pgconn.ConnectError
	var network net.Error
	return retryReason{outage: errors.As(err, &lost) || errors.As(err, &connect) || errors.As(err, &network) ||
		errors.Is(err, errNotPrimary) || errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)}
}

func retryableCode(e *pgconn.PgError) retryReason {
	switch e.Code {
	case codeSerialization, codeDeadlock, codeLockNotAvailable:
		return retryReason{conflict: true}
	case codeUnique:
		return retryReason{duplicate: true}
	case codeReadOnly, codeIdleInTransaction, codeAdminShutdown, codeCrashShutdown, codeCannotConnectNow, codeIdleSession,
		codeTooManyConnections:
		return retryReason{outage: true}
	case codeNotSupported:
		return retryReason{conflict: e.Routine == "RevalidateCachedQuery"} // a migration made a plan invalid
	case codeUnknownStatement:
		return retryReason{conflict: true} // the server forgot a prepared statement
	}
	return retryReason{outage: strings.HasPrefix(e.Code, classConnection)}
}

// endsConnection tells whether a connection is of no use after an error although it is open:
// its server takes no changes any more.
func endsConnection(err error) bool {
	var said *pgconn.PgError
	return errors.As(err, &said) && said.Code == codeReadOnly
}

// Explain adds to an error of PostgreSQL what it means and what to do. PostgreSQL's texts
// name tables and constraints; the values are in a detail that is not printed.
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
	case errors.Is(err, errNotPrimary):
		return fmt.Errorf("no host of the database takes changes: a standby must be promoted, or the primary started: %w", err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case retryable(err).outage:
		return fmt.Errorf("the connection to the database is lost, or none can be made: check the server and the network: %w", err)
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
		return fmt.Errorf("other changes lock what this one needs (%w): %w", err, central.ErrBusy)
	case codeCanceled:
		return fmt.Errorf("the database took too long, or somebody ended the statement (%w): %w", err, central.ErrBusy)
	case codeOutOfMemory:
		return fmt.Errorf("the database's server is out of memory (%w): %w", err, central.ErrBusy)
	case codeTooManyConnections:
		return fmt.Errorf("the database's server has no connection left: raise its max_connections, or give the nodes fewer (pool_max_conns): %w", err)
	case codeReadOnly:
		return fmt.Errorf("the database takes no changes: it is a standby, or read-only: %w", err)
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
		return fmt.Errorf("the database refuses this user: check the user, the password and the server's pg_hba.conf: %w", err)
	}
	return err
}
