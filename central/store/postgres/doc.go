// Package postgres keeps a pool of connections to one PostgreSQL database
// (pgx/v5's own), which survives the loss of connections, of the server and of
// the primary. It knows no table: package store brings the schema and the
// statements.
//
// It promises that a Write that returned nil is committed exactly once, and on
// every server that the cluster's synchronous replication names; that one that
// returned an error recorded nothing; and that where neither can be known, the
// error is ErrUnknown. What these promises rest on is checked on every
// connection, and a connection that does not have it is refused: a server that
// takes changes (of several hosts the one that does), version 13 or later,
// synchronous_commit not off, and none of an older timeline than one that was
// seen before, as a former primary has that nobody fenced.
//
// # Writing
//
// A change is a function that is given a transaction (READ COMMITTED) and may be
// run more than once: it assigns its results, and never adds to what a former
// run left. It is run again, within Config.Patience, where that is safe and may
// help: serialization failures, deadlocks, locks that came too late, a record
// that somebody else added at the same time (a second run sees it), plans that a
// migration made stale, and any loss of the connection or of the server before
// COMMIT was sent. When patience ends, the error is central.ErrBusy: nothing was
// recorded.
//
// A connection that is lost after COMMIT was sent leaves the question whether
// it arrived. It is asked on another connection (pg_xact_status) and answered:
//
//	committed     success, as soon as a later commit has been acknowledged too:
//	              then the standby that the first one waited for has it as well
//	aborted       run again
//	in progress   asked again; a server that got no COMMIT gives up by itself
//	no answer     ErrUnknown, when patience ends
//
// A transaction's number alone does not name it for ever: what a crashed server
// had not synced, or a promoted standby had not received, is forgotten, and its
// numbers are given out again. So each transaction begins by writing one small
// record to the log, and its place is kept. A server that has recovered since,
// to a point before that place, has nothing of the transaction; one that came
// past it has its number too, and tells the truth.
//
// # Reading
//
// A read has a connection for itself. It is begun again after a loss as long as
// it has not seen a row; after that the loss is its error.
//
// # The bell and the name
//
// Where Config.Ring is given, the DB is a node: a connection of its own listens
// for names that writers notify (Notify), and holds the node's name as a lock
// for as long as it stands. A name that another holds is refused at the start;
// one that another took during an outage is told by Lost.
//
// Changes and reads enter as functions over a Link, valid until they return.
// Errors leave with the words of Explain, which say what whoever runs the
// program must do. Neither errors nor logs have the password.
package postgres
