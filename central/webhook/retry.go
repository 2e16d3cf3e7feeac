package webhook

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"galla/central"
)

// Bounds of retries.
const (
	// firstBackoff is the pause after the first failure; it doubles with each.
	firstBackoff = 5 * time.Second
	// maxBackoff is the longest pause, and the longest Retry-After that is used.
	maxBackoff = 2 * time.Hour
	// retryPeriod is how long delivery is attempted after the operation's end or a replay.
	retryPeriod = 24 * time.Hour
)

// backoff returns the pause after n failures: doubling, bounded, and shortened at random by
// up to a half, so that callbacks which failed together are not retried together.
func backoff(n int, rand io.Reader) time.Duration {
	return central.Jitter(central.Backoff(firstBackoff, maxBackoff, n-1), 2, rand)
}

// nextAttempt returns the time of the next attempt after n failures since a time; asked is
// the receiver's Retry-After. The last attempt is at the end of retryPeriod; false: that
// one is over.
func nextAttempt(since, now time.Time, n int, asked time.Duration, rand io.Reader) (time.Time, bool) {
	end := since.Add(retryPeriod)
	if !now.Before(end) {
		return time.Time{}, false
	}
	next := now.Add(max(backoff(n, rand), min(asked, maxBackoff)))
	if next.After(end) {
		next = end
	}
	return next, true
}

// maxRetryAfter bounds the length of the header, in bytes: a date has 29.
const maxRetryAfter = 64

// retryAfter parses a Retry-After header: seconds, or a date. 0: neither, or in the past.
func retryAfter(text string, now time.Time) time.Duration {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxRetryAfter {
		return 0
	}
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil {
		return time.Duration(min(seconds, uint64(maxBackoff/time.Second))) * time.Second
	}
	at, err := http.ParseTime(text)
	if err != nil || !at.After(now) {
		return 0
	}
	return min(at.Sub(now), maxBackoff)
}
