package rdservice

import (
	"context"
	"sync"
	"time"
)

// Device is a service together with what its device says of itself.
type Device struct {
	Service Service
	Info    DeviceInfo
	InfoErr error // why Info is empty: ErrNoInterface, ErrTimeout and so on
	// Also are further addresses at which the same device answered, by its
	// device code, model and serial number.
	Also []string
}

// Listing is a Device in the form of `galla-edge devices --json` (sandbox.md).
type Listing struct {
	Address         string     `json:"address"`
	Vendor          string     `json:"vendor"`
	Info            string     `json:"info"`
	Status          Status     `json:"status"`
	DPID            string     `json:"dpId"`
	RDSID           string     `json:"rdsId"`
	RDSVer          string     `json:"rdsVer"`
	MI              string     `json:"mi"`
	DC              string     `json:"dc"`
	Serial          string     `json:"serial"`
	Level           Level      `json:"level"`           // empty: not known
	CertificateEnds *time.Time `json:"certificateEnds"` // null: not known
	CapturePath     string     `json:"capturePath"`
	InfoPath        string     `json:"infoPath"`
}

// Listing gives the device as one flat row.
func (d Device) Listing() Listing {
	vendor := d.Info.Vendor()
	if vendor == "" {
		vendor = d.Service.Vendor()
	}
	l := Listing{
		Address: d.Service.Address, Vendor: vendor, Info: d.Service.Info, Status: d.Service.Status,
		DPID: d.Info.DPID, RDSID: d.Info.RDSID, RDSVer: d.Info.RDSVer, MI: d.Info.MI, DC: d.Info.DC,
		Serial: d.Info.Serial, Level: d.Info.Level,
		CapturePath: d.Service.CapturePath, InfoPath: d.Service.InfoPath,
	}
	if ends := d.Info.CertificateEnds; !ends.IsZero() {
		l.CertificateEnds = &ends
	}
	return l
}

// Survey discovers, and asks every service that was found for its device, side
// by side. A device that answers at several addresses is listed once, at the
// best of them. The order is that of Scan.Services; errors are those of
// Discover. The failures are those of Scan: a service that hangs is there, and
// mostly the one that is looked for.
func (c *Client) Survey(ctx context.Context) ([]Device, []*Error, error) {
	scan, err := c.Discover(ctx)
	if err != nil {
		return nil, nil, err
	}
	devices := make([]Device, len(scan.Services))
	var wg sync.WaitGroup
	for i, s := range scan.Services {
		wg.Go(func() {
			devices[i].Service = s
			devices[i].Info, devices[i].InfoErr = c.Info(ctx, s)
		})
	}
	wg.Wait()
	return mergeDuplicates(devices), scan.Failures, nil
}
