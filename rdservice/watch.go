package rdservice

import (
	"context"
	"errors"
	"slices"
	"time"
)

// DefaultWatch is the time between two looks of Watch: a reader that is plugged
// in is seen within a few seconds.
const DefaultWatch = 5 * time.Second

// Watch tells of the devices, at first and whenever one was plugged in or
// unplugged, or a service started, stopped or changed its answer. It looks
// every so often (DefaultWatch where zero or less), calls changed in its own
// goroutine, and returns nil when ctx ends. A device on which this client is
// capturing is not asked anything meanwhile.
func (c *Client) Watch(ctx context.Context, every time.Duration, changed func([]Device)) error {
	if every <= 0 {
		every = DefaultWatch
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	var before []Device
	for first := true; ; {
		now, err := c.Survey(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		case first || !slices.EqualFunc(before, now, sameDevice):
			changed(slices.Clone(now))
			before, first = now, false
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// sameDevice tells whether two looks found the same. Of an error only its kind
// counts.
func sameDevice(a, b Device) bool {
	var x, y *Error
	if errors.As(a.InfoErr, &x) != errors.As(b.InfoErr, &y) || x != nil && !errors.Is(x.Kind, y.Kind) {
		return false
	}
	return a.Service == b.Service && slices.Equal(a.Also, b.Also) && a.Info.equal(b.Info)
}

func (d DeviceInfo) equal(o DeviceInfo) bool {
	same := d.CertificateBegins.Equal(o.CertificateBegins) && d.CertificateEnds.Equal(o.CertificateEnds)
	d.CertificateBegins, d.CertificateEnds = o.CertificateBegins, o.CertificateEnds
	return same && d == o
}
