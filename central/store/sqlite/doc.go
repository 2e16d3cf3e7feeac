// Package sqlite keeps one SQLite file open (mattn/go-sqlite3): one writer that
// commits in groups, and readers beside it. It knows no table: package store
// brings the schema and the statements.
//
// It promises that a Write that returned nil is on the disk: the journal is a
// write-ahead log synced at each commit (synchronous=FULL). This and the other
// settings that records rest on are read back on every connection, and a
// connection that does not have them is refused.
//
// # Writing
//
// One goroutine owns the only connection that writes. It takes what is queued,
// up to a limit, into one transaction, each job in a savepoint of its own, and
// answers all of them after the commit: one caller waits for one sync of the
// disk, many share it. A job that fails is undone alone; a commit that fails is
// the error of all its jobs. An error says that nothing was recorded, with one
// exception that no database can exclude: a commit whose sync failed may be
// found after a crash.
//
// Reading goes over a few connections that cannot write, beside the writer and
// without waiting for it. What a Write has returned is seen by every Read that
// begins afterwards.
//
// Changes and reads enter as functions that are given a connection, valid until
// they return. Errors leave with the words of Explain, which say what whoever
// runs the program must do; central.ErrBusy says that the queue is full.
package sqlite
