package central

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/op"
)

func TestOneReferenceIsOneOperation(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		first, replayed, err := d.submit(transfer("k1", "ref-1"))
		if err != nil || replayed || first.State != op.Succeeded || first.CallerRef != "ref-1" || first.Party != "merchant:m1" || first.Sender != "s1" {
			t.Fatalf("Submit = %+v, %v, %v", first, replayed, err)
		}
		again := transfer("k2", "ref-1")
		again.Caller = "terminal:t1" // of the same merchant
		second, replayed, err := d.submit(again)
		if err != nil || !replayed || second.ID != first.ID || string(second.Reply) != string(first.Reply) {
			t.Errorf("the same reference under another identity = %s, %v, %v", second.ID, replayed, err)
		}
		if n := d.bank.count(KindTransfer); n != 1 {
			t.Errorf("%d requests reached the bank, want 1", n)
		}
		third, _, err := d.submit(again) // the identity is now another name of it
		if err != nil || third.ID != first.ID {
			t.Errorf("its second name = %s, %v", third.ID, err)
		}
		body := transfer("k3", "ref-1")
		body.Fingerprint = [32]byte{2}
		if _, _, err := d.submit(body); AsError(err).Fault != Conflict {
			t.Errorf("the same reference with another body = %v, want a conflict", err)
		}
		other := transfer("k1", "ref-1")
		other.Caller, other.Party, other.Merchant = "merchant:m2", "merchant:m2", "m2"
		if o, replayed, err := d.submit(other); err != nil || replayed || o.ID == first.ID {
			t.Errorf("another party's same reference: %v, %v", replayed, err)
		}
	})
}

func TestTwoNamesOfTwoOperationsAreAConflict(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		for _, name := range []string{"1", "2"} {
			if _, _, err := d.submit(transfer("k"+name, "ref-"+name)); err != nil {
				t.Fatal(err)
			}
		}
		_, _, err := d.submit(transfer("k1", "ref-2"))
		if e := AsError(err); e.Fault != Conflict || !strings.Contains(e.Message, "two different operations") {
			t.Errorf("Submit = %v, want a conflict", err)
		}
		if n := d.bank.count(KindTransfer); n != 2 {
			t.Errorf("%d requests reached the bank, want 2", n)
		}
	})
}

func TestConcurrentNamesOfOneReferenceSendOnce(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		d.bank.send = func(_ context.Context, r BankRequest) (BankAnswer, error) {
			time.Sleep(5 * time.Second)
			return d.bank.execute(r), nil
		}
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				if o, _, err := d.submit(transfer(string(rune('a'+i)), "ref-1")); err != nil || o.State != op.Succeeded {
					t.Errorf("Submit = %s, %v", o.State, err)
				}
			})
		}
		wg.Wait()
		if n := d.bank.count(KindTransfer); n != 1 {
			t.Errorf("%d requests reached the bank, want 1", n)
		}
	})
}

func TestAnExhaustedQuotaSendsNothing(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		s := func(name string) Submission {
			s := transfer(name, name)
			s.Quotas = []Quota{{Key: "remitter:s1", Period: "2026-11", Amount: s.Request.Amount, MaxSum: 700000, What: "this remitter's transfers this month"}}
			return s
		}
		for _, name := range []string{"k1", "k2"} {
			if o, _, err := d.submit(s(name)); err != nil || o.State != op.Succeeded {
				t.Fatalf("Submit = %s, %v", o.State, err)
			}
		}
		_, _, err := d.submit(s("k3"))
		if e := AsError(err); e.Fault != FailedPrecondition || !strings.Contains(e.Message, "200.00 rupees are left") {
			t.Errorf("Submit = %v, want a refusal that says what is left", err)
		}
		if n := d.bank.count(KindTransfer); n != 2 {
			t.Errorf("%d requests reached the bank, want 2", n)
		}
		if _, seen, err := d.engine.FindOrTombstone(t.Context(), "merchant:m1", "k3"); seen || err != nil {
			t.Errorf("the refused submission used its identity up: %v, %v", seen, err)
		}
	})
}

func TestPendingReferencesTellTheService(t *testing.T) {
	tests := map[Kind]string{
		KindWithdrawal: "AEPS-NR-", KindAgentAuth: "AEPS-NR-", KindMiniStatement: "AEPS-NR-",
		KindAgentOnboarding: "AEPS-NR-", KindAgentPAN: "AEPS-NR-", KindAgentSubmit: "AEPS-NR-",
		KindTransfer: "DMT-NR-", KindRefund: "DMT-NR-", KindCustomerSubmit: "DMT-NR-",
		KindBeneficiaryAdd: "DMT-NR-", KindAccountVerification: "DMT-NR-", KindBCAgentRegister: "DMT-NR-", KindReceiptMessage: "SMS-NR-",
	}
	for kind, want := range tests {
		synctest.Test(t, func(t *testing.T) {
			books := &fakeBank{executed: map[Reference]int{}}
			d := startAt(t, newMemoryStore(), inProgress{books}, books, EngineConfig{})
			defer d.stop()
			s := transfer("k1", "")
			s.Request.Kind, s.NeedsSession = kind, !kind.AEPS() // it is ignored
			o, _, err := d.submit(s)
			if err != nil || o.State != op.Pending || !strings.HasPrefix(o.PendingReference, want) {
				t.Errorf("%s = %s, reference %q, %v; want prefix %s", kind, o.State, o.PendingReference, err, want)
			}
			if len(books.requests) != 1 || books.requests[0].Kind != kind {
				t.Errorf("%s sent %d requests", kind, len(books.requests))
			}
		})
	}
}

// inProgress is a bank whose every answer is 'in progress'.
type inProgress struct{ *fakeBank }

func (b inProgress) Send(_ context.Context, r BankRequest) (BankAnswer, error) {
	b.requests = append(b.requests, r)
	return BankAnswer{Status: BankInProgress}, nil
}

func TestALocalOperationNeverReachesTheBank(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		o, replayed, err := d.submit(initialize("k1"))
		if err != nil || replayed || o.State != op.Succeeded || o.Code != "00" {
			t.Fatalf("Submit = %s %s, %v, %v", o.State, o.Code, replayed, err)
		}
		if d.store.kyc["m1"] != KYCInitialized {
			t.Errorf("service KYC is %q", d.store.kyc["m1"])
		}
		again, replayed, err := d.submit(initialize("k1"))
		if err != nil || !replayed || again.ID != o.ID {
			t.Errorf("the repeat = %s, %v, %v", again.ID, replayed, err)
		}
		time.Sleep(5 * time.Minute)
		if len(d.bank.requests) != 0 || d.bank.enquiries() != 0 {
			t.Errorf("%d requests and %d enquiries reached the bank", len(d.bank.requests), d.bank.enquiries())
		}
	})
}

func TestALocalOperationThatCannotBeWrittenChangesNothing(t *testing.T) {
	for _, method := range []string{"Create", "Finish"} {
		withEngine(t, func(t *testing.T, d *fixture) {
			d.store.setBroken(method, errors.New("disk full"))
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			o, _, err := d.engine.Submit(ctx, initialize("k1"))
			if (err != nil) != (method == "Create") || o.State == op.Succeeded {
				t.Fatalf("%s broken: Submit = %s, %v", method, o.State, err)
			}
			d.store.setBroken(method, nil)
			time.Sleep(5 * time.Minute)
			if method == "Create" {
				if len(d.store.byID)+len(d.store.kyc) != 0 {
					t.Errorf("it left %d operations and %d steps of a KYC", len(d.store.byID), len(d.store.kyc))
				}
				return
			}
			after := d.want(o.ID, op.Failed)
			if !strings.Contains(string(after.Reply), string(Internal)) {
				t.Errorf("reply = %s", after.Reply)
			}
			if d.store.kyc["m1"] != "" || d.bank.enquiries() != 0 {
				t.Errorf("service KYC is %q after %d enquiries", d.store.kyc["m1"], d.bank.enquiries())
			}
		})
	}
}

func TestRecoveryOfLocalOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemoryStore()
		at := time.Now()
		for id, state := range map[op.ID]op.State{"a": op.Received, "b": op.Sent} {
			store.byID[id] = &Operation{ID: id, State: state, Node: "node-1", Kind: KindInitialize, Merchant: "m1", Reference: Reference("R" + id),
				CreatedAt: at, SentAt: at, BankNotAfter: at, KYC: &KYCStep{Service: ServiceAEPS, To: KYCInitialized}}
		}
		time.Sleep(time.Second)
		d := start(t, store, &fakeBank{executed: map[Reference]int{}}, EngineConfig{})
		defer d.stop()
		d.want("a", op.Refused)
		d.want("b", op.Failed)
		time.Sleep(5 * time.Minute)
		if store.kyc["m1"] != "" || d.bank.enquiries() != 0 {
			t.Errorf("service KYC is %q after %d enquiries", store.kyc["m1"], d.bank.enquiries())
		}
	})
}

func TestConsultationIsNoSubmission(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		consultation := transfer("k1", "")
		consultation.Request.Kind = KindTransferOTP
		if _, _, err := d.submit(consultation); AsError(err).Fault != Internal {
			t.Errorf("submit a consultation = %v, want internal", err)
		}
		if len(d.store.byID) != 0 || len(d.bank.requests) != 0 {
			t.Errorf("%d operations, %d requests", len(d.store.byID), len(d.bank.requests))
		}
	})
}

// withTariff runs a test of an engine with a tariff.
func withTariff(t *testing.T, test func(t *testing.T, d *fixture, f *fakeTariff)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeTariff{}
		d := start(t, newMemoryStore(), &fakeBank{executed: map[Reference]int{}}, EngineConfig{Tariff: f})
		defer d.stop()
		test(t, d, f)
	})
}

func TestASuccessEarns(t *testing.T) {
	withTariff(t, func(t *testing.T, d *fixture, f *fakeTariff) {
		o, _, err := d.submit(transfer("k1", "ref-1"))
		if err != nil || o.Charge != fee {
			t.Fatalf("Submit = charge %s, %v", o.Charge, err)
		}
		if e, ok := d.store.earnings[o.ID]; !ok || e.Charge != fee || e.Amount != o.Amount {
			t.Errorf("earning = %+v, %v", e, ok)
		}
		refund := transfer("k2", "")
		refund.Route, refund.Request.Kind, refund.Reverses = op.Refund, KindRefund, o.ID
		refund.Request.Particulars.Original = string(o.Reference)
		r, _, err := d.submit(refund)
		if err != nil || r.State != op.Succeeded || r.Original != o.Reference || r.Reverses != o.ID {
			t.Fatalf("refund = %+v, %v", r, err)
		}
		d.bank.send = func(context.Context, BankRequest) (BankAnswer, error) {
			return BankAnswer{Status: BankDeclined, Code: "55"}, nil
		}
		if _, _, err := d.submit(transfer("k3", "ref-3")); err != nil {
			t.Fatal(err)
		}
		if _, _, err := d.submit(initialize("k4")); err != nil {
			t.Fatal(err)
		}
		if len(d.store.earnings) != 1 || f.asked != 1 {
			t.Errorf("%d earnings, the tariff was asked %d times; only the transfer earns", len(d.store.earnings), f.asked)
		}
	})
}

func TestATariffThatFailsFinishesNothing(t *testing.T) {
	withTariff(t, func(t *testing.T, d *fixture, f *fakeTariff) {
		f.setBroken(errors.New("slabs can't be read"))
		o, _, err := d.submit(transfer("k1", "ref-1"))
		if err != nil || o.State != op.Pending || o.Reply != nil {
			t.Fatalf("Submit = %s, %v; want pending", o.State, err)
		}
		time.Sleep(time.Hour)
		d.want(o.ID, op.Pending)
		if d.bank.enquiries() < 2 {
			t.Errorf("%d enquiries", d.bank.enquiries())
		}
		f.setBroken(nil)
		time.Sleep(time.Hour)
		d.want(o.ID, op.Succeeded)
		if len(d.store.earnings) != 1 || d.bank.count(KindTransfer) != 1 {
			t.Errorf("%d earnings, %d transfers", len(d.store.earnings), d.bank.count(KindTransfer))
		}
	})
}

func TestWhatMovesMoneyIsAnOperation(t *testing.T) {
	for _, k := range []Kind{KindWithdrawal, KindPurchase, KindTransfer, KindRefund} {
		if !k.MovesMoney() || k.IsConsultation() || k.IsLocal() {
			t.Errorf("%s: moves money %v, consults %v, local %v", k, k.MovesMoney(), k.IsConsultation(), k.IsLocal())
		}
	}
	for _, k := range []Kind{KindTransferOTP, KindRefundOTP, KindTransferCharges, KindFloatBalance, KindAgentStatus} {
		if k.MovesMoney() || !k.IsConsultation() || k.AEPS() || k.IsLocal() {
			t.Errorf("%s is not a plain consultation", k)
		}
	}
}

func TestAQuotaSaysWhatIsLeft(t *testing.T) {
	tests := []struct {
		q    Quota
		used Used
		want string
	}{
		{Quota{MaxCount: 5, What: "it"}, Used{Count: 5}, "The limit of 5 for it is reached; none is left"},
		{Quota{MaxSum: 2500000, What: "it"}, Used{Sum: 2160000}, "The limit of 25000.00 rupees for it is exceeded; 3400.00 rupees are left"},
		{Quota{MaxSum: 2500000, What: "it"}, Used{Sum: 2600000}, "The limit of 25000.00 rupees for it is exceeded; 0.00 rupees are left"},
		{Quota{MaxCount: 5, MaxSum: 100, What: "it"}, Used{Count: 4, Sum: 50}, "The limit of 1.00 rupees for it is exceeded; 0.50 rupees are left"},
	}
	for _, tt := range tests {
		if got := (&QuotaError{Quota: tt.q, Used: tt.used}).Error(); got != tt.want {
			t.Errorf("message = %q, want %q", got, tt.want)
		}
	}
}
