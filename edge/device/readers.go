package device

import (
	"context"

	"galla/rdservice"
)

// Readers gives every reader of this computer, best first, and asks each who it
// is; it takes up to 8 seconds. It waits for a look that is under way. Like a
// look it gives way to a capture: while one runs, or where one starts, the
// error is rdservice.ErrBusy and no service is disturbed. Others are those of
// rdservice.Client.Discover.
func (d *Device) Readers(ctx context.Context) ([]rdservice.Device, error) {
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return nil, ended(ctx)
	}
	looking, stop := context.WithCancel(ctx)
	defer stop()
	d.mu.Lock()
	wanted := d.capturing
	if !wanted {
		d.stopLook = stop
	}
	d.mu.Unlock()
	if wanted {
		return nil, rdservice.ErrBusy
	}
	found, err := d.client.Survey(looking)
	d.mu.Lock()
	d.stopLook = nil
	d.mu.Unlock()
	if looking.Err() != nil && ctx.Err() == nil {
		return nil, rdservice.ErrBusy // a capture began, and broke it off
	}
	select {
	case d.look <- struct{}{}: // so that State soon says the same
	default: // asked for already
	}
	return found, err
}

// Changes counts the looks that found another reader in use, another state of
// it, or other services than the look before. Config.OnChange is called at each.
func (d *Device) Changes() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changes
}

// InUse is the address of the reader that captures go to; empty where none is
// known.
func (d *Device) InUse() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.service.Address
}
