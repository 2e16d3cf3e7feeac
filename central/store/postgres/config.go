package postgres

import (
	"errors"
	"log/slog"
	"time"
)

// Limits and defaults of a database.
const (
	// defaultConnections is how many connections the pool has at most. The
	// server's commits share their syncs from some ten on and gain little beyond
	// thirty; the server's own default of a hundred serves four nodes.
	defaultConnections = 24
	// defaultQueue bounds the calls that wait for a connection. At some thousand
	// commits a second it is about a second of waiting.
	defaultQueue = 4096
	// defaultPatience is how long a change is retried during an outage. The death of a
	// primary is noticed in five seconds; a standby that is promoted by then still gets
	// the change. Callers wait as long for the bank.
	defaultPatience = 10 * time.Second

	// connectTimeout bounds the connection to one host, with the check of its settings. With
	// three hosts of which two are dead, the third is reached within defaultPatience.
	connectTimeout = 3 * time.Second
	// keepAliveIdle, keepAliveEvery and keepAliveCount find within five seconds that the other
	// end of an idle connection is gone.
	keepAliveIdle  = 3 * time.Second
	keepAliveEvery = time.Second
	keepAliveCount = 2
	// sendTimeout is how long sent data may stay unacknowledged by the other machine, where
	// the system has such a limit.
	sendTimeout = 5 * time.Second
	// pingTimeout bounds the check of a connection that was idle for a second.
	pingTimeout = 2 * time.Second
	// statementTimeout is when the server ends a statement: the longest, of a
	// report or a purge, take a few seconds.
	statementTimeout = 30 * time.Second
	// lockTimeout is how long a statement waits for a locked row. Changes take milliseconds,
	// so a longer lock is that of a node that died or was stopped.
	lockTimeout = 2 * time.Second
	// idleTimeout is when the server ends an idle transaction. It is less than
	// defaultPatience, so that the locks of a disconnected node end while others retry.
	idleTimeout = 4 * time.Second
	// readLimit bounds a read as a whole, the report of all earnings included.
	readLimit = time.Minute

	// maxDuplicateRetries is how often a change runs after unique violations: once for each
	// name of an operation, and some more for concurrent searches of a free reference.
	maxDuplicateRetries = 6
	// firstPause and lastPause bound the pause before a change runs again. The bound doubles;
	// the pause is random between zero and the bound.
	firstPause = 10 * time.Millisecond
	lastPause  = 500 * time.Millisecond
	// resetEvery bounds how often a loss makes the pool close its idle connections. They are
	// probably dead too, and would be tried one by one.
	resetEvery = time.Second

	// heartbeat is how often the listener checks an idle connection.
	heartbeat = 5 * time.Second
	// maxNodeName bounds a node's name as the server shows it.
	maxNodeName = 48

	// minVersion is the first server version with transaction numbers that don't wrap around.
	minVersion = 13_00_00
)

// Config sets up a DB. Zero values take the defaults.
type Config struct {
	// Logger gets what no caller gets, such as the stack of a panic. Needed.
	Logger *slog.Logger
	// Node is in the name of the connections on the server, and is the name that a node holds
	// (OnNotify). Needed.
	Node string
	// OnNotify is called with each name that a node notified, and with "" if notifications may
	// have been lost: then everything must be checked. It must not block. nil: the DB is
	// not a node, such as that of a command beside a running central.
	OnNotify func(name string)
	// Connections is the limit of the pool, without the listener's; default 24, or
	// pool_max_conns of the URL.
	Connections int
	// Queue is how many calls may wait for a connection before more get
	// central.ErrBusy; default 4096.
	Queue int
	// RetryFor is how long a change is retried; default 10 s.
	RetryFor time.Duration
}

func (c Config) withDefaults() (Config, error) {
	if c.Logger == nil || c.Node == "" {
		return c, errors.New("a database needs a node name and a logger")
	}
	if c.Connections < 0 || c.Queue < 0 || c.RetryFor < 0 {
		return c, errors.New("the limits of a store cannot be negative")
	}
	if c.Queue == 0 {
		c.Queue = defaultQueue
	}
	if c.RetryFor == 0 {
		c.RetryFor = defaultPatience
	}
	return c, nil
}
