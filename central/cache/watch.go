package cache

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

const (
	// pollEvery is after how long a request reads the revisions again.
	pollEvery = 300 * time.Millisecond
	// validFor is how long after the beginning of their last reading the revisions may
	// be used, while another request reads them or the reading fails.
	validFor = time.Second
)

// Revisions are numbers that grow with every change of what is kept in memory.
type Revisions struct {
	Accounts   int64 // merchants, vendors, clients, and terminals that are revoked
	Slabs      int64
	VendorKeys int64 // keys of the gateway
}

// Source is the database. Errors of its methods are the database's.
type Source interface {
	// Revisions reads the numbers, all in one statement.
	Revisions(ctx context.Context) (Revisions, error)
	// Changes counts the changes of this process that raised one of the numbers, each
	// before its caller learns that it was committed. It reads no database.
	Changes() int64
}

// Watch knows the revisions. It is safe for concurrent use.
type Watch struct {
	source  Source
	last    atomic.Pointer[reading]
	polling chan struct{} // held by the request that reads

	// The last reading that failed; guarded by polling.
	failedAt  time.Time
	lastError error
}

// reading is what was read.
type reading struct {
	revisions Revisions
	begun     time.Time // when the reading began
	changes   int64     // Source.Changes before it began
}

// NewWatch makes one. It reads nothing before it is asked.
func NewWatch(source Source) *Watch {
	return &Watch{source: source, polling: make(chan struct{}, 1)}
}

// Current returns the revisions as they were within the last second, or after the caller
// asked, and not before the last change of this process. One request reads them, and the
// others use what is known or, if that is too old, wait for it. The error is the
// database's, or the context's.
func (w *Watch) Current(ctx context.Context) (Revisions, error) {
	asked := time.Now()
	if r := w.usable(asked, validFor); r != nil {
		if asked.Sub(r.begun) < pollEvery {
			return r.revisions, nil
		}
		select {
		case w.polling <- struct{}{}:
			defer func() { <-w.polling }()
		default:
			return r.revisions, nil // another request is reading
		}
		if fresh, err := w.poll(ctx); err == nil {
			return fresh, nil
		}
		return r.revisions, nil
	}
	select {
	case w.polling <- struct{}{}:
		defer func() { <-w.polling }()
	case <-ctx.Done():
		return Revisions{}, fmt.Errorf("wait for the revisions: %w", ctx.Err())
	}
	// Another request may have read them meanwhile. If that took long, what it began to read
	// after this one asked is new enough: else all that wait would read, one by one.
	now := time.Now()
	if r := w.usable(now, max(pollEvery, now.Sub(asked))); r != nil {
		return r.revisions, nil
	}
	if w.lastError != nil && w.failedAt.After(asked) {
		return Revisions{}, w.lastError // this request asked before another one's reading that failed
	}
	return w.poll(ctx)
}

// usable returns the last reading if it is younger than most and this process has changed
// nothing since.
func (w *Watch) usable(now time.Time, most time.Duration) *reading {
	r := w.last.Load()
	if r == nil || now.Sub(r.begun) >= most || r.changes != w.source.Changes() {
		return nil
	}
	return r
}

// poll reads the revisions. The caller holds polling.
func (w *Watch) poll(ctx context.Context) (Revisions, error) {
	r := &reading{begun: time.Now(), changes: w.source.Changes()}
	var err error
	if r.revisions, err = w.source.Revisions(ctx); err != nil {
		if ctx.Err() == nil { // the other requests' contexts have not ended
			w.failedAt, w.lastError = r.begun, err
		}
		return Revisions{}, err
	}
	w.lastError = nil
	w.last.Store(r)
	return r.revisions, nil
}
