package device

import (
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"galla/rdservice"
	"galla/rdservice/rdsim"
)

// board keeps a pin in memory.
type board struct {
	mu    sync.Mutex
	pin   Pin
	kept  int
	fails error
}

func (b *board) Pinned() Pin {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pin
}

func (b *board) Keep(p Pin) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fails != nil {
		return b.fails
	}
	b.pin, b.kept = p, b.kept+1
	return nil
}

// TestFirstReaderIsTakenOnce: where no reader is the counter's yet, the first that is
// ready and says who it is becomes it, and no look after it changes that.
func TestFirstReaderIsTakenOnce(t *testing.T) {
	first, second := newReader(t, rdsim.Config{Serial: "FIRST"}), newReader(t, rdsim.Config{Serial: "SECOND"})
	second.post(t, "/sim/device", `{"status":"NOTREADY"}`)
	b := &board{}
	d := newDevice(t, io.Discard, Config{Extra: []string{first.address, second.address}, Pins: b})
	for range 3 {
		if err := d.refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if p := b.Pinned(); p.Serial != "FIRST" || p.Code == "" || b.kept != 1 {
		t.Errorf("%+v was kept, %d times", p, b.kept)
	}
	second.post(t, "/sim/device", `{"status":"READY"}`)
	first.server.Close()
	p := refused(t, d)
	if !strings.Contains(p.Message, "does not answer") && !strings.Contains(p.Message, "belongs to this counter") {
		t.Errorf("with the counter's reader gone: %+v", p)
	}
	if second.count("CAPTURE") != 0 {
		t.Error("another reader was asked for the finger")
	}
	if s := d.State(); !s.Other || s.Status != "NOTREADY" {
		t.Errorf("state %+v", s)
	}
}

// TestAnotherReaderWaitsForTheOwner: of two at hand the counter's is used, also where
// it ranks lower; another one after the owner's word, and then it alone.
func TestAnotherReaderWaitsForTheOwner(t *testing.T) {
	own, other := newReader(t, rdsim.Config{Serial: "OWN"}), newReader(t, rdsim.Config{Serial: "OTHER"})
	b := &board{}
	before := newDevice(t, io.Discard, Config{Extra: []string{own.address}, Pins: b})
	if _, err := before.Capture(t.Context()); err != nil {
		t.Fatal(err)
	}
	own.post(t, "/sim/device", `{"status":"USED"}`)
	d := newDevice(t, io.Discard, Config{Extra: []string{other.address, own.address}, Pins: b})
	if p := refused(t, d); p.Code != "710" {
		t.Errorf("the counter's reader is in use: %+v", p)
	}
	if n := other.count("CAPTURE"); n != 0 {
		t.Errorf("the other one was asked %d times", n)
	}
	own.post(t, "/sim/device", `{"status":"READY"}`)
	if _, err := d.Capture(t.Context()); err != nil || other.count("CAPTURE") != 0 {
		t.Errorf("the counter's reader: %v, the other one was asked %d times", err, other.count("CAPTURE"))
	}
	found, err := d.Readers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range found {
		if r.Info.Serial == "OTHER" {
			if err := d.Use(PinOf(r.Service, r.Info)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := d.refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	was := own.count("CAPTURE")
	if _, err := d.Capture(t.Context()); err != nil || own.count("CAPTURE") != was || other.count("CAPTURE") != 1 {
		t.Errorf("after the owner's word: %v", err)
	}
}

// TestSameSerialIsAnotherDevice: a serial number alone is easily said.
func TestSameSerialIsAnotherDevice(t *testing.T) {
	own, liar := newReader(t, rdsim.Config{Serial: "S1"}), newReader(t, rdsim.Config{Serial: "S1"})
	b := &board{}
	if _, err := newDevice(t, io.Discard, Config{Extra: []string{own.address}, Pins: b}).Capture(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p := refused(t, newDevice(t, io.Discard, Config{Extra: []string{liar.address}, Pins: b})); !errors.Is(p, ErrAbsent) || liar.count("CAPTURE") != 0 {
		t.Errorf("told %+v, asked %d times", p, liar.count("CAPTURE"))
	}
}

// TestCaptureOfAnother: what came with the finger counts, whatever was said before.
func TestCaptureOfAnother(t *testing.T) {
	r := newReader(t, rdsim.Config{Serial: "S1"})
	b := &board{}
	d := newDevice(t, io.Discard, Config{Extra: []string{r.address}, Pins: b})
	if _, err := d.Capture(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.mu.Lock()
	b.pin.Code = "00000000-0000-4000-8000-000000000000" // as if the device was changed after the look
	b.mu.Unlock()
	if p := refused(t, d); !errors.Is(p, ErrOther) || p.Message != otherCapture {
		t.Errorf("told %+v", p)
	}
}

// TestPinThatIsNotKept: a full disk takes no reader for good, and does not stop the
// day either.
func TestPinThatIsNotKept(t *testing.T) {
	r := newReader(t, rdsim.Config{})
	b := &board{fails: errors.New("the disk is full")}
	d := newDevice(t, io.Discard, Config{Extra: []string{r.address}, Pins: b})
	if _, err := d.Capture(t.Context()); err != nil || b.kept != 0 {
		t.Errorf("%v, kept %d times", err, b.kept)
	}
	if err := d.Use(Pin{}); err == nil {
		t.Error("a reader that does not say who it is was chosen")
	}
}

func TestPinAgrees(t *testing.T) {
	pin := Pin{Serial: "S", Code: "a-b"}
	for _, c := range []struct {
		pin        Pin
		info       rdservice.DeviceInfo
		is, agrees bool
	}{
		{pin, rdservice.DeviceInfo{Serial: "S", DC: "A-B"}, true, true},
		{pin, rdservice.DeviceInfo{DC: "a-b"}, false, true},
		{pin, rdservice.DeviceInfo{Serial: "S"}, false, true},
		{pin, rdservice.DeviceInfo{Serial: "S", DC: "x"}, false, false},
		{pin, rdservice.DeviceInfo{Serial: "T", DC: "a-b"}, false, false},
		{pin, rdservice.DeviceInfo{}, false, false},
		{Pin{}, rdservice.DeviceInfo{}, false, false},
		{Pin{Code: "a-b"}, rdservice.DeviceInfo{DC: "a-b"}, true, true},
	} {
		if c.pin.Is(c.info) != c.is || c.pin.agrees(c.info) != c.agrees {
			t.Errorf("%+v and %+v: is %v, agrees %v", c.pin, c.info, c.pin.Is(c.info), c.pin.agrees(c.info))
		}
	}
}
