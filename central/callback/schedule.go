package callback

import (
	"encoding/binary"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// When an attempt that failed is made again.
const (
	// firstPause is the pause after the first failure; it doubles with each.
	firstPause = 5 * time.Second
	// maxPause is the longest pause, and the longest Retry-After that is heeded: a
	// receiver that comes back waits no longer.
	maxPause = 2 * time.Hour
	// patience is how long a callback is tried, from the settlement or from a
	// replay on.
	patience = 24 * time.Hour
)

// pauseAfter is the pause after n failures, the last one included: doubling,
// bounded, and between half and all of that, so that what failed together does
// not come again together.
func pauseAfter(n int, rand io.Reader) time.Duration {
	pause := firstPause
	for range n - 1 {
		pause *= 2
		if pause >= maxPause {
			pause = maxPause
			break
		}
	}
	var bits [8]byte
	if _, err := io.ReadFull(rand, bits[:]); err != nil {
		return pause
	}
	return pause/2 + time.Duration(binary.BigEndian.Uint64(bits[:])%uint64(pause/2+1))
}

// nextAttempt is when a callback is tried again that has failed n times since a
// moment. The last attempt is made when its time ends; false: it was that one.
func nextAttempt(since, now time.Time, n int, asked time.Duration, rand io.Reader) (time.Time, bool) {
	end := since.Add(patience)
	if !now.Before(end) {
		return time.Time{}, false
	}
	next := now.Add(max(pauseAfter(n, rand), min(asked, maxPause)))
	if next.After(end) {
		next = end
	}
	return next, true
}

// maxRetryAfter bounds the header that is read, in bytes: a date has 29.
const maxRetryAfter = 64

// retryAfter is how long a receiver asks to be left alone: seconds, or a date.
// What is neither, or lies in the past, is nothing.
func retryAfter(text string, now time.Time) time.Duration {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxRetryAfter {
		return 0
	}
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil {
		return time.Duration(min(seconds, uint64(maxPause/time.Second))) * time.Second
	}
	at, err := http.ParseTime(text)
	if err != nil || !at.After(now) {
		return 0
	}
	return min(at.Sub(now), maxPause)
}
