package accounts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"galla/central"
	"galla/central/jobs"
	"galla/shared/ist"
)

// StoredDays keeps the figures of days that are over, so that the first look at one need not
// read all its operations.
type StoredDays interface {
	// StoredDay reads what is stored of a day; central.ErrNotFound.
	StoredDay(ctx context.Context, day ist.Day) ([]byte, error)
	// StoreDay stores it, in place of what is stored.
	StoreDay(ctx context.Context, day ist.Day, figures []byte) error
	// StoredSince lists the days from one on that are stored.
	StoredSince(ctx context.Context, from ist.Day) ([]ist.Day, error)
}

const (
	storeEvery = time.Hour
	// storeDaysBack is how far the job looks for days that are not stored, and storeDaysAtOnce
	// how many days one run sums: a central that was upgraded comes to all within hours.
	storeDaysBack   = 400
	storeDaysAtOnce = 31
)

// DayJob is the scheduled job that stores the figures of days that are over.
func (s *Service) DayJob() jobs.ScheduledJob {
	return jobs.ScheduledJob{Name: "day-figures", Every: storeEvery, Run: s.storeDays}
}

func (s *Service) storeDays(ctx context.Context) (string, error) {
	today := ist.DayOf(time.Now().Add(-storeEvery)) // clocks differ, and commits take a while
	known, err := s.StoredSince(ctx, today.Add(-storeDaysBack))
	if err != nil {
		return "", err
	}
	has := make(map[ist.Day]bool, len(known))
	for _, day := range known {
		has[day] = true
	}
	stored := 0
	for back := 1; back <= storeDaysBack && stored < storeDaysAtOnce; back++ {
		day := today.Add(-back)
		if has[day] {
			continue
		}
		if err := s.storeDay(ctx, day); err != nil {
			return "", fmt.Errorf("store the figures of %s: %w", day, err)
		}
		stored++
	}
	return fmt.Sprintf("the figures of %d days were stored", stored), nil
}

// storedHour is one hour of a day as it is stored.
type storedHour struct {
	Open   [3]int         `json:"open"` // received, sent, pending
	Counts []HourCount    `json:"counts"`
	Banks  []LatencyCount `json:"banks"`
}

// storedDay is a day as it is stored.
type storedDay struct {
	At    int64          `json:"at"` // when it was read, milliseconds
	Hours [24]storedHour `json:"hours"`
}

// storeDay reads a day and stores it.
func (s *Service) storeDay(ctx context.Context, day ist.Day) error {
	from, to, err := day.Bounds()
	if err != nil {
		return err
	}
	d := &dayCache{}
	if _, _, err := d.counts.refresh(ctx, from, to, s.UnfinishedCounts, s.HourCounts); err != nil {
		return err
	}
	if _, _, err := d.banks.refresh(ctx, from, to, s.UnfinishedCounts, s.LatencyCounts); err != nil {
		return err
	}
	figures, err := json.Marshal(d.stored(), json.Deterministic(true))
	if err != nil {
		return err
	}
	return s.StoreDay(ctx, day, figures)
}

// stored is a day that was read whole. Where an operation ended between the two reads, the
// hour's count is that of the first, so that the hour is read again.
func (d *dayCache) stored() storedDay {
	out := storedDay{At: min(d.counts.at.UnixMilli(), d.banks.at.UnixMilli())}
	for h := range out.Hours {
		u := d.counts.hours[h].unfinished
		out.Hours[h] = storedHour{[3]int{u.received, u.sent, u.pending}, d.counts.hours[h].rows, d.banks.hours[h].rows}
	}
	return out
}

// loadStored fills an empty cache with what is stored of a day that is over. What can't be read
// is read from the operations.
func (s *Service) loadStored(ctx context.Context, day ist.Day, d *dayCache) error {
	d.load.Lock()
	defer d.load.Unlock()
	if d.loaded {
		return nil
	}
	text, err := s.StoredDay(ctx, day)
	if err != nil && !errors.Is(err, central.ErrNotFound) {
		return err
	}
	var known storedDay
	if err == nil && json.Unmarshal(text, &known) == nil {
		d.fill(known)
	}
	d.loaded = true
	return nil
}

func (d *dayCache) fill(known storedDay) { // before the first refresh
	at := time.UnixMilli(known.At)
	for h, x := range known.Hours {
		u := unfinished{x.Open[0], x.Open[1], x.Open[2]}
		d.counts.hours[h] = hourRead[HourCount]{at, u, x.Counts}
		d.banks.hours[h] = hourRead[LatencyCount]{at, u, x.Banks}
	}
}
