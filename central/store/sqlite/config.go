package sqlite

import (
	"errors"
	"log/slog"
	"time"
)

// Limits and defaults of a database.
const (
	// defaultQueue bounds the jobs that wait for the writer. The engine has at
	// most 1024 operations under way with one write each; the rest is for the
	// hellos and tokens of terminals that come back all at once. At ten
	// thousand commits a second it is less than half a second of waiting.
	defaultQueue = 4096
	// defaultBatch bounds the jobs of one transaction, so that the first of
	// them does not wait long for the last. Larger ones gain little: the sync is
	// already shared by hundreds.
	defaultBatch = 256
	// defaultReaders is how many reads run at one time. Each connection has its
	// own cache and three file handles; reads take microseconds.
	defaultReaders = 4
	// busyTimeout is how long SQLite waits for a lock that another program
	// holds, such as a backup.
	busyTimeout = 5 * time.Second
	// statementCache is how many prepared statements a connection keeps: more
	// than the package has.
	statementCache = 128
	// writerCache is the page cache of the writer: the upper pages of every
	// index stay in memory with millions of operations.
	writerCache = 32 << 20
	// readerCache is the page cache of one reader.
	readerCache = 4 << 20
	// walLimit is what the write-ahead log is cut back to after it has been
	// copied into the database.
	walLimit = 64 << 20
)

// Config sets up a DB. Zero values take the defaults.
type Config struct {
	// Logger takes what no caller is told, such as the stack of a panic. Needed.
	Logger *slog.Logger
	// Queue is how many jobs may wait for the writer before callers get
	// central.ErrBusy; default 4096.
	Queue int
	// Batch is how many jobs share one transaction at most; default 256.
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
