package ist

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestDayOf(t *testing.T) {
	midnight := time.Date(2026, 11, 30, 18, 30, 0, 0, time.UTC) // in India
	for at, want := range map[time.Time]Day{midnight: "2026-12-01", midnight.Add(-1): "2026-11-30"} {
		if got := DayOf(at); got != want || MonthOf(at) != string(want[:7]) {
			t.Errorf("%s is on %s in %s, want %s", at, got, MonthOf(at), want)
		}
	}
}

func TestParseDay(t *testing.T) {
	if d, err := ParseDay("2028-02-29"); d != "2028-02-29" || err != nil {
		t.Errorf("ParseDay = %q, %v", d, err)
	}
	for _, text := range []string{"", "2026-02-29", "2026-2-3", "2026-11-21 ", "21-11-2026", "26-11-21", "2026-13-01"} {
		if d, err := ParseDay(text); d != "" || !errors.Is(err, ErrDay) {
			t.Errorf("ParseDay(%q) = %q, %v; want ErrDay", text, d, err)
		}
		if _, _, err := Day(text).Bounds(); !errors.Is(err, ErrDay) {
			t.Errorf("bounds of %q: %v, want ErrDay", text, err)
		}
	}
}

func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(0, 4_000_000_000).Draw(t, "at"), 0)
		from, to, err := DayOf(at).Bounds()
		if err != nil || at.Before(from) || !at.Before(to) || to.Sub(from) != 24*time.Hour {
			t.Fatalf("%s is on %s: from %s to %s, %v", at, DayOf(at), from, to, err)
		}
		if DayOf(to) == DayOf(at) || DayOf(to.Add(-1)) != DayOf(at) {
			t.Fatalf("%s does not end at %s", DayOf(at), to)
		}
	})
}

// TestOverlaps compares Overlaps with a check of every day.
func TestOverlaps(t *testing.T) {
	all := []Day{"0001-01-01", "2026-01-01", "2026-02-01", "2026-03-01", "9999-01-01"}
	rapid.Check(t, func(t *rapid.T) {
		day := rapid.SampledFrom([]Day{"", "2026-01-01", "2026-02-01", "2026-03-01"})
		days := rapid.Custom(func(t *rapid.T) Days {
			return Days{From: day.Draw(t, "from"), Until: day.Draw(t, "until")}
		}).Filter(func(s Days) bool { return s.Check() == nil })
		a, b := days.Draw(t, "a"), days.Draw(t, "b")
		both := false
		for _, d := range all {
			both = both || a.Contains(d) && b.Contains(d)
		}
		if a.Overlaps(b) != both || b.Overlaps(a) != both {
			t.Fatalf("%s overlaps %s: %v, a common day: %v", a, b, a.Overlaps(b), both)
		}
	})
}

func TestCheck(t *testing.T) {
	for _, s := range []Days{{From: "2026-04-01", Until: "2026-04-01"}, {From: "2026-04-02", Until: "2026-04-01"}} {
		if s.Check() == nil {
			t.Errorf("%s can be in force", s)
		}
	}
}

func TestAdd(t *testing.T) {
	for _, c := range []struct {
		day  Day
		days int
		want Day
	}{{"2026-11-21", 5, "2026-11-26"}, {"2026-11-21", -21, "2026-10-31"}, {"2028-02-28", 1, "2028-02-29"}, {"2026-12-31", 1, "2027-01-01"}, {"2026-11-21", 0, "2026-11-21"}} {
		if got := c.day.Add(c.days); got != c.want {
			t.Errorf("%s + %d = %s, want %s", c.day, c.days, got, c.want)
		}
	}
	if noon := Day("2026-11-21").Noon(); DayOf(noon) != "2026-11-21" || noon.In(Zone()).Hour() != 12 {
		t.Errorf("the noon is %s", noon)
	}
	if noon := Day("x").Noon(); !noon.IsZero() {
		t.Errorf("the noon of no day is %s", noon)
	}
}

func TestMonth(t *testing.T) {
	for day, want := range map[Day]int{"2028-02-10": 29, "2026-02-01": 28, "2026-11-30": 30, "2026-12-31": 31} {
		if days := day.Month(); len(days) != want || days[0] != day[:8]+"01" {
			t.Errorf("the month of %s is %s", day, days)
		}
	}
}
