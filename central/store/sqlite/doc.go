// Package sqlite is one open SQLite file (mattn/go-sqlite3), with one writer that commits
// in groups and several readers. Package store has the schema and the statements.
//
// A Write that returned nil is on the disk: the write-ahead log is synced at each commit
// (synchronous=FULL). This and other settings are read back on every connection, and a
// connection without them is refused.
//
// One goroutine owns the connection that writes. It runs queued jobs in one transaction,
// up to a limit, and answers all of them after the commit: so many callers share one sync
// of the disk. A job that fails is undone alone. If it has changed nothing, there is nothing
// to undo. Else the transaction is rolled back, and its jobs run again, from then on each in
// a savepoint, for so long that a caller who fails all the time costs the others little. A
// commit that fails is the error of all its jobs. An error means that nothing was recorded,
// with one exception that no database can exclude: a commit whose sync failed may be found
// after a crash.
//
// Statements are prepared once for each connection and run through the driver's own
// interface. Only migrations use package database/sql.
//
// The write-ahead log is copied into the file beside the writer (checkpointer), and then
// written over from its beginning, so that it does not grow: a sync then writes data only.
// The file cflags has the C compiler's flags for programs that are handed out and tested: with
// HAVE_FDATASYNC, SQLite syncs by fdatasync, which keeps data and size as fsync does and leaves
// out the times of the file. Without DEFAULT_MEMSTATUS, its allocations need no common lock.
//
// Reads use connections that cannot write and don't wait for the writer. A Read sees all
// changes whose Write returned before it began. Errors say what the operator must do
// (Explain); central.ErrBusy means that the queue is full.
package sqlite
