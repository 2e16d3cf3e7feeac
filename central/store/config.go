package store

import (
	"time"

	"galla/central/store/dbconn"
)

// Limits of a store.
const (
	// maxReason bounds the reason in a step of an operation's history, in
	// bytes; a longer one is cut.
	maxReason = 500
	// maxRows bounds the rows of a list.
	maxRows = 1000
	// maxSlabs bounds the slabs of a vendor: lists return all of them.
	maxSlabs = 1000
	// maxEarningLines bounds the report of earnings, which is one reply.
	maxEarningLines = 100_000
	// maxLiveKeys bounds the keys in the memory of a node, about 2 KB each: two for each of
	// ten thousand vendors.
	maxLiveKeys = 20_000
	// purgeLimit bounds the expired rows that one call deletes. Two would be enough to keep
	// up; more clear a backlog.
	purgeLimit = 32
	// tokenMargin is how long a spent token is stored after it expired, for verifiers that
	// tolerate different clocks.
	tokenMargin = time.Hour
	// maxPendingTries bounds the search for a free pending reference, and nextPendingTries how
	// many numbers in a row it tries.
	maxPendingTries  = 1000
	nextPendingTries = 16
	// retryOffsetFirst and maxRetryDoublings bound the offset at which a retry looks for a
	// free pending reference: 512 after the first failure, twice as much after each
	// further one, at most about a quarter of a minute.
	retryOffsetFirst  = 256
	maxRetryDoublings = 6
)

// Config sets up a store.
type Config = dbconn.Config
