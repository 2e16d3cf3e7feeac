package cheapbank

import (
	"log/slog"
	"testing"
	"time"

	"galla/central"
	"galla/central/bank"
	"galla/shared/secret"
)

// TestProtocol lets the central's own client judge the bank.
func TestProtocol(t *testing.T) {
	key := secret.NewKey(make([]byte, 32))
	b, err := Start(key)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	client, err := bank.New(bank.Config{BaseURL: b.URL(), Key: key, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	aadhaar, err := secret.ParseAadhaar("999941057058")
	if err != nil {
		t.Fatal(err)
	}
	request := central.BankRequest{
		Reference: "GL261121ABCDEFGHJK", STAN: "000042", Kind: central.KindWithdrawal, NotAfter: time.Now().Add(time.Minute),
		MID: "GAL0000001", TID: "GAL00001", IIN: "990326", Amount: 100_00, Aadhaar: aadhaar, PidData: secret.NewPidData("<PidData/>"),
		Customer: "Customer", Latitude: "18.5204", Longitude: "73.8567",
	}
	a, err := client.Send(t.Context(), request)
	if err != nil || a.Status != central.BankApproved || a.Code != "00" {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err = client.Enquire(t.Context(), request.Reference); err != nil || a.Status != central.BankApproved || b.Enquired() != 1 {
		t.Errorf("%+v, %v", a, err)
	}

	b.Hold()
	answered := make(chan error, 1)
	go func() {
		_, err := client.Send(t.Context(), request)
		answered <- err
	}()
	for b.Waiting() == 0 {
		select {
		case err := <-answered:
			t.Fatalf("answered while it was held: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	b.Release()
	if err := <-answered; err != nil {
		t.Error(err)
	}

	other, err := bank.New(bank.Config{BaseURL: b.URL(), Key: secret.NewKey([]byte("another key, of thirty-two bytes")), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Send(t.Context(), request); err == nil {
		t.Error("a wrong checksum was taken")
	}
}
