package recovery_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/central/store"
	"galla/shared/op"
	"galla/shared/secret"
)

// bank accepts one OTP, and records the transfers that it executed.
type bank struct {
	central.Bank
	mu       sync.Mutex
	sent     int
	executed map[central.Reference]bool
}

func (b *bank) Send(_ context.Context, r central.BankRequest) (central.BankAnswer, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent++
	if r.OTP.Reveal() != "222222" {
		return central.BankAnswer{Status: central.BankDeclined, Code: "55", Refusal: central.RefusedOTP}, nil
	}
	b.executed[r.Reference] = true
	return central.BankAnswer{Status: central.BankApproved, Code: "00", RRN: "612309000042"}, nil
}

func (b *bank) Enquire(_ context.Context, ref central.Reference) (central.BankAnswer, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.executed[ref] {
		return central.BankAnswer{Status: central.BankApproved, Code: "00", RRN: "612309000042"}, nil
	}
	return central.BankAnswer{Status: central.BankNotFound}, nil
}

// mute gives replies that say nothing.
type mute struct{}

func (mute) FinalReply(central.Operation, op.State, central.BankAnswer) (int, []byte) {
	return 200, []byte(`{}`)
}
func (mute) NotExecutedReply(central.Operation, *central.Error) (int, []byte) {
	return 502, []byte(`{}`)
}

// serving starts the engine of a central on the store.
func serving(t *testing.T, s *store.DB, b *bank) (guarded, func()) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	e, err := central.NewEngine(s, b, mute{}, central.NewNotifier(), central.EngineConfig{Node: "node-a", Rand: rand.Reader, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(background)
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	for !e.Running() {
		select {
		case err := <-done:
			t.Fatalf("Run = %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	return guarded{mustLoad(t, s), e}, func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run = %v", err)
		}
	}
}

// TestATransferOfTheGapIsPaidOnce: its first attempt was refused for its OTP and is
// in the backup, the second moved the money and is not. The caller's repeats send
// nothing and are refused; after the adoption they get the success.
func TestATransferOfTheGapIsPaidOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.DB) {
		const lost = central.Reference("GL261121THEONEOFGAP")
		b := &bank{executed: map[central.Reference]bool{}}
		call := func(otp string) central.Submission {
			return central.Submission{Caller: caller, Party: caller, CallerRef: "r1", Merchant: merchant, Route: op.Transfer, Fingerprint: [32]byte{1},
				Request: central.BankRequest{Kind: central.KindTransfer, TID: "GAL00001", Amount: 2500_00, OTP: secret.NewOTP(otp)}}
		}
		d, stop := serving(t, s, b)
		if o, _, err := d.Submit(t.Context(), call("111111")); err != nil || !o.OTPRefused {
			t.Fatalf("%s, %v", o.State, err)
		}
		stop()
		b.executed[lost] = true
		if _, _, err := s.MarkRestored(background, time.Now(), true); err != nil {
			t.Fatal(err)
		}
		d, stop = serving(t, s, b)
		defer stop()
		for _, otp := range []string{"111111", "222222"} {
			_, _, err := d.Submit(t.Context(), call(otp))
			wantHeld(t, "with "+otp, err)
		}
		id, err := op.NewID(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		adopted, isNew, err := s.AdoptOperation(background, central.Operation{ID: id, Caller: caller, Identity: "r1", Party: caller, Merchant: merchant, TID: "GAL00001",
			Route: op.Transfer, Kind: central.KindTransfer, Amount: 2500_00, Reference: lost, State: op.Received, Node: "person", CreatedAt: time.Now()}, time.Now(), "DMT-NR-")
		if err != nil || !isNew || adopted.Attempt != 2 {
			t.Fatalf("adopt: new %t, attempt %d, %v", isNew, adopted.Attempt, err)
		}
		for { // until the engine has asked the bank
			o, replayed, err := d.Submit(t.Context(), call("222222"))
			if err != nil || !replayed || o.ID != id {
				t.Fatalf("adopted: %s %s, replayed %t, %v", o.ID, o.State, replayed, err)
			}
			if o.State == op.Succeeded {
				break
			}
			<-time.After(10 * time.Millisecond)
		}
		if b.sent != 1 || len(b.executed) != 1 {
			t.Errorf("%d requests reached the bank, %d executions", b.sent, len(b.executed))
		}
	})
}
