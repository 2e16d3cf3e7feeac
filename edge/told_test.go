package edge

import (
	"slices"
	"testing"
	"time"

	"galla/shared/op"
	"galla/shared/wire"
)

// idsOf are the ids of records.
func idsOf(list []Record) (ids []op.ID) {
	for _, r := range list {
		ids = append(ids, r.ID)
	}
	return ids
}

// mustTell fails unless the pages tell of these payments, and these are to sound.
func mustTell(t *testing.T, c *Counter, when string, unshown, unannounced []op.ID) {
	t.Helper()
	st := c.Status()
	if got := idsOf(st.Unshown); !slices.Equal(got, unshown) {
		t.Errorf("%s, the pages tell of %v, want %v", when, got, unshown)
	}
	if !slices.Equal(st.Unannounced, unannounced) {
		t.Errorf("%s, to sound are %v, want %v", when, st.Unannounced, unannounced)
	}
}

// TestPaymentsAreTold: a payment is told until it was shown, and sounds once, also over
// restarts.
func TestPaymentsAreTold(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		at := time.Now().Truncate(time.Millisecond)
		paid := paymentEvent(t, paymentID, 7, "o-1", at)
		back := paymentEvent(t, returnID, 8, "o-1", at, func(p *wire.Payment) { p.ReturnedAt, p.Received = at.Add(time.Second).UnixMilli(), paymentID })
		both := []op.ID{paymentID, returnID}
		h.receive(paid)
		h.receive(back)
		mustTell(t, h.c, "after both came", both, both)

		restart := func() *Counter {
			c, err := New(h.queue, h.reader, h.c.cfg)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		mustTell(t, restart(), "after a restart", both, both)
		if got := idsOf(h.c.ClaimAnnouncement()); !slices.Equal(got, both) {
			t.Errorf("the first window plays %v", got)
		}
		if got := h.c.ClaimAnnouncement(); len(got) > 0 {
			t.Errorf("the second window plays %v", idsOf(got))
		}
		mustTell(t, restart(), "after the sound and a restart", both, nil)

		revision := h.c.Revision()
		if err := h.c.MarkPaymentsShown([]op.ID{paymentID, "0190e000-0000-7000-8000-000000000077"}); err != nil || h.c.Revision() == revision {
			t.Errorf("shown: %v, and the pages were told: %v", err, h.c.Revision() != revision)
		}
		mustTell(t, h.c, "after one was shown", []op.ID{returnID}, nil)
		revision = h.c.Revision()
		if err := h.c.MarkPaymentsShown([]op.ID{paymentID}); err != nil || h.c.Revision() != revision {
			t.Errorf("shown again: %v, and the pages were told: %v", err, h.c.Revision() != revision)
		}
		h.receive(paid) // at least once
		mustTell(t, restart(), "after a repeated event and a restart", []op.ID{returnID}, nil)
	})
}

// TestPaymentsAreToldOnABrokenDisk: what can't be stored is not said to be shown, and makes
// no sound that another window may repeat.
func TestPaymentsAreToldOnABrokenDisk(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		h.receive(paymentEvent(t, paymentID, 7, "o-1", time.Now()))
		h.queue.breakDisk(ErrFull)
		if h.c.MarkPaymentsShown([]op.ID{paymentID}) == nil || len(h.c.ClaimAnnouncement()) > 0 {
			t.Error("a full disk was not noticed")
		}
		mustTell(t, h.c, "on a full disk", []op.ID{paymentID}, []op.ID{paymentID})
		h.queue.breakDisk(nil)
		if err := h.c.MarkPaymentsShown([]op.ID{paymentID}); err != nil || len(h.c.ClaimAnnouncement()) != 1 {
			t.Errorf("after space was made: %v", err)
		}
	})
}

// TestOldPaymentsAreNotAnnounced: a sound comes within minutes of the payment's arrival,
// however late the central told of it, and the payments of a version that told of none are
// not told at all.
func TestOldPaymentsAreNotAnnounced(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		var later time.Duration
		h.c.cfg.Now = func() time.Time { return time.Now().Add(later) }
		h.receive(paymentEvent(t, paymentID, 7, "o-1", time.Now().Add(-5*time.Hour)))
		mustTell(t, h.c, "of an hour without a connection", []op.ID{paymentID}, []op.ID{paymentID})
		later = announceWithin
		mustTell(t, h.c, "after a while", []op.ID{paymentID}, nil)
		if got := h.c.ClaimAnnouncement(); len(got) > 0 {
			t.Errorf("too late, %v sounds", idsOf(got))
		}
		h.queue.forgetCache(cacheTold)
		c, err := New(h.queue, h.reader, h.c.cfg)
		if err != nil {
			t.Fatal(err)
		}
		mustTell(t, c, "after an update", nil, nil)
	})
}
