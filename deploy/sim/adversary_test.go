package sim

import (
	"context"
	"sync"
	"time"

	"galla/shared/op"
)

// skews are how wrong the clocks of counters are: what the bank still takes.
var skews = []time.Duration{0, 0, 40 * time.Second, -40 * time.Second, 4 * time.Minute, -4 * time.Minute}

// leaps are how far a clock jumps when somebody sets it.
var leaps = []time.Duration{0, 3 * time.Minute, -3 * time.Minute, time.Hour, -time.Hour, 9 * time.Hour, -9 * time.Hour}

// What tapes count of the adversary's deeds.
const (
	countCentral = "centrals killed"
	countBoth    = "both centrals killed"
	countCounter = "counters killed"
	countBank    = "banks killed"
	countCommit  = "commits with a fate"
	countLine    = "lines cut by hand"
	countReplay  = "conversations replayed"
	countClock   = "clocks set"
	countDisk    = "disks filled"
)

// What the audit counts of a partner's transfers, each under one reference.
const (
	countPartner = "attempts of a partner"
	countAgain   = "attempts after a refused OTP"
)

// proven is what has to happen in sixty stories: those in which nothing of
// a kind ever happens prove nothing of it.
var proven = []string{
	string(op.Succeeded), string(op.Failed), string(op.Reversed), string(op.NotSent), string(op.Expired),
	countCentral, countBoth, countCounter, countBank, countCommit, countLine, countReplay, countClock, countDisk,
	countPartner, countAgain,
	"cuts", "frames doubled", "frames swapped", "frames cut short", "peers fallen silent", "requests delivered late", "frames delivered late", "lies of the bank",
	"reads that failed", "writes refused by a full disk", "writes made and said to have failed",
}

// storm draws a weather.
func storm(luck *chance) weather {
	w := weather{
		refuse: luck.below(300), cut: luck.below(150), silence: luck.below(60), late: luck.below(400), lies: luck.below(700),
		maxDelay: time.Duration(1+luck.below(3000)) * time.Millisecond,
	}
	if luck.of1000(500) {
		w.twice, w.swapped, w.short = luck.below(400), luck.below(120), luck.below(40)
	}
	return w
}

// adversary breaks things until ctx ends, and leaves everything running. What he
// does and when is drawn beforehand, whatever becomes of it: a deed that takes
// long does not put off the next.
func (s *story) adversary(ctx context.Context) {
	luck := newChance(s.seed, "adversary")
	var under sync.WaitGroup
	defer under.Wait()
	for n := uint64(0); ; n++ {
		select {
		case <-time.After(luck.between(500*time.Millisecond, 15*time.Second)):
		case <-ctx.Done():
			return
		}
		deed := deeds[luck.below(len(deeds))]
		s.tape.plan("adversary: %s", deed.name)
		s.tape.count(deed.name, true)
		own := newChance(s.seed, deed.name, n)
		under.Go(func() { deed.do(s, own) })
	}
}

// deeds are what the adversary does, each as likely as it stands here.
var deeds = []struct {
	name string
	do   func(*story, *chance)
}{
	{"storms", func(s *story, luck *chance) { s.network.setWeather(storm(luck)) }},
	{"storms", func(s *story, luck *chance) { s.network.setWeather(storm(luck)) }},
	{"storms", func(s *story, luck *chance) { s.network.setWeather(storm(luck)) }},
	{"calms", func(s *story, _ *chance) { s.network.setWeather(weather{}) }},
	{countLine, func(s *story, luck *chance) { s.network.cut(s.anyCounter(luck).name) }},
	{countCentral, (*story).killCentral},
	{countCentral, (*story).killCentral},
	{countBoth, (*story).killBoth},
	{countCounter, func(s *story, luck *chance) {
		s.bounce(s.anyCounter(luck).part, luck.between(time.Millisecond, 10*time.Second))
	}},
	{countBank, func(s *story, luck *chance) { s.bounce(s.bankPart, luck.between(time.Millisecond, 15*time.Second)) }},
	{countCommit, (*story).trip},
	{countCommit, (*story).trip},
	{countReplay, func(s *story, luck *chance) {
		s.network.replay(luck.below(maxRecordings), uplinkNames[luck.below(len(uplinkNames))])
	}},
	{countClock, func(s *story, luck *chance) { s.anyCounter(luck).skew.Store(int64(leaps[luck.below(len(leaps))])) }},
	{countDisk, (*story).fillDisk},
}

func (s *story) anyCounter(luck *chance) *counter { return s.counters[luck.below(len(s.counters))] }

func (s *story) anyDisk(luck *chance) *disk {
	n := luck.below(len(s.offices) + len(s.counters))
	if n < len(s.offices) {
		return s.offices[n].disk
	}
	return s.counters[n-len(s.offices)].disk
}

func (s *story) killCentral(luck *chance) {
	s.bounce(s.offices[luck.below(len(s.offices))].part, luck.between(time.Millisecond, 20*time.Second))
}

// killBoth is the end of the machine room.
func (s *story) killBoth(luck *chance) {
	second := make(chan struct{})
	pause := luck.between(time.Millisecond, 10*time.Second)
	go func() {
		defer close(second)
		s.bounce(s.offices[1].part, pause)
	}()
	s.bounce(s.offices[0].part, luck.between(time.Millisecond, 10*time.Second))
	<-second
}

// trip has one of a machine's next commits meet its fate. A disk that fills up
// is emptied after a while.
func (s *story) trip(luck *chance) {
	d, what := s.anyDisk(luck), fate(luck.below(int(fates)))
	d.plan(1+luck.below(6), what)
	if what == fillsUp {
		time.Sleep(luck.between(time.Second, 80*time.Second))
		d.plan(0, what)
	}
}

// fillDisk has a disk fail for a while.
func (s *story) fillDisk(luck *chance) {
	d := s.anyDisk(luck)
	switch luck.below(3) {
	case 0:
		d.spoil(1000, 0, 0)
	case 1:
		d.spoil(luck.below(300), luck.below(400), luck.below(400))
	case 2:
		d.spoil(0, 0, luck.below(600))
	}
	for range 1 + luck.below(3) {
		time.Sleep(luck.between(time.Second, 12*time.Second))
	}
	d.spoil(0, 0, 0)
}
