package uplink

import (
	"context"
	"encoding/binary"
	"io"
	"sync"
	"time"

	"galla/central"
)

// line admits terminals as fast as this node can greet them, which it measures. Only so
// many are greeted at one time, and some more may wait for that inside. Each other one gets
// a place in the line: the moment at which it is to come back. The places follow each other
// as greetings do, so that a terminal that comes at its own is admitted, and all of them are
// admitted in the time that is needed.
type line struct {
	slots  chan struct{} // of greetings under way
	random io.Reader

	mu      sync.Mutex
	took    time.Duration // of one greeting: moving average
	waiting int           // for a slot
	places  map[central.TerminalID]time.Time
	order   []place   // the same places, the next one first
	last    time.Time // of the places
}

// place is a terminal's place in the line.
type place struct {
	terminal central.TerminalID
	at       time.Time
}

const (
	// firstGuess is how long a greeting keeps the node busy, before anything is measured.
	// Too short a guess costs terminals a second attempt; too long a one costs time.
	firstGuess = 300 * time.Microsecond
	// averageOver is how many greetings the moving average is over.
	averageOver = 32
	// haste is by how much the places are closer than greetings take, which take longer
	// while many are under way: some terminals always wait inside, and the node is never idle.
	haste = 1.25
	// room is how many terminals wait inside for each that is greeted.
	room = 8
	// roomWait is how long a terminal waits inside for a slot; a connection attempt lasts
	// longer.
	roomWait = 5 * time.Second
	// early is by how much a terminal may come before its place: clocks differ in speed.
	early = 20 * time.Millisecond
	// placeLife is how long a place is kept for a terminal that does not come.
	placeLife = 10 * time.Second
	// minRetry and maxRetry bound the wait for a place. Beyond them places are not kept.
	minRetry = 100 * time.Millisecond
	maxRetry = time.Minute
)

func newLine(greetings int, random io.Reader) *line {
	return &line{
		slots: make(chan struct{}, greetings), random: random, places: map[central.TerminalID]time.Time{},
		took: firstGuess * time.Duration(greetings),
	}
}

// enter admits a terminal: the caller calls release when it is greeted. Otherwise wait is
// when the terminal is to come back.
func (l *line) enter(ctx context.Context, id central.TerminalID) (release func(), wait time.Duration) {
	l.mu.Lock()
	now := time.Now()
	l.dropOld(now)
	at, placed := l.places[id]
	switch {
	case placed && at.Sub(now) > early:
		l.mu.Unlock()
		return nil, at.Sub(now)
	case placed:
		delete(l.places, id)
	case l.last.After(now) || l.waiting >= room*cap(l.slots):
		wait = l.give(id, now)
		l.mu.Unlock()
		return nil, wait
	}
	l.waiting++
	l.mu.Unlock()

	timeout := time.NewTimer(roomWait)
	defer timeout.Stop()
	entered := false
	select {
	case l.slots <- struct{}{}:
		entered = true
	case <-timeout.C:
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting--
	if !entered {
		return nil, l.give(id, time.Now())
	}
	begun := time.Now()
	return sync.OnceFunc(func() { l.leave(time.Since(begun)) }), 0
}

// leave ends a greeting.
func (l *line) leave(took time.Duration) {
	<-l.slots
	l.mu.Lock()
	defer l.mu.Unlock()
	l.took += (took - l.took) / averageOver
}

// give gives a terminal the next place and returns the wait for it. The caller holds
// mu.
func (l *line) give(id central.TerminalID, now time.Time) time.Duration {
	apart := time.Duration(float64(l.took) / float64(cap(l.slots)) / haste)
	at := l.last.Add(apart)
	if first := now.Add(minRetry); at.Before(first) {
		at = first
	}
	if at.Sub(now) > maxRetry {
		return maxRetry/2 + l.jitter(maxRetry/2)
	}
	l.last, l.places[id] = at, at
	l.order = append(l.order, place{id, at})
	return at.Sub(now)
}

// dropOld forgets the places of terminals that did not come. The caller holds mu.
func (l *line) dropOld(now time.Time) {
	for len(l.order) > 0 && now.Sub(l.order[0].at) > placeLife {
		if old := l.order[0]; l.places[old.terminal].Equal(old.at) {
			delete(l.places, old.terminal)
		}
		l.order = l.order[1:]
	}
	if len(l.order) == 0 {
		l.order = nil
	}
}

// jitter is a random duration below d.
func (l *line) jitter(d time.Duration) time.Duration {
	var b [8]byte
	if _, err := io.ReadFull(l.random, b[:]); err != nil {
		return d / 2 // no randomness: the places still differ
	}
	return time.Duration(binary.LittleEndian.Uint64(b[:]) % uint64(d))
}
