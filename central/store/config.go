package store

import (
	"errors"
	"log/slog"
	"time"

	"galla/central/store/postgres"
	"galla/central/store/sqlite"
)

// Limits of a store.
const (
	// maxReason bounds the reason in a step of an operation's history, in
	// bytes; a longer one is cut.
	maxReason = 500
	// maxRows bounds the rows of a list.
	maxRows = 1000
	// maxSlabs bounds the slabs of a vendor: lists return all of them.
	maxSlabs = 1000
	// maxEarningLines bounds the report of earnings, which is one reply.
	maxEarningLines = 100_000
	// maxLiveKeys bounds the keys in the memory of a node, about 2 KB each: two for each of
	// ten thousand vendors.
	maxLiveKeys = 20_000
	// purgeLimit bounds the expired rows that one call deletes. Two would be enough to keep
	// up; more clear a backlog.
	purgeLimit = 32
	// tokenMargin is how long a spent token is stored after it expired, for verifiers that
	// tolerate different clocks.
	tokenMargin = time.Hour
	// maxPendingTries bounds the search for a free pending reference. Fewer operations become
	// pending in one millisecond.
	maxPendingTries = 10_000
	// retryOffsetFirst and maxRetryDoublings bound the offset at which a retry looks for a
	// free pending reference: 512 after the first failure, twice as much after each
	// further one, at most about a quarter of a minute.
	retryOffsetFirst  = 256
	maxRetryDoublings = 6
)

// Config sets up a store. Zero values take the defaults.
type Config struct {
	// Node names this central in the steps that it writes. Needed.
	Node string
	// Logger gets what no caller gets, such as the stack of a panic. Needed.
	Logger *slog.Logger
	// Queue is how many jobs may wait for the writer before callers get
	// central.ErrBusy; default 4096.
	Queue int
	// Batch is how many jobs share one transaction at most; default 256.
	Batch int
	// Readers is how many reads run at one time; default 4.
	Readers int

	// SkipMigrations opens the database with its present schema, for inspection.
	SkipMigrations bool

	// OnNotify is called with each name that a node notified (central.TerminalTopic), and with
	// "" if notifications may have been lost: then everything must be checked. It must not
	// block. On PostgreSQL it makes this store a node, which holds its node name and is
	// refused if another holds it. nil: the store of a command beside a running central.
	// On SQLite it is never called.
	OnNotify func(name string)
	// Connections is the limit of connections to PostgreSQL, without the listener's; default
	// 24, or pool_max_conns of the URL. Queue bounds the calls that wait for one. Batch and
	// Readers are for SQLite.
	Connections int
	// Patience is how long a change is retried during an outage of PostgreSQL before its
	// caller gets central.ErrBusy; default 10 s.
	Patience time.Duration
}

func (c Config) sqlite() (sqlite.Config, error) {
	if c.Node == "" || c.Logger == nil {
		return sqlite.Config{}, errors.New("a store needs a node name and a logger")
	}
	return sqlite.Config{Logger: c.Logger, Queue: c.Queue, Batch: c.Batch, Readers: c.Readers}, nil
}

func (c Config) postgres() (postgres.Config, error) {
	if c.Node == "" || c.Logger == nil {
		return postgres.Config{}, errors.New("a store needs a node name and a logger")
	}
	return postgres.Config{
		Logger: c.Logger, Node: c.Node, OnNotify: c.OnNotify,
		Connections: c.Connections, Queue: c.Queue, RetryFor: c.Patience,
	}, nil
}
