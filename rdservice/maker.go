package rdservice

import (
	"slices"
	"strings"
	"time"
)

// Maker is what is particular to one maker's services, as data: what the safe
// form of the protocol does not cover.
type Maker struct {
	Name string // as Vendor gives it; empty: not of one maker
	// Addresses are asked beside the range of the specification.
	Addresses []string
	// Custom are the CustOpts that this maker's captures need, in their order.
	// Other makers refuse them, so they are sent to this maker's services only.
	Custom []Param
}

// Param is one name and value of CustOpts.
type Param struct{ Name, Value string }

// Makers is the table that a Client uses where its Config has none: the two
// addresses outside the range at which services were met, a current one on
// 11200 and a legacy one on 8005, both https (rdservice.md, 'Protocol'). No
// maker that was met needs CustOpts.
func Makers() []Maker {
	return []Maker{
		{Addresses: []string{"https://127.0.0.1:11200"}},
		{Addresses: []string{"https://127.0.0.1:8005"}},
	}
}

// Bounds of CustOpts: makers' manuals have one or two short ones.
const (
	maxCustom      = 8
	maxCustomBytes = 256
)

// validCustom tells whether CustOpts can be sent.
func validCustom(custom []Param) bool {
	return len(custom) <= maxCustom && !slices.ContainsFunc(custom, func(p Param) bool {
		return p.Name == "" || len(p.Name)+len(p.Value) > maxCustomBytes ||
			strings.ContainsFunc(p.Name+p.Value, func(r rune) bool { return r < ' ' || r == '\ufffd' })
	})
}

// customFor gives the CustOpts that a service's maker needs.
func (c *Client) customFor(host string, s Service) []Param {
	vendor := s.Vendor()
	c.mu.Lock()
	if info, ok := c.infos[host]; ok && info.Vendor() != "" {
		vendor = info.Vendor()
	}
	c.mu.Unlock()
	for _, m := range c.makers {
		if m.Name != "" && m.Name == vendor {
			return m.Custom
		}
	}
	return nil
}

// CertificateWarning is how long before a device's certificate ends people
// should be told: a shop needs a few working days with the internet on, or
// with its supplier, to have a reader registered again.
const CertificateWarning = 7 * 24 * time.Hour

// CertificateState is how a device's certificate stands.
type CertificateState string

// The states of a certificate.
const (
	CertificateUnknown CertificateState = "unknown" // it could not be read: no fault by itself
	CertificateGood    CertificateState = "good"
	CertificateEnding  CertificateState = "ending" // ends within CertificateWarning
	CertificateEnded   CertificateState = "ended"
)

// Certificate tells how the device's certificate stands at a time. No capture
// depends on it: the bank is who refuses.
func (d DeviceInfo) Certificate(now time.Time) CertificateState {
	switch left := d.CertificateEnds.Sub(now); {
	case d.CertificateEnds.IsZero():
		return CertificateUnknown
	case left <= 0:
		return CertificateEnded
	case left <= CertificateWarning:
		return CertificateEnding
	}
	return CertificateGood
}
