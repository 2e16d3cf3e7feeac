package accounts

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"galla/central"
	"galla/shared/ist"
	"galla/shared/op"
)

// daysInMemory are StoredDays.
type daysInMemory struct {
	mu   sync.Mutex
	days map[ist.Day][]byte
}

func (d *daysInMemory) StoredDay(_ context.Context, day ist.Day) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if text, ok := d.days[day]; ok {
		return text, nil
	}
	return nil, central.ErrNotFound
}

func (d *daysInMemory) StoreDay(_ context.Context, day ist.Day, figures []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.days == nil {
		d.days = map[ist.Day][]byte{}
	}
	d.days[day] = figures
	return nil
}

func (d *daysInMemory) StoredSince(_ context.Context, from ist.Day) (list []ist.Day, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for day := range d.days {
		if day >= from {
			list = append(list, day)
		}
	}
	return list, nil
}

// TestStoredDays: the first look at a day that is stored reads one hour, the same figures come
// out, and an operation that ended since is in them.
func TestStoredDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const day = ist.Day("2000-01-02") // virtual time begins on 1 January
		from, to, err := day.Bounds()
		if err != nil {
			t.Fatal(err)
		}
		f := &figures{}
		for h := range 24 {
			f.add(from.Add(time.Duration(h)*time.Hour), h+1, op.Succeeded)
		}
		f.add(from.Add(5*time.Hour), 1, op.Pending)
		f.list[3].pending = true
		m := &memory{Store: Store{Statistics: f}}
		service := func() *Service { return newService(t, m, nil) }
		figuresOf := func(s *Service) DayFigures {
			t.Helper()
			got, err := s.Figures(t.Context(), day, true)
			if err != nil {
				t.Fatal(err)
			}
			got.Day.At, got.Week.At = time.Time{}, time.Time{}
			return got
		}
		time.Sleep(time.Until(to.Add(storeEvery / 2)))
		job := service().DayJob()
		if note, err := job.Run(t.Context()); err != nil || m.days.days[day] != nil {
			t.Errorf("a day is stored before it has been over for an hour: %s, %v", note, err)
		}
		time.Sleep(storeEvery)
		if note, err := job.Run(t.Context()); err != nil || m.days.days[day] == nil || note != "the figures of 31 days were stored" {
			t.Fatalf("%s, %v", note, err)
		}
		time.Sleep(24 * time.Hour)
		want := figuresOf(newService(t, &memory{Store: Store{Statistics: f}}, nil)) // without what is stored
		f.hours = 0
		if got := figuresOf(service()); !same(got, want) || f.hours > 2 { // of the day, and of that a week before
			t.Errorf("%d hours were read, %+v, want %+v", f.hours, got, want)
		}
		for _, r := range f.list {
			if r.state == op.Pending {
				r.state = op.Succeeded
			}
		}
		want = figuresOf(newService(t, &memory{Store: Store{Statistics: f}}, nil))
		f.hours = 0
		if got := figuresOf(service()); !same(got, want) || f.hours > 3 {
			t.Errorf("after an end: %d hours were read, %+v, want %+v", f.hours, got, want)
		}
		m.days.days[day] = []byte("{")
		if got := figuresOf(service()); !same(got, want) {
			t.Errorf("what can't be read is not read from the operations: %+v", got)
		}
	})
}

func same(a, b DayFigures) bool {
	return a.Day.Total == b.Day.Total && a.Day.Hours == b.Day.Hours && len(a.Banks) == len(b.Banks) && len(a.Banks) > 0 && a.Banks[0] == b.Banks[0]
}
