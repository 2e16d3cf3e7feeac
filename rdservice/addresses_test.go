package rdservice

import (
	"testing"
	"time"

	"galla/shared/ist"
)

// The two addresses outside the range are asked unless a range was given.
func TestOtherAddresses(t *testing.T) {
	for cfg, want := range map[[2]int]int{{0, 0}: LastPort - FirstPort + 1 + 2, {1, 1}: 1} {
		c, err := New(Config{FirstPort: cfg[0], LastPort: cfg[1]})
		if err != nil || len(c.addresses) != want {
			t.Errorf("ports %v: %d addresses, %v; want %d", cfg, len(c.addresses), err, want)
		}
	}
}

func TestCertificateState(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, ist.Zone())
	for left, want := range map[time.Duration]CertificateState{
		-time.Second: CertificateEnded, 0: CertificateEnded, time.Second: CertificateEnding,
		CertificateWarning: CertificateEnding, CertificateWarning + time.Second: CertificateGood,
	} {
		if got := (DeviceInfo{CertificateEnds: now.Add(left)}).Certificate(now); got != want {
			t.Errorf("%v left: %s, want %s", left, got, want)
		}
	}
	if got := (DeviceInfo{}).Certificate(now); got != CertificateUnknown {
		t.Errorf("without a time: %s", got)
	}
}
