// Package store keeps the central's records in SQL: operations with their
// identities and history, the parties, terminals with their codes, tokens and
// events, and the agents' sessions. It implements central.Store over SQLite
// (mattn/go-sqlite3).
//
// It promises that a method that returned nil is on the disk: the journal is a
// write-ahead log synced at each commit (synchronous=FULL), which is checked
// on every connection. It also promises that no record is ever in a state that
// central.CanBecome does not allow: methods change a row only if it is still in
// the state that they leave, and the schema's constraints and triggers refuse
// what a mistake in the code might try.
//
// Data enters and leaves as the types of package central. Inside, times are
// integer milliseconds since 1970 (what is finer is cut off; the zero time is
// NULL), amounts are integer paise, and absent references are NULL. Times come
// back in UTC. Nothing secret is accepted: the column of the Aadhaar number
// takes the masked form only, codes come as hashes, and PidData and OTPs have
// no column.
//
// # Writing
//
// One goroutine owns the only connection that writes. It takes what is queued,
// up to a limit, into one transaction, each job in a savepoint of its own, and
// answers all of them after the commit: one caller waits for one sync of the
// disk, many share it. A job that fails is undone alone; a commit that fails is
// the error of all its jobs. An error says that nothing was recorded, with one
// exception that no database can exclude: a commit whose sync failed may be
// found after a crash. The engine's sweep settles such a record as any other.
//
// Reading goes over a few connections that cannot write, beside the writer and
// without waiting for it. What a method has returned is seen by every read that
// begins afterwards.
//
// # Other databases
//
// Statements use numbered parameters in the order of their first appearance,
// which SQLite and PostgreSQL read alike; migrations are per database, since
// types and triggers are spelled differently. The suite testStore says what
// every database must do.
package store
