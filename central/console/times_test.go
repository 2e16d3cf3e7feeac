package console

import (
	"testing"
	"time"
)

func TestTimes(t *testing.T) {
	now := time.Date(2026, 11, 26, 8, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		distance        time.Duration
		relative, exact string
	}{
		{0, `<time datetime="2026-11-26T13:30:00+05:30" title="26 Nov 2026, 13:30:00">now</time>`, `<time datetime="2026-11-26T13:30:00+05:30" title="now">26 Nov 2026, 13:30:00</time>`},
		{-59 * time.Second, `<time datetime="2026-11-26T13:29:01+05:30" title="26 Nov 2026, 13:29:01">59 s ago</time>`, ""},
		{-3 * time.Minute, `<time datetime="2026-11-26T13:27:00+05:30" title="26 Nov 2026, 13:27:00">3 min ago</time>`, ""},
		{2*time.Hour + time.Minute, `<time datetime="2026-11-26T15:31:00+05:30" title="26 Nov 2026, 15:31:00">in 2 h</time>`, ""},
		{-23 * time.Hour, `<time datetime="2026-11-25T14:30:00+05:30" title="25 Nov 2026, 14:30:00">23 h ago</time>`, ""},
		{-24 * time.Hour, `<time datetime="2026-11-25T13:30:00+05:30" title="1 day ago">25 Nov 2026, 13:30:00</time>`, `<time datetime="2026-11-25T13:30:00+05:30" title="1 day ago">25 Nov 2026, 13:30:00</time>`},
		{72 * time.Hour, `<time datetime="2026-11-29T13:30:00+05:30" title="in 3 days">29 Nov 2026, 13:30:00</time>`, ""},
	} {
		at := now.Add(tt.distance)
		if got := relativeTime(at, now); string(got) != tt.relative {
			t.Errorf("%s: %s, want %s", tt.distance, got, tt.relative)
		}
		if got := exactTime(at, now); tt.exact != "" && string(got) != tt.exact {
			t.Errorf("%s, exactly: %s, want %s", tt.distance, got, tt.exact)
		}
	}
	if relativeTime(time.Time{}, now) != "" || exactTime(time.Time{}, now) != "" {
		t.Error("no time is printed")
	}
}
