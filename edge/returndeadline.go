package edge

import (
	"time"

	"galla/shared/ist"
	"galla/shared/money"
)

// maxOwedDays bounds the computed compensation.
const maxOwedDays = 365

// ReturnDeadline is the progress of a pending debit towards T+5.
type ReturnDeadline struct {
	Due      ist.Day     // the last day without compensation
	DaysLeft int         // days from today to Due; 0: today, or it has passed
	DaysLate int         // days since Due
	Owed     money.Paise // compensation that the bank owes the customer beside the amount
}

// DaysPassed is the number of days since the operation: 0 on the day itself, 5 on the
// last.
func (d ReturnDeadline) DaysPassed() int { return TurnaroundDays - d.DaysLeft }

// ReturnDeadlineOf returns the deadline of a pending debit at a time, counted from when it
// was sent, as on the customer's slip. Days are Indian by central's clock; offset is that
// clock minus the counter's.
func ReturnDeadlineOf(r Record, now time.Time, offset time.Duration) ReturnDeadline {
	at := r.SentAt
	if at.IsZero() {
		at = r.CreatedAt
	}
	due := ist.DayOf(at.Add(offset)).Add(TurnaroundDays)
	days := int(ist.DayOf(now.Add(offset)).Noon().Sub(due.Noon()) / (24 * time.Hour)) // days in India have 24 hours
	d := ReturnDeadline{Due: due, DaysLeft: max(-days, 0), DaysLate: min(max(days, 0), maxOwedDays)}
	d.Owed = money.Paise(d.DaysLate) * CompensationPerDay
	return d
}
