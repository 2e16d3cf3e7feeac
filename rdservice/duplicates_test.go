package rdservice_test

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"testing"
	"time"

	"galla/rdservice"
	"galla/rdservice/rdcrypto"
	"galla/rdservice/rdsim"
)

// A device that answers at http and at https is one: it is listed once, and a
// capture through one address holds the other, which is not asked meanwhile.
// Another device stays another.
func TestOneDeviceAtTwoAddresses(t *testing.T) {
	authority, _, err := rdcrypto.EnsureAuthority(t.TempDir(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	device := func(cfg rdsim.Config) *rdsim.Device {
		d, err := rdsim.New(authority, rand.Reader, slog.New(slog.DiscardHandler), cfg)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	both := device(rdsim.Config{Address: "127.0.0.1:0", Also: []string{"https://127.0.0.1:0"}, CaptureTime: time.Minute})
	other := device(rdsim.Config{Address: "127.0.0.1:0"}) // the same model and serial number: only the code differs
	served, err := rdsim.Listen(t.Context(), both, other)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- served.Serve(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	at := served.Addresses()
	client, err := rdservice.New(rdservice.Config{FirstPort: 1, LastPort: 1, Extra: at})
	if err != nil {
		t.Fatal(err)
	}
	found, _, err := client.Survey(t.Context())
	if err != nil || len(found) != 2 || found[0].Service.Address != at[0] || len(found[0].Also) != 1 || found[0].Also[0] != at[1] || found[1].Also != nil {
		t.Fatalf("%+v, %v", found, err)
	}
	second, err := client.Probe(t.Context(), at[1])
	if err != nil {
		t.Fatal(err)
	}
	capturing, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := client.Capture(capturing, found[0].Service, rdservice.Options{Timeout: time.Minute})
		done <- err
	}()
	for used := false; !used; { // until the capture has begun
		s, err := client.Probe(t.Context(), at[0])
		if err != nil {
			t.Fatal(err)
		}
		used = s.Status == rdservice.Used
	}
	if _, err := client.Capture(t.Context(), second, rdservice.Options{}); !errors.Is(err, rdservice.ErrBusy) {
		t.Errorf("through the other address: %v", err)
	}
	if s, err := client.Probe(t.Context(), at[1]); err != nil || s.Status != rdservice.Used {
		t.Errorf("the other address is %+v, %v", s, err)
	}
	if again, _, err := client.Survey(t.Context()); err != nil || len(again) != 2 {
		t.Errorf("while it captures: %+v, %v", again, err)
	}
	if got, err := client.Capture(t.Context(), found[1].Service, rdservice.Options{}); err != nil || got.Judgement.Action != rdservice.Accept {
		t.Errorf("the other device: %+v, %v", got, err)
	}
	stop()
	if err := <-done; !errors.Is(err, rdservice.ErrCancelled) {
		t.Errorf("the capture: %v", err)
	}
}
