package sqlite

import "time"

// Limits of a database.
const (
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
