package edge

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"galla/edge/message"
	"galla/shared/op"
	"galla/shared/wire"
)

// model is what a random walk remembers of one operation: all that the
// invariants need.
type model struct {
	id       op.ID
	executed bool // by the central that the walk plays
	forsworn bool // the central said 'unseen'
	final    op.State
}

// walk plays a random story against a counter and gives the first thing that
// must not be, or "".
func walk(t *testing.T, actions []int) string {
	var complaint string
	complain := func(format string, args ...any) {
		if complaint == "" {
			complaint = fmt.Sprintf(format, args...)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		queue := newShelf()
		h := open(t, queue)
		defer func() { h.stop() }()
		var models []*model
		given := map[op.ID]int{} // op frames that the line took, over all lives

		collect := func() {
			synctest.Wait()
			for _, f := range h.line.frames {
				if f.T == wire.TOp && message.IsAEPS(f.Route) {
					given[f.ID]++
				}
			}
			h.line.frames = nil
		}
		for step, action := range actions {
			var m *model
			if len(models) > 0 {
				m = models[action/16%len(models)]
			}
			switch action % 16 {
			case 0, 1, 2:
				if v, err := h.c.Begin(t.Context(), h.draft(op.Withdrawal)); err == nil {
					models = append(models, &model{id: v.ID})
					_ = h.c.Capture(v.ID)
				}
			case 3:
				h.up()
			case 4:
				h.down()
			case 5:
				time.Sleep(20 * time.Second)
			case 6:
				time.Sleep(100 * time.Second)
			case 7: // the program dies and starts again
				collect()
				h.stop()
				h = open(t, queue)
				h.c.cfg.Rand = newSource(byte(step + 2))
			case 8:
				h.queue.breakDisk(ErrFull)
			case 9:
				h.queue.breakDisk(nil)
			case 10:
				if m != nil {
					_ = h.c.Abandon(m.id)
				}
			default: // the central says something of an operation
				collect()
				if m == nil || !h.line.State().Up {
					break
				}
				var f wire.Frame
				switch {
				case given[m.id] == 0 && action%16 == 11:
					f, m.forsworn = wire.Frame{T: wire.TUnseen, ID: m.id}, true
				case given[m.id] == 0 || m.forsworn:
					continue
				case action%16 == 12:
					f = wire.Frame{T: wire.TAccepted, ID: m.id}
				case action%16 == 13 && !m.executed:
					f = outcome(m.id, op.Pending, "")
				default:
					f, m.executed = outcome(m.id, op.Succeeded, "00"), true
				}
				_ = h.c.Receive(f)
			}
			collect()
			for _, m := range models {
				check(h, m, given[m.id], complain)
			}
		}
	})
	return complaint
}

// check tests what must hold after every step.
func check(h *house, m *model, given int, complain func(string, ...any)) {
	v, err := h.c.Operation(m.id)
	if err != nil {
		complain("operation %s is lost: %v", m.id, err)
		return
	}
	if given > 1 {
		complain("operation %s was sent %d times", m.id, given)
	}
	if m.final != "" && v.State != m.final {
		complain("operation %s was %s and is %s", m.id, m.final, v.State)
	}
	if v.State.Final() {
		m.final = v.State
		if r, _ := h.queue.Get(m.id); r.Body != nil {
			complain("operation %s ended and keeps its body", m.id)
		}
	}
	switch {
	case v.State == op.Succeeded && !m.executed:
		complain("operation %s is shown as succeeded, and never was", m.id)
	case (v.State == op.NotSent || v.State == op.Expired) && m.executed:
		complain("operation %s is shown as never sent, and was executed", m.id)
	case v.State == op.Expired && given > 0:
		complain("operation %s expired after it was sent", m.id)
	}
}

func TestRandomWalks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		actions := rapid.SliceOfN(rapid.IntRange(0, 255), 1, 40).Draw(rt, "actions")
		if complaint := walk(t, actions); complaint != "" {
			rt.Fatal(complaint)
		}
	})
}

// TestTheMemoryKeepsTheQueuesRules walks every pair of states.
func TestTheMemoryKeepsTheQueuesRules(t *testing.T) {
	states := []op.State{op.Reserved, op.Queued, op.Sent, op.Accepted, op.Unknown, op.Expired, op.NotSent, op.Pending, op.Succeeded, op.Failed, op.Reversed}
	for _, from := range states {
		for _, to := range states {
			m := newMemory(time.Now)
			if err := m.add(Record{ID: "a", State: from, Body: []byte("b")}); err != nil {
				t.Fatal(err)
			}
			r, err := m.change("a", func(r *Record) error { r.State = to; return nil })
			legal := from == to || CanBecome(from, to)
			if legal != (err == nil) || (!legal && !errors.Is(err, ErrIllegal)) {
				t.Errorf("%s to %s: %v, want legal %v", from, to, err, legal)
			}
			if err == nil && r.State.Final() && r.Body != nil {
				t.Errorf("%s keeps its body", to)
			}
		}
	}
}

func TestTheMemoryIsBounded(t *testing.T) {
	m := newMemory(time.Now)
	for i := range 3 * maxVolatile {
		state := op.Succeeded
		if i == 0 {
			state = op.Sent
		}
		if err := m.add(Record{ID: op.ID(fmt.Sprintf("%05d", i)), State: state}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(m.records); n > maxVolatile {
		t.Errorf("%d records in memory, at most %d may be", n, maxVolatile)
	}
	if _, err := m.get("00000"); err != nil {
		t.Error("an enquiry that goes on was forgotten")
	}
}
