package till

import (
	"fmt"
	"time"

	"galla/edge"
	"galla/shared/money"
)

// Day is a date in India: 2026-11-21.
type Day string

// india is Indian Standard Time, which has no summer time; the zone's own data
// may be missing on a shop's computer.
func india() *time.Location { return time.FixedZone("IST", 5*3600+1800) }

// DayOf gives the day in India of a time of the counter's clock; offset is the
// central's clock minus the counter's.
func DayOf(t time.Time, offset time.Duration) Day {
	return Day(t.Add(offset).In(india()).Format(time.DateOnly))
}

// ParseDay reads a date as forms and addresses hold it.
func ParseDay(s string) (Day, error) {
	t, err := time.ParseInLocation(time.DateOnly, s, india())
	if err != nil || t.Year() < 2000 {
		return "", fmt.Errorf("%.16q is no day; write it as 2026-11-21", s)
	}
	return Day(s), nil
}

// Span gives the day's first moment and the next day's, by the counter's clock.
func (d Day) Span(offset time.Duration) (from, to time.Time) {
	t := d.noon()
	midnight := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, india())
	return midnight.Add(-offset), midnight.AddDate(0, 0, 1).Add(-offset)
}

// Add gives the day so many days later.
func (d Day) Add(days int) Day { return Day(d.noon().AddDate(0, 0, days).Format(time.DateOnly)) }

// Month gives the days of the day's month.
func (d Day) Month() []Day {
	t := d.noon()
	var days []Day
	for at := t.AddDate(0, 0, 1-t.Day()); at.Month() == t.Month(); at = at.AddDate(0, 0, 1) {
		days = append(days, Day(at.Format(time.DateOnly)))
	}
	return days
}

// Date is the day's noon in India, for writing it in words.
func (d Day) Date() time.Time { return d.noon() }

// noon is the zero time for what is no day; ParseDay lets none pass.
func (d Day) noon() time.Time {
	t, err := time.ParseInLocation(time.DateOnly, string(d), india())
	if err != nil {
		return time.Time{}
	}
	return t.Add(12 * time.Hour)
}

// maxOwedDays: beyond it nobody computes, people talk.
const maxOwedDays = 365

// Clock is where a pending debit stands on its way to T+5.
type Clock struct {
	Due  Day         // the last day on which the money may come back without a fee
	Left int         // days from today to Due; 0: today, or it has passed
	Late int         // days after Due
	Owed money.Paise // what the bank owes the customer beside the amount
}

// Day is which day of the five today is: 0 on the day itself, 5 on the last.
func (c Clock) Day() int { return edge.ReturnDays - c.Left }

// ClockOf gives the clock of an operation begun on a day.
func ClockOf(begun, today Day) Clock {
	due := begun.Add(edge.ReturnDays)
	days := int(today.noon().Sub(due.noon()) / (24 * time.Hour)) // India's days have 24 hours
	c := Clock{Due: due, Left: max(-days, 0), Late: min(max(days, 0), maxOwedDays)}
	c.Owed = money.Paise(c.Late) * edge.OwedPerDay
	return c
}
