package central

import (
	"cmp"
	"encoding/binary"
	"io"
	"time"
)

// EnquiryConfig says when the bank is asked about a pending operation
// (operations.md, section 6). Zero values take the defaults.
//
// The bank is asked when an operation has been pending for First, and for twice,
// four times and eight times that; then at least every Steady until SteadyFor has
// passed; then with pauses that double up to Max.
type EnquiryConfig struct {
	First      time.Duration // before the first enquiry; default 1 s
	Steady     time.Duration // the longest wait for an answer that the bank has, while the customer may still be there; default 10 s
	SteadyFor  time.Duration // how long Steady holds, from the state pending on; default 2 min
	Max        time.Duration // the longest pause; default 15 min
	StuckAfter time.Duration // then the operation waits for staff; default 7 days
	Timeout    time.Duration // of one enquiry; default 10 s
	Poll       time.Duration // how often the table is read; default 500 ms
	Sweep      time.Duration // how often abandoned operations are searched; default 10 s
	// Batch is how many enquiries are made at one time while customers leave the bank
	// room; default DefaultEnquiries of EngineConfig.MaxInFlight.
	Batch int
}

// enquiriesInReserve is the part of Batch that is made even while customers take every
// place at the bank: their own operations may be among the pending ones.
const enquiriesInReserve = 16

// MaxEnquiries bounds EnquiryConfig.Batch.
const MaxEnquiries = maxJobBatch

// DefaultEnquiries is how many enquiries are made at one time where so many operations may
// wait for the bank: a quarter, so that a bank that comes back gets no more at once than it
// takes every day.
func DefaultEnquiries(maxInFlight int) int {
	return min(max(maxInFlight/4, 1), MaxEnquiries)
}

// WithDefaults fills in what is zero, except for Batch.
func (c EnquiryConfig) WithDefaults() EnquiryConfig {
	c.First = cmp.Or(c.First, time.Second)
	c.Steady = cmp.Or(c.Steady, 10*time.Second)
	c.SteadyFor = cmp.Or(c.SteadyFor, 2*time.Minute)
	c.Max = cmp.Or(c.Max, 15*time.Minute)
	c.StuckAfter = cmp.Or(c.StuckAfter, 7*24*time.Hour)
	c.Timeout = cmp.Or(c.Timeout, 10*time.Second)
	c.Poll = cmp.Or(c.Poll, 500*time.Millisecond)
	c.Sweep = cmp.Or(c.Sweep, 10*time.Second)
	return c
}

// enquiryDoublings is the number of early pauses: 1, 1, 2 and 4 times First, which
// puts the enquiries at 1, 2, 4 and 8 times First.
const enquiryDoublings = 4

// Delay is the pause before enquiry n (from 0), counted from the moment at which
// the enquiry before it was made. Random jitter shortens an early pause by up to a
// tenth and a long one by up to a half, so that the operations of one outage are
// not all asked about at once. If random fails, there is no jitter.
func (c EnquiryConfig) Delay(n int, random io.Reader) time.Duration {
	// Leave time for the next poll, and a twentieth for the bank's answer.
	steady := max(c.Steady-c.Poll-c.Steady/20, c.First)
	// As many as fill SteadyFor if jitter takes a tenth of each.
	steadyUntil := enquiryDoublings + int((c.SteadyFor-8*c.First)/(steady-steady/10))
	switch {
	case n < enquiryDoublings:
		return Jitter(min(c.First<<max(0, n-1), c.Max), 10, random)
	case n <= steadyUntil:
		return Jitter(min(steady, c.Max), 10, random)
	}
	return Jitter(Backoff(c.Steady, c.Max, n-steadyUntil), 2, random)
}

// Backoff is the first pause, doubled n times, and at most the longest one.
func Backoff(first, longest time.Duration, n int) time.Duration {
	for range n {
		if first >= longest {
			break
		}
		first *= 2
	}
	return min(first, longest)
}

// Jitter shortens a pause at random, by at most pause/part. If random fails, it is not
// shortened.
func Jitter(pause time.Duration, part uint64, random io.Reader) time.Duration {
	var bits [8]byte
	if _, err := io.ReadFull(random, bits[:]); err != nil {
		return pause
	}
	return pause - time.Duration(binary.BigEndian.Uint64(bits[:])%(uint64(pause)/part+1))
}
