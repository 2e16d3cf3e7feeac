package rdservice

import (
	"errors"
	"fmt"
	"galla/shared/ist"
	"strings"
	"testing"
	"time"
)

func TestJudgeCodes(t *testing.T) {
	for _, tt := range []struct {
		family Family
		codes  string
		want   Action
	}{
		{Finger, "700 730", RetryCustomer},
		{Finger, "710 720 740 -1509 -1307", RetryDevice},
		{Finger, "100 110 120 130 140 150 160 170 180 190 200 210 220 175 205 750 760 770", FixRequest},
		{Finger, "900 999 1 -1 800 99 221 gibberish 7000", CallSupport},
		{Iris, "700 730", RetryCustomer},
		{Iris, "720", RetryDevice},
		// The face family's own meanings, and none inherited.
		{Face, "001 161", RetryCustomer},
		{Face, "100 101 111 199", FixRequest},
		{Face, "103 110 200 700 720 730 900", CallSupport},
	} {
		for code := range strings.FieldsSeq(tt.codes) {
			j := Judge(tt.family, PidReply{ErrCode: code}, time.Now())
			if j.Action != tt.want || j.Usable || j.Key == "" || j.Text == "" {
				t.Errorf("%s %s: %+v", tt.family, code, j)
			}
		}
	}
}

func TestJudgeCaptured(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	at := func(d time.Duration) time.Time { return now.Add(d).In(ist.Zone()) }
	for _, tt := range []struct {
		family Family
		q      Scores
		at     time.Time
		want   Action
		usable bool
		key    string
	}{
		{Finger, Scores{80}, at(-2 * time.Second), Accept, true, "rd.ok"},
		{Finger, Scores{45}, at(0), Accept, true, "rd.ok"},
		{Finger, Scores{44}, at(0), RetryCustomer, true, "rd.quality.low"},
		{Finger, Scores{25}, at(0), RetryCustomer, true, "rd.quality.low"},
		{Finger, Scores{24}, at(0), RetryCustomer, false, "rd.quality.refused"},
		{Finger, Scores{0}, at(0), RetryCustomer, false, "rd.quality.refused"},
		{Finger, Scores{90, 24}, at(0), RetryCustomer, false, "rd.quality.refused"},
		{Finger, nil, at(0), Accept, true, "rd.ok"},
		{Finger, Scores{-1}, at(0), Accept, true, "rd.ok"},
		{Face, Scores{0}, at(0), Accept, true, "rd.face.ok"},
		{Finger, Scores{80}, at(-119 * time.Second), Accept, true, "rd.ok"},
		{Finger, Scores{80}, at(-121 * time.Second), RetryDevice, false, "rd.time.stale"},
		{Finger, Scores{80}, at(121 * time.Second), RetryDevice, false, "rd.time.stale"},
		{Finger, Scores{80}, time.Time{}, RetryDevice, false, "rd.time.unknown"},
	} {
		j := Judge(tt.family, PidReply{ErrCode: "0", QScore: tt.q, CapturedAt: tt.at}, now)
		if j.Action != tt.want || j.Usable != tt.usable || j.Key != tt.key {
			t.Errorf("%v at %v: %+v", tt.q, tt.at, j)
		}
	}
}

// Where a service tells no quality, the minutiae of the worst finger decide
// whether another try is better; none at all were not counted.
func TestJudgeMinutiae(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		family Family
		q, nm  Scores
		want   string
	}{
		{Finger, nil, Scores{35}, "rd.ok"},
		{Finger, nil, Scores{34}, "rd.quality.low"},
		{Finger, nil, Scores{1}, "rd.quality.low"},
		{Finger, nil, Scores{50, 20}, "rd.quality.low"},
		{Finger, Scores{-1}, Scores{20}, "rd.quality.low"},
		{Finger, nil, Scores{0}, "rd.ok"},
		{Finger, nil, Scores{-1}, "rd.ok"},
		{Finger, Scores{100}, Scores{34}, "rd.ok"},
		{Finger, Scores{20}, Scores{60}, "rd.quality.refused"},
		{Iris, nil, Scores{3}, "rd.iris.ok"},
		{Face, Scores{5}, Scores{3}, "rd.face.ok"},
	} {
		j := Judge(tt.family, PidReply{ErrCode: "0", QScore: tt.q, NmPoints: tt.nm, CapturedAt: now}, now)
		if j.Key != tt.want || j.Usable != (tt.want != "rd.quality.refused") {
			t.Errorf("%s %v %v: %+v", tt.family, tt.q, tt.nm, j)
		}
	}
	for _, code := range []string{"700", "730"} { // of an iris nobody presses a finger
		if j := Judge(Iris, PidReply{ErrCode: code}, now); j.Action != RetryCustomer || strings.Contains(j.Text, "finger") {
			t.Errorf("iris %s: %+v", code, j)
		}
	}
}

func TestSentences(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Sentences() {
		if seen[s.Key] || !strings.HasPrefix(s.Key, "rd.") {
			t.Errorf("key %q", s.Key)
		}
		seen[s.Key] = true
		if len(s.Text) < 15 || len(s.Text) > 110 || !strings.HasSuffix(s.Text, ".") {
			t.Errorf("%s: %q is no short sentence", s.Key, s.Text)
		}
	}
	for _, kind := range []error{
		ErrRefused, ErrTimeout, ErrCancelled, ErrBroken, ErrStatus, ErrTooLarge, ErrReply,
		ErrForeignHost, ErrNoInterface, ErrBusy, ErrOptions, ErrAddress, errors.New("something else"),
	} {
		if j := Explain(fmt.Errorf("wrapped: %w", &Error{Kind: kind})); !seen[j.Key] || j.Usable {
			t.Errorf("%v is explained as %+v", kind, j)
		}
	}
}

func TestOptions(t *testing.T) {
	const safe = `<PidOptions ver="1.0"><Opts fCount="1" fType="2" iCount="0" pCount="0" format="0" pidVer="2.0" timeout="10000" posh="UNKNOWN" env="P"/></PidOptions>`
	got, err := Options{}.XML()
	if err != nil || string(got) != safe {
		t.Errorf("the safe form is\n%s\nand not\n%s, %v", safe, got, err)
	}
	for name, tt := range map[string]struct {
		o      Options
		want   string
		family Family
	}{
		"two fingers": {Options{Fingers: 2}, `fCount="2" fType="2" iCount="0" pCount="0"`, Finger},
		"iris":        {Options{Irises: 1}, `fCount="0" fType="2" iCount="1" pCount="0"`, Iris},
		"face":        {Options{Faces: 1}, `fCount="0" fType="2" iCount="0" pCount="1"`, Face},
		"time":        {Options{Timeout: 1500 * time.Millisecond}, `timeout="1500"`, Finger},
		"e-KYC":       {Options{Wadh: WadhEKYC}, `wadh="` + WadhEKYC + `"`, Finger},
	} {
		got, err := tt.o.XML()
		if err != nil || !strings.Contains(string(got), tt.want) || tt.o.Family() != tt.family {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	bad := Options{Fingers: 11, Irises: -1, Faces: 2, Timeout: time.Hour, Wadh: `"><x>`}
	err = bad.Validate()
	if !errors.Is(err, ErrOptions) {
		t.Fatal(err)
	}
	for _, field := range []string{"Fingers", "Irises", "Faces", "Timeout", "Wadh"} {
		if !strings.Contains(err.Error(), field) {
			t.Errorf("%s is not named in: %v", field, err)
		}
	}
}
