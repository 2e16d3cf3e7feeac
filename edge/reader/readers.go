package reader

import (
	"context"

	"galla/rdservice"
)

// List returns every reader of this computer, best first, with its identity; it
// takes up to 8 seconds. It waits for a running scan. While a capture runs, or when
// one starts, it fails with rdservice.ErrBusy. Other errors are those of
// rdservice.Client.Discover.
func (d *Reader) List(ctx context.Context) ([]rdservice.Device, error) {
	select {
	case d.serviceLock <- struct{}{}:
		defer func() { <-d.serviceLock }()
	case <-ctx.Done():
		return nil, contextError(ctx)
	}
	scan, end, ok := d.beginScan(ctx)
	defer end()
	if !ok {
		return nil, rdservice.ErrBusy
	}
	found, _, err := d.client.Survey(scan)
	if scan.Err() != nil && ctx.Err() == nil {
		return nil, rdservice.ErrBusy // a capture began, and cancelled it
	}
	d.requestScan() // so that State soon agrees
	return found, err
}

// ChangeCount counts the scans that found another reader in use, another state of
// it, or other services than the scan before. Each calls Config.OnChange.
func (d *Reader) ChangeCount() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changes
}

// AddressInUse is the address of the reader that captures go to; empty where none is
// known.
func (d *Reader) AddressInUse() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.service.Address
}
