package device

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"galla/edge"
	"galla/rdservice"
)

// Pin names the reader that the counter takes fingers from: any program can listen
// where readers are looked for, and say that it is one. The zero value is none.
type Pin struct {
	Serial string
	Code   string // device code (dc), of the device's provider
	Name   string // maker and model, for people
}

// Zero tells whether no reader is named.
func (p Pin) Zero() bool { return p.Serial == "" && p.Code == "" }

// Is tells whether a device is the one: serial number and device code are its.
func (p Pin) Is(info rdservice.DeviceInfo) bool {
	return !p.Zero() && p.Serial == info.Serial && strings.EqualFold(p.Code, info.DC)
}

// agrees tells whether what came with a capture is of the device. Some makers leave
// one of the two out there.
func (p Pin) agrees(info rdservice.DeviceInfo) bool {
	code, serial := p.Code != "" && info.DC != "", p.Serial != "" && info.Serial != ""
	return (code || serial) && (!code || strings.EqualFold(p.Code, info.DC)) && (!serial || p.Serial == info.Serial)
}

// PinOf names a device; zero where it does not say who it is.
func PinOf(s rdservice.Service, info rdservice.DeviceInfo) Pin {
	return Pin{Serial: info.Serial, Code: info.DC, Name: name(s, info)}
}

// Pins keeps which reader is the counter's.
type Pins interface {
	Pinned() Pin
	Keep(Pin) error
}

// ErrOther is the cause of a CaptureError where a finger came from another reader
// than the counter's.
var ErrOther = errors.New("the finger was captured by another reader than this counter's")

// What the agent is told of other readers.
const (
	otherReader  = "This is not the reader that belongs to this counter, so it is not used. Plug that one in; or an owner chooses this one on the page Readers."
	otherCapture = "The fingerprint came from another reader than this counter's, and was not sent. Look at the page Readers before you try again."
)

// Pinned gives the counter's reader; zero: none was taken yet.
func (d *Device) Pinned() Pin {
	if d.pins == nil {
		return Pin{}
	}
	return d.pins.Pinned()
}

// Use makes a reader the counter's, by an owner's word, and looks for it.
func (d *Device) Use(p Pin) error {
	if p.Zero() || d.pins == nil {
		return errors.New("this reader does not say who it is, so it can't be told from others")
	}
	if err := d.pins.Keep(p); err != nil {
		return err
	}
	d.log.Info("the counter's reader was chosen", "name", p.Name, "serial", p.Serial, "code", p.Code)
	select {
	case d.look <- struct{}{}:
	default: // asked for already
	}
	return nil
}

// Own gives the counter's reader by what people know it by; known is false where none
// was taken yet.
func (d *Device) Own() (name, serial string, known bool) {
	p := d.Pinned()
	return p.Name, p.Serial, !p.Zero()
}

// IsOwn tells whether a reader that was found is the counter's.
func (d *Device) IsOwn(r rdservice.Device) bool { return d.Pinned().Is(r.Info) }

// Choose is Use for a reader that was found.
func (d *Device) Choose(r rdservice.Device) error { return d.Use(PinOf(r.Service, r.Info)) }

// pick gives the counter's reader among those that were found. Where none is named
// yet, the best one is taken, once and for good, as soon as it is ready and says who
// it is. other: only others were found.
func (d *Device) pick(ctx context.Context, found []rdservice.Service, last string) (s rdservice.Service, info rdservice.DeviceInfo, other bool) {
	if len(found) == 0 {
		return s, info, false
	}
	best, pin := choose(found, last), d.Pinned()
	if pin.Zero() {
		info = d.identity(ctx, best)
		if p := PinOf(best, info); d.pins != nil && !p.Zero() && best.Status == rdservice.Ready && best.CapturePath != "" {
			if err := d.pins.Keep(p); err != nil {
				d.log.Error("the counter's reader can't be kept; it is tried again", "error", err)
			} else {
				d.log.Warn("the first reader was taken as this counter's", "name", p.Name, "address", best.Address, "serial", p.Serial, "code", p.Code)
			}
		}
		return best, info, false
	}
	ordered := slices.Clone(found)
	slices.SortStableFunc(ordered, func(a, b rdservice.Service) int { return cmp.Compare(rank(a == best), rank(b == best)) })
	var silent rdservice.Service // without its device a service does not say whose it is
	for _, s := range ordered {
		info := d.identity(ctx, s)
		if pin.Is(info) {
			return s, info, false
		}
		if silent.Address == "" && info.Serial == "" && info.DC == "" && s.Status != rdservice.Ready {
			silent = s
		}
	}
	return silent, rdservice.DeviceInfo{}, silent.Address == ""
}

func rank(first bool) int {
	if first {
		return 0
	}
	return 1
}

// foreign refuses a capture that another device made than the counter's.
func (d *Device) foreign(got rdservice.Capture) *edge.CaptureError {
	if pin := d.Pinned(); pin.Zero() || !got.Reply.OK() || pin.agrees(got.Reply.Device) {
		return nil
	}
	d.log.Warn("a capture came from another reader than this counter's", "address", got.Address, "serial", got.Reply.Device.Serial, "code", got.Reply.Device.DC)
	return &edge.CaptureError{Action: string(rdservice.RetryDevice), Message: otherCapture, Err: ErrOther}
}
