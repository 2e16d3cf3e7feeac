package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"galla/rdservice"
)

func TestPorts(t *testing.T) {
	for ports, good := range map[string]bool{"": true, "11100-11120": true, "11100": true, "11120-11100": false, "x": false, "1-99999": false} {
		if _, err := (readerSearch{Ports: ports}).client(); (err == nil) != good {
			t.Errorf("--ports %q: %v", ports, err)
		}
	}
}

var now = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

func TestDevicesWrites(t *testing.T) {
	found := []rdservice.Device{{
		Service: rdservice.Service{Address: "http://127.0.0.1:11100", Status: rdservice.Ready, CapturePath: "/rd/capture"},
		Info:    rdservice.DeviceInfo{DPID: "MANTRA.MSIPL", MI: "MFS110", Serial: "4711", CertificateEnds: now.Add(24 * time.Hour)},
	}}
	var text, object, none strings.Builder
	if err := errors.Join((&devicesCmd{}).write(&text, found, now), (&devicesCmd{JSON: true}).write(&object, found, now), (&devicesCmd{JSON: true}).write(&none, nil, now)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"READY", "Mantra", "4711", "2026-11-22 (ends soon)"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing in\n%s", want, text.String())
		}
	}
	var rows []map[string]any
	if err := json.Unmarshal([]byte(object.String()), &rows); err != nil || len(rows) != 1 || len(rows[0]) != 14 {
		t.Errorf("%v, %s", err, object.String())
	}
	if strings.TrimSpace(none.String()) != "[]" {
		t.Errorf("no readers are %q", none.String())
	}
}

func TestAbsent(t *testing.T) {
	at := func(kinds ...error) (failures []*rdservice.Error) {
		for _, kind := range kinds {
			failures = append(failures, &rdservice.Error{Op: "discover", Address: "http://127.0.0.1:11100", Kind: kind})
		}
		return failures
	}
	for _, tt := range []struct {
		failures []*rdservice.Error
		want     error
	}{
		{nil, errNoService},
		{at(rdservice.ErrRefused, rdservice.ErrStatus, rdservice.ErrReply), errNoService},
		{at(rdservice.ErrRefused, rdservice.ErrForeignHost, rdservice.ErrTimeout), rdservice.ErrTimeout},
		{at(rdservice.ErrForeignHost, rdservice.ErrReply), rdservice.ErrForeignHost},
	} {
		if err := noServiceError(tt.failures); !errors.Is(err, tt.want) {
			t.Errorf("%v became %v", tt.failures, err)
		}
	}
}

func TestUnusable(t *testing.T) {
	var out strings.Builder
	err := printUnusable(&out, []*rdservice.Error{
		{Op: "discover", Address: "http://127.0.0.1:11100", Kind: rdservice.ErrRefused},
		{Op: "discover", Address: "http://127.0.0.1:11101", Kind: rdservice.ErrTimeout},
	})
	if want := "not usable: discover at http://127.0.0.1:11101: no answer in time\n"; err != nil || out.String() != want {
		t.Errorf("%q, %v", out.String(), err)
	}
}

func TestCaptureWrites(t *testing.T) {
	for dpID, want := range map[string]string{"MANTRA.MSIPL": "quality      2\n", "TATVIK.TATVIK": "quality      70 (sent as class 2)\n"} {
		var out strings.Builder
		got := rdservice.Capture{Reply: rdservice.PidReply{ErrCode: "0", QScore: rdservice.Scores{2}, CapturedAt: now, Device: rdservice.DeviceInfo{DPID: dpID}}}
		if err := (&captureCmd{}).write(&out, got); err != nil || !strings.Contains(out.String(), want) || !strings.Contains(out.String(), "minutiae     unknown\n") {
			t.Errorf("%v, %s", err, out.String())
		}
	}
}

// A capture without an answer has the same object, and fails.
func TestUnanswered(t *testing.T) {
	for _, cause := range []error{errNoService, &rdservice.Error{Op: "capture", Address: "http://127.0.0.1:1", Kind: rdservice.ErrTimeout}} {
		var out strings.Builder
		err := (&captureCmd{JSON: true}).unanswered(&out, cause)
		var got map[string]any
		if parse := json.Unmarshal([]byte(out.String()), &got); parse != nil || len(got) != 7 || got["action"] != "retry-device" {
			t.Errorf("%v: %v, %s", cause, parse, out.String())
		}
		if !errors.Is(err, cause) || !strings.Contains(err.Error(), "Check the reader") && !strings.Contains(err.Error(), "cable") {
			t.Errorf("%v became %v", cause, err)
		}
	}
}
