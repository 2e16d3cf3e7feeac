// Package ist has Indian Standard Time and the days of India, in which limits,
// reports, settlement files and receipts are counted.
//
// It needs no time zone database, which may be missing on a shop's computer: India
// has one zone and no daylight saving, so the zone is fixed at +05:30.
package ist

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

var zone = time.FixedZone("IST", 5*3600+30*60)

// Zone is Indian Standard Time.
func Zone() *time.Location { return zone }

// Day is a day in India, such as 2026-11-21. Days compare as texts.
type Day string

// ErrDay says that a text is not a Day.
var ErrDay = errors.New("a day is written as 2026-11-21")

// DayOf gives the day of a time.
func DayOf(at time.Time) Day { return Day(at.In(zone).Format(time.DateOnly)) }

// MonthOf gives the month of a time, such as 2026-11.
func MonthOf(at time.Time) string { return at.In(zone).Format("2006-01") }

// ParseDay reads a day. There is one spelling; any other text is ErrDay.
func ParseDay(text string) (Day, error) {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil || at.Format(time.DateOnly) != text {
		return "", ErrDay
	}
	return Day(text), nil
}

// Bounds gives the start of the day and the start of the next day. ErrDay: the text
// is not a day.
func (d Day) Bounds() (from, to time.Time, err error) {
	if from, err = time.ParseInLocation(time.DateOnly, string(d), zone); err != nil {
		return time.Time{}, time.Time{}, ErrDay
	}
	return from, from.AddDate(0, 0, 1), nil
}

// Days are the days on which a rule is in force.
type Days struct {
	From  Day // the first; empty: there is none
	Until Day // the first day after the last; empty: there is none
}

// Contains tells whether a day is one of them.
func (s Days) Contains(d Day) bool { return s.From <= d && (s.Until == "" || d < s.Until) }

// Overlaps tells whether there is a common day.
func (s Days) Overlaps(o Days) bool {
	return (s.Until == "" || o.From < s.Until) && (o.Until == "" || s.From < o.Until)
}

// Check fails where no day can be one of them.
func (s Days) Check() error {
	if s.Until != "" && s.Until <= s.From {
		return fmt.Errorf("until %s is not after from %s: it would never be in force", s.Until, s.From)
	}
	return nil
}

// String writes them for people.
func (s Days) String() string {
	return fmt.Sprintf("from %s until %s", cmp.Or(s.From, "ever"), cmp.Or(s.Until, "ever"))
}

// Noon is the middle of the day; the zero time if the text is not a day.
func (d Day) Noon() time.Time {
	from, _, err := d.Bounds()
	if err != nil {
		return time.Time{}
	}
	return from.Add(12 * time.Hour)
}

// Add returns the day so many days later, or earlier for a negative number.
func (d Day) Add(days int) Day { return Day(d.Noon().AddDate(0, 0, days).Format(time.DateOnly)) }

// Month returns the days of the day's month.
func (d Day) Month() []Day {
	noon := d.Noon()
	var days []Day
	for at := noon.AddDate(0, 0, 1-noon.Day()); at.Month() == noon.Month(); at = at.AddDate(0, 0, 1) {
		days = append(days, Day(at.Format(time.DateOnly)))
	}
	return days
}
