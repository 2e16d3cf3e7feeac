package reader

import (
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"galla/rdservice"
	"galla/rdservice/rdsim"
)

// memoryIdentities keeps a pin in memory.
type memoryIdentities struct {
	mu    sync.Mutex
	pin   Identity
	kept  int
	fails error
}

func (b *memoryIdentities) Assigned() Identity {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pin
}

func (b *memoryIdentities) Assign(p Identity) error {
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
	b := &memoryIdentities{}
	d := newDevice(t, io.Discard, Config{Extra: []string{first.address, second.address}, Identities: b})
	for range 3 {
		if err := d.scan(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if p := b.Assigned(); p.Serial != "FIRST" || p.Code == "" || b.kept != 1 {
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
	if s := d.State(); !s.OtherReader || s.Status != "NOTREADY" {
		t.Errorf("state %+v", s)
	}
}

// TestAnotherReaderWaitsForTheOwner: of two at hand the counter's is used, also where
// it ranks lower; another one after the owner's word, and then it alone.
func TestAnotherReaderWaitsForTheOwner(t *testing.T) {
	own, other := newReader(t, rdsim.Config{Serial: "OWN"}), newReader(t, rdsim.Config{Serial: "OTHER"})
	b := &memoryIdentities{}
	before := newDevice(t, io.Discard, Config{Extra: []string{own.address}, Identities: b})
	if _, err := before.Capture(t.Context()); err != nil {
		t.Fatal(err)
	}
	own.post(t, "/sim/device", `{"status":"USED"}`)
	d := newDevice(t, io.Discard, Config{Extra: []string{other.address, own.address}, Identities: b})
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
	found, err := d.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range found {
		if r.Info.Serial == "OTHER" {
			if err := d.Assign(IdentityOf(r.Service, r.Info)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := d.scan(t.Context()); err != nil {
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
	b := &memoryIdentities{}
	if _, err := newDevice(t, io.Discard, Config{Extra: []string{own.address}, Identities: b}).Capture(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p := refused(t, newDevice(t, io.Discard, Config{Extra: []string{liar.address}, Identities: b})); !errors.Is(p, ErrAbsent) || liar.count("CAPTURE") != 0 {
		t.Errorf("reported %+v, asked %d times", p, liar.count("CAPTURE"))
	}
}

// TestCaptureOfAnother: what came with the finger counts, whatever was said before.
func TestCaptureOfAnother(t *testing.T) {
	r := newReader(t, rdsim.Config{Serial: "S1"})
	b := &memoryIdentities{}
	d := newDevice(t, io.Discard, Config{Extra: []string{r.address}, Identities: b})
	if _, err := d.Capture(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.mu.Lock()
	b.pin.Code = "00000000-0000-4000-8000-000000000000" // as if the device was changed after the look
	b.mu.Unlock()
	if p := refused(t, d); !errors.Is(p, ErrOtherReader) || p.Message != otherCaptureText {
		t.Errorf("reported %+v", p)
	}
}

// TestIdentityThatIsNotSaved: a full disk takes no reader for good, and does not stop the
// day either.
func TestIdentityThatIsNotSaved(t *testing.T) {
	r := newReader(t, rdsim.Config{})
	b := &memoryIdentities{fails: errors.New("the disk is full")}
	d := newDevice(t, io.Discard, Config{Extra: []string{r.address}, Identities: b})
	if _, err := d.Capture(t.Context()); err != nil || b.kept != 0 {
		t.Errorf("%v, kept %d times", err, b.kept)
	}
	if err := d.Assign(Identity{}); err == nil {
		t.Error("a reader that does not say who it is was chosen")
	}
}

func TestPinAgrees(t *testing.T) {
	pin := Identity{Serial: "S", Code: "a-b"}
	for _, c := range []struct {
		pin        Identity
		info       rdservice.DeviceInfo
		is, agrees bool
	}{
		{pin, rdservice.DeviceInfo{Serial: "S", DC: "A-B"}, true, true},
		{pin, rdservice.DeviceInfo{DC: "a-b"}, false, true},
		{pin, rdservice.DeviceInfo{Serial: "S"}, false, true},
		{pin, rdservice.DeviceInfo{Serial: "S", DC: "x"}, false, false},
		{pin, rdservice.DeviceInfo{Serial: "T", DC: "a-b"}, false, false},
		{pin, rdservice.DeviceInfo{}, false, false},
		{Identity{}, rdservice.DeviceInfo{}, false, false},
		{Identity{Code: "a-b"}, rdservice.DeviceInfo{DC: "a-b"}, true, true},
	} {
		if c.pin.Matches(c.info) != c.is || c.pin.matchesCapture(c.info) != c.agrees {
			t.Errorf("%+v and %+v: is %v, agrees %v", c.pin, c.info, c.pin.Matches(c.info), c.pin.matchesCapture(c.info))
		}
	}
}
