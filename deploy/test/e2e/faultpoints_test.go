//go:build linux

package e2e

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// Sizes of messages, by which a moment is recognised.
const (
	minTransactionBytes = 2 << 10 // a transaction has its PID block, of some 4 KiB
	minFrameBytes       = 40      // a frame with content, and no ping
)

// Times of a fault at a moment.
const (
	pointTimeout    = 2500 * time.Millisecond // for the moment to come
	maxAttackDelay  = 40 * time.Millisecond   // at most, between the moment and the fault: for the processing of what passed
	cutEvery        = 2 * time.Second         // at most, between two torn messages
	peerNoticeDelay = time.Second             // until one end of a connection learns that the other one is gone
	maxHold         = 4 * time.Second         // at most, for which a held message is delayed
)

// trigger waits for one moment at a proxy: a message passes.
type trigger struct {
	towardsEnd bool    // towards the end, where requests go; else back
	minBytes   int     // bytes that come at once, at least
	minSent    int     // bytes that were sent towards the end before, at least
	passes     portion // of them pass before the fault
	action     func()
	reset      bool         // the connection is reset after the fault, and the rest never arrives
	claimed    *atomic.Bool // by whichever of several triggers has its moment first; nil: it is alone
	result     chan bool
}

func (x *trigger) fire() {
	if x.action != nil {
		x.action()
	}
	x.result <- true
}

func (x *trigger) giveUp() { x.result <- false }

// portion is how much of a message passes, in halves.
type portion int

const (
	nothingPasses portion = iota
	halfPasses
	everythingPasses
)

func (p portion) of(n int) int { return n * int(p) / int(everythingPasses) }

// addTrigger waits for a moment; the result goes to x.over, once.
func (w *faultyProxy) addTrigger(x *trigger) {
	if x.result == nil {
		x.result = make(chan bool, 1)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.triggers = append(w.triggers, x)
}

// removeTrigger stops waiting; false: the moment has come.
func (w *faultyProxy) removeTrigger(x *trigger) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.triggers, x)
	if i < 0 {
		return false
	}
	w.triggers = slices.Delete(w.triggers, i, i+1)
	return true
}

// matchTrigger gives the trigger that waits for n bytes in a direction, once.
func (w *faultyProxy) matchTrigger(s *proxyConn, out bool, n int) *trigger {
	w.mu.Lock()
	defer w.mu.Unlock()
	if out {
		s.bytesSent += n
	}
	for i, x := range w.triggers {
		if n > 0 && x.towardsEnd == out && n >= x.minBytes && s.bytesSent >= x.minSent && (x.claimed == nil || x.claimed.CompareAndSwap(false, true)) {
			w.triggers = slices.Delete(w.triggers, i, i+1)
			return x
		}
	}
	return nil
}

// faultPoint is a moment at which something is broken on purpose: between two steps of
// the exchange, which a random fault rarely meets.
type faultPoint struct {
	name       string
	proxy      string // the beginning of its name
	towardsEnd bool
	minBytes   int
	minSent    int
	passes     portion
	reset      bool
	holdConn   bool   // the connection is held from here on, and its bytes may come later
	powerCut   bool   // the end does not learn at once that the program is gone: the power is cut
	kill       string // the beginning of the program's name; "": none
}

// killPoints are those at which a program is killed.
var killPoints = []faultPoint{
	{name: "the bank has the request", proxy: "bank", towardsEnd: true, minBytes: minTransactionBytes, passes: everythingPasses, powerCut: true, kill: "central"},
	{name: "the bank has the request", proxy: "bank", towardsEnd: true, minBytes: minTransactionBytes, passes: everythingPasses, kill: "bank"},
	{name: "the bank has half of the request", proxy: "bank", towardsEnd: true, minBytes: minTransactionBytes, passes: halfPasses, kill: "central"},
	{name: "the bank has answered", proxy: "bank", minBytes: minFrameBytes, minSent: minTransactionBytes, passes: nothingPasses, kill: "central"},
	{name: "the central has the bank's answer", proxy: "bank", minBytes: minFrameBytes, minSent: minTransactionBytes, passes: everythingPasses, kill: "central"},
	{name: "the central has a call", proxy: "client", towardsEnd: true, minBytes: minTransactionBytes, passes: everythingPasses, kill: "central"},
	{name: "the central has replied", proxy: "client", minBytes: minFrameBytes, minSent: minTransactionBytes, passes: nothingPasses, kill: "central"},
	{name: "the caller has the reply", proxy: "client", minBytes: minFrameBytes, minSent: minTransactionBytes, passes: everythingPasses, kill: "central"},
	{name: "the central has a frame op", proxy: "uplink", towardsEnd: true, minBytes: minTransactionBytes, passes: everythingPasses, kill: "central"},
	{name: "the central has a frame op", proxy: "uplink", towardsEnd: true, minBytes: minTransactionBytes, passes: everythingPasses, kill: "edge"},
	{name: "a frame op stranded", proxy: "uplink", towardsEnd: true, minBytes: minTransactionBytes, passes: nothingPasses, holdConn: true, kill: "edge"},
	{name: "the central has sent something", proxy: "uplink", minBytes: minFrameBytes, passes: nothingPasses, kill: "edge"},
	{name: "the counter got something", proxy: "uplink", minBytes: minFrameBytes, passes: everythingPasses, kill: "edge"},
	{name: "the central has the report of a payment", proxy: "notify", towardsEnd: true, minBytes: minFrameBytes, passes: everythingPasses, kill: "central"},
	{name: "the central has confirmed a payment", proxy: "notify", minBytes: minFrameBytes, passes: nothingPasses, kill: "central"},
	{name: "the central has confirmed a payment", proxy: "notify", minBytes: minFrameBytes, passes: everythingPasses, kill: "bank"},
}

// cutPoints are those at which a connection breaks and all programs keep running.
var cutPoints = []faultPoint{
	{name: "half of a request", proxy: "bank", towardsEnd: true, minBytes: minTransactionBytes, passes: halfPasses, reset: true},
	{name: "a whole request", proxy: "bank", towardsEnd: true, minBytes: minTransactionBytes, passes: nothingPasses, reset: true},
	{name: "the bank's answer", proxy: "bank", minBytes: minFrameBytes, minSent: minTransactionBytes, passes: nothingPasses, reset: true},
	{name: "half of the bank's answer", proxy: "bank", minBytes: minFrameBytes, minSent: minTransactionBytes, passes: halfPasses, reset: true},
	{name: "a central's reply", proxy: "client", minBytes: minFrameBytes, minSent: minTransactionBytes, passes: nothingPasses, reset: true},
	{name: "half of a frame op", proxy: "uplink", towardsEnd: true, minBytes: minTransactionBytes, passes: halfPasses, reset: true},
	{name: "a central's frame", proxy: "uplink", minBytes: minFrameBytes, passes: nothingPasses, reset: true},
	{name: "half of a payment's report", proxy: "notify", towardsEnd: true, minBytes: minFrameBytes, passes: halfPasses, reset: true},
	{name: "a payment's confirmation", proxy: "notify", minBytes: minFrameBytes, passes: nothingPasses, reset: true},
	{name: "a change's acknowledgement", proxy: "database", minBytes: 1, passes: nothingPasses, reset: true},
}

// shuffledPoints deals moments, each once before any comes again: none of them is left
// to chance. One that did not come goes back to the end.
type shuffledPoints struct {
	points    []faultPoint
	remaining []faultPoint
}

// atOnce is how many moments are waited for at one time: while much is broken, a single
// one may not come for long.
const atOnce = 3

func (d *shuffledPoints) next(r *rand.Rand) []faultPoint {
	if len(d.remaining) == 0 {
		d.remaining = d.shuffle(r)
	}
	n := min(atOnce, len(d.remaining))
	dealt := d.remaining[:n:n]
	d.remaining = d.remaining[n:]
	return dealt
}

// shuffle has every moment once; every second one is at a bank's proxy, where the money
// moves, as long as there are any.
func (d *shuffledPoints) shuffle(r *rand.Rand) []faultPoint {
	all := slices.Clone(d.points)
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var money, others, mixed []faultPoint
	for _, m := range all {
		if m.proxy == "bank" {
			money = append(money, m)
		} else {
			others = append(others, m)
		}
	}
	for i := range max(len(money), len(others)) {
		mixed = append(mixed, money[min(i, len(money)):min(i+1, len(money))]...)
		mixed = append(mixed, others[min(i, len(others)):min(i+1, len(others))]...)
	}
	return mixed
}

// putBack takes back a moment that did not come.
func (d *shuffledPoints) putBack(m faultPoint) { d.remaining = append(d.remaining, m) }

// killPointsOf are the moments at which one of the programs is killed.
func killPointsOf(programs []string) *shuffledPoints {
	d := &shuffledPoints{}
	for _, m := range killPoints {
		if slices.ContainsFunc(programs, func(p string) bool { return strings.HasPrefix(p, m.kill) }) {
			d.points = append(d.points, m)
		}
	}
	return d
}

// cutPointsOf are the moments at which one of the site's proxies cuts a connection:
// those to the bank, or the others.
func (b *faultInjector) cutPoints(bank bool) *shuffledPoints {
	d := &shuffledPoints{}
	for _, m := range cutPoints {
		if bank == (m.proxy == "bank") && slices.ContainsFunc(b.s.proxies, func(w *faultyProxy) bool { return strings.HasPrefix(w.name, m.proxy) }) {
			d.points = append(d.points, m)
		}
	}
	return d
}

// attack is a fault that waits for its moment.
type attack struct {
	faultPoint
	*trigger
	point  *faultyProxy
	target string // the program that is killed; "": none
	pid    int    // its process
	hit    bool
	when   time.Time
}

// newAttack makes an attack at a moment.
func (b *faultInjector) newAttack(r *rand.Rand, m faultPoint, taken *atomic.Bool, over chan bool) *attack {
	w := pickOne(r, b.s.proxies, func(w *faultyProxy) bool { return strings.HasPrefix(w.name, m.proxy) })
	s := &attack{faultPoint: m, point: w, trigger: &trigger{towardsEnd: m.towardsEnd, minBytes: m.minBytes, minSent: m.minSent, passes: m.passes, reset: m.reset, claimed: taken, result: over}}
	late := draw(r, maxAttackDelay)
	if m.kill != "" {
		s.target = pickOne(r, b.killablePrograms(), func(p string) bool { return strings.HasPrefix(p, m.kill) })
		// A proxy to the bank belongs to one central.
		if _, n, numbered := strings.Cut(w.name, "-"); numbered && m.proxy == "bank" && m.kill == "central" {
			s.target = m.kill + "-" + n
		}
	}
	s.action = func() {
		if m.holdConn {
			b.set(w, stallOpen)
		}
		if s.target == "" {
			s.hit = true
			return
		}
		if m.passes == everythingPasses {
			time.Sleep(late)
		}
		s.pid, s.when = b.s.pid(s.target), time.Now()
		s.hit = b.s.signal(s.target, syscall.SIGKILL)
		if m.powerCut && s.hit {
			b.sleep(peerNoticeDelay)
		}
	}
	return s
}

// attackAt waits for one of the next moments and attacks in it, or gives up and says
// so.
func (b *faultInjector) attackAt(r *rand.Rand, d *shuffledPoints) (hit bool) {
	taken, over := new(atomic.Bool), make(chan bool, 1)
	var shots []*attack
	for _, m := range d.next(r) {
		s := b.newAttack(r, m, taken, over)
		s.point.addTrigger(s.trigger)
		shots = append(shots, s)
	}
	hold := draw(r, maxHold)
	select {
	case hit = <-over:
	case <-time.After(pointTimeout):
		if !taken.CompareAndSwap(false, true) {
			hit = <-over
		}
	}
	for _, s := range shots {
		if s.point.removeTrigger(s.trigger) || !hit {
			d.putBack(s.faultPoint)
			continue
		}
		b.finishAttack(s, hold)
	}
	return hit
}

// finishAttack records an attack that met its moment, and waits until what it hit is
// back.
func (b *faultInjector) finishAttack(s *attack, hold time.Duration) {
	switch {
	case !s.hit:
	case s.target == "":
		b.logEvent("tear " + s.name)
	default:
		b.logEvent("kill " + s.target + " when " + s.name)
	}
	if s.holdConn {
		b.sleep(hold)
		b.set(s.point, noFault)
	}
	if s.hit && s.target != "" {
		b.waitForSuccessor(s.target, s.pid, "kill ", s.when)
	}
}

// pickOne draws one of those that fit; there must be one.
func pickOne[T any](r *rand.Rand, list []T, fits func(T) bool) T {
	var some []T
	for _, v := range list {
		if fits(v) {
			some = append(some, v)
		}
	}
	return some[r.IntN(len(some))]
}
