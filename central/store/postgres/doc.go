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
// Shared statements.
//
// The money path has no transaction of several statements. A shared statement is its own
// transaction in one round trip and serves all calls of a moment (Sharing). It asks for no
// number, writes no record of its own, and depends on no state of the session, so that
// connections can be pooled by transaction. What it did for a call is read from its answer:
//
//	the call is named       it is committed
//	the call is not named   nothing of it is recorded, and never will be
//	an error of the server  the same for all its calls: the statement is rolled back
//	no answer, or a warning the result is open (Unanswered)
//
// A statement without an answer may even arrive later: its bytes may wait in a buffer of
// the network or of a stopped server. So nobody asks for its fate, which may not be
// decided yet. The call is made once more, by Write, which either finds what the statement
// recorded or records it and so leaves the statement nothing to do: callers share only
// what one can recognize by its own data, and what a second run refuses.
//
//	the statement is under way   the change waits for its locks, and then finds its rows
//	it was committed             the change finds its rows. The commit of the change is
//	                             behind that of the statement in the log: once it is
//	                             acknowledged, the standby has both
//	it was not                   the change records the call. If the statement comes
//	                             later, it finds the rows of the change and serves nobody
//	a standby was promoted       the standby has the statement or never will: its server
//	                             is of an older timeline, and the connector refuses that
//	the change fails             Unknown: the statement may still come. This is an error
//	                             even where the change says that nothing was recorded
//
// Reading.
//
// A read has a connection for itself. After a loss it runs again, unless it has seen a
// row; then the loss is its error.
