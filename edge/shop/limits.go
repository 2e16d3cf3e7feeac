package shop

import "time"

// Limits of the pages.
const (
	// patience is how long a step waits for its answer before the page is
	// shown: most answers are there, so that no page is shown twice.
	patience = 4 * time.Second
	// maxKept bounds what the cache may give back, in bytes: seven steps, or
	// one link.
	maxKept = 8 << 10
	// maxLink bounds a UPI link, in bytes: NPCI's parameters at their longest
	// are some 700, escaped.
	maxLink = 2 << 10
	// maxCodes bounds the codes that are kept over restarts: those of the last
	// customers.
	maxCodes = 8
	// maxKeptCodes bounds them in bytes, escaped for JSON.
	maxKeptCodes = maxCodes * 4 * maxLink
	// maxWhy bounds the central's words for a refusal, in characters: two lines.
	maxWhy = 160
	// maxAsked bounds the codes whose amounts are remembered, in memory as the
	// operations that bring them; an older code is asked for anew.
	maxAsked = 64
	// refresh is how often a page without scripts looks again, in seconds.
	refresh = 3
)
