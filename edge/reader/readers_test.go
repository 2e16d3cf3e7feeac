package reader

import (
	"context"
	"errors"
	"io"
	"testing"

	"galla/rdservice"
	"galla/rdservice/rdsim"
)

// All readers are listed, and which one captures; a capture is not disturbed.
func TestReaders(t *testing.T) {
	t.Parallel()
	a, b := newReader(t, rdsim.Config{Profile: "mantra", Serial: "A"}), newReader(t, rdsim.Config{Profile: "morpho", Serial: "B"})
	a.post(t, "/sim/device", `{"status":"NOTREADY"}`)
	d := newDevice(t, io.Discard, Config{Extra: []string{a.address, b.address}})
	found, err := d.List(t.Context())
	if err != nil || len(found) != 2 || found[0].Info.Serial != "B" || found[1].Service.Address != a.address {
		t.Fatalf("%+v, %v", found, err)
	}
	if d.AddressInUse() != "" {
		t.Errorf("before a look %s is in use", d.AddressInUse())
	}
	if _, err := d.Capture(t.Context()); err != nil || d.AddressInUse() != b.address {
		t.Errorf("%v, in use %s", err, d.AddressInUse())
	}
	if !d.beginCapture() {
		t.Fatal("no capture can begin")
	}
	before := b.count("RDSERVICE")
	if _, err := d.List(t.Context()); !errors.Is(err, rdservice.ErrBusy) || b.count("RDSERVICE") != before {
		t.Errorf("a capture was disturbed: %v", err)
	}
	d.endCapture()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.List(gone); !errors.Is(err, rdservice.ErrCancelled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A spare reader that comes or goes is a change, though the reader in use stays
// as it is; a look that finds all as it was is none.
func TestChanges(t *testing.T) {
	t.Parallel()
	a, b := newReader(t, rdsim.Config{Profile: "mantra", Serial: "A"}), newReader(t, rdsim.Config{Profile: "morpho", Serial: "B"})
	var rung int
	d := newDevice(t, io.Discard, Config{Extra: []string{a.address, b.address}})
	d.SetOnChange(func() { rung++ })
	for _, step := range []struct {
		what string
		do   func()
		in   string
		want int
	}{
		{"the first look", func() {}, a.address, 1},
		{"nothing changed", func() {}, a.address, 1},
		{"the spare is unplugged", func() { b.post(t, "/sim/device", `{"status":"NOTREADY"}`) }, a.address, 2},
		{"the spare's service ends", func() { b.server.Close() }, a.address, 3},
		{"the one in use is held", func() { a.post(t, "/sim/device", `{"status":"USED"}`) }, a.address, 4},
	} {
		step.do()
		if err := d.scan(t.Context()); err != nil {
			t.Fatal(err)
		}
		if d.ChangeCount() != step.want || rung != step.want || d.AddressInUse() != step.in {
			t.Errorf("%s: %d changes, rung %d times, want %d; in use %s", step.what, d.ChangeCount(), rung, step.want, d.AddressInUse())
		}
	}
}
