package edge_test

import (
	"testing"
	"time"

	"galla/edge"
	"galla/shared/ist"
	"galla/shared/money"
)

func TestReturnDeadline(t *testing.T) {
	sent := time.Date(2026, 11, 20, 18, 30, 0, 0, time.UTC) // the 21st in India
	for _, c := range []struct {
		now        time.Time
		offset     time.Duration
		left, late int
		owed       money.Paise
	}{
		{sent, 0, 5, 0, 0},
		{sent.Add(5*24*time.Hour - 1), 0, 1, 0, 0}, {sent.Add(5 * 24 * time.Hour), 0, 0, 0, 0},
		{sent.Add(6 * 24 * time.Hour), 0, 0, 1, 100_00}, {sent.Add(35 * 24 * time.Hour), 0, 0, 30, 3000_00},
	} {
		for _, r := range []edge.Record{{SentAt: sent}, {CreatedAt: sent}} {
			d := edge.ReturnDeadlineOf(r, c.now, c.offset)
			if d.Due != "2026-11-26" || d.DaysLeft != c.left || d.DaysLate != c.late || d.Owed != c.owed || d.DaysPassed() != edge.TurnaroundDays-c.left {
				t.Errorf("at %s the deadline is %+v", c.now, d)
			}
		}
	}
	// The counter's clock is a second slow: by central's clock it was sent on the next day.
	d := edge.ReturnDeadlineOf(edge.Record{SentAt: sent.Add(-time.Second)}, sent, time.Second)
	if d.Due != "2026-11-26" || d.DaysLeft != 5 {
		t.Errorf("by central's clock the deadline is %+v", d)
	}
	if d := edge.ReturnDeadlineOf(edge.Record{SentAt: sent}, sent.AddDate(3, 0, 0), 0); d.DaysLate != 365 || ist.DayOf(sent) != "2026-11-21" {
		t.Errorf("after years it is %+v", d)
	}
}
