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

// Sizes of what passes, by which a moment is known.
const (
	withFinger = 2 << 10 // a transaction has its PID block, of some 4 KiB
	withWords  = 40      // a frame that says something, and no ping
)

// Times of a blow at a moment.
const (
	aimWait    = 2500 * time.Millisecond // for the moment to come
	aimLate    = 40 * time.Millisecond   // at most, between the moment and the blow: what is done with what passed
	tearEvery  = 2 * time.Second         // at most, between two torn messages
	silence    = time.Second             // until the end of a connection learns that the other one is gone
	strandMost = 4 * time.Second         // at most, for which a stranded message is held
)

// sight waits for one moment on a cable: a message passes.
type sight struct {
	out    bool  // towards the end, where requests go; else back
	least  int   // bytes that come at once, at least
	asked  int   // bytes that were sent towards the end before, at least
	keep   share // of them pass before the blow
	strike func()
	sever  bool         // the connection is reset after the blow, and the rest never arrives
	taken  *atomic.Bool // by whichever of several sights has its moment first; nil: it is alone
	over   chan bool
}

func (x *sight) hit() {
	if x.strike != nil {
		x.strike()
	}
	x.over <- true
}

func (x *sight) miss() { x.over <- false }

// share is how much of a message passes, in halves.
type share int

const (
	none share = iota
	half
	all
)

func (p share) of(n int) int { return n * int(p) / int(all) }

// arm waits for a moment; what came of it is told to x.over, once.
func (w *cable) arm(x *sight) {
	if x.over == nil {
		x.over = make(chan bool, 1)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sights = append(w.sights, x)
}

// disarm waits no longer; false: the moment has come.
func (w *cable) disarm(x *sight) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.sights, x)
	if i < 0 {
		return false
	}
	w.sights = slices.Delete(w.sights, i, i+1)
	return true
}

// meets gives the sight that waits for n bytes in a direction, once.
func (w *cable) meets(s *splice, out bool, n int) *sight {
	w.mu.Lock()
	defer w.mu.Unlock()
	if out {
		s.asked += n
	}
	for i, x := range w.sights {
		if n > 0 && x.out == out && n >= x.least && s.asked >= x.asked && (x.taken == nil || x.taken.CompareAndSwap(false, true)) {
			w.sights = slices.Delete(w.sights, i, i+1)
			return x
		}
	}
	return nil
}

// moment is one at which something is broken on purpose: those between two
// steps of the exchange, which a blow at random meets seldom.
type moment struct {
	name   string
	cable  string // the beginning of its name
	out    bool
	least  int
	asked  int
	keep   share
	sever  bool
	strand bool   // the connection is held from here on, and what is on it may come later
	silent bool   // the end does not learn at once that the program is gone: the power is cut
	kill   string // the beginning of the program's name; "": none
}

// killMoments are those at which a program is killed.
var killMoments = []moment{
	{name: "the bank has the request", cable: "bank", out: true, least: withFinger, keep: all, silent: true, kill: "central"},
	{name: "the bank has the request", cable: "bank", out: true, least: withFinger, keep: all, kill: "bank"},
	{name: "the bank has half of the request", cable: "bank", out: true, least: withFinger, keep: half, kill: "central"},
	{name: "the bank has answered", cable: "bank", least: withWords, asked: withFinger, keep: none, kill: "central"},
	{name: "the central has the bank's answer", cable: "bank", least: withWords, asked: withFinger, keep: all, kill: "central"},
	{name: "the central has a call", cable: "client", out: true, least: withFinger, keep: all, kill: "central"},
	{name: "the central has replied", cable: "client", least: withWords, asked: withFinger, keep: none, kill: "central"},
	{name: "the caller has the reply", cable: "client", least: withWords, asked: withFinger, keep: all, kill: "central"},
	{name: "the central has a frame op", cable: "uplink", out: true, least: withFinger, keep: all, kill: "central"},
	{name: "the central has a frame op", cable: "uplink", out: true, least: withFinger, keep: all, kill: "edge"},
	{name: "a frame op stranded", cable: "uplink", out: true, least: withFinger, keep: none, strand: true, kill: "edge"},
	{name: "the central has told something", cable: "uplink", least: withWords, keep: none, kill: "edge"},
	{name: "the counter was told something", cable: "uplink", least: withWords, keep: all, kill: "edge"},
}

// tearMoments are those at which a connection breaks and everybody lives on.
var tearMoments = []moment{
	{name: "half of a request", cable: "bank", out: true, least: withFinger, keep: half, sever: true},
	{name: "a whole request", cable: "bank", out: true, least: withFinger, keep: none, sever: true},
	{name: "the bank's answer", cable: "bank", least: withWords, asked: withFinger, keep: none, sever: true},
	{name: "half of the bank's answer", cable: "bank", least: withWords, asked: withFinger, keep: half, sever: true},
	{name: "a central's reply", cable: "client", least: withWords, asked: withFinger, keep: none, sever: true},
	{name: "half of a frame op", cable: "uplink", out: true, least: withFinger, keep: half, sever: true},
	{name: "a central's frame", cable: "uplink", least: withWords, keep: none, sever: true},
	{name: "a change's acknowledgement", cable: "database", least: 1, keep: none, sever: true},
}

// deck deals moments, each once before any comes again: none of them is left to
// luck. One that did not come is put under the others.
type deck struct {
	of   []moment
	left []moment
}

// atOnce is how many moments are waited for at one time: while much is broken, one
// alone may not come for long.
const atOnce = 3

func (d *deck) deal(r *rand.Rand) []moment {
	if len(d.left) == 0 {
		d.left = d.shuffled(r)
	}
	n := min(atOnce, len(d.left))
	dealt := d.left[:n:n]
	d.left = d.left[n:]
	return dealt
}

// shuffled is every moment once; each other one is at a bank's cable, where the
// money moves, as long as there are.
func (d *deck) shuffled(r *rand.Rand) []moment {
	all := slices.Clone(d.of)
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var money, others, mixed []moment
	for _, m := range all {
		if m.cable == "bank" {
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

// missed takes back a moment that did not come.
func (d *deck) missed(m moment) { d.left = append(d.left, m) }

// killsOf are the moments at which one of the programs is killed.
func killsOf(programs []string) *deck {
	d := &deck{}
	for _, m := range killMoments {
		if slices.ContainsFunc(programs, func(p string) bool { return strings.HasPrefix(p, m.kill) }) {
			d.of = append(d.of, m)
		}
	}
	return d
}

// tears are the moments at which one of the site's cables is torn: those to the
// bank, or the others.
func (b *breaker) tears(bank bool) *deck {
	d := &deck{}
	for _, m := range tearMoments {
		if bank == (m.cable == "bank") && slices.ContainsFunc(b.s.cables, func(w *cable) bool { return strings.HasPrefix(w.name, m.cable) }) {
			d.of = append(d.of, m)
		}
	}
	return d
}

// shot is a blow that waits for its moment.
type shot struct {
	moment
	*sight
	at     *cable
	target string // the program that is killed; "": none
	old    int    // its process
	struck bool
	when   time.Time
}

// load makes a shot at a moment.
func (b *breaker) load(r *rand.Rand, m moment, taken *atomic.Bool, over chan bool) *shot {
	w := pick(r, b.s.cables, func(w *cable) bool { return strings.HasPrefix(w.name, m.cable) })
	s := &shot{moment: m, at: w, sight: &sight{out: m.out, least: m.least, asked: m.asked, keep: m.keep, sever: m.sever, taken: taken, over: over}}
	late := draw(r, aimLate)
	if m.kill != "" {
		s.target = pick(r, b.names(), func(p string) bool { return strings.HasPrefix(p, m.kill) })
		// A cable to the bank is one central's.
		if _, n, numbered := strings.Cut(w.name, "-"); numbered && m.cable == "bank" && m.kill == "central" {
			s.target = m.kill + "-" + n
		}
	}
	s.strike = func() {
		if m.strand {
			b.set(w, stale)
		}
		if s.target == "" {
			s.struck = true
			return
		}
		if m.keep == all {
			time.Sleep(late)
		}
		s.old, s.when = b.s.pid(s.target), time.Now()
		s.struck = b.s.signal(s.target, syscall.SIGKILL)
		if m.silent && s.struck {
			b.rest(silence)
		}
	}
	return s
}

// aim waits for one of the deck's next moments and strikes in it, or gives up and
// tells so.
func (b *breaker) aim(r *rand.Rand, d *deck) (hit bool) {
	taken, over := new(atomic.Bool), make(chan bool, 1)
	var shots []*shot
	for _, m := range d.deal(r) {
		s := b.load(r, m, taken, over)
		s.at.arm(s.sight)
		shots = append(shots, s)
	}
	hold := draw(r, strandMost)
	select {
	case hit = <-over:
	case <-time.After(aimWait):
		if !taken.CompareAndSwap(false, true) {
			hit = <-over
		}
	}
	for _, s := range shots {
		if s.at.disarm(s.sight) || !hit {
			d.missed(s.moment)
			continue
		}
		b.land(s, hold)
	}
	return hit
}

// land notes a shot that met its moment, and waits until what it hit is back.
func (b *breaker) land(s *shot, hold time.Duration) {
	switch {
	case !s.struck:
	case s.target == "":
		b.note("tear " + s.name)
	default:
		b.note("kill " + s.target + " when " + s.name)
	}
	if s.strand {
		b.rest(hold)
		b.set(s.at, sound)
	}
	if s.struck && s.target != "" {
		b.await(s.target, s.old, "kill ", s.when)
	}
}

// pick draws one of those that fit; there must be one.
func pick[T any](r *rand.Rand, list []T, fits func(T) bool) T {
	var some []T
	for _, v := range list {
		if fits(v) {
			some = append(some, v)
		}
	}
	return some[r.IntN(len(some))]
}
