// Package peers is what the programs that Galla is compared with have in common. Each is a
// program of its own, so that its processor time and memory are its own.
package peers

import "time"

// Result is what a raw program prints.
type Result struct {
	Done int           // withdrawals that were written
	Span time.Duration // that it took
	CPU  time.Duration // processor time, user and system
	Next int64         // the number of the next withdrawal
}

// Rate is how many were written in a second.
func (r Result) Rate() float64 { return float64(r.Done) / r.Span.Seconds() }

// Presses is what the counter's program prints: medians.
type Presses struct {
	Press time.Duration // until a press is durable
	Sync  time.Duration // one page written in place and synced, on the same file system
	Whole time.Duration // a withdrawal, from the press to the cash
}

// Paths that do not exist: the counter's program looks for them around each withdrawal, so
// that a trace of its system calls shows where it begins, has the bank's answer, and ends.
const (
	MarkBegin    = "/galla-bench/begin"
	MarkAnswered = "/galla-bench/answered"
	MarkEnd      = "/galla-bench/end"
)
