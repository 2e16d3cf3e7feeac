package reader

import (
	"context"
	"errors"
	"slices"
	"strings"

	"galla/edge"
	"galla/rdservice"
)

// Identity identifies the reader that the counter uses, since any program can listen
// on a reader's port. The zero value is none.
type Identity struct {
	Serial string
	Code   string // device code (dc), of the device's provider
	Name   string // maker and model
}

// IsZero reports whether there is no identity.
func (p Identity) IsZero() bool { return p.Serial == "" && p.Code == "" }

// Matches reports whether a device has this serial number and device code.
func (p Identity) Matches(info rdservice.DeviceInfo) bool {
	return !p.IsZero() && p.Serial == info.Serial && strings.EqualFold(p.Code, info.DC)
}

// matchesCapture reports whether a capture's DeviceInfo is of the device. Some makers
// leave one of the two out there.
func (p Identity) matchesCapture(info rdservice.DeviceInfo) bool {
	code, serial := p.Code != "" && info.DC != "", p.Serial != "" && info.Serial != ""
	return (code || serial) && (!code || strings.EqualFold(p.Code, info.DC)) && (!serial || p.Serial == info.Serial)
}

// IdentityOf returns a device's identity; zero where it has none.
func IdentityOf(s rdservice.Service, info rdservice.DeviceInfo) Identity {
	return Identity{Serial: info.Serial, Code: info.DC, Name: displayName(s, info)}
}

// IdentityStore stores the counter's reader.
type IdentityStore interface {
	Assigned() Identity
	Assign(Identity) error
}

// ErrOtherReader is the cause of a CaptureError where a finger came from another reader
// than the counter's.
var ErrOtherReader = errors.New("the finger was captured by another reader than this counter's")

// Messages about other readers.
const (
	otherReaderText  = "This is not the reader that belongs to this counter, so it is not used. Plug that one in; or an owner chooses this one on the page Readers."
	otherCaptureText = "The fingerprint came from another reader than this counter's, and was not sent. Look at the page Readers before you try again."
)

// Assigned returns the counter's reader; zero: none yet.
func (d *Reader) Assigned() Identity {
	if d.identities == nil {
		return Identity{}
	}
	return d.identities.Assigned()
}

// Assign makes a reader the counter's, for an owner, and scans for it.
func (d *Reader) Assign(p Identity) error {
	if p.IsZero() || d.identities == nil {
		return errors.New("this reader has no identity, so it can't be distinguished from others")
	}
	if err := d.identities.Assign(p); err != nil {
		return err
	}
	d.log.Info("the counter's reader was chosen", "name", p.Name, "serial", p.Serial, "code", p.Code)
	d.requestScan()
	return nil
}

// AssignedName returns name and serial number of the counter's reader; known is false
// where there is none yet.
func (d *Reader) AssignedName() (name, serial string, known bool) {
	p := d.Assigned()
	return p.Name, p.Serial, !p.IsZero()
}

// IsAssigned reports whether a reader that was found is the counter's.
func (d *Reader) IsAssigned(r rdservice.Device) bool { return d.Assigned().Matches(r.Info) }

// AssignFound is Use for a reader that was found.
func (d *Reader) AssignFound(r rdservice.Device) error {
	return d.Assign(IdentityOf(r.Service, r.Info))
}

// pickAssigned returns the counter's reader among those that were found. Where none
// is assigned yet, it assigns the best one as soon as it is READY and has an
// identity. other: only others were found.
func (d *Reader) pickAssigned(ctx context.Context, found []rdservice.Service, last string) (s rdservice.Service, info rdservice.DeviceInfo, other bool) {
	if len(found) == 0 {
		return s, info, false
	}
	best, pin := pickBest(found, last), d.Assigned()
	if pin.IsZero() {
		info = d.identity(ctx, best)
		if p := IdentityOf(best, info); d.identities != nil && !p.IsZero() && best.Status == rdservice.Ready && best.CapturePath != "" {
			if err := d.identities.Assign(p); err != nil {
				d.log.Error("the assigned reader can't be saved; it is retried", "error", err)
			} else {
				d.log.Warn("the first reader was taken as this counter's", "name", p.Name, "address", best.Address, "serial", p.Serial, "code", p.Code)
			}
		}
		return best, info, false
	}
	others := slices.DeleteFunc(slices.Clone(found), func(s rdservice.Service) bool { return s == best })
	var silent rdservice.Service // a service without a device, whose identity is unknown
	for _, s := range slices.Insert(others, 0, best) {
		info := d.identity(ctx, s)
		if pin.Matches(info) {
			return s, info, false
		}
		if silent.Address == "" && info.Serial == "" && info.DC == "" && s.Status != rdservice.Ready {
			silent = s
		}
	}
	return silent, rdservice.DeviceInfo{}, silent.Address == ""
}

// checkOrigin refuses a capture that another device made than the counter's.
func (d *Reader) checkOrigin(got rdservice.Capture) *edge.CaptureError {
	if pin := d.Assigned(); pin.IsZero() || !got.Reply.OK() || pin.matchesCapture(got.Reply.Device) {
		return nil
	}
	d.log.Warn("a capture came from another reader than this counter's", "address", got.Address, "serial", got.Reply.Device.Serial, "code", got.Reply.Device.DC)
	return &edge.CaptureError{Action: string(rdservice.RetryDevice), Message: otherCaptureText, Err: ErrOtherReader}
}
