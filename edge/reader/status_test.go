package reader

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"galla/edge"
	"galla/rdservice"
	"galla/rdservice/rdsim"
)

// The reader comes, is unplugged, is held by another program, and its service
// ends.
func TestState(t *testing.T) {
	t.Parallel()
	r := newReader(t, rdsim.Config{Profile: "mantra", Serial: "S1"})
	var running atomic.Bool // the service; its port is kept, so that no other test gets it
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		if !running.Load() {
			return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	d := newDevice(t, io.Discard, Config{Extra: []string{r.address}, ScanInterval: 5 * time.Millisecond, Dial: dial})
	if s := d.State(); s.Status != "ABSENT" || s.Problem == "" || !s.Checked.IsZero() {
		t.Errorf("before the first look: %+v", s)
	}
	until := run(t, d)
	s := until("no reader", func(s edge.ReaderState) bool { return s.Problem == notFoundText })
	if s.Status != "ABSENT" || s.Checked.IsZero() || s.Name != "" {
		t.Errorf("no reader: %+v", s)
	}
	if p := refused(t, d); !errors.Is(p, ErrAbsent) || p.Message != notFoundText || p.Action != "retry-device" || p.Code != "" {
		t.Errorf("reported %+v", p)
	}
	running.Store(true)
	s = until("the reader", is("READY"))
	if s.Name != "Simulator (MFS100)" || s.Serial != "S1" || s.Problem != "" || s.CertEnd.IsZero() {
		t.Errorf("ready: %+v", s)
	}
	r.post(t, "/sim/device", `{"status":"NOTREADY"}`)
	if s = until("unplugged", is("NOTREADY")); !strings.Contains(s.Problem, "cable") {
		t.Errorf("unplugged: %+v", s)
	}
	r.post(t, "/sim/device", `{"status":"USED"}`)
	if s = until("held", is("USED")); !strings.Contains(s.Problem, "Another program") {
		t.Errorf("held: %+v", s)
	}
	r.post(t, "/sim/device", `{"status":"READY"}`)
	until("ready again", is("READY"))
	running.Store(false)
	if s = until("ended", is("ABSENT")); s.Problem != notFoundText || s.Name != "" || s.Serial != "" || !s.CertEnd.IsZero() {
		t.Errorf("ended: %+v", s)
	}
}

// The reader that captured last stays the reader while it is READY; another one
// helps out where its service has gone.
func TestChoice(t *testing.T) {
	first := newReader(t, rdsim.Config{Serial: "FIRST"})
	second := newReader(t, rdsim.Config{Serial: "SECOND"})
	d := newDevice(t, io.Discard, Config{Extra: []string{first.address, second.address}})
	capture := func(want *testService) {
		t.Helper()
		before := want.count("CAPTURE")
		if _, err := d.Capture(t.Context()); err != nil {
			t.Fatal(err)
		}
		if want.count("CAPTURE") != before+1 {
			t.Errorf("another reader captured than the one at %s", want.address)
		}
	}
	look := func(serial string) {
		t.Helper()
		if err := d.scan(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s := d.State(); s.Serial != serial {
			t.Errorf("the reader is %+v, want %s", s, serial)
		}
	}
	capture(first)
	first.post(t, "/sim/device", `{"status":"NOTREADY"}`)
	look("SECOND")
	capture(second)
	first.post(t, "/sim/device", `{"status":"READY"}`)
	look("SECOND") // though the first ranks as well
	capture(second)
	second.server.Close()
	capture(first) // it was not looked for since: nothing was asked of the other
	look("FIRST")
}

// A look asks for the identity once in a while only.
func TestLook(t *testing.T) {
	r := newReader(t, rdsim.Config{})
	d := newDevice(t, io.Discard, Config{Extra: []string{r.address}})
	for range 5 {
		if err := d.scan(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := r.count("DEVICEINFO"); n != 1 {
		t.Errorf("DEVICEINFO was sent %d times", n)
	}
}

// What a maker writes is fit for one line on the screen.
func TestName(t *testing.T) {
	for _, c := range []struct{ dpID, info, model, want string }{
		{"MANTRA.MSIPL", "", "MFS100", "Mantra (MFS100)"},
		{"", "Morpho_RD_Service", "", "Morpho"},
		{"", " A\tmaker \x07 unknown\n", " X\x001 ", "A maker unknown (X 1)"},
		{"", "", "", "Fingerprint reader"},
		{"", strings.Repeat("अ", 100), "", strings.Repeat("अ", maxNameLen) + "…"},
	} {
		got := displayName(rdservice.Service{Info: c.info}, rdservice.DeviceInfo{DPID: c.dpID, MI: c.model})
		if got != c.want {
			t.Errorf("%q %q %q: %q, want %q", c.dpID, c.info, c.model, got, c.want)
		}
	}
}

func TestUsability(t *testing.T) {
	for _, c := range []struct {
		status rdservice.Status
		path   string
		want   string
	}{
		{rdservice.Ready, "/capture", "READY"},
		{rdservice.Ready, "", "NOTREADY"},
		{rdservice.Used, "/capture", "USED"},
		{rdservice.NotReady, "/capture", "NOTREADY"},
		{"SLEEPING", "/capture", "NOTREADY"},
	} {
		got, problem := statusOf(rdservice.Service{Status: c.status, CapturePath: c.path}, false)
		if got != c.want || (problem == "") != (got == "READY") {
			t.Errorf("%+v: %q, %q", c, got, problem)
		}
	}
}

// The reader that was used last and answers wrongly is reported; what other
// programs on the other ports answer is not.
func TestAbsent(t *testing.T) {
	failures := []*rdservice.Error{
		{Address: "http://127.0.0.1:11100", Kind: rdservice.ErrReply},
		{Address: "http://127.0.0.1:11101", Kind: rdservice.ErrTimeout},
		{Address: "http://127.0.0.1:11102", Kind: rdservice.ErrRefused},
	}
	for last, want := range map[string]string{
		"":                       notFoundText,
		"http://127.0.0.1:11101": rdservice.Explain(rdservice.ErrTimeout).Text,
		"http://127.0.0.1:11102": notFoundText,
	} {
		if got := absentState(failures, last); got.Status != "ABSENT" || got.Problem != want {
			t.Errorf("%s: %+v", last, got)
		}
	}
}

func TestNew(t *testing.T) {
	for name, cfg := range map[string]Config{
		"negative scan":    {ScanInterval: -1},
		"time-out too big": {CaptureTimeout: rdservice.MaxTimeout + time.Second},
		"no range":         {FirstPort: 2, LastPort: 1},
		"no address":       {Extra: []string{"ftp://127.0.0.1:99"}},
	} {
		if _, err := New(cfg); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	if d, err := New(Config{}); err != nil || d.scanInterval != DefaultScanInterval {
		t.Errorf("the zero value: %v", err)
	}
}
