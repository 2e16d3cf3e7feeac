package accounts

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"galla/central"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

// Bounds of the cache of days.
const (
	// dayCacheTTL is how long a day's sums are used without a look at the database: many
	// people load the page.
	dayCacheTTL = 30 * time.Second
	// hourCacheTTL is after what time an hour that is over is read again although nothing of it
	// was seen to change: a node with a clock far behind may have added an operation.
	hourCacheTTL = 10 * time.Minute
	// hourMargin is how long after its end an hour may get operations of nodes whose clocks
	// are behind, and of commits that took long.
	hourMargin = 5 * time.Minute
	maxDays    = 16
)

// Totals counts the operations of a day, or of an hour, by their present state.
type Totals struct {
	Succeeded, Failed, Refused, Unfinished int
	Moved                                  money.Paise // by those that succeeded
}

// Count is the number of all operations.
func (s Totals) Count() int { return s.Succeeded + s.Failed + s.Refused + s.Unfinished }

// Ended is the number of those that the bank answered: a refused one was never sent.
func (s Totals) Ended() int { return s.Succeeded + s.Failed }

// SuccessRate is the share of those that succeeded among those that ended, from 0 to 1; 0 if
// none ended.
func (s Totals) SuccessRate() float64 {
	if s.Ended() == 0 {
		return 0
	}
	return float64(s.Succeeded) / float64(s.Ended())
}

func (s *Totals) add(t HourCount) { s.addState(t.State, t.Count, t.Sum) }

// addState adds operations of a state.
func (s *Totals) addState(state op.State, count int, sum money.Paise) {
	switch state {
	case op.Succeeded:
		s.Succeeded += count
		s.Moved += sum
	case op.Failed, op.Reversed:
		s.Failed += count
	case op.Refused:
		s.Refused += count
	default:
		s.Unfinished += count
	}
}

// KindTotals are the totals of one kind.
type KindTotals struct {
	Kind central.Kind
	Totals
}

// BankLatency is the latency of one issuing bank: the median and the 95th percentile of
// its answers.
type BankLatency struct {
	IIN         string
	Answers     int
	Median, P95 time.Duration // rounded up to a tenth of a second
	Unanswered  int           // became pending without an answer
}

// Day has the statistics of a day.
type Day struct {
	Day   ist.Day
	Hours [24]Totals
	Total Totals
	Kinds []KindTotals // by name
	At    time.Time    // when they were read
}

// dayCache is what is known of a day.
type dayCache struct {
	asked  time.Time // the last time
	load   sync.Mutex
	loaded bool // what is stored of it was read; under load
	counts hourCache[HourCount]
	banks  hourCache[LatencyCount]
}

// dayOf returns the cache of a day, and forgets the one that nobody has asked for longest
// where there are too many.
func (s *Service) dayOf(day ist.Day) *dayCache {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.days[day]
	if known == nil {
		if len(s.days) >= maxDays {
			delete(s.days, slices.MinFunc(slices.Collect(maps.Keys(s.days)), func(a, b ist.Day) int { return s.days[a].asked.Compare(s.days[b].asked) }))
		}
		known = &dayCache{}
		s.days[day] = known
	}
	known.asked = time.Now()
	return known
}

// Day sums a day in India. ist.ErrDay: it is not a day.
func (s *Service) Day(ctx context.Context, day ist.Day) (Day, error) {
	from, to, err := day.Bounds()
	if err != nil {
		return Day{}, err
	}
	known := s.dayOf(day)
	if err := s.loadStored(ctx, day, known); err != nil {
		return Day{}, err
	}
	list, at, err := known.counts.refresh(ctx, from, to, s.UnfinishedCounts, s.HourCounts)
	if err != nil {
		return Day{}, err
	}
	out := Day{Day: day, At: at}
	out.addCounts(list)
	return out, nil
}

// DayFigures are a day beside the same weekday a week before.
type DayFigures struct {
	Day, Week Day
	Banks     []BankLatency // of the day, by number of answers, largest first
}

// Figures reads a day and the one a week before at the same time, since the first read of a
// large day takes a while; banks tells whether their latencies are wanted, too. ist.ErrDay:
// it is not a day.
func (s *Service) Figures(ctx context.Context, day ist.Day, banks bool) (f DayFigures, err error) {
	if _, _, err := day.Bounds(); err != nil {
		return f, err
	}
	var reads sync.WaitGroup
	var errs [3]error
	reads.Go(func() { f.Day, errs[0] = s.Day(ctx, day) })
	reads.Go(func() { f.Week, errs[1] = s.Day(ctx, day.Add(-7)) })
	if banks {
		f.Banks, errs[2] = s.DayLatencies(ctx, day)
	}
	reads.Wait()
	return f, cmp.Or(errs[:]...)
}

// DayLatencies has the latency of each bank on a day in India, by number of answers, largest
// first. ist.ErrDay: it is not a day.
func (s *Service) DayLatencies(ctx context.Context, day ist.Day) ([]BankLatency, error) {
	from, to, err := day.Bounds()
	if err != nil {
		return nil, err
	}
	known := s.dayOf(day)
	if err := s.loadStored(ctx, day, known); err != nil {
		return nil, err
	}
	list, _, err := known.banks.refresh(ctx, from, to, s.UnfinishedCounts, s.LatencyCounts)
	return bankLatencies(list), err
}

// Latencies has the latency of each bank in a period.
func (s *Service) Latencies(ctx context.Context, from, to time.Time) ([]BankLatency, error) {
	list, err := s.LatencyCounts(ctx, from, to)
	return bankLatencies(list), err
}

func (d *Day) addCounts(list []HourCount) {
	kinds := map[central.Kind]*Totals{}
	for _, t := range list {
		d.Hours[t.Hour].add(t)
		d.Total.add(t)
		if kinds[t.Kind] == nil {
			kinds[t.Kind] = &Totals{}
		}
		kinds[t.Kind].add(t)
	}
	for kind, sums := range kinds {
		d.Kinds = append(d.Kinds, KindTotals{kind, *sums})
	}
	slices.SortFunc(d.Kinds, func(a, b KindTotals) int { return cmp.Compare(a.Kind, b.Kind) })
}

// bankLatencies computes each bank's latency.
func bankLatencies(list []LatencyCount) (out []BankLatency) {
	steps := map[string]map[int]int{}
	for _, p := range list {
		if steps[p.IIN] == nil {
			steps[p.IIN] = map[int]int{}
		}
		steps[p.IIN][p.Step] += p.Count
	}
	for iin, counts := range steps {
		s := BankLatency{IIN: iin, Unanswered: counts[NoAnswer]}
		delete(counts, NoAnswer)
		for _, n := range counts {
			s.Answers += n
		}
		s.Median, s.P95 = percentile(counts, s.Answers, 50), percentile(counts, s.Answers, 95)
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b BankLatency) int {
		return cmp.Or(cmp.Compare(b.Answers+b.Unanswered, a.Answers+a.Unanswered), cmp.Compare(a.IIN, b.IIN))
	})
	return out
}

// percentile returns the time within which hundredths of 100 answers came; 0: no answers.
func percentile(counts map[int]int, all, hundredths int) time.Duration {
	seen := 0
	for step := 0; step <= LastLatencyStep && all > 0; step++ {
		if seen += counts[step]; seen*100 >= all*hundredths {
			return time.Duration(step+1) * LatencyStep
		}
	}
	return 0
}
