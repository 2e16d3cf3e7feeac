package edge

import (
	"slices"
	"testing"
	"testing/synctest"

	"galla/shared/op"
	"galla/shared/wire"
)

// TestCommitsOfAWithdrawal holds what a withdrawal waits for the disk. Each commit is one
// sync of the journal (package queue), 10 to 20 ms on a shop's hard disk, and none can be
// shared, as each is told before the next begins:
//   - the press: the page shows it, and the finger is taken for it;
//   - sent: it is on the disk before the central gets the frame, so that a restart asks
//     and never sends again;
//   - accepted: the page shows that the bank is asked, and a restart does not believe a
//     central that never saw it. It runs while the bank works; only an answer that
//     follows at once waits for it;
//   - the outcome: the page tells the agent to give cash;
//   - the answer about the cash: no page asks for it again.
//
// What the journal holds goes into the file at rest, a second after the last change. The
// lists of the central and closed days go into the file at once: they are rare, and no step
// of a customer needs them.
func TestCommitsOfAWithdrawal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := newMemoryQueue()
		h := open(t, disk)
		defer h.stop()
		h.goOnline()
		id := h.mustCreate(op.Withdrawal) // its finger is taken, too
		synctest.Wait()
		h.receive(wire.Frame{T: wire.TAccepted, ID: id})
		h.receive(outcome(id, op.Succeeded, ""))
		if err := h.c.ConfirmCash(id, User{ID: AgentID, Name: "Fatima"}); err != nil {
			t.Fatal(err)
		}
		r, err := disk.Get(id)
		if err != nil || r.Cash() != CashGiven || r.Version > 5 {
			t.Errorf("%d commits, want 5 at most; %+v, %v", r.Version, r, err)
		}
		if r.CapturedAt.IsZero() || r.Deadline.IsZero() || r.SentAt.Before(r.CapturedAt) {
			t.Errorf("captured %s, sent %s, deadline %s: the step to sent lost something", r.CapturedAt, r.SentAt, r.Deadline)
		}
	})
}

// TestCapturedWhileOffline: what can't be sent at once is queued, and its states are
// those of the table.
func TestCapturedWhileOffline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := newMemoryQueue()
		h := open(t, disk)
		defer h.stop()
		h.goOnline()
		h.goOffline()
		id := h.mustCreate(op.Withdrawal)
		synctest.Wait()
		if r, err := disk.Get(id); err != nil || r.State != op.Queued || r.CapturedAt.IsZero() || r.Deadline.IsZero() {
			t.Errorf("%+v, %v", r, err)
		}
		h.goOnline()
		synctest.Wait()
		if r, err := disk.Get(id); err != nil || r.State != op.Sent {
			t.Errorf("%+v, %v", r, err)
		}
		h.link.mu.Lock()
		defer h.link.mu.Unlock()
		if n := len(slices.DeleteFunc(slices.Clone(h.link.frames), func(f wire.Frame) bool { return f.T != wire.TOp || f.ID != id })); n != 1 {
			t.Errorf("it was sent %d times", n)
		}
	})
}
