// Package enquiry says when the bank is asked after a pending operation.
//
// It promises that for the first two minutes, while a customer may stand at the
// counter, what the bank knows is asked for within ten seconds: at 1, 2, 4 and 8
// seconds, and then often enough that the look at the table and the bank's
// answer are within the ten. After that the pauses double, up to a quarter of an
// hour, so that a bank that is down for a day is not asked without end. Operations
// of one outage do not ask in step: a part of each pause is left to chance, and
// chance only shortens.
//
// Nothing enters but the configuration, the number of enquiries that were made
// and a source of randomness; nothing leaves but the pause. package central
// makes the enquiries, and the database hands each to one node.
package enquiry

import (
	"encoding/binary"
	"io"
	"time"
)

// Config says how pending operations are asked after. Zero values take the
// defaults of operations.md.
//
// An operation is asked after when it has been pending for First, and for twice,
// four times and eight times that; then every Steady for Watch; then with pauses
// that double up to Max.
type Config struct {
	First   time.Duration // before the first enquiry; default 1 s
	Steady  time.Duration // the longest wait for what the bank knows, while a customer may stand there; default 10 s
	Watch   time.Duration // how long that holds, from pending on; default 2 min
	Max     time.Duration // the longest pause; default 15 min
	GiveUp  time.Duration // then a person is needed; default 7 days
	Timeout time.Duration // of one enquiry; default 10 s
	Poll    time.Duration // how often the table is looked at; default 500 ms
	Sweep   time.Duration // how often abandoned operations are looked for; default 10 s
	Batch   int           // enquiries at one time; default 16, so that a bank that comes back is not knocked over
}

// WithDefaults fills in what is zero.
func (c Config) WithDefaults() Config {
	set := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	set(&c.First, time.Second)
	set(&c.Steady, 10*time.Second)
	set(&c.Watch, 2*time.Minute)
	set(&c.Max, 15*time.Minute)
	set(&c.GiveUp, 7*24*time.Hour)
	set(&c.Timeout, 10*time.Second)
	set(&c.Poll, 500*time.Millisecond)
	set(&c.Sweep, 10*time.Second)
	if c.Batch == 0 {
		c.Batch = 16
	}
	return c
}

// doublings is how many pauses there are at first: 1, 1, 2 and 4 of First, so
// that the enquiries are made at 1, 2, 4 and 8 of it.
const doublings = 4

// Delay is the pause before enquiry n, counted from 0 and from the moment at
// which the one before was asked. Of the early pauses up to a tenth is left to
// chance, of the long ones half; without randomness nothing is.
func (c Config) Delay(n int, random io.Reader) time.Duration {
	// The look at the table, and a twentieth for the bank's answer.
	steady := max(c.Steady-c.Poll-c.Steady/20, c.First)
	// As many as fill the time where chance takes a tenth of each.
	watched := doublings + int((c.Watch-8*c.First)/(steady-steady/10))
	switch {
	case n < doublings:
		return shorter(min(c.First<<max(0, n-1), c.Max), 10, random)
	case n <= watched:
		return shorter(min(steady, c.Max), 10, random)
	}
	pause := c.Steady
	for range n - watched {
		if pause *= 2; pause >= c.Max {
			pause = c.Max
			break
		}
	}
	return shorter(pause, 2, random)
}

// shorter gives a pause that is shorter by chance, by up to the given part of it.
func shorter(pause time.Duration, part uint64, random io.Reader) time.Duration {
	var bits [8]byte
	if _, err := io.ReadFull(random, bits[:]); err != nil {
		return pause
	}
	return pause - time.Duration(binary.BigEndian.Uint64(bits[:])%(uint64(pause)/part+1))
}
