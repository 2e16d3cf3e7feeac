package rdservice

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// The two addresses outside the range are asked where nothing else was said,
// and not where a range was.
func TestMakersAddresses(t *testing.T) {
	tests := map[string]struct {
		cfg  Config
		want int
	}{
		"standard":   {Config{}, LastPort - FirstPort + 1 + 2},
		"own range":  {Config{FirstPort: 1, LastPort: 1}, 1},
		"own makers": {Config{Makers: []Maker{{Name: "Mantra", Addresses: []string{"127.0.0.1:8003"}}}}, LastPort - FirstPort + 1 + 1},
		"none":       {Config{Makers: []Maker{}}, LastPort - FirstPort + 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c, err := New(test.cfg)
			if err != nil || len(c.addresses) != test.want {
				t.Errorf("%d addresses, %v; want %d", len(c.addresses), err, test.want)
			}
		})
	}
	for _, m := range []Maker{
		{Custom: []Param{{"", "x"}}}, {Custom: []Param{{"a", "\x00"}}}, {Custom: make([]Param, 9)},
	} {
		if _, err := New(Config{Makers: []Maker{m}}); err == nil {
			t.Errorf("maker %+v was taken", m)
		}
	}
}

func TestCustom(t *testing.T) {
	xml, err := Options{Custom: []Param{{"key", `a"<&>`}}}.XML()
	if want := `env="P"/><CustOpts><Param name="key" value="a&quot;&lt;&amp;&gt;"/></CustOpts></PidOptions>`; err != nil || !strings.HasSuffix(string(xml), want) {
		t.Errorf("%s, %v", xml, err)
	}
	if err := (Options{Custom: []Param{{"", ""}}}).Validate(); !errors.Is(err, ErrOptions) {
		t.Errorf("a param without a name: %v", err)
	}
	c, err := New(Config{Makers: []Maker{{Name: "Mantra", Custom: []Param{{"mantrakey", ""}}}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.customFor("127.0.0.1:11100", Service{Info: "Mantra Authentication Vendor Device"}); len(got) != 1 {
		t.Errorf("the maker's own service gets %v", got)
	}
	if got := c.customFor("127.0.0.1:11100", Service{Info: "Morpho_RD_Service"}); got != nil {
		t.Errorf("another maker's service gets %v", got)
	}
	c.infos["127.0.0.1:11100"] = DeviceInfo{DPID: "Morpho.SmartChip"}
	if got := c.customFor("127.0.0.1:11100", Service{Info: "Mantra"}); got != nil {
		t.Errorf("the identity did not count more than the service's words: %v", got)
	}
}

func TestCertificateState(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, Kolkata())
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

// Watch tells once of what stays, and again of each change.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plugged := counter{11100: answer(rd("READY", "/rd/capture"))}
		unplugged := counter{11100: answer(rd("NOTREADY", "/rd/capture"))}
		another := counter{11100: answer(rd("READY", "/rd/capture")), 11103: answer(rd("READY", "/c"))}
		restarted := counter{11101: answer(rd("READY", "/rd/capture"))} // at the next free port, as services do
		var here atomic.Pointer[counter]
		here.Store(&plugged)
		c, err := New(Config{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			return here.Load().dial(ctx, network, address)
		}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var told []string
		done := make(chan error)
		go func() {
			done <- c.Watch(ctx, time.Second, func(found []Device) {
				says := ""
				for _, d := range found {
					says += d.Service.Address[len("http://127.0.0.1:"):] + " " + string(d.Service.Status) + " "
				}
				told = append(told, says)
			})
		}()
		for _, next := range []counter{plugged, plugged, {}, {}, plugged, unplugged, plugged, another, restarted} {
			here.Store(&next)
			time.Sleep(30 * time.Second)
			synctest.Wait()
		}
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		want := []string{"11100 READY ", "", "11100 READY ", "11100 NOTREADY ", "11100 READY ", "11100 READY 11103 READY ", "11101 READY "}
		if !slices.Equal(told, want) {
			t.Errorf("told of %q, want %q", told, want)
		}
	})
}
