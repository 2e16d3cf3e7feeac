package sqlite

import "time"

// Limits of a database.
const (
	// busyTimeout is how long SQLite waits for a lock that another program
	// holds, such as a backup.
	busyTimeout = 5 * time.Second
	// statementCache is the number of prepared statements of a connection: more than it runs
	// in an hour of service.
	statementCache = 256
	// carefulJobs is how many jobs run in savepoints after a job had to be undone. A batch ran
	// twice for it. With callers who fail all the time, this happens to one batch in sixteen
	// at most.
	carefulJobs = 4096
	// writerCache is the page cache of the writer: the upper pages of all indexes fit, and the
	// system has the others in its own cache. Most commits make SQLite look at each page of the
	// cache (pcache1TruncateUnsafe: a split page had the number of the lock page for a moment),
	// which with 32 MB took a twentieth of the processor.
	writerCache = 4 << 20
	// readerCache is the page cache of one reader.
	readerCache = 4 << 20
	// checkpointJobs is after how many jobs the write-ahead log is copied into the database: some
	// 10 MB of log. Pages that changed often are copied once.
	checkpointJobs = 1024
	// walPages is the length of the log, in pages, from which each commit copies it itself: 32
	// MB, for jobs that are larger, and for readers that were in the way.
	walPages = 8192
	// walLimit is the size to which the write-ahead log is truncated after a checkpoint.
	walLimit = 64 << 20
)
