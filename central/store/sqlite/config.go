package sqlite

import (
	"errors"
	"log/slog"
	"time"
)

// Limits and defaults of a database.
const (
	// defaultQueue bounds the jobs that wait for the writer. The engine has at most 1024
	// operations in progress with one write each; the rest is for terminals that connect
	// at the same time. At ten thousand commits a second, the wait is below half a second.
	defaultQueue = 4096
	// defaultBatch bounds the jobs of one transaction, so that the first does not wait long for
	// the last. A larger batch gains little: hundreds already share the sync.
	defaultBatch = 256
	// defaultReaders is the number of connections for reads. Each has its own cache and three
	// file handles; reads take microseconds.
	defaultReaders = 4
	// busyTimeout is how long SQLite waits for a lock that another program
	// holds, such as a backup.
	busyTimeout = 5 * time.Second
	// statementCache is the number of prepared statements of a connection: more than package
	// store has.
	statementCache = 128
	// writerCache is the page cache of the writer: with millions of operations, the upper pages
	// of all indexes fit.
	writerCache = 32 << 20
	// readerCache is the page cache of one reader.
	readerCache = 4 << 20
	// walLimit is the size to which the write-ahead log is truncated after a checkpoint.
	walLimit = 64 << 20
)

// Config sets up a DB. Zero values take the defaults.
type Config struct {
	// Logger gets what no caller gets, such as the stack of a panic. Needed.
	Logger *slog.Logger
	// Queue is how many jobs may wait for the writer before callers get
	// central.ErrBusy; default 4096.
	Queue int
	// Batch is the limit of jobs in one transaction; default 256.
	Batch int
	// Readers is how many reads run at one time; default 4.
	Readers int
}

func (c Config) withDefaults() (Config, error) {
	if c.Logger == nil {
		return c, errors.New("a database needs a logger")
	}
	for _, limit := range []struct {
		value     *int
		otherwise int
	}{{&c.Queue, defaultQueue}, {&c.Batch, defaultBatch}, {&c.Readers, defaultReaders}} {
		if *limit.value < 0 {
			return c, errors.New("the limits of a store cannot be negative")
		}
		if *limit.value == 0 {
			*limit.value = limit.otherwise
		}
	}
	return c, nil
}
