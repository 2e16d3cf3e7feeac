package store

import (
	"errors"
	"testing"
	"time"

	"galla/central"
	"galla/central/webhook"
	"galla/shared/op"
)

// messageOf makes an operation the message with the receipt of another.
func messageOf(of op.ID, hash string, attempt int, at time.Time) func(*central.Operation) {
	return func(o *central.Operation) {
		o.Kind, o.Route, o.Amount, o.Aadhaar, o.IIN, o.CreatedAt = central.KindReceiptMessage, op.ReceiptMessage, 0, "", "", at
		o.Party, o.CallerRef = "merchant:"+string(o.Merchant), central.ReceiptMessageName(of, "XXXXXX4321", hash, attempt)
	}
}

func suiteReceiptMessages(t *testing.T, s *DB) {
	of, other := inState(t, s, op.Succeeded), inState(t, s, op.Succeeded)
	failed := inState(t, s, op.Failed, messageOf(of.ID, "aa", 1, t0.Add(time.Minute)))
	again := inState(t, s, op.Succeeded, messageOf(of.ID, "aa", 2, t0.Add(2*time.Minute)))
	second := inState(t, s, op.Succeeded, messageOf(of.ID, "bb", 1, t0.Add(3*time.Minute)))
	inState(t, s, op.Succeeded, messageOf(other.ID, "aa", 1, t0))
	inState(t, s, op.Succeeded, func(o *central.Operation) { // a reference that looks like one
		o.Party, o.CallerRef = "merchant:"+string(o.Merchant), string(of.ID)+"/x"
	})
	list, err := s.ReceiptMessages(background, of.ID)
	wantErr(t, "list", err, nil)
	var got []op.ID
	for _, o := range list {
		got = append(got, o.ID)
	}
	wantSame(t, "messages", got, []op.ID{second.ID, again.ID, failed.ID})
	if list, err := s.ReceiptMessages(background, newID()); err != nil || len(list) != 0 {
		t.Errorf("of an operation without: %d, %v", len(list), err)
	}

	// The name is taken for ever, whoever comes with it.
	repeat := newOperation()
	messageOf(of.ID, "bb", 1, t0)(&repeat)
	repeat.Fingerprint = second.Fingerprint
	if known, isNew, err := s.Create(background, repeat, nil); err != nil || isNew || known.ID != second.ID {
		t.Errorf("again: %s, new %v, %v", known.ID, isNew, err)
	}
	suiteMessageQuota(t, s, of.ID)
}

// suiteMessageQuota: of one receipt so many messages are under way or sent; one that
// failed makes room.
func suiteMessageQuota(t *testing.T, s *DB, of op.ID) {
	quota := central.Quota{Key: "receipt:" + string(of), Period: "2026-11-21", MaxCount: 3, What: "messages with this receipt"}
	var ids []op.ID
	send := func() error {
		o := newOperation()
		messageOf(of, "q"+string(o.ID[30:]), 1, t0)(&o)
		created, _, err := s.Create(background, o, []central.Quota{quota})
		if err == nil {
			ids = append(ids, created.ID)
		}
		return err
	}
	for range 3 {
		wantErr(t, "send", send(), nil)
	}
	var full *central.QuotaError
	if err := send(); !errors.As(err, &full) {
		t.Fatalf("the fourth: %v", err)
	}
	for _, to := range []op.State{op.Sent, op.Failed} {
		wantErr(t, "fail", step(s, ids[1], to), nil)
	}
	wantErr(t, "after one failed", send(), nil)
	if err := send(); !errors.As(err, &full) {
		t.Fatalf("the fourth again: %v", err)
	}
}

// TestNoCallbackOfReceiptMessage: no program waits for an SMS of the counter, also after an
// outcome that came late.
func TestNoCallbackOfReceiptMessage(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		wantErr(t, "endpoint", s.SetEndpoint(background, webhook.OfMerchant(merchant1), "https://shop.example/hook", webhook.Events(), t0), nil)
		withdrawal := inState(t, s, op.Pending)
		wantErr(t, "finish", step(s, withdrawal.ID, op.Succeeded), nil)
		if _, _, err := s.Callback(background, withdrawal.ID); err != nil {
			t.Fatalf("a withdrawal that was pending has no callback: %v", err)
		}
		for _, to := range []op.State{op.Succeeded, op.Failed} {
			o := inState(t, s, op.Pending, messageOf(withdrawal.ID, string(to), 1, t0))
			before, err := s.Operation(background, o.ID)
			wantErr(t, "read", err, nil)
			_, err = s.Finish(background, central.FinalOutcome{ID: o.ID, Before: &before, To: to, At: t0.Add(time.Hour), Reason: "late", HTTP: 200, Reply: []byte(`{}`)})
			wantErr(t, "finish a message", err, nil)
			if _, _, err := s.Callback(background, o.ID); !errors.Is(err, central.ErrNotFound) {
				t.Errorf("a message that %s late has a callback: %v", to, err)
			}
		}
	})
}
