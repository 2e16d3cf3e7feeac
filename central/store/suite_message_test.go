package store

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"galla/central"
)

// messagesOf adds a key and gives messages under it, by number.
func messagesOf(t *testing.T, s *DB) func(n byte) *central.SealedMessage {
	t.Helper()
	k := newVendorKey(vendor1, 1)
	wantErr(t, "add a key", s.AddVendorKey(background, k), nil)
	return func(n byte) *central.SealedMessage {
		return &central.SealedMessage{Key: k.ID, IV: central.IV{n, 7}, Expires: t0.Add(time.Minute)}
	}
}

// suiteMessages: a message is spent in the transaction that records its operation, or
// finds it, and only there.
func suiteMessages(t *testing.T, s *DB) {
	messages := messagesOf(t, s)
	spent := func(n byte, want bool) {
		t.Helper()
		got, err := s.IVSpent(background, messages(n).Key, messages(n).IV)
		wantErr(t, "look for a message", err, nil)
		wantSame(t, "spent", got, want)
	}
	create := func(o central.Operation, n byte, quotas ...central.Quota) (central.Operation, bool, error) {
		o.Message = messages(n)
		return s.Create(background, o, quotas)
	}
	replayed := func(what string, o central.Operation, n byte) {
		t.Helper()
		_, _, err := create(o, n)
		wantErr(t, what, err, central.ErrReplayed)
		if errors.Is(err, central.ErrTaken) {
			t.Errorf("%s: taken, as a reference is", what)
		}
	}
	first := sentOperation()
	known, isNew, err := create(first, 1)
	if err != nil || !isNew || known.Message != nil {
		t.Fatalf("first: new %t, message %v, error %v", isNew, known.Message, err)
	}
	spent(1, true)
	wantStored(t, s, known)
	wantErr(t, "the same alone", s.SpendIV(background, messages(1).Key, messages(1).IV, t0.Add(time.Minute)), central.ErrTaken)

	other := sentOperation()
	replayed("with another identity", other, 1)
	_, err = s.Operation(background, other.ID)
	wantErr(t, "the replay's operation", err, central.ErrNotFound)
	retry := sentOperation()
	retry.Caller, retry.Identity = first.Caller, first.Identity
	replayed("with the same identity", retry, 1)
	known, isNew, err = create(retry, 2)
	if err != nil || isNew || known.ID != first.ID {
		t.Errorf("a retry: new %t, operation %s, error %v", isNew, known.ID, err)
	}
	spent(2, true)
	replayed("a retry again", retry, 2)

	named, byName := newOperation(), newOperation()
	withRef("R-1")(&named)
	withRef("R-1")(&byName)
	_, isNew, err = create(named, 3)
	if err != nil || !isNew {
		t.Errorf("with a name: new %t, error %v", isNew, err)
	}
	replayed("another identity of the name", byName, 3)
	_, err = s.ByIdentity(background, byName.Caller, byName.Identity)
	wantErr(t, "the replay's identity", err, central.ErrNotFound)

	full := []central.Quota{daily("full", 2, 0, 1)}
	var refused *central.QuotaError
	if _, _, err = create(sentOperation(), 4, full...); !errors.As(err, &refused) {
		t.Errorf("without room: %v", err)
	}
	spent(4, false)
	wantErr(t, "spend", s.SpendIV(background, messages(4).Key, messages(4).IV, t0.Add(time.Minute)), nil)
	replayed("after it was spent alone", sentOperation(), 4)

	var accepted atomic.Int64
	var all sync.WaitGroup
	for range 16 {
		o := sentOperation()
		all.Go(func() {
			_, isNew, err := create(o, 5)
			if err == nil && isNew {
				accepted.Add(1)
			} else if !errors.Is(err, central.ErrReplayed) {
				t.Errorf("a copy: new %t, error %v", isNew, err)
			}
		})
	}
	all.Wait()
	wantSame(t, "accepted copies", accepted.Load(), int64(1))
}
