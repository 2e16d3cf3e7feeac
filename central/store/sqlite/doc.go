// Package sqlite is one open SQLite file (mattn/go-sqlite3), with one writer that commits
// in groups and several readers. Package store has the schema and the statements.
//
// A Write that returned nil is on the disk: the write-ahead log is synced at each commit
// (synchronous=FULL). This and other settings are read back on every connection, and a
// connection without them is refused.
//
// One goroutine owns the connection that writes. It runs queued jobs in one transaction,
// up to a limit, each in its own savepoint, and answers all of them after the commit: so
// many callers share one sync of the disk. A job that fails is undone alone. A commit
// that fails is the error of all its jobs. An error means that nothing was recorded, with
// one exception that no database can exclude: a commit whose sync failed may be found
// after a crash.
//
// Reads use connections that cannot write and don't wait for the writer. A Read sees all
// changes whose Write returned before it began. Errors say what the operator must do
// (Explain); central.ErrBusy means that the queue is full.
package sqlite
