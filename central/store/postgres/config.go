package postgres

import "time"

// Limits of a database.
const (
	// connectTimeout bounds the connection to one host, with the check of its settings. With
	// three hosts of which two are dead, the third is reached within Config.RetryFor.
	connectTimeout = 3 * time.Second
	// keepAliveIdle, keepAliveEvery and keepAliveCount find within five seconds that the other
	// end of an idle connection is gone.
	keepAliveIdle  = 3 * time.Second
	keepAliveEvery = time.Second
	keepAliveCount = 2
	// sendTimeout is how long sent data may stay unacknowledged by the other machine, where
	// the system has such a limit.
	sendTimeout = 5 * time.Second
	// pingTimeout bounds the check of a connection that was idle for a second.
	pingTimeout = 2 * time.Second
	// statementTimeout is when the server ends a statement: the longest, of a
	// report or a purge, take a few seconds.
	statementTimeout = 30 * time.Second
	// lockTimeout is how long a statement waits for a locked row. Changes take milliseconds,
	// so a longer lock is that of a node that died or was stopped.
	lockTimeout = 2 * time.Second
	// idleTimeout is when the server ends an idle transaction. It is less than
	// Config.RetryFor, so that the locks of a disconnected node end while others retry.
	idleTimeout = 4 * time.Second
	// readLimit bounds a read as a whole, the report of all earnings included.
	readLimit = time.Minute

	// maxDuplicateRetries is how often a change runs after unique violations: once for each
	// name of an operation, and some more for concurrent searches of a free reference.
	maxDuplicateRetries = 6
	// firstPause and lastPause bound the pause before a change runs again. The bound doubles;
	// the pause is random between zero and the bound.
	firstPause = 10 * time.Millisecond
	lastPause  = 500 * time.Millisecond
	// resetEvery bounds how often a loss makes the pool close its idle connections. They are
	// probably dead too, and would be tried one by one.
	resetEvery = time.Second

	// maxSharing is how many statements of one kind run at one time. Two keep the server busy
	// while one waits for the disk; more only make each serve fewer calls. A withdrawal takes
	// so many commits (BenchmarkSharedWithdrawal), and 7.4 KB of log with any of them:
	//
	//	maxSharing    32 callers    256 callers
	//	1             0.22          0.05
	//	2             0.36–0.42     0.06
	//	4             0.66          0.14
	maxSharing = 2
	// maxShared bounds the calls that one statement serves, so that the first does not wait
	// long for the last. At 256 callers, a statement serves 31 calls on average (0.06 commits
	// for a withdrawal of two steps), so a higher bound would change little.
	maxShared = 64

	// heartbeat is how often the listener checks an idle connection.
	heartbeat = 5 * time.Second
	// maxNodeName bounds a node's name as the server shows it.
	maxNodeName = 48

	// minVersion is the first server version with transaction numbers that don't wrap around.
	minVersion = 13_00_00
)
