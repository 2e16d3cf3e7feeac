package store

import (
	"testing"
	"time"

	"galla/central"
	"galla/shared/money"
	"galla/shared/op"
)

// transferOf is a transfer under a reference of the caller's own.
func transferOf(ref string, changes ...func(*central.Operation)) central.Operation {
	o := newOperation()
	o.Route, o.Kind, o.Aadhaar, o.Amount = op.Transfer, central.KindTransfer, "", 250_000
	o.Fingerprint = [32]byte{1}
	withRef(ref)(&o)
	for _, change := range changes {
		change(&o)
	}
	return o
}

// otpRefused ends an operation as refused for its OTP.
func otpRefused(t *testing.T, s *DB, o central.Operation, pending bool) {
	t.Helper()
	wantErr(t, "mark as sent", s.MarkSent(background, central.SentUpdate{ID: o.ID, At: t0.Add(time.Second), BankNotAfter: t0.Add(16 * time.Second)}), nil)
	if pending {
		_, err := s.MarkPending(background, pendingUpdate(o.ID))
		wantErr(t, "mark pending", err, nil)
	}
	x := finalOutcome(o.ID, op.Failed)
	x.Answer = central.BankAnswer{Status: central.BankDeclined, Code: "55", Refusal: central.RefusedOTP}
	got, err := finish(s, x)
	wantErr(t, "finish", err, nil)
	if !got.OTPRefused {
		t.Fatal("it is not marked as refused for its OTP")
	}
}

// suiteAttempts: attempts under one reference follow each other, its names lead
// to the newest, and no count has what was refused.
func suiteAttempts(t *testing.T, s *DB) {
	quota := []central.Quota{daily("attempts", 250_000, 0, 300_000)}
	begin := func(o central.Operation, want bool) central.Operation {
		t.Helper()
		known, isNew, err := s.Create(background, o, quota)
		if err != nil || isNew != want {
			t.Fatalf("begin: new %t, %v; want %t", isNew, err, want)
		}
		return known
	}
	identity := func(name string) func(*central.Operation) {
		return func(o *central.Operation) { o.Identity = name }
	}
	first := begin(transferOf("r1", identity("k1")), true)
	if first.Attempt != 1 {
		t.Errorf("the first attempt is number %d", first.Attempt)
	}
	// While it may have been executed, and where it failed for another reason, the
	// name is not free.
	if o := begin(transferOf("r1", identity("k2")), false); o.ID != first.ID {
		t.Error("another attempt while the first is under way")
	}
	otpRefused(t, s, first, false)
	wantUsed(t, s, "attempts", 0, 0)

	other := transferOf("r1", func(o *central.Operation) { o.Fingerprint = [32]byte{99} })
	if o := begin(other, false); o.ID != first.ID {
		t.Error("another body is an attempt")
	}
	second := begin(transferOf("r1", identity("k1")), true) // the same identity, and pending on its way
	if second.Attempt != 2 || second.ID == first.ID {
		t.Errorf("the second attempt is number %d", second.Attempt)
	}
	wantUsed(t, s, "attempts", 1, 250_000)
	otpRefused(t, s, second, true)
	third := begin(transferOf("r1", identity("k3")), true)
	wantErr(t, "mark as sent", s.MarkSent(background, central.SentUpdate{ID: third.ID, At: t0, BankNotAfter: t0}), nil)
	for _, to := range []op.State{op.Sent, op.Pending, op.Succeeded} {
		switch to {
		case op.Pending:
			_, err := s.MarkPending(background, pendingUpdate(third.ID))
			wantErr(t, "mark pending", err, nil)
		case op.Succeeded:
			_, err := finish(s, finalOutcome(third.ID, op.Succeeded))
			wantErr(t, "finish", err, nil)
		}
		for _, name := range []string{"k1", "k2", "k3", "k4 " + string(to)} {
			if o := begin(transferOf("r1", identity(name)), false); o.ID != third.ID || o.State != to {
				t.Errorf("%s of %s leads to attempt %d, %s", name, to, o.Attempt, o.State)
			}
			o, err := s.ByIdentity(background, first.Caller, name)
			if err != nil || o.ID != third.ID {
				t.Errorf("the identity %s leads to attempt %d, %v", name, o.Attempt, err)
			}
		}
		o, err := s.ByReference(background, first.Party, central.ReferenceQuery{CallerRef: "r1"})
		if err != nil || o.ID != third.ID || o.Attempt != 3 {
			t.Errorf("the reference leads to attempt %d, %v", o.Attempt, err)
		}
	}
	wantUsed(t, s, "attempts", 1, 250_000)
	list, err := s.FindByAnyName(background, "r1", 10)
	if err != nil || len(list) != 3 {
		t.Errorf("%d attempts are found by the reference, %v", len(list), err)
	}
	suiteFailures(t, s)
}

// suiteFailures: no other end frees a name.
func suiteFailures(t *testing.T, s *DB) {
	for _, end := range []op.State{op.Failed, op.Refused, op.Reversed} {
		o := transferOf("r " + string(end))
		_, _, err := s.Create(background, o, nil)
		wantErr(t, "begin", err, nil)
		if end != op.Refused {
			wantErr(t, "mark as sent", s.MarkSent(background, central.SentUpdate{ID: o.ID, At: t0, BankNotAfter: t0}), nil)
		}
		if end == op.Reversed {
			_, err := s.MarkPending(background, pendingUpdate(o.ID))
			wantErr(t, "mark pending", err, nil)
		}
		x := finalOutcome(o.ID, end)
		x.Answer = central.BankAnswer{Code: "55"}
		if end != op.Failed {
			x.Answer.Refusal = central.RefusedOTP // which means nothing there
		}
		_, err = finish(s, x)
		wantErr(t, "finish", err, nil)
		known, isNew, err := s.Create(background, transferOf("r "+string(end)), nil)
		if err != nil || isNew || known.ID != o.ID || known.OTPRefused {
			t.Errorf("after %s: new %t, %v", end, isNew, err)
		}
	}
}

// suiteRefundAttempts: a refund's name is its transfer.
func suiteRefundAttempts(t *testing.T, s *DB) {
	call := func(identity string) central.Operation {
		o := newOperation()
		o.Fingerprint = [32]byte{2}
		o.Route, o.Kind, o.Aadhaar, o.Original, o.Party = op.Refund, central.KindRefund, "", "GL261121ORIGINAL01", "merchant:"+string(merchant1)
		if identity != "" {
			o.Identity = identity
		}
		return o
	}
	quota := []central.Quota{{Key: "refund:x", Period: "once", MaxCount: 1, What: "refunds"}}
	begin := func(identity string, want op.ID) op.ID {
		t.Helper()
		o, isNew, err := s.Create(background, call(identity), quota)
		if err != nil || isNew != (want == "") || want != "" && o.ID != want {
			t.Fatalf("begin %q: new %t, %v", identity, isNew, err)
		}
		return o.ID
	}
	first := begin("k1", "")
	begin("k1", first)
	begin("", first)
	otpRefused(t, s, central.Operation{ID: first}, false)
	second := begin("k1", "")
	begin("", second)
	// A failure for another reason is the key's, and leaves the transfer free.
	_, err := finish(s, finalOutcome(second, op.Refused))
	wantErr(t, "finish", err, nil)
	third := begin("k2", "")
	begin("k1", third) // it leads to what became of the transfer
	wantErr(t, "mark as sent", s.MarkSent(background, central.SentUpdate{ID: third, At: t0, BankNotAfter: t0}), nil)
	_, err = finish(s, finalOutcome(third, op.Succeeded))
	wantErr(t, "finish", err, nil)
	for _, identity := range []string{"", "k1", "k2", "k3"} {
		begin(identity, third)
	}
	if used, err := usage(s, quota); err != nil || used[0].Count != 1 {
		t.Errorf("%+v refunds are counted, %v", used, err)
	}
	other := call("k1")
	other.Original = "GL261121ORIGINAL02"
	if _, isNew, err := s.Create(background, other, nil); isNew {
		t.Errorf("a key of one transfer's refund began another's, %v", err)
	}
}

// suiteFailedRefunds: a refund that failed is what its key leads to, also where an
// attempt before it was refused for its OTP.
func suiteFailedRefunds(t *testing.T, s *DB) {
	call := func(identity string) central.Operation {
		o := newOperation()
		o.Fingerprint = [32]byte{2}
		o.Route, o.Kind, o.Aadhaar, o.Original, o.Party = op.Refund, central.KindRefund, "", "GL261121ORIGINAL09", "merchant:"+string(merchant1)
		o.Identity = identity
		return o
	}
	begin := func(identity string, want op.ID) central.Operation {
		t.Helper()
		o, isNew, err := s.Create(background, call(identity), nil)
		if err != nil || isNew != (want == "") || want != "" && o.ID != want {
			t.Fatalf("begin %q: new %t, %v", identity, isNew, err)
		}
		return o
	}
	leads := func(identity string, want op.ID) {
		t.Helper()
		if o, err := s.ByIdentity(background, call("").Caller, identity); err != nil || o.ID != want {
			t.Errorf("the key %s leads to attempt %d, %v", identity, o.Attempt, err)
		}
	}
	first := begin("k1", "")
	begin("k2", first.ID) // another name of it, which begins its own attempt below
	otpRefused(t, s, first, false)
	leads("k2", first.ID)
	var failed central.Operation
	for try := 2; try < 5; try++ { // the second is refused as well, and so on
		failed = begin("k1", "")
		if failed.Attempt != try {
			t.Errorf("attempt %d is number %d", try, failed.Attempt)
		}
		if try < 4 {
			otpRefused(t, s, failed, false)
		}
	}
	wantErr(t, "mark as sent", s.MarkSent(background, central.SentUpdate{ID: failed.ID, At: t0, BankNotAfter: t0}), nil)
	_, err := finish(s, finalOutcome(failed.ID, op.Failed))
	wantErr(t, "finish", err, nil)
	for range 2 {
		begin("k1", failed.ID) // the stored reply, and no attempt
		leads("k1", failed.ID)
	}
	// The last reply to k2 is the refusal: it may try again.
	leads("k2", first.ID)
	done := begin("k2", "")
	leads("k1", done.ID) // under way, it is what became of the transfer
	wantErr(t, "mark as sent", s.MarkSent(background, central.SentUpdate{ID: done.ID, At: t0, BankNotAfter: t0}), nil)
	_, err = finish(s, finalOutcome(done.ID, op.Failed))
	wantErr(t, "finish", err, nil)
	begin("k2", done.ID)
	begin("k1", failed.ID)
	leads("k1", failed.ID)
	leads("k2", done.ID)
	if o, err := s.Operation(background, first.ID); err != nil || !o.OTPRefused {
		t.Errorf("the first attempt by its id: %v", err)
	}
}

// togetherAttempts: of many calls under a name whose attempt was refused, at two
// nodes, one begins; so it goes on until one is not refused.
func togetherAttempts(t *testing.T, p pair) {
	for round := range 8 {
		operations := make([]central.Operation, 16)
		errs := p.together(len(operations), func(s *DB, i int) error {
			o := transferOf("together")
			o.Amount = money.Rupee
			known, isNew, err := s.Create(background, o, []central.Quota{daily("together", money.Rupee, 1, 0)})
			if isNew {
				operations[i] = known
			}
			return err
		})
		wantTogether(t, "begin", errs, len(operations))
		var begun []central.Operation
		for _, o := range operations {
			if o.ID != "" {
				begun = append(begun, o)
			}
		}
		if len(begun) != 1 || begun[0].Attempt != round+1 {
			t.Fatalf("round %d: %d attempts began", round, len(begun))
		}
		otpRefused(t, (p[round%2]), begun[0], round%3 == 0)
	}
}

// centralStore is a database as the engine knows it.

// TestTheSchemaHoldsAttempts: a mistake in the code can't begin a second attempt
// while the first is not refused for its OTP, nor free a name afterwards.
func TestTheSchemaHoldsAttempts(t *testing.T) { onBoth(t, schemaHoldsAttempts) }

func schemaHoldsAttempts(t *testing.T, on kind) {
	place := on.seeded(t)
	s, db := openAt(t, place, testConfig()), on.raw(t, place)
	defer func() { _ = db.Close() }()
	first := transferOf("r1")
	_, _, err := s.Create(background, first, nil)
	wantErr(t, "begin", err, nil)
	copied := func(id string, try int) error {
		_, err := db.Exec(on.sql(`INSERT INTO operations (id, caller, identity, route, fingerprint, merchant, tid, kind, amount, aadhaar, iin,
			reference, stan, state, node, created_at, party, caller_ref, attempt)
			SELECT $1, caller, identity, route, fingerprint, merchant, tid, kind, amount, aadhaar, iin, $1, stan, 'received', node, created_at, party, caller_ref, $2
			FROM operations WHERE id = $3`), id, try, string(first.ID))
		return err
	}
	change := func(set string) error {
		_, err := db.Exec(on.sql(`UPDATE operations SET `+set+` WHERE id = $1`), string(first.ID))
		return err
	}
	for name, err := range map[string]error{
		"a second attempt while the first is under way": copied("second", 2),
		"a name that is free before there is an end":    change("otp_refused = 1"),
		"another number": change("attempt = 5"),
	} {
		if err == nil {
			t.Errorf("the schema takes %s", name)
		}
	}
	otpRefused(t, s, first, true)
	for name, err := range map[string]error{
		"an attempt of the same number": copied("same", 1),
		"a name that is taken back":     change("otp_refused = 0"),
	} {
		if err == nil {
			t.Errorf("the schema takes %s", name)
		}
	}
	wantErr(t, "the second attempt", copied("second", 2), nil)
	if err := copied("third", 3); err == nil {
		t.Error("the schema takes a third attempt beside the second")
	}
}
