package words

import (
	"fmt"
	"strings"
	"time"

	"galla/shared/money"
)

// india is the only zone in which the counter shows times. It has no summer
// time, so no zone database is needed.
var india = time.FixedZone("Asia/Kolkata", 5*60*60+30*60)

// Rupees writes an amount with Indian grouping: ₹1,23,456.00.
func Rupees(p money.Paise) string { return p.Rupees() }

// Short leaves out paise that are zero: ₹500. Big letters need it.
func Short(p money.Paise) string { return strings.TrimSuffix(Rupees(p), ".00") }

// ParseRupees reads an amount as people type it: grouping commas, spaces and
// the sign of the rupee are left out. Errors are those of money.Parse.
func ParseRupees(s string) (money.Paise, error) {
	return money.Parse(strings.NewReplacer(",", "", " ", "", "₹", "", "\u00a0", "").Replace(s))
}

// Clock writes a time of day, and the day where it is not today; the zero time
// gives "".
func (w *Words) Clock(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	t, now = t.In(india), now.In(india)
	hour := t.Format("15:04")
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return hour
	}
	return w.Say("time.day", "day", t.Day(), "month", w.month(t), "time", hour)
}

// Seconds writes a time of day to the second, for deadlines; the zero time
// gives "".
func (w *Words) Seconds(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(india).Format("15:04:05")
}

// Stamp writes a time in full, to the second; the zero time gives "".
func (w *Words) Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	t = t.In(india)
	return w.Say("time.full", "day", t.Day(), "month", w.month(t), "year", t.Year(), "time", t.Format("15:04:05"))
}

// Date writes the day of a time: 21 Nov 2026; the zero time gives "".
func (w *Words) Date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	t = t.In(india)
	return w.Say("time.date", "day", t.Day(), "month", w.month(t), "year", t.Year())
}

func (w *Words) month(t time.Time) string {
	months := strings.Fields(w.Say("time.months"))
	if n := int(t.Month()) - 1; n < len(months) {
		return months[n]
	}
	return fmt.Sprint(int(t.Month()))
}

// Span writes a duration in the two units that matter.
func (w *Words) Span(d time.Duration) string {
	d = max(d, 0)
	switch h, m := int(d/time.Hour), int(d%time.Hour/time.Minute); {
	case h > 0:
		return w.Say("time.hours", "h", h, "m", m)
	case m > 0:
		return w.Say("time.minutes", "m", m)
	}
	return w.Say("time.seconds", "s", int(d/time.Second))
}

// Brief is Span for places that are narrow: whole hours while there are many.
func (w *Words) Brief(d time.Duration) string {
	if h := int(d / time.Hour); h >= 2 {
		return w.Say("time.whole", "h", h)
	}
	return w.Span(d)
}
