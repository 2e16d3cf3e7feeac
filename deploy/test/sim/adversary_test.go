package sim

import (
	"context"
	"sync"
	"time"

	"galla/shared/op"
)

// skews are how wrong the clocks of counters are: within what the bank accepts.
var skews = []time.Duration{0, 0, 40 * time.Second, -40 * time.Second, 4 * time.Minute, -4 * time.Minute}

// leaps are how far a clock jumps when somebody sets it.
var leaps = []time.Duration{0, 3 * time.Minute, -3 * time.Minute, time.Hour, -time.Hour, 9 * time.Hour, -9 * time.Hour}

// Counters of the adversary's actions.
const (
	countCentral = "centrals killed"
	countBoth    = "both centrals killed"
	countCounter = "counters killed"
	countBank    = "banks killed"
	countCommit  = "commits with a fate"
	countLine    = "connections cut by hand"
	countReplay  = "conversations replayed"
	countClock   = "clocks set"
	countDisk    = "disks filled"
)

// Counters of the audit of a partner's transfers, each under one reference.
const (
	countPartner = "attempts of a partner"
	countAgain   = "attempts after a refused OTP"
)

// proven must happen in sixty stories: stories in which a thing never happens prove
// nothing about it.
var proven = []string{
	string(op.Succeeded), string(op.Failed), string(op.Reversed), string(op.NotSent), string(op.Expired),
	countCentral, countBoth, countCounter, countBank, countCommit, countLine, countReplay, countClock, countDisk,
	countPartner, countAgain, countPayments, countReturned, countUntold, countUnmatched,
	"cuts", "frames doubled", "frames swapped", "frames cut short", "peers fallen silent", "requests delivered late", "frames delivered late", "lies of the bank",
	"requests on kept connections", "cuts of kept connections",
	"reads that failed", "writes refused by a full disk", "writes made and said to have failed",
}

// drawNetFaults draws the network's fault rates.
func drawNetFaults(luck *rng) netFaults {
	w := netFaults{
		refuse: luck.below(300), cut: luck.below(150), silence: luck.below(60), deliverLate: luck.below(400), throughFaultyBank: luck.below(700),
		maxDelay: time.Duration(1+luck.below(3000)) * time.Millisecond,
	}
	if luck.perMille(500) {
		w.duplicate, w.reorder, w.truncate = luck.below(400), luck.below(120), luck.below(40)
	}
	return w
}

// adversary breaks things until ctx ends, and leaves everything running. All actions
// and their times are drawn in advance, whatever happens: an action that takes long
// does not delay the next.
func (s *story) adversary(ctx context.Context) {
	luck := newRNG(s.seed, "adversary")
	var under sync.WaitGroup
	defer under.Wait()
	for n := uint64(0); ; n++ {
		select {
		case <-time.After(luck.between(500*time.Millisecond, 15*time.Second)):
		case <-ctx.Done():
			return
		}
		deed := faultActions[luck.below(len(faultActions))]
		s.trace.notePlanned("adversary: %s", deed.name)
		s.trace.countEvent(deed.name, true)
		own := newRNG(s.seed, deed.name, n)
		under.Go(func() { deed.do(s, own) })
	}
}

// faultActions are the adversary's actions, each as likely as its share here.
var faultActions = []struct {
	name string
	do   func(*story, *rng)
}{
	{"storms", func(s *story, luck *rng) { s.network.setFaults(drawNetFaults(luck)) }},
	{"storms", func(s *story, luck *rng) { s.network.setFaults(drawNetFaults(luck)) }},
	{"storms", func(s *story, luck *rng) { s.network.setFaults(drawNetFaults(luck)) }},
	{"calms", func(s *story, _ *rng) { s.network.setFaults(netFaults{}) }},
	{countLine, func(s *story, luck *rng) { s.network.cutConns(s.anyCounter(luck).name) }},
	{countCentral, (*story).killCentral},
	{countCentral, (*story).killCentral},
	{countBoth, (*story).killBothCentrals},
	{countCounter, func(s *story, luck *rng) {
		s.restart(s.anyCounter(luck).process, luck.between(time.Millisecond, 10*time.Second))
	}},
	{countBank, func(s *story, luck *rng) { s.restart(s.bankPart, luck.between(time.Millisecond, 15*time.Second)) }},
	{countCommit, (*story).planCommitFault},
	{countCommit, (*story).planCommitFault},
	{countReplay, func(s *story, luck *rng) {
		s.network.replay(luck.below(maxRecordings), uplinkNames[luck.below(len(uplinkNames))])
	}},
	{countClock, func(s *story, luck *rng) { s.anyCounter(luck).clockOffset.Store(int64(leaps[luck.below(len(leaps))])) }},
	{countDisk, (*story).fillDisk},
}

func (s *story) anyCounter(luck *rng) *counter { return s.counters[luck.below(len(s.counters))] }

func (s *story) anyDisk(luck *rng) *disk {
	n := luck.below(len(s.nodes) + len(s.counters))
	if n < len(s.nodes) {
		return s.nodes[n].disk
	}
	return s.counters[n-len(s.nodes)].disk
}

func (s *story) killCentral(luck *rng) {
	s.restart(s.nodes[luck.below(len(s.nodes))].process, luck.between(time.Millisecond, 20*time.Second))
}

// killBothCentrals kills both centrals at once.
func (s *story) killBothCentrals(luck *rng) {
	second := make(chan struct{})
	pause := luck.between(time.Millisecond, 10*time.Second)
	go func() {
		defer close(second)
		s.restart(s.nodes[1].process, pause)
	}()
	s.restart(s.nodes[0].process, luck.between(time.Millisecond, 10*time.Second))
	<-second
}

// planCommitFault makes one of a machine's next commits fail. A disk that fills up is
// emptied after a while.
func (s *story) planCommitFault(luck *rng) {
	d, what := s.anyDisk(luck), commitFault(luck.below(int(commitFaults)))
	d.planFault(1+luck.below(6), what)
	if what == diskFull {
		time.Sleep(luck.between(time.Second, 80*time.Second))
		d.planFault(0, what)
	}
}

// fillDisk makes a disk fail for a while.
func (s *story) fillDisk(luck *rng) {
	d := s.anyDisk(luck)
	switch luck.below(3) {
	case 0:
		d.setFailureRates(1000, 0, 0)
	case 1:
		d.setFailureRates(luck.below(300), luck.below(400), luck.below(400))
	case 2:
		d.setFailureRates(0, 0, luck.below(600))
	}
	for range 1 + luck.below(3) {
		time.Sleep(luck.between(time.Second, 12*time.Second))
	}
	d.setFailureRates(0, 0, 0)
}
