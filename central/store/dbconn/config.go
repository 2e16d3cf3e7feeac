package dbconn

import (
	"cmp"
	"errors"
	"log/slog"
	"time"
)

// Defaults of a Config.
const (
	// DefaultConnections is how many connections the pool has at most. The server's
	// commits share their syncs from some ten on and gain little beyond thirty; the
	// server's own default of a hundred serves four nodes.
	DefaultConnections = 24
	// defaultQueue bounds the calls that wait. The engine has at most 1024 operations in
	// progress with one write each; the rest is for terminals that connect at the same
	// time. At some thousand commits a second it is about a second of waiting.
	defaultQueue = 4096
	// defaultRetryFor is how long a change is retried during an outage. The death of a
	// primary is noticed in five seconds; a standby that is promoted by then still gets
	// the change. Callers wait as long for the bank.
	defaultRetryFor = 10 * time.Second
	// defaultBatch bounds the jobs of one transaction, so that the first does not wait long
	// for the last. A larger batch gains little: hundreds already share the sync.
	defaultBatch = 256
	// defaultReaders is the number of connections for reads. Each has its own cache and
	// three file handles; reads take microseconds.
	defaultReaders = 4
)

// Config sets up a DB. Zero values take the defaults.
type Config struct {
	// Node names this central: in the steps that it writes, and to the server. Needed.
	Node string
	// Logger gets what no caller gets, such as the stack of a panic. Needed.
	Logger *slog.Logger
	// Queue is how many calls may wait, for the writer of SQLite or for a connection to
	// PostgreSQL, before more get central.ErrBusy; default 4096.
	Queue int
	// OnStatement is called with each statement that SQLite is about to run, for tests that
	// count them; nil: nothing is called.
	OnStatement func(statement string)
	// SkipMigrations opens the database with its present schema, for inspection.
	SkipMigrations bool

	// Batch is how many jobs share one transaction of SQLite at most; default 256.
	Batch int
	// Readers is how many reads of SQLite run at one time; default 4.
	Readers int

	// OnNotify is called with each name that a node notified (central.TerminalTopic), and with
	// "" if notifications may have been lost: then everything must be checked. It must not
	// block. On PostgreSQL it makes this DB a node, which holds its node name and is
	// refused if another holds it. nil: the DB of a command beside a running central.
	// On SQLite it is never called.
	OnNotify func(name string)
	// Connections is the limit of connections to PostgreSQL, without the listener's; default
	// 24, or pool_max_conns of the URL.
	Connections int
	// RetryFor is how long a change is retried during an outage of PostgreSQL before its
	// caller gets central.ErrBusy; default 10 s.
	RetryFor time.Duration
}

// WithDefaults returns the settings with defaults for zero values, except for Connections.
func (c Config) WithDefaults() (Config, error) {
	if c.Node == "" || c.Logger == nil {
		return c, errors.New("a store needs a node name and a logger")
	}
	if min(c.Queue, c.Batch, c.Readers, c.Connections) < 0 || c.RetryFor < 0 {
		return c, errors.New("the limits of a store cannot be negative")
	}
	c.Queue = cmp.Or(c.Queue, defaultQueue)
	c.Batch = cmp.Or(c.Batch, defaultBatch)
	c.Readers = cmp.Or(c.Readers, defaultReaders)
	c.RetryFor = cmp.Or(c.RetryFor, defaultRetryFor)
	return c, nil
}
