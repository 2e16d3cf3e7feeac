// Package postgres is a pool of connections to one PostgreSQL database (pgx/v5). It
// survives the loss of connections, of the server and of the primary. Package store has
// the schema and the statements.
//
// A Write that returned nil is committed exactly once, and on every server of the
// cluster's synchronous replication. A Write that returned an error recorded nothing,
// except with ErrUnknown, when neither is known. Each connection is checked, and refused
// if the server is older than version 13, takes no changes, has synchronous_commit off,
// or is on an older timeline than one seen before, such as a former primary.
//
// With Config.OnNotify, the DB is a node: a connection of its own listens for names that
// writers notify (Notify), and holds the node's name as a lock. Open fails if another
// node has the name. NodeNameLost reports that another took it during an outage.
//
// Errors say what the operator must do (Explain). Errors and logs never contain the
// password.
package postgres

// Writing.
//
// A change is a function with a transaction (READ COMMITTED). It may run more than once:
// it assigns its results and never adds to those of an earlier run. Within
// Config.RetryFor it runs again after serialization failures, deadlocks, lock timeouts,
// a unique violation (the second run sees the other record), plans that a migration made
// invalid, and any loss of the connection or the server before COMMIT was sent. When the
// time is over, the error is central.ErrBusy: nothing was recorded.
//
// After a loss behind COMMIT, another connection asks for the result (pg_xact_status):
//
//	committed     success, after a later commit was acknowledged too: then the standby
//	              that the first commit waited for has both
//	aborted       the change runs again
//	in progress   it asks again; a server that got no COMMIT ends the transaction itself
//	no answer     ErrUnknown, when the time is over
//
// The number of a transaction is not unique for ever: a crashed server loses what it had
// not synced, a promoted standby lacks what it had not received, and both use the
// numbers again. So each transaction first writes a small record to the log, and keeps
// its position. A server that recovered to a point before that position has nothing of
// the transaction. One that recovered to a later point knows its number.
//
// Reading.
//
// A read has a connection for itself. After a loss it runs again, unless it has seen a
// row; then the loss is its error.
