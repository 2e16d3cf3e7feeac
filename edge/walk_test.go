package edge

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"galla/shared/op"
	"galla/shared/secret"
	"galla/shared/wire"
)

// model is what a random walk remembers of one operation: all that the
// invariants need.
type model struct {
	id        op.ID
	record    bool // a change of a record: in order, and over restarts
	executed  bool // by the central that the walk plays
	tombstone bool // the central said 'unseen'
	final     op.State
}

// The walk's changes of records wait for a quarter of an hour; its OTP must be
// found nowhere.
const (
	walkLife = 15 * time.Minute
	walkOTP  = "731905"
)

// press begins one of the three kinds of operations that the disk keeps.
func press(t *testing.T, h *testCounter, kind int) (*model, error) {
	if kind == 0 {
		v, err := h.c.Start(h.draft(op.Withdrawal))
		if err == nil {
			_ = h.c.Capture(v.ID)
		}
		return &model{id: v.ID}, err
	}
	q := Request{Route: op.Transfer, OTP: secret.NewOTP(walkOTP),
		Fields: []byte(`{"senderId":"s","BeneficiaryId":1,"account_holder_name":"Ravi","amount":500,"receiver_account_no":"123456","receiverIfscCode":"SBIN0000001"}`)}
	if kind == 2 {
		q = Request{Route: op.CustomerVerifyUID, Aadhaar: testAadhaar(t), Fields: []byte(`{"referenceid":"r"}`)}
	}
	v, err := h.c.Start(q)
	return &model{id: v.ID, record: kind == 2}, err
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
		queue := newMemoryQueue()
		h := open(t, queue)
		h.c.cfg.RecordSendWithin = walkLife
		defer func() { h.stop() }()
		var models []*model
		given := map[op.ID]int{} // op frames that were sent, over all lives
		var paid walkPayments

		collect := func() {
			synctest.Wait()
			h.link.mu.Lock()
			frames := h.link.frames
			h.link.frames = nil
			h.link.mu.Unlock()
			for _, f := range frames {
				if route, _ := op.Find(f.Route); f.T == wire.TOp && route.Class != op.Reference {
					given[f.ID]++
					checkOrder(h, models, f.ID, complain)
				}
			}
		}
		for step, action := range actions {
			var m *model
			if len(models) > 0 {
				m = models[action/16%len(models)]
			}
			switch action % 16 {
			case 0, 1, 2:
				if m, err := press(t, h, action%16); err == nil {
					models = append(models, m)
				}
			case 3:
				h.goOnline()
			case 4:
				h.goOffline()
			case 5:
				time.Sleep(20 * time.Second)
			case 6:
				time.Sleep(100 * time.Second)
				if action/16%4 == 0 {
					time.Sleep(walkLife)
				}
			case 7: // the program dies and starts again
				collect()
				h.stop()
				h = open(t, queue)
				h.c.cfg.Rand, h.c.cfg.RecordSendWithin = newLockedRand(byte(step+2)), walkLife
			case 8:
				h.queue.breakDisk(ErrFull)
			case 9:
				h.queue.breakDisk(nil)
			case 10:
				if m != nil {
					_ = h.c.Cancel(m.id)
				}
			case 14:
				paid.tell(t, h, action/16%3 == 0)
			default: // the central says something of an operation
				collect()
				if m == nil || !h.link.State().Online {
					break
				}
				var f wire.Frame
				switch {
				case given[m.id] == 0 && action%16 == 11:
					f, m.tombstone = wire.Frame{T: wire.TUnseen, ID: m.id}, true
				case given[m.id] == 0 || m.tombstone:
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
			paid.check(h, complain)
		}
	})
	return complaint
}

// walkPayments are payments that the central told of, each with the cursor of its place.
type walkPayments []op.ID

// tell has the central tell of the next payment, or once more of the last one. What the
// counter does not acknowledge is told again.
func (w *walkPayments) tell(t *testing.T, h *testCounter, again bool) {
	n := len(*w) + 1
	if again && n > 1 {
		n--
	}
	id := op.DeriveID(time.Now(), fmt.Sprint("payment ", n))
	if n <= len(*w) {
		id = (*w)[n-1]
	}
	if h.link.State().Online && h.c.Receive(paymentEvent(t, id, int64(n), "o-1", time.Now())) == nil && n > len(*w) {
		*w = append(*w, id)
	}
}

// check tests that each payment that the counter has acknowledged is stored and shown, once.
func (w *walkPayments) check(h *testCounter, complain func(string, ...any)) {
	shown := map[op.ID]int{}
	for _, r := range h.c.Payments(maxPayments) {
		shown[r.ID]++
	}
	for _, id := range *w {
		if _, err := h.queue.Get(id); err != nil {
			complain("payment %s was seen and is not stored: %v", id, err)
		}
		if shown[id] != 1 {
			complain("payment %s is shown %d times", id, shown[id])
		}
	}
	if len(shown) != len(*w) {
		complain("%d payments are shown, and %d were told", len(shown), len(*w))
	}
}

// checkOrder tests that a change of a record was sent when every one before it
// had its outcome.
func checkOrder(h *testCounter, models []*model, sent op.ID, complain func(string, ...any)) {
	for _, m := range models {
		if m.id == sent {
			return
		}
		v, err := h.c.Operation(m.id)
		if err == nil && m.record && isRecord(models, sent) && !v.State.Final() && v.State != op.Pending {
			complain("record operation %s was sent while %s before it was %s", sent, m.id, v.State)
		}
	}
}

func isRecord(models []*model, id op.ID) bool {
	for _, m := range models {
		if m.id == id {
			return m.record
		}
	}
	return false
}

// check tests what must hold after every step.
func check(h *testCounter, m *model, given int, complain func(string, ...any)) {
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
	r, _ := h.queue.Get(m.id)
	if strings.Contains(string(r.Body)+string(r.Reply), walkOTP) || strings.Contains(string(r.Body), "CANARY") {
		complain("operation %s has a secret on the disk", m.id)
	}
	if v.State.Final() {
		m.final = v.State
		if r.Body != nil {
			complain("operation %s ended and keeps its body", m.id)
		}
	}
	h.c.mu.Lock()
	if w := h.c.pending[m.id]; w != nil && v.State != op.Queued && (!w.otp.IsZero() || !w.pid.IsZero()) {
		complain("operation %s is %s and could be sent again", m.id, v.State)
	}
	h.c.mu.Unlock()
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
			m := newEnquiryStore(time.Now)
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
	m := newEnquiryStore(time.Now)
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
