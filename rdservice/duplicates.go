package rdservice

import (
	"net/url"
	"slices"
)

// sameDevice tells whether two answers are of one device, which makers' services
// show at two addresses (http and https). The device code alone would do, had
// not some makers given one code to all their devices. An empty code is none.
func (d DeviceInfo) sameDevice(o DeviceInfo) bool {
	return d.DC != "" && d.DC == o.DC && d.DPID == o.DPID && d.MI == o.MI && d.Serial == o.Serial
}

// mergeDuplicates lists a device that answered at several addresses once, at the first of
// them, which is the best one.
func mergeDuplicates(found []Device) []Device {
	var out []Device
	for _, d := range found {
		i := slices.IndexFunc(out, func(have Device) bool { return have.Info.sameDevice(d.Info) })
		if i < 0 {
			out = append(out, d)
			continue
		}
		out[i].Also = append(out[i].Also, d.Service.Address)
	}
	return out
}

// isCapturing tells whether a capture of this client runs on the device at an
// address, there or at another address of the same device. c.mu is held.
func (c *Client) isCapturing(u *url.URL) bool {
	if c.busy[u.Host] {
		return true
	}
	info, known := c.infos[u.Host]
	for host := range c.busy {
		if known && info.sameDevice(c.infos[host]) {
			return true
		}
	}
	return false
}
