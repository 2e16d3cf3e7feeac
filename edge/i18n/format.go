package i18n

import (
	"fmt"
	"strings"
	"time"

	"galla/shared/ist"
	"galla/shared/money"
)

// Rupees formats an amount with Indian grouping: ₹1,23,456.00.
func Rupees(p money.Paise) string { return p.Rupees() }

// ShortRupees formats an amount without paise that are zero: ₹500.
func ShortRupees(p money.Paise) string { return strings.TrimSuffix(Rupees(p), ".00") }

// ParseRupees reads an amount as people type it, with grouping commas, spaces and the
// rupee sign. Errors are those of money.Parse.
func ParseRupees(s string) (money.Paise, error) {
	return money.Parse(strings.NewReplacer(",", "", " ", "", "₹", "", "\u00a0", "").Replace(s))
}

// ShortTime formats a time of day, with the day if it is not today; the zero time is "".
func (w *Localizer) ShortTime(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	t, now = t.In(ist.Zone()), now.In(ist.Zone())
	hour := t.Format("15:04")
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return hour
	}
	return w.Text("time.day", "day", t.Day(), "month", w.month(t), "time", hour)
}

// TimeWithSeconds formats a time of day to the second; the zero time is "".
func (w *Localizer) TimeWithSeconds(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(ist.Zone()).Format("15:04:05")
}

// DateTime formats date and time to the second; the zero time is "".
func (w *Localizer) DateTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	t = t.In(ist.Zone())
	return w.Text("time.full", "day", t.Day(), "month", w.month(t), "year", t.Year(), "time", t.Format("15:04:05"))
}

// Date formats the date: 21 Nov 2026; the zero time is "".
func (w *Localizer) Date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	t = t.In(ist.Zone())
	return w.Text("time.date", "day", t.Day(), "month", w.month(t), "year", t.Year())
}

func (w *Localizer) month(t time.Time) string {
	months := strings.Fields(w.Text("time.months"))
	if n := int(t.Month()) - 1; n < len(months) {
		return months[n]
	}
	return fmt.Sprint(int(t.Month()))
}

// Duration formats a duration in its two largest units.
func (w *Localizer) Duration(d time.Duration) string {
	d = max(d, 0)
	switch h, m := int(d/time.Hour), int(d%time.Hour/time.Minute); {
	case h > 0:
		return w.Text("time.hours", "h", h, "m", m)
	case m > 0:
		return w.Text("time.minutes", "m", m)
	}
	return w.Text("time.seconds", "s", int(d/time.Second))
}

// ShortDuration is Duration for narrow places: whole hours where there are many.
func (w *Localizer) ShortDuration(d time.Duration) string {
	if h := int(d / time.Hour); h >= 2 {
		return w.Text("time.whole", "h", h)
	}
	return w.Duration(d)
}
