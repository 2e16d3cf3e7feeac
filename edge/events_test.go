package edge

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/op"
	"galla/shared/wire"
)

func TestEvents(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		id := h.mustCreate(op.Withdrawal)
		synctest.Wait()
		h.receive(outcome(id, op.Pending, ""))
		h.wantState(id, op.Pending)
		event := outcome(id, op.Reversed, "68")
		event.T, event.Kind, event.Cursor = wire.TEvent, wire.EventOutcome, 7
		h.receive(event)
		h.wantState(id, op.Reversed)
		h.receive(event) // at least once
		h.wantState(id, op.Reversed)

		late := outcome(id, op.Succeeded, "00")
		late.T, late.Kind, late.Cursor = wire.TEvent, wire.EventOutcome, 8
		h.receive(late) // what is final stays
		h.wantState(id, op.Reversed)
		if cursor, _ := h.queue.Cursor(); cursor != 8 {
			t.Errorf("cursor = %d, want 8", cursor)
		}
	})
}

// TestAnImpossibleReport: what no central may say of where an operation stands
// changes nothing, and does not cost the connection.
func TestAnImpossibleReport(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		id := h.mustCreate(op.Withdrawal)
		synctest.Wait()
		h.receive(outcome(id, op.Pending, ""))
		h.receive(outcome(id, op.Sent, ""))
		h.wantState(id, op.Pending)
		event := outcome(id, op.Sent, "")
		event.T, event.Kind, event.Cursor = wire.TEvent, wire.EventOutcome, 7
		h.receive(event)
		h.wantState(id, op.Pending)
		if cursor, _ := h.queue.Cursor(); cursor != 7 {
			t.Errorf("cursor = %d, want 7", cursor)
		}
		if err := h.c.Welcome(wire.Frame{T: wire.TWelcome, Outcomes: []wire.Frame{outcome(id, op.Sent, "")}}); err != nil {
			t.Errorf("Welcomed = %v", err)
		}
		h.receive(outcome(id, op.Succeeded, "00"))
		h.wantState(id, op.Succeeded)
	})
}

// TestPendingThatWasNeverSent: what was reported pending while the central had only
// received it may still be refused. Found by the explored model: the step was
// not in the table, so that the counter ended every connection that reported it.
func TestPendingThatWasNeverSent(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		id := h.mustCreate(op.Withdrawal)
		synctest.Wait()
		h.receive(outcome(id, op.Pending, ""))
		h.wantState(id, op.Pending)
		refused := outcome(id, op.Refused, "")
		if err := h.c.Receive(refused); err != nil {
			t.Errorf("the connection is ended for it: %v", err)
		}
		h.wantState(id, op.NotSent)
		if v, _ := h.c.Operation(id); v.Verdict() != VerdictNoMoney {
			t.Errorf("the verdict is %s, want %s", v.Verdict(), VerdictNoMoney)
		}
	})
}

// TestPendingIsAskedForWhereTheWelcomeIsSilent: the central may still carry
// what it reported pending, and writes no event for what then ends. Found by the
// explored model: such an operation stayed pending until the next hello.
func TestPendingIsAskedForWhereTheWelcomeIsSilent(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		id := h.mustCreate(op.Withdrawal)
		synctest.Wait()
		h.receive(outcome(id, op.Pending, ""))
		h.goOffline()
		synctest.Wait()
		h.goOnline() // its welcome reports nothing
		if n := h.link.sent(wire.TAsk, id); n != 1 {
			t.Errorf("it was asked for %d times, want 1", n)
		}
		h.receive(outcome(id, op.Succeeded, "00"))
		h.wantState(id, op.Succeeded)
	})
}

func TestAnEventThatCannotBeWrittenIsNotSeen(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		id := h.mustCreate(op.Withdrawal)
		synctest.Wait()
		h.receive(outcome(id, op.Pending, ""))
		h.queue.breakDisk(errors.New("no space left on device"))
		event := outcome(id, op.Succeeded, "00")
		event.T, event.Kind, event.Cursor = wire.TEvent, wire.EventOutcome, 1
		if err := h.c.Receive(event); err == nil {
			t.Error("an event was taken that is not on disk")
		}
		h.queue.breakDisk(nil)
		h.receive(event)
		h.wantState(id, op.Succeeded)
	})
}

// TestAnEventThatWasPassedOver: events that came out of order lose the earlier
// one, and the counter asks for what it reported.
func TestAnEventThatWasPassedOver(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		id := h.mustCreate(op.Withdrawal)
		synctest.Wait()
		h.receive(outcome(id, op.Pending, ""))
		for _, cursor := range []int64{8, 7} {
			event := outcome(id, op.Succeeded, "00")
			event.T, event.Kind, event.Cursor = wire.TEvent, wire.EventOutcome, cursor
			if cursor == 8 {
				event.ID = op.ID("0197a1b2-0000-7000-8000-000000000001") // another operation's
			}
			h.receive(event)
		}
		h.wantState(id, op.Pending)
		time.Sleep(pendingAskInterval + 2*time.Second)
		if n := h.link.sent(wire.TAsk, id); n != 1 {
			t.Errorf("asked %d times", n)
		}
	})
}

// TestTheShopOfTheWelcome: it stays when the central is away, and a central that does not
// tell it changes nothing.
func TestTheShopOfTheWelcome(t *testing.T) {
	queue := newMemoryQueue()
	want := Shop{Address: "12 Laxmi Road, Pune", Phone: "9800000001"}
	synctest.Test(t, func(t *testing.T) {
		h := open(t, queue)
		defer h.stop()
		if err := h.c.Welcome(wire.Frame{T: wire.TWelcome, Clock: 1, Window: 8, Shop: &wire.Shop{Address: want.Address, Phone: want.Phone}}); err != nil {
			t.Fatal(err)
		}
		h.goOffline()
		h.goOnline()
		if got := h.c.Status().Shop; got != want {
			t.Errorf("the shop is %+v, want %+v", got, want)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		h := open(t, queue)
		defer h.stop()
		if got := h.c.Status().Shop; got != want {
			t.Errorf("after a restart the shop is %+v, want %+v", got, want)
		}
	})
}
