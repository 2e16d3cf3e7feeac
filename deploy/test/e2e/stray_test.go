//go:build linux

package e2e

import (
	crand "crypto/rand"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/uplink"
	"galla/shared/op"
	frames "galla/shared/wire"
)

// strayPaise marks the amounts of strays; it is no scenario of the bank's.
const strayPaise = 1

// strayAmount reports whether an amount is a stray's.
func strayAmount(paise int64) bool { return paise >= firstAtCounter && paise%100 == strayPaise }

// Timeouts of strays.
const (
	strayReplyTimeout = 3 * time.Second        // for the central to report something of an operation
	strayLine         = 3 * time.Second        // for the connection to accept a frame
	strayPause        = 60 * time.Millisecond  // at most, between two frames
	strayAgain        = 300 * time.Millisecond // between two questions in the end
)

// strayLoad is a terminal whose frames arrive in any order: what a counter sent on a
// connection that broke, and asked for on the next one, comes before or after its
// question, twice, or again after it was declared never seen. One central stops reading
// a connection when its terminal has connected anew. Several centrals cannot prevent
// it, nor can they know which copy comes first.
type strayLoad struct {
	t      *testing.T
	h      *sandbox
	reader *reader
	line   *uplink.Client

	mu         sync.Mutex
	ops        map[op.ID]*strayOp
	order      []*strayOp
	cursor     int64
	framesSent int // frames
}

// strayOp is an operation as it was reported to its terminal.
type strayOp struct {
	id         op.ID
	paise      int64
	frame      frames.Frame
	unseen     bool
	last       op.State      // of the last outcome; accepted before one
	firstReply chan struct{} // closed at the first report about it
}

func (o *strayOp) ended() bool { return o.unseen || o.last.Final() }

// strayOrders are the orders in which the frames of one operation arrive; after a wait
// the central has reported something.
var strayOrders = [][]frames.Type{
	{frames.TOp},
	{frames.TOp, frames.TAsk},
	{frames.TAsk, frames.TOp},
	{frames.TAsk, strayWait, frames.TOp},
	{frames.TOp, frames.TOp},
	{frames.TOp, frames.TAsk, frames.TOp},
	{frames.TOp, strayWait, frames.TOp, frames.TAsk},
	{frames.TAsk, strayWait, frames.TOp, frames.TAsk, frames.TOp},
}

// strayWait is no frame.
const strayWait frames.Type = "wait"

var _ edge.Receiver = (*strayLoad)(nil)

// newStrayLoad enrols the terminal and connects it.
func newStrayLoad(t *testing.T, h *sandbox) *strayLoad {
	t.Helper()
	l := &strayLoad{t: t, h: h, reader: h.newReader(t), ops: map[op.ID]*strayOp{}}
	l.line = dialAsNewTerminal(t, h, l)
	return l
}

// Hello names some of the operations that have no end, as a counter does.
func (l *strayLoad) Hello() (frames.Frame, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var open []op.ID
	for _, o := range l.order {
		if !o.ended() && o.last != "" {
			open = append(open, o.id)
		}
	}
	return frames.Frame{Cursor: l.cursor, Unresolved: open[:min(len(open), frames.MaxUnresolved)]}, nil
}

func (l *strayLoad) Disconnected(error) {}

func (l *strayLoad) Welcome(f frames.Frame) error {
	for _, o := range f.Outcomes {
		l.checkReply(o)
	}
	return nil
}

func (l *strayLoad) Receive(f frames.Frame) error {
	l.checkReply(f)
	return nil
}

// checkReply compares a report of the central with the earlier ones.
func (l *strayLoad) checkReply(f frames.Frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cursor = max(l.cursor, f.Cursor)
	o := l.ops[f.ID]
	if o == nil {
		return
	}
	said := f.State
	switch f.T {
	case frames.TUnseen:
		if o.last != "" && o.last != op.Refused && o.last != op.Failed {
			l.t.Errorf("invariant 5: %s was %s, and is declared never seen", o.id, o.last)
		}
		o.unseen = true
	case frames.TAccepted:
		said = op.Accepted
	}
	if said != "" {
		switch {
		case o.unseen && said != op.Refused && said != op.Failed:
			l.t.Errorf("invariant 5: %s was declared never seen, and is %s", o.id, said)
		case o.last.Final() && said.Final() && o.last != said:
			l.t.Errorf("invariant 2: %s was %s, and is %s", o.id, o.last, said)
		case !o.last.Final():
			o.last = said
		}
	}
	select {
	case <-o.firstReply:
	default:
		close(o.firstReply)
	}
}

// serve sends operations, one after the other, until stop.
func (l *strayLoad) serve(seed uint64, stop <-chan struct{}) {
	r := rand.New(rand.NewPCG(seed, 1<<35))
	for k := 0; ; k++ {
		select {
		case <-stop:
			return
		default:
		}
		o, err := l.draw(k)
		if err != nil {
			l.t.Errorf("a capture failed, though nobody kills the reader: %v", err)
			return
		}
		for _, t := range strayOrders[r.IntN(len(strayOrders))] {
			if t == strayWait {
				o.await(stop)
				continue
			}
			time.Sleep(draw(r, strayPause))
			l.sendFrame(o, t, stop)
		}
		o.await(stop)
	}
}

// draw makes an operation.
func (l *strayLoad) draw(k int) (*strayOp, error) {
	o := &strayOp{paise: firstAtCounter + 100*int64(k) + strayPaise, firstReply: make(chan struct{})}
	body, err := l.h.transaction(l.reader, agarwal, o.paise)
	if err != nil {
		return nil, err
	}
	if o.id, err = op.NewID(crand.Reader); err != nil {
		return nil, err
	}
	now := time.Now().UnixMilli()
	o.frame = frames.Frame{T: frames.TOp, ID: o.id, Route: op.Withdrawal, Body: body, NotAfter: now + 90_000, CapturedAt: now}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ops[o.id], l.order = o, append(l.order, o)
	return o, nil
}

// await waits for the first report about an operation.
func (o *strayOp) await(stop <-chan struct{}) {
	select {
	case <-stop:
	case <-o.firstReply:
	case <-time.After(strayReplyTimeout):
	}
}

// sendFrame sends a frame of an operation, once the connection accepts it.
func (l *strayLoad) sendFrame(o *strayOp, t frames.Type, stop <-chan struct{}) {
	f := o.frame
	if t == frames.TAsk {
		f = frames.Frame{T: frames.TAsk, ID: o.id}
	}
	for began := time.Now(); l.line.Send(f) != nil; {
		if time.Since(began) > strayLine {
			return
		}
		select {
		case <-stop:
			return
		case <-time.After(strayPause):
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.framesSent++
}

// waitUntilFinal asks for every operation until it has its end.
func (l *strayLoad) waitUntilFinal() {
	for deadline := time.Now().Add(finalTimeout); time.Now().Before(deadline); time.Sleep(strayAgain) {
		open := l.open()
		if len(open) == 0 {
			return
		}
		for _, o := range open[:min(len(open), 16)] { // as many as the central works on at one time
			_ = l.line.Send(frames.Frame{T: frames.TAsk, ID: o.id})
		}
	}
}

// open lists the operations without an end.
func (l *strayLoad) open() []*strayOp {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.order), (*strayOp).ended)
}

// report prints what the terminal did and what it was told.
func (l *strayLoad) report() {
	l.mu.Lock()
	defer l.mu.Unlock()
	ends := map[string]int{}
	for _, o := range l.order {
		end := string(o.last)
		if o.unseen {
			end = fmt.Sprintf("never seen %s", end)
		}
		ends[end]++
	}
	l.t.Logf("at a terminal with stray frames %d withdrawals in %d frames; ends: %v", len(l.order), l.framesSent, ends)
	if len(l.order) == 0 {
		l.t.Error("the terminal with stray frames did nothing")
	}
}
