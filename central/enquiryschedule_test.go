package central

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestEnquiryDelays: without jitter, the times of operations.md, section 6.
func TestEnquiryDelays(t *testing.T) {
	c, none := EnquiryConfig{}.WithDefaults(), strings.NewReader("")
	var at time.Duration
	var made []time.Duration
	for n := range 60 {
		at += c.Delay(n, none)
		made = append(made, at)
	}
	for n, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second} {
		if made[n] != want {
			t.Errorf("enquiry %d is made at %s, want %s", n, made[n], want)
		}
	}
	for n := 4; made[n-1] < 2*time.Minute; n++ {
		if pause := made[n] - made[n-1]; pause+c.Poll > c.Steady || pause < 8*time.Second {
			t.Errorf("a pause of %s before enquiry %d", pause, n)
		}
	}
	if last := made[59] - made[58]; last != c.Max {
		t.Errorf("the pause has grown to %s, want %s", last, c.Max)
	}
}

// TestEnquiryJitterOnlyShortens: with any jitter the ten seconds of the first two
// minutes hold, no pause is longer than without it, and none is less than half.
func TestEnquiryJitterOnlyShortens(t *testing.T) {
	c, none := EnquiryConfig{}.WithDefaults(), strings.NewReader("")
	rapid.Check(t, func(t *rapid.T) {
		var at time.Duration
		for n := range 40 {
			full := c.Delay(n, none)
			pause := c.Delay(n, bytes.NewReader(rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(t, "chance")))
			if pause > full || pause < full/2 {
				t.Fatalf("a pause of %s before enquiry %d, %s without jitter", pause, n, full)
			}
			if at < c.SteadyFor && pause+c.Poll > c.Steady {
				t.Fatalf("a pause of %s after %s", pause, at)
			}
			at += pause
		}
	})
}
