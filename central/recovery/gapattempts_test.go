package recovery_test

import (
	"errors"
	"galla/central/recovery"
	"log/slog"
	"testing"
	"time"

	"galla/central"
	"galla/central/store"
	"galla/shared/op"
)

// tried records an operation of a merchant that the bank refused for its OTP, unless it is
// left as created.
func tried(t *testing.T, s *store.DB, o central.Operation, refused bool) central.Operation {
	t.Helper()
	id := op.ID(idAt(time.Now()))
	o.ID, o.Caller, o.Party, o.Merchant, o.TID = id, caller, caller, merchant, "GAL00001"
	o.Reference, o.STAN, o.State, o.Node, o.CreatedAt = central.Reference("GL"+string(id)), "000001", op.Received, "node-a", time.Now()
	o.Fingerprint, o.Amount = [32]byte{1}, 2500_00
	if o.Identity == "" {
		o.Identity = string(id)
	}
	o, isNew, err := s.Create(background, o, nil)
	if err != nil || !isNew {
		t.Fatal(isNew, err)
	}
	if !refused {
		return o
	}
	if err := s.MarkSent(background, central.SentUpdate{ID: o.ID, At: time.Now(), BankNotAfter: time.Now()}); err != nil {
		t.Fatal(err)
	}
	o, err = s.Finish(background, central.FinalOutcome{ID: o.ID, To: op.Failed, At: time.Now(), Reason: "the bank answered 55",
		Answer: central.BankAnswer{Code: "55", Refusal: central.RefusedOTP}, HTTP: 200, Reply: []byte(`{}`)})
	if err != nil || !o.OTPRefused {
		t.Fatal(o.OTPRefused, err)
	}
	return o
}

func wantHeld(t *testing.T, what string, err error) {
	t.Helper()
	if err == nil || errors.Is(err, central.ErrNotFound) || central.AsError(err).Fault != central.TooMany {
		t.Errorf("%s: %v, want a refusal", what, err)
	}
}

// TestAnAttemptOfTheGap: the bank refused the newest recorded attempt for its OTP, and
// executed the next one, which is lost. No operation is created under the name, and no
// outcome is reported, until a person has adopted that attempt or released.
func TestAnAttemptOfTheGap(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.DB) {
		transfer := central.Operation{Route: op.Transfer, Kind: central.KindTransfer, CallerRef: "r1"}
		keyed := central.Operation{Route: op.Transfer, Kind: central.KindTransfer, CallerRef: "r2", Identity: "k2"}
		refund := central.Operation{Route: op.Refund, Kind: central.KindRefund, Original: "GL261121ORIGINAL01", Identity: "k3"}
		first, _, _ := tried(t, s, transfer, true), tried(t, s, keyed, true), tried(t, s, refund, true)
		d, records, e := restored(t, s, time.Now(), true)

		r := central.BankRequest{Kind: central.KindRefund, Particulars: central.Particulars{Original: "GL261121ORIGINAL01"}}
		calls := map[string]central.Submission{
			"r1": {CallerRef: "r1"}, "k2": {Identity: "k2", CallerRef: "r2"}, "k3": {Identity: "k3", Request: r},
			"GL261121ORIGINAL01": {Request: r}, "k4": {Identity: "k4", CallerRef: "r1"}, "terminal's": {Identity: idAt(time.Now()), CallerRef: "r1", Terminal: "t1"},
		}
		for name, call := range calls {
			call.Caller, call.Party = caller, caller
			_, _, err := d.Submit(background, call)
			wantHeld(t, name, err)
		}
		if len(e.submitted) != 0 {
			t.Errorf("the engine was given %q", e.submitted)
		}
		_, err := records.ByReference(background, caller, central.ReferenceQuery{CallerRef: "r1"})
		wantHeld(t, "the requery", err)
		for _, key := range []string{"k2", "k3"} {
			_, err = records.ByIdentity(background, caller, key)
			wantHeld(t, "the operation of "+key, err)
		}
		if o, err := records.Operation(background, first.ID); err != nil || o.ID != first.ID {
			t.Errorf("the attempt by its id: %v", err)
		}
		if held, err := s.HeldIdentities(background, 10); err != nil || len(held) != len(calls) {
			t.Errorf("held: %+v, %v", held, err)
		}

		adoptAttempts(t, s, transfer, keyed, refund)
		for name, call := range calls {
			call.Caller, call.Party = caller, caller
			if _, _, err := d.Submit(background, call); err != nil {
				t.Errorf("%s, adopted: %v", name, err)
			}
		}
		held, err := s.HeldIdentities(background, 10)
		for _, h := range held {
			if h.Identity == "r1" || h.Identity == "k2" || h.Identity == "k3" || h.Identity == string(refund.Original) {
				t.Errorf("after the adoption %s is held", h.Identity)
			}
		}
		if o, err := records.ByReference(background, caller, central.ReferenceQuery{CallerRef: "r1"}); err != nil || o.State != op.Pending || o.Attempt != 2 {
			t.Errorf("the requery of what was adopted: %s, attempt %d, %v", o.State, o.Attempt, err)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

// adoptAttempts adopts the second attempts as a person does, with what 'restore held'
// prints.
func adoptAttempts(t *testing.T, s *store.DB, transfer, keyed, refund central.Operation) {
	t.Helper()
	transfer.CallerRef, transfer.Identity, keyed.CallerRef = "", "r1", ""
	for _, o := range []central.Operation{transfer, keyed, refund} {
		o.ID, o.Caller, o.Party, o.Merchant, o.TID, o.Node = op.ID(idAt(time.Now())), caller, caller, merchant, "GAL00001", "node-a"
		o.Reference, o.State, o.CreatedAt, o.Amount = central.Reference("GL2"+string(o.ID)), op.Received, time.Now(), 2400_00
		if _, _, err := s.AdoptOperation(background, o, time.Now(), "DMT-NR-"); !errors.Is(err, central.ErrState) {
			t.Errorf("%s, of another amount: %v", o.Identity, err)
		}
		o.Amount = 2500_00
		for _, want := range []bool{true, false} {
			known, isNew, err := s.AdoptOperation(background, o, time.Now(), "DMT-NR-")
			if err != nil || isNew != want || known.State != op.Pending || known.Reference != o.Reference || known.Fingerprint != [32]byte{1} {
				t.Errorf("adopt %s: new %t, %s, %v", o.Identity, isNew, known.State, err)
			}
		}
	}
}

// TestRefuseNew: a recorded name may become reusable before the engine reads it, so the
// engine must not create an operation.
func TestRefuseNew(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.DB) {
		tried(t, s, central.Operation{Route: op.Transfer, Kind: central.KindTransfer, CallerRef: "r1"}, false)
		d, _, e := restored(t, s, time.Now(), true)
		for range 2 {
			if _, _, err := d.Submit(background, central.Submission{Caller: caller, Party: caller, CallerRef: "r1"}); err != nil {
				t.Fatal(err)
			}
			if refusal := e.last.RefuseNew; (refusal == nil) != (len(e.submitted) == 2) {
				t.Errorf("request %d may create an operation: %v", len(e.submitted), refusal)
			}
			if _, err := s.ReleaseRestorations(background, time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
			d = guarded{mustLoad(t, s), e}
		}
	})
}

func mustLoad(t *testing.T, s *store.DB) *recovery.Gap {
	t.Helper()
	g, err := recovery.LoadGap(background, s, s, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return g
}
