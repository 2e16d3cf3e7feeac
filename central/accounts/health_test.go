package accounts

import (
	"context"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"galla/central"
	"galla/shared/ist"
	"galla/shared/op"
)

// countsOf is a HealthStore that answers with what the test sets.
type countsOf struct {
	HealthStore
	asked   []RecentQuery
	recent  []RecentCount
	read    [][2]time.Time // of PartyCounts
	byParty func(from, to time.Time) []PartyCount
}

func (c *countsOf) RecentCounts(_ context.Context, q RecentQuery) ([]RecentCount, error) {
	c.asked = append(c.asked, q)
	for i := range c.recent {
		if c.recent[i].Since.IsZero() {
			c.recent[i].Since = q.From
		}
	}
	return c.recent, nil
}

func (c *countsOf) PartyCounts(_ context.Context, from, to time.Time) ([]PartyCount, error) {
	c.read = append(c.read, [2]time.Time{from, to})
	return c.byParty(from, to), nil
}

func TestHealthOf(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 30, 0, 0, ist.Zone())
	later := now.Add(-time.Hour)
	store := &countsOf{recent: []RecentCount{
		{Merchant: "one", Terminal: "front", State: op.Succeeded, Today: true, Count: 3, Sum: 300},
		{Merchant: "one", Terminal: "front", State: op.Succeeded, Count: 5, Sum: 500},
		{Merchant: "one", State: op.Reversed, Today: true, Count: 1, Sum: 40},
		{Merchant: "two", Terminal: "back", State: op.Sent, Today: true, Count: 2, Sum: 20, Since: later},
	}}
	s := newService(t, &memory{}, nil)
	s.HealthStore = store
	if h, err := s.HealthOf(t.Context(), nil, now); err != nil || len(h.Merchants) != 0 || len(store.asked) != 0 {
		t.Errorf("of nobody: %+v, %v", h, err)
	}
	h, err := s.HealthOf(t.Context(), []central.MerchantID{"one", "two"}, now)
	if err != nil {
		t.Fatal(err)
	}
	front := Health{Today: Totals{Succeeded: 3, Moved: 300}, Week: Totals{Succeeded: 8, Moved: 800}}
	one, back := front, Health{Today: Totals{Unfinished: 2}, Week: Totals{Unfinished: 2}, Since: later}
	one.Today.Failed, one.Week.Failed = 1, 1
	want := Healths{map[central.MerchantID]Health{"one": one, "two": back}, map[central.TerminalID]Health{"front": front, "back": back}}
	if !reflect.DeepEqual(h, want) {
		t.Errorf("%+v, want %+v", h, want)
	}
	q := store.asked[0]
	if midnight := time.Date(2026, 11, 21, 0, 0, 0, 0, ist.Zone()); !q.Today.Equal(midnight) || !q.From.Equal(midnight.AddDate(0, 0, -6)) || q.Limit != MaxLooked {
		t.Errorf("asked %+v", q)
	}
	if rate, none := one.Today.SuccessRate(), back.Today.SuccessRate(); rate != 0.75 || none != 0 {
		t.Errorf("success rates %v and %v", rate, none)
	}
}

// TestTodayByParty: the hours that are over are read seldom, the present one every half a
// minute, and a new day begins at zero.
func TestTodayByParty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		midnight, err := startOfDay(time.Now().Add(24 * time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Until(midnight) + 3*time.Hour + 10*time.Minute)
		store := &countsOf{byParty: func(from, to time.Time) []PartyCount {
			if to.Sub(from) == 3*time.Hour || from.Equal(midnight.AddDate(0, 0, 1)) && to.Equal(from) {
				return []PartyCount{{Merchant: "one", Vendor: "v", Terminal: "front", State: op.Succeeded, Count: 4, Sum: 400, Last: from}}
			}
			return []PartyCount{{Merchant: "one", Vendor: "v", State: op.Failed, Count: 1, Sum: 100, Last: to}, {State: op.Succeeded, Count: 1, Sum: 7}}
		}}
		s := newService(t, &memory{}, nil)
		s.HealthStore = store
		read := func(what string, reads int) PartyDay {
			t.Helper()
			store.read = nil
			day, err := s.TodayByParty(t.Context(), time.Now())
			if err != nil || len(store.read) != reads {
				t.Errorf("%s: %d reads, %v, want %d", what, len(store.read), err, reads)
			}
			return day
		}
		day := read("first", 2)
		both := Totals{Succeeded: 4, Failed: 1, Moved: 400}
		if day.Merchants["one"] != both || day.Vendors["v"] != both || day.Terminals["front"] != (Totals{Succeeded: 4, Moved: 400}) || len(day.Merchants)+len(day.Vendors)+len(day.Terminals) != 3 {
			t.Errorf("%+v", day)
		}
		if want := midnight.AddDate(0, 0, 1); !day.VendorAt["v"].Equal(want) {
			t.Errorf("the vendor's newest operation is of %v, want %v", day.VendorAt["v"], want)
		}
		read("at once again", 0)
		time.Sleep(dayCacheTTL)
		read("half a minute later", 1)
		time.Sleep(hourCacheTTL)
		read("ten minutes later", 2)
		time.Sleep(time.Hour)
		read("in the next hour", 2)
		time.Sleep(time.Until(midnight.AddDate(0, 0, 1)) - time.Second)
		read("before midnight", 2)
		time.Sleep(2 * time.Second)
		read("after midnight", 2)
		if from := store.read[1][0]; !from.Equal(midnight.AddDate(0, 0, 1)) {
			t.Errorf("the new day is read from %v", from)
		}
	})
}
