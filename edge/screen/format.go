package screen

import (
	"fmt"
	"strings"
	"time"

	"galla/shared/money"
)

// india is the only zone in which the counter shows times. It has no summer
// time, so no zone database is needed.
var india = time.FixedZone("Asia/Kolkata", 5*60*60+30*60)

// rupees writes an amount with Indian grouping: ₹1,23,456.00.
func rupees(p money.Paise) string {
	if g, negative := strings.CutPrefix(p.Grouped(), "-"); negative {
		return "−₹" + g
	}
	return "₹" + p.Grouped()
}

// short leaves out paise that are zero: ₹500. Big letters need it.
func short(p money.Paise) string { return strings.TrimSuffix(rupees(p), ".00") }

// clock writes a time of day, and the day where it is not today.
func (w *words) clock(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	t, now = t.In(india), now.In(india)
	hour := t.Format("15:04")
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return hour
	}
	return w.say("time.day", "day", t.Day(), "month", w.month(t), "time", hour)
}

// stamp writes a time in full, to the second.
func (w *words) stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	t = t.In(india)
	return w.say("time.full", "day", t.Day(), "month", w.month(t), "year", t.Year(), "time", t.Format("15:04:05"))
}

func (w *words) month(t time.Time) string {
	months := strings.Fields(w.say("time.months"))
	if n := int(t.Month()) - 1; n < len(months) {
		return months[n]
	}
	return fmt.Sprint(int(t.Month()))
}

// span writes a duration in the two units that matter.
func (w *words) span(d time.Duration) string {
	d = max(d, 0)
	switch h, m := int(d/time.Hour), int(d%time.Hour/time.Minute); {
	case h > 0:
		return w.say("time.hours", "h", h, "m", m)
	case m > 0:
		return w.say("time.minutes", "m", m)
	}
	return w.say("time.seconds", "s", int(d/time.Second))
}

// brief is span for places that are narrow: whole hours while there are many.
func (w *words) brief(d time.Duration) string {
	if h := int(d / time.Hour); h >= 2 {
		return w.say("time.whole", "h", h)
	}
	return w.span(d)
}

// spell writes an amount in words: five hundred rupees and fifty paise.
func (w *words) spell(p money.Paise) string {
	if p < 0 {
		return ""
	}
	whole, paise := int64(p/money.Rupee), int64(p.Fraction())
	text := w.say("number.rupees", "n", w.number(whole))
	if whole == 1 {
		text = w.say("number.rupee", "n", w.number(whole))
	}
	if paise > 0 {
		text = w.say("number.and", "a", text, "b", w.say("number.paise", "n", w.number(paise)))
	}
	return text
}

// number spells a whole number by crore, lakh, thousand and hundred.
// static/amount.js has the same rules.
func (w *words) number(n int64) string {
	below := strings.Fields(w.say("number.below100"))
	var parts []string
	for _, unit := range []struct {
		size int64
		key  string
	}{{1_00_00_000, "number.crore"}, {1_00_000, "number.lakh"}, {1_000, "number.thousand"}, {100, "number.hundred"}} {
		if n >= unit.size {
			parts = append(parts, w.say(unit.key, "n", w.number(n/unit.size)))
			n %= unit.size
		}
	}
	if n > 0 || len(parts) == 0 {
		if int(n) >= len(below) {
			return fmt.Sprint(n)
		}
		parts = append(parts, below[n])
	}
	return strings.Join(parts, " ")
}

// parseRupees reads an amount as people type it: grouping commas, spaces and
// the sign of the rupee are left out.
func parseRupees(s string) (money.Paise, error) {
	return money.Parse(strings.NewReplacer(",", "", " ", "", "₹", "", " ", "").Replace(s))
}
