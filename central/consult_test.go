package central

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/op"
)

func TestConsult(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		a, err := d.engine.Consult(t.Context(), BankRequest{Kind: KindTransferCharges, Amount: 340000})
		if err != nil || a.Status != BankApproved {
			t.Fatalf("Consult = %+v, %v", a, err)
		}
		r := d.bank.requests[0]
		if r.Reference == "" || len(r.STAN) != 6 || time.Until(r.NotAfter) != 15*time.Second || r.Amount != 340000 {
			t.Errorf("request = %s %s %s", r.Reference, r.STAN, r.NotAfter)
		}
		if len(d.store.byID) != 0 {
			t.Error("a consultation left an operation")
		}
		d.bank.consult = func(context.Context, BankRequest) (BankAnswer, error) {
			return BankAnswer{Status: BankDeclined, Code: "NF", Refusal: RefusedNotFound}, nil
		}
		if a, err := d.engine.Consult(t.Context(), BankRequest{Kind: KindCustomerDetail}); err != nil || a.Refusal != RefusedNotFound {
			t.Errorf("what the bank declines = %+v, %v; want an answer", a, err)
		}
	})
}

func TestConsultWithoutAnAnswer(t *testing.T) {
	tests := []struct {
		name   string
		answer BankAnswer
		err    error
		words  string
	}{
		{"unreachable", BankAnswer{}, MarkNotSent(errors.New("refused")), "nothing was sent"},
		{"broken off", BankAnswer{}, errors.New("reset"), "nothing was moved, ask again"},
		{"in progress", BankAnswer{Status: BankInProgress}, nil, "nothing was moved, ask again"},
		{"nonsense", BankAnswer{Status: "MAYBE"}, nil, "nothing was moved, ask again"},
	}
	for _, tt := range tests {
		withEngine(t, func(t *testing.T, d *fixture) {
			d.bank.consult = func(context.Context, BankRequest) (BankAnswer, error) { return tt.answer, tt.err }
			_, err := d.engine.Consult(t.Context(), BankRequest{Kind: KindFloatBalance})
			if e := AsError(err); e.Fault != BankUnreachable || !strings.Contains(e.Message, tt.words) {
				t.Errorf("%s: Consult = %v, want %q", tt.name, err, tt.words)
			}
		})
	}
}

func TestConsultIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bank := &fakeBank{executed: map[Reference]int{}}
		bank.consult = func(ctx context.Context, _ BankRequest) (BankAnswer, error) {
			<-ctx.Done()
			return BankAnswer{}, ctx.Err()
		}
		d := start(t, newMemoryStore(), bank, EngineConfig{MaxInFlight: 1})
		began, done := time.Now(), make(chan error)
		go func() {
			_, err := d.engine.Consult(context.Background(), BankRequest{Kind: KindLogin})
			done <- err
		}()
		synctest.Wait()
		if _, err := d.engine.Consult(t.Context(), BankRequest{Kind: KindLogin}); AsError(err).Fault != TooMany {
			t.Errorf("Consult = %v, want too many", err)
		}
		if _, _, err := d.submit(transfer("k1", "")); AsError(err).Fault != TooMany {
			t.Errorf("Submit = %v, want too many", err)
		}
		if err := <-done; AsError(err).Fault != BankUnreachable || time.Since(began) != 15*time.Second {
			t.Errorf("Consult = %v after %s", err, time.Since(began))
		}
		d.stop()
		if _, err := d.engine.Consult(t.Context(), BankRequest{Kind: KindLogin}); AsError(err).Fault != TooMany {
			t.Errorf("a stopped engine consults: %v", err)
		}
	})
}

func TestShutdownEndsAConsultation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bank := &fakeBank{executed: map[Reference]int{}}
		bank.consult = func(ctx context.Context, _ BankRequest) (BankAnswer, error) {
			<-ctx.Done()
			return BankAnswer{}, ctx.Err()
		}
		d := start(t, newMemoryStore(), bank, EngineConfig{DrainTimeout: time.Second})
		go func() { _, _ = d.engine.Consult(context.Background(), BankRequest{Kind: KindLogin}) }()
		synctest.Wait()
		began := time.Now()
		d.stop()
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("the shutdown took %s", took)
		}
	})
}

func TestOperationsAreNoConsultations(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		for _, kind := range []Kind{KindTransfer, KindInitialize, KindWithdrawal, KindRefund, "SOMETHING"} {
			if _, err := d.engine.Consult(t.Context(), BankRequest{Kind: kind}); AsError(err).Fault != Internal {
				t.Errorf("Consult(%s) = %v, want internal", kind, err)
			}
		}
		if len(d.bank.requests) != 0 {
			t.Errorf("%d requests reached the bank", len(d.bank.requests))
		}
	})
}

func TestPrincipalNames(t *testing.T) {
	tests := []struct {
		p             Principal
		caller, party string
	}{
		{Principal{Role: op.Merchant, Merchant: "m1"}, "merchant:m1", "merchant:m1"},
		{Principal{Role: op.Merchant, Merchant: "m1", Terminal: "t1"}, "terminal:t1", "merchant:m1"},
		{Principal{Role: op.Merchant, Merchant: "m1", Terminal: "t2"}, "terminal:t2", "merchant:m1"},
		{Principal{Role: op.Vendor, Vendor: "v1"}, "vendor:v1", "vendor:v1"},
		{Principal{Role: op.Aggregator, Aggregator: "a1"}, "aggregator:a1", "aggregator:a1"},
	}
	for _, tt := range tests {
		if c, p := tt.p.Caller(), tt.p.Party(); c != tt.caller || p != tt.party {
			t.Errorf("%+v: caller %s, party %s; want %s, %s", tt.p, c, p, tt.caller, tt.party)
		}
	}
}
