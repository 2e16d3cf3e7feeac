package console

import (
	"fmt"
	"html/template"
	"time"

	"galla/shared/ist"
)

// recent is how long a time is printed as an age.
const recent = 24 * time.Hour

// formatTime prints a time in India; zero is empty.
func formatTime(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(ist.Zone()).Format("2 Jan 2006, 15:04:05")
}

// formatDay prints a day in India.
func formatDay(at time.Time) string { return at.In(ist.Zone()).Format("2 Jan 2006") }

// relativeTime is the element of a time: its distance where it is recent, with the exact
// time on hover; else the exact time. Zero is empty.
func relativeTime(at, now time.Time) template.HTML {
	if d := now.Sub(at); d <= -recent || d >= recent {
		return exactTime(at, now)
	}
	return timeElement(at, formatTime(at), formatDistance(now.Sub(at)))
}

// exactTime is the element of a time whose exactness matters, with its distance on hover.
func exactTime(at, now time.Time) template.HTML {
	return timeElement(at, formatDistance(now.Sub(at)), formatTime(at))
}

func timeElement(at time.Time, hover, text string) template.HTML {
	if at.IsZero() {
		return ""
	}
	// Only numbers and fixed words.
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s">%s</time>`, at.In(ist.Zone()).Format(time.RFC3339), hover, text))
}

// formatDistance prints how long ago a time was, or how far it is: '3 min ago', 'in 2 h'.
func formatDistance(d time.Duration) string {
	size, form := d, "%s ago"
	if d < 0 {
		size, form = -d, "in %s"
	}
	switch {
	case size < time.Second:
		return "now"
	case size < time.Minute:
		return fmt.Sprintf(form, fmt.Sprintf("%d s", int(size.Seconds())))
	case size < time.Hour:
		return fmt.Sprintf(form, fmt.Sprintf("%d min", int(size.Minutes())))
	case size < recent:
		return fmt.Sprintf(form, fmt.Sprintf("%d h", int(size.Hours())))
	case size < 2*recent:
		return fmt.Sprintf(form, "1 day")
	}
	return fmt.Sprintf(form, fmt.Sprintf("%d days", int(size/recent)))
}

// formatAge prints a duration in its two largest units.
func formatAge(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d d %d h", int(d.Hours())/24, int(d.Hours())%24)
}
