package accounts

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

// recorded is an operation as the statistics see it.
type recorded struct {
	at      time.Time
	state   op.State
	pending bool // the bank did not answer at once
	step    int  // of the answer
}

// figures are Statistics of operations in memory. They count what is read.
type figures struct {
	list  []*recorded
	fails error

	mu    sync.Mutex
	hours int // that were read by HourCounts
	reads int // of any kind
}

func (f *figures) in(from, to time.Time, of func(hour int, r *recorded)) error {
	f.mu.Lock()
	f.reads++
	f.mu.Unlock()
	for _, r := range f.list {
		if !r.at.Before(from) && r.at.Before(to) {
			of(int(r.at.Sub(from)/time.Hour), r)
		}
	}
	return f.fails
}

func (f *figures) HourCounts(_ context.Context, from, to time.Time) ([]HourCount, error) {
	f.mu.Lock()
	f.hours += int(to.Sub(from) / time.Hour)
	f.mu.Unlock()
	counts := map[HourCount]int{}
	err := f.in(from, to, func(hour int, r *recorded) { counts[HourCount{Hour: hour, Kind: "A", State: r.state}]++ })
	var list []HourCount
	for c, n := range counts {
		c.Count, c.Sum = n, money.Paise(100*n)
		list = append(list, c)
	}
	return list, err
}

func (f *figures) LatencyCounts(_ context.Context, from, to time.Time) ([]LatencyCount, error) {
	counts := map[LatencyCount]int{}
	err := f.in(from, to, func(hour int, r *recorded) {
		switch {
		case r.pending:
			counts[LatencyCount{Hour: hour, IIN: "1", Step: NoAnswer}]++
		case r.state.Final():
			counts[LatencyCount{Hour: hour, IIN: "1", Step: r.step}]++
		}
	})
	var list []LatencyCount
	for c, n := range counts {
		c.Count = n
		list = append(list, c)
	}
	return list, err
}

func (f *figures) UnfinishedCounts(_ context.Context, from, to time.Time) (list []HourCount, err error) {
	err = f.in(from, to, func(hour int, r *recorded) {
		if !r.state.Final() {
			list = append(list, HourCount{Hour: hour, State: r.state, Count: 1})
		}
	})
	return list, err
}

// add adds operations of a time and state.
func (f *figures) add(at time.Time, n int, state op.State) {
	for range n {
		f.list = append(f.list, &recorded{at: at, state: state})
	}
}

// TestDay: sums by hour, latencies rounded up, and one read for all requests within half a
// minute.
func TestDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const day = ist.Day("2026-11-21")
		from, _, err := day.Bounds()
		if err != nil {
			t.Fatal(err)
		}
		f := &figures{}
		nine, last := from.Add(9*time.Hour), from.Add(24*time.Hour-time.Millisecond)
		f.add(nine, 3, op.Succeeded)
		f.add(nine, 1, op.Reversed)
		f.add(last, 2, op.Sent)
		f.add(last, 1, op.Refused)
		f.add(last.Add(time.Millisecond), 9, op.Succeeded) // the day after
		f.add(from.Add(-time.Millisecond), 9, op.Succeeded)
		f.list[0].step, f.list[1].pending = 40, true
		d := newService(t, &memory{Store: Store{Statistics: f}}, nil)
		for range 2 {
			got, err := d.Day(t.Context(), day)
			if err != nil {
				t.Fatal(err)
			}
			if got.Total != (Totals{3, 1, 1, 2, 300}) || got.Hours[9] != (Totals{Succeeded: 3, Failed: 1, Moved: 300}) || got.Hours[23] != (Totals{Refused: 1, Unfinished: 2}) ||
				len(got.Kinds) != 1 || got.Kinds[0].Failed != 1 {
				t.Errorf("%+v", got)
			}
			both, err := d.Figures(t.Context(), day, true)
			want := []BankLatency{{"1", 4, 100 * time.Millisecond, 4100 * time.Millisecond, 1}}
			if err != nil || !slices.Equal(both.Banks, want) || both.Day.Total != got.Total || both.Week.Total.Count() != 0 || both.Week.Day != "2026-11-14" {
				t.Errorf("figures %+v, %v, want latencies %+v", both, err, want)
			}
		}
		if f.reads != 6 {
			t.Errorf("%d reads for one page that was loaded twice", f.reads)
		}
		for i := range 2 * maxDays { // one day is asked for again and again, and stays
			time.Sleep(time.Second)
			for _, x := range []ist.Day{day, day.Add(-i)} {
				if _, err := d.Day(t.Context(), x); err != nil {
					t.Fatal(err)
				}
			}
		}
		if len(d.days) != maxDays || d.days[day] == nil || d.days[day.Add(1-2*maxDays)] == nil {
			t.Errorf("%d days cached, of %d", len(d.days), maxDays)
		}
		if _, err := d.Day(t.Context(), "today"); !errors.Is(err, ist.ErrDay) {
			t.Errorf("no day: %v", err)
		}
		if _, err := d.Figures(t.Context(), "today", true); !errors.Is(err, ist.ErrDay) {
			t.Errorf("no day: %v", err)
		}
	})
}

// TestHoursThatAreOver: only the hours are read again of which something may have changed,
// and those that are over one after the other.
func TestHoursThatAreOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		today := ist.DayOf(time.Now()).Add(1)
		from, _, err := today.Bounds()
		if err != nil {
			t.Fatal(err)
		}
		at := func(h, minute int) time.Time {
			return from.Add(time.Duration(h)*time.Hour + time.Duration(minute)*time.Minute)
		}
		time.Sleep(time.Until(at(12, 30)))
		f := &figures{}
		f.add(at(3, 0), 5, op.Succeeded)
		f.add(at(8, 0), 2, op.Pending)
		f.add(at(12, 5), 1, op.Sent)
		d := newService(t, &memory{Store: Store{Statistics: f}}, nil)
		read := func() (Totals, int) {
			t.Helper()
			f.hours = 0
			got, err := d.Day(t.Context(), today)
			if err != nil {
				t.Fatal(err)
			}
			return got.Total, f.hours
		}
		step := func(what string, wait time.Duration, change func(), total Totals, hours int) {
			t.Helper()
			time.Sleep(wait)
			change()
			if got, n := read(); got != total || n != hours {
				t.Errorf("%s: %+v of %d hours, want %+v of %d", what, got, n, total, hours)
			}
		}
		step("the first time", 0, func() {}, Totals{Succeeded: 5, Unfinished: 3, Moved: 500}, 24)
		step("within half a minute", dayCacheTTL-1, func() { f.list[5].state = op.Succeeded }, Totals{Succeeded: 5, Unfinished: 3, Moved: 500}, 0)
		step("one ended of an hour before", 1, func() {}, Totals{Succeeded: 6, Unfinished: 2, Moved: 600}, 12+1)
		step("nothing ended", dayCacheTTL, func() { f.add(at(12, 31), 1, op.Succeeded) }, Totals{Succeeded: 7, Unfinished: 2, Moved: 700}, 12)
		step("another became pending", dayCacheTTL, func() { f.list[7].state = op.Pending }, Totals{Succeeded: 7, Unfinished: 2, Moved: 700}, 12)
		// A node whose clock is far behind: it is seen when the hour's turn comes.
		step("one of a clock that is behind", dayCacheTTL, func() { f.add(at(1, 0), 1, op.Succeeded) }, Totals{Succeeded: 7, Unfinished: 2, Moved: 700}, 12)
		seen := time.Duration(0)
		for f.add(at(12, 40), 0, op.Succeeded); ; {
			time.Sleep(dayCacheTTL)
			seen += dayCacheTTL
			if got, n := read(); got.Succeeded == 8 {
				break
			} else if n > 13 || seen > 2*hourCacheTTL {
				t.Fatalf("after %v: %+v, %d hours read", seen, got, n)
			}
		}
		f.fails = errors.New("the database is away")
		time.Sleep(dayCacheTTL)
		if _, err := d.Day(t.Context(), today); !errors.Is(err, f.fails) {
			t.Errorf("without a database: %v", err)
		}
	})
}

// TestHoursAreExact: whatever happens to operations in whatever order, the sums are those of
// all operations read at once.
func TestHoursAreExact(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { playADay(t, rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

func playADay(t *testing.T, random *rand.Rand) {
	today := ist.DayOf(time.Now()).Add(1)
	from, to, err := today.Bounds()
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Until(from))
	f := &figures{}
	d := newService(t, &memory{Store: Store{Statistics: f}}, nil)
	all := 0
	for time.Now().Before(to.Add(2 * time.Hour)) {
		time.Sleep(dayCacheTTL + time.Duration(random.IntN(1200))*time.Second)
		for range random.IntN(4) {
			// Created up to a minute ago: the clocks of the nodes differ.
			f.list = append(f.list, &recorded{at: time.Now().Add(-time.Duration(random.IntN(60)) * time.Second), state: op.Received, step: random.IntN(5)})
		}
		for _, r := range f.list {
			if random.IntN(3) == 0 {
				r.move(random)
			}
		}
		got, err := d.Day(t.Context(), today)
		latencies, alsoErr := d.DayLatencies(t.Context(), today)
		if err := errors.Join(err, alsoErr); err != nil {
			t.Fatal(err)
		}
		want := Day{}
		counts, _ := f.HourCounts(t.Context(), from, to)
		want.addCounts(counts)
		if got.Hours != want.Hours || got.Total != want.Total || !slices.Equal(got.Kinds, want.Kinds) {
			t.Fatalf("at %v: %+v, want %+v", time.Now(), got, want)
		}
		direct, _ := d.Latencies(t.Context(), from, to)
		if !slices.Equal(latencies, direct) {
			t.Fatalf("at %v: latencies %+v, want %+v", time.Now(), latencies, direct)
		}
		all = got.Total.Count()
	}
	if all < 20 {
		t.Errorf("only %d operations in the day", all)
	}
}

// move takes an operation one step forward.
func (r *recorded) move(random *rand.Rand) {
	next := map[op.State][]op.State{
		op.Received: {op.Sent, op.Refused, op.Failed}, op.Sent: {op.Pending, op.Succeeded, op.Failed}, op.Pending: {op.Succeeded, op.Failed, op.Reversed},
	}[r.state]
	if next != nil {
		r.state = next[random.IntN(len(next))]
		r.pending = r.pending || r.state == op.Pending
	}
}
