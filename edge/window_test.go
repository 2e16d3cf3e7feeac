package edge

import (
	"testing"
	"time"

	"galla/shared/op"
	"galla/shared/wire"
)

func TestTheWindowIsKept(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		var ids []op.ID
		for range 10 {
			ids = append(ids, h.mustCreate(op.Withdrawal))
		}
		time.Sleep(3 * time.Second)
		flying := 0
		for _, id := range ids {
			flying += h.link.sent(wire.TOp, id)
		}
		if flying > 8 {
			t.Errorf("%d operations under way, the window is 8", flying)
		}
		for _, id := range ids {
			if h.state(id) == op.Sent {
				h.receive(outcome(id, op.Succeeded, "00"))
			}
		}
		time.Sleep(3 * time.Second)
		for _, id := range ids {
			if h.state(id) == op.Queued {
				t.Error("an operation stays queued though the window has a place")
			}
		}
	})
}

func TestTransitionsEndInFinalStates(t *testing.T) {
	for from, tos := range transitions {
		if from.Final() {
			t.Errorf("%s is final and has steps", from)
		}
		for _, to := range tos {
			if _, ok := transitions[to]; !ok && !to.Final() {
				t.Errorf("%s leads to %s, from which nothing leads on", from, to)
			}
		}
	}
}
