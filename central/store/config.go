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
	// maxRows bounds what one reading of a list brings, whatever was asked for.
	maxRows = 1000
	// maxSlabs bounds a vendor's slabs: each change looks at those of the same
	// combination, and lists bring all of them.
	maxSlabs = 1000
	// maxEarningLines bounds the report of earnings, which comes as one reply.
	maxEarningLines = 100_000
	// maxLiveKeys bounds the keys that a node holds open at one time, some 2 KB
	// each: two for each of ten thousand vendors.
	maxLiveKeys = 20_000
	// purgeLimit bounds how many expired tokens, codes or messages one call removes on
	// the way: two would keep up, more clear a backlog after a quiet time.
	purgeLimit = 32
	// tokenMargin is how long a spent token is remembered after it expired, for
	// verifiers that allow for clocks that differ.
	tokenMargin = time.Hour
	// maxPendingTries bounds the search for a free pending reference. So many
	// operations do not become pending in one millisecond.
	maxPendingTries = 10_000
	// apartAtFirst and maxApart bound how far from its millisecond the number of
	// a pending reference is looked for when many look at one time: 512 after the
	// first trial that failed, twice as far after each further one, at most a
	// quarter of a minute.
	apartAtFirst = 256
	maxApart     = 6
)

// Config sets up a store. Zero values take the defaults.
type Config struct {
	// Node names this central in the steps that it writes. Needed.
	Node string
	// Logger takes what no caller is told, such as the stack of a panic. Needed.
	Logger *slog.Logger
	// Queue is how many jobs may wait for the writer before callers get
	// central.ErrBusy; default 4096.
	Queue int
	// Batch is how many jobs share one transaction at most; default 256.
	Batch int
	// Readers is how many reads run at one time; default 4.
	Readers int

	// AsIs opens the database with the schema that it has, for a look at it:
	// nothing is migrated, and where there is no schema, little can be read.
	AsIs bool

	// Ring is called with names of the bell that writers of any node rang
	// (central.TerminalBell), and with "" after rings may have been missed: look
	// at everything. It must not block. With PostgreSQL it makes this store a
	// node: its name is then held, and refused where another holds it. nil: the
	// store is that of a command beside a running central. On SQLite there are no
	// others, and it is not called.
	Ring func(name string)
	// Connections is how many connections to PostgreSQL there are at most, the
	// bell's not counted; default 24, or pool_max_conns of the URL. Queue bounds
	// the calls that wait for one; Batch and Readers are of SQLite.
	Connections int
	// Patience is how long a change is tried again through an outage of
	// PostgreSQL before its caller gets central.ErrBusy; default 10 s.
	Patience time.Duration
}

func (c Config) file() (sqlite.Config, error) {
	if c.Node == "" || c.Logger == nil {
		return sqlite.Config{}, errors.New("a store needs a node name and a logger")
	}
	return sqlite.Config{Logger: c.Logger, Queue: c.Queue, Batch: c.Batch, Readers: c.Readers}, nil
}

func (c Config) server() (postgres.Config, error) {
	if c.Node == "" || c.Logger == nil {
		return postgres.Config{}, errors.New("a store needs a node name and a logger")
	}
	return postgres.Config{
		Logger: c.Logger, Node: c.Node, Ring: c.Ring,
		Connections: c.Connections, Queue: c.Queue, Patience: c.Patience,
	}, nil
}
