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
	// defaultPatience is how long a change is tried again through an outage: a
	// primary that died is noticed in five seconds, and a standby that is promoted
	// by then still finds the change waiting. Callers wait for the bank as long.
	defaultPatience = 10 * time.Second

	// connectTimeout bounds the way to one host, its settings read: with three
	// hosts of which two are dead, the third is reached within patience.
	connectTimeout = 3 * time.Second
	// keepAliveIdle, keepAliveEvery and keepAliveCount notice within five seconds
	// that the other end of a silent connection is gone.
	keepAliveIdle  = 3 * time.Second
	keepAliveEvery = time.Second
	keepAliveCount = 2
	// sendTimeout is how long what was sent may stay unacknowledged by the other
	// machine, where the system can bound that.
	sendTimeout = 5 * time.Second
	// pingTimeout bounds the look at a connection that was idle for a second.
	pingTimeout = 2 * time.Second
	// statementTimeout is when the server ends a statement: the longest, of a
	// report or a purge, take a few seconds.
	statementTimeout = 30 * time.Second
	// lockTimeout is how long a statement waits for a row that another change
	// holds. Changes take milliseconds, so that this is a holder that died or
	// was stopped.
	lockTimeout = 2 * time.Second
	// idleTimeout is when the server ends a transaction of which nothing more
	// comes. It is less than patience, so that the locks of a node that was cut
	// off, and the question what became of its COMMIT, end within another's.
	idleTimeout = 4 * time.Second
	// readLimit bounds a read as a whole, the report of all earnings included.
	readLimit = time.Minute

	// maxTaken is how often a change is run that finds a record there already: for
	// each of the names that an operation has, and some more for those who look
	// for the next free one at the same time.
	maxTaken = 6
	// firstPause and lastPause bound the wait before a change is run again; it
	// doubles, and is drawn between nothing and that.
	firstPause = 10 * time.Millisecond
	lastPause  = 500 * time.Millisecond
	// resetEvery bounds how often a loss makes the pool drop its idle
	// connections: those that are dead like the lost one would be tried in turn.
	resetEvery = time.Second

	// heartbeat is how often the listener looks at its connection while it hears
	// nothing.
	heartbeat = 5 * time.Second
	// maxNodeName bounds a node's name as the server shows it.
	maxNodeName = 48

	// minVersion is the first server that tells a transaction's fate by a number
	// that does not wrap around.
	minVersion = 13_00_00
)

// Config sets up a DB. Zero values take the defaults.
type Config struct {
	// Logger takes what no caller is told, such as the stack of a panic. Needed.
	Logger *slog.Logger
	// Node names the connections to whoever looks at the server, and is the name
	// that is held where Ring is given. Needed.
	Node string
	// Ring is called with each name that a writer notified, of any node, and with
	// "" after notifications may have been missed: look at everything. It must
	// not block. nil: the DB is no node, hears nothing and holds no name, as that
	// of an operator's command beside a running one.
	Ring func(name string)
	// Connections is how many the pool has at most, the listener's not counted;
	// default 24, or pool_max_conns of the URL.
	Connections int
	// Queue is how many calls may wait for a connection before more get
	// central.ErrBusy; default 4096.
	Queue int
	// Patience is how long a change is tried again; default 10 s.
	Patience time.Duration
}

func (c Config) withDefaults() (Config, error) {
	if c.Logger == nil || c.Node == "" {
		return c, errors.New("a database needs a node name and a logger")
	}
	if c.Connections < 0 || c.Queue < 0 || c.Patience < 0 {
		return c, errors.New("the limits of a store cannot be negative")
	}
	if c.Queue == 0 {
		c.Queue = defaultQueue
	}
	if c.Patience == 0 {
		c.Patience = defaultPatience
	}
	return c, nil
}
