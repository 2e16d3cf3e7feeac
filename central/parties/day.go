package parties

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"galla/central"
	"galla/shared/money"
	"galla/shared/op"
)

// india is the zone of the house's days.
var india = time.FixedZone("IST", 5*3600+1800)

// Bounds of what is kept of days.
const (
	// dayLife is how long a day's sums serve: adding up a day reads all its
	// operations, and a page is loaded again by many.
	dayLife = 30 * time.Second
	maxDays = 8
)

// ErrDay says that a text is no day.
var ErrDay = errors.New("a day is written as 2026-11-21")

// Sums are operations of a day, or of one of its hours, by how they stand now.
type Sums struct {
	Succeeded, Failed, Refused, Open int
	Moved                            money.Paise // by those that succeeded
}

// All is how many they are.
func (s Sums) All() int { return s.Succeeded + s.Failed + s.Refused + s.Open }

func (s *Sums) add(t Tally) {
	switch t.State {
	case op.Succeeded:
		s.Succeeded += t.Count
		s.Moved += t.Sum
	case op.Failed, op.Reversed:
		s.Failed += t.Count
	case op.Refused:
		s.Refused += t.Count
	default:
		s.Open += t.Count
	}
}

// KindSums are those of one kind.
type KindSums struct {
	Kind central.Kind
	Sums
}

// Speed is how fast one issuing bank answered. Of half of its answers, and of 95
// in a hundred, none took longer.
type Speed struct {
	IIN       string
	Answers   int
	Half, Q95 time.Duration // to a tenth of a second, upwards
	Silent    int           // became pending for want of an answer
}

// Day is a day in figures.
type Day struct {
	Day   central.Day
	Hours [24]Sums
	All   Sums
	Kinds []KindSums // in the order of their names
	Banks []Speed    // those with most answers first
	At    time.Time  // of the look
}

// Day sums an Indian day. ErrDay.
func (d *Desk) Day(ctx context.Context, day central.Day) (Day, error) {
	from, err := time.ParseInLocation(time.DateOnly, string(day), india)
	if err != nil {
		return Day{}, ErrDay
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	if known, ok := d.days[day]; ok && now.Sub(known.At) < dayLife {
		return known, nil
	}
	out := Day{Day: day, At: now}
	to := from.AddDate(0, 0, 1)
	tallies, err := d.Tallies(ctx, from, to)
	if err != nil {
		return Day{}, err
	}
	paces, err := d.Paces(ctx, from, to)
	if err != nil {
		return Day{}, err
	}
	out.tally(tallies)
	out.Banks = speeds(paces)
	if len(d.days) >= maxDays {
		clear(d.days)
	}
	d.days[day] = out
	return out, nil
}

func (d *Day) tally(list []Tally) {
	kinds := map[central.Kind]*Sums{}
	for _, t := range list {
		if t.Hour < 0 || t.Hour >= len(d.Hours) {
			continue
		}
		d.Hours[t.Hour].add(t)
		d.All.add(t)
		if kinds[t.Kind] == nil {
			kinds[t.Kind] = &Sums{}
		}
		kinds[t.Kind].add(t)
	}
	for kind, sums := range kinds {
		d.Kinds = append(d.Kinds, KindSums{kind, *sums})
	}
	slices.SortFunc(d.Kinds, func(a, b KindSums) int { return cmp.Compare(a.Kind, b.Kind) })
}

// speeds works out each bank's speed.
func speeds(list []Pace) (out []Speed) {
	steps := map[string]map[int]int{}
	for _, p := range list {
		if steps[p.IIN] == nil {
			steps[p.IIN] = map[int]int{}
		}
		steps[p.IIN][p.Step] += p.Count
	}
	for iin, counts := range steps {
		s := Speed{IIN: iin, Silent: counts[Silent]}
		delete(counts, Silent)
		for _, n := range counts {
			s.Answers += n
		}
		s.Half, s.Q95 = within(counts, s.Answers, 50), within(counts, s.Answers, 95)
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Speed) int {
		return cmp.Or(cmp.Compare(b.Answers+b.Silent, a.Answers+a.Silent), cmp.Compare(a.IIN, b.IIN))
	})
	return out
}

// within gives the time that so many of a hundred answers did not take longer
// than; none: 0.
func within(counts map[int]int, all, hundredths int) time.Duration {
	seen := 0
	for step := 0; step <= LastStep && all > 0; step++ {
		if seen += counts[step]; seen*100 >= all*hundredths {
			return time.Duration(step+1) * StepLength
		}
	}
	return 0
}
