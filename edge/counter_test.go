package edge

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/op"
	"galla/shared/wire"
)

// withTestCounter runs a test in a bubble with a fresh counter.
func withTestCounter(t *testing.T, test func(t *testing.T, h *testCounter)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newMemoryQueue())
		defer h.stop()
		test(t, h)
	})
}

func TestAWithdrawalGoesThroughItsStates(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		v, err := h.c.Start(h.draft(op.Withdrawal))
		if err != nil {
			t.Fatal(err)
		}
		if r, err := h.queue.Get(v.ID); err != nil || r.State != op.Reserved {
			t.Fatalf("before the capture the disk has %v, %v; want reserved", r.State, err)
		}
		if err := h.c.Capture(v.ID); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		h.wantState(v.ID, op.Sent)
		h.receive(wire.Frame{T: wire.TAccepted, ID: v.ID})
		h.wantState(v.ID, op.Accepted)
		h.receive(outcome(v.ID, op.Succeeded, "00"))
		h.wantState(v.ID, op.Succeeded)

		got, _ := h.c.Operation(v.ID)
		if got.Verdict() != VerdictGive || got.Result.Code != "00" || got.Aadhaar != "XXXXXXXX7058" {
			t.Errorf("result = %+v, verdict %s", got.Result, got.Verdict())
		}
		if r, _ := h.queue.Get(v.ID); r.Body != nil {
			t.Error("the body with the Aadhaar number was not erased")
		}
		if err := h.c.ConfirmCash(v.ID, User{ID: "a1", Name: "Asha"}); err != nil {
			t.Errorf("ConfirmCash = %v", err)
		}
		if r, _ := h.queue.Get(v.ID); r.User != "Fatima" || r.UserID != AgentID || r.CashBy != "Asha" || r.CashByID != "a1" || r.CashGivenAt.IsZero() {
			t.Errorf("the record names %q and %q", r.User, r.CashBy)
		}
	})
}

// TestPrintsAreCounted: a count is on the disk before anything is on paper, and
// is taken back only where no other came after it.
func TestPrintsAreCounted(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		id := h.mustCreate(op.Withdrawal)
		synctest.Wait()
		for want := 1; want <= 2; want++ {
			r, err := h.c.CountPrint(id)
			if err != nil || r.PrintCount != want || r.PrintedAt.IsZero() {
				t.Fatalf("print %d: %d, %v", want, r.PrintCount, err)
			}
			if on, _ := h.queue.Get(id); on.PrintCount != want {
				t.Errorf("%d prints are on the disk, want %d", on.PrintCount, want)
			}
		}
		for _, step := range []struct{ number, want int }{{1, 2}, {2, 1}} {
			if err := h.c.UncountPrint(id, step.number); err != nil {
				t.Fatal(err)
			}
			if r, _ := h.queue.Get(id); r.PrintCount != step.want {
				t.Errorf("%d prints after number %d was taken back, want %d", r.PrintCount, step.number, step.want)
			}
		}
		if _, err := h.c.CountPrint("01a1fda3-6789-76b2-bddd-9b2e2a564f1a"); !errors.Is(err, ErrNotFound) {
			t.Errorf("an operation that is not there: %v", err)
		}
	})
}

func TestTheFrameCarriesWhatTheQueueNeverHolds(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		id := h.mustCreate(op.Withdrawal)
		synctest.Wait()
		r, _ := h.queue.Get(id)
		if strings.Contains(string(r.Body), "CANARY") {
			t.Error("PidData is in the queue")
		}
		for _, f := range h.link.frames {
			if f.T == wire.TOp && f.ID == id {
				var body struct {
					PidData   string
					TxnAmount json.Number
				}
				if err := json.Unmarshal(f.Body, &body); err != nil || body.PidData != canaryPid || body.TxnAmount != "500" {
					t.Errorf("frame's body: %v, amount %s", err, body.TxnAmount)
				}
				if f.NotAfter == 0 || f.CapturedAt == 0 {
					t.Error("the frame has no deadline")
				}
				return
			}
		}
		t.Error("no frame was given to the uplink")
	})
}

func TestLinkDown(t *testing.T) {
	t.Run("back in time", func(t *testing.T) {
		withTestCounter(t, func(t *testing.T, h *testCounter) {
			id := h.mustCreate(op.Withdrawal)
			time.Sleep(60 * time.Second)
			h.wantState(id, op.Queued)
			h.goOnline()
			synctest.Wait()
			h.wantState(id, op.Sent)
		})
	})
	t.Run("too late", func(t *testing.T) {
		withTestCounter(t, func(t *testing.T, h *testCounter) {
			id := h.mustCreate(op.Withdrawal)
			time.Sleep(92 * time.Second)
			h.wantState(id, op.Expired)
			h.goOnline()
			time.Sleep(time.Minute)
			if n := h.link.sent(wire.TOp, id); n != 0 {
				t.Errorf("it was sent %d times after it expired", n)
			}
			v, _ := h.c.Operation(id)
			if v.Verdict() != VerdictNoMoney {
				t.Errorf("verdict %s, want no-money", v.Verdict())
			}
		})
	})
	t.Run("an enquiry is not queued", func(t *testing.T) {
		withTestCounter(t, func(t *testing.T, h *testCounter) {
			var p *PreconditionError
			if _, err := h.c.Start(h.draft(op.Balance)); !errors.As(err, &p) || p.Code != "link" {
				t.Errorf("Begin = %v, want a refusal for the link", err)
			}
		})
	})
	t.Run("an enquiry on a connection that breaks ends", func(t *testing.T) {
		withTestCounter(t, func(t *testing.T, h *testCounter) {
			h.goOnline()
			id := h.mustCreate(op.Balance)
			synctest.Wait()
			h.receive(wire.Frame{T: wire.TAccepted, ID: id})
			h.goOffline()
			h.wantState(id, op.NotSent)
		})
	})
}

// TestAWelcomeDoesNotAskForWhatIsBeingSent: the terminal is online before the counter
// has dealt with the welcome, and what waited for it is sent at once. A question
// that came before the operation would make the central refuse it for ever.
func TestAWelcomeDoesNotAskForWhatIsBeingSent(t *testing.T) {
	for _, tt := range []struct {
		name   string
		during bool // the welcome comes while the frame is given to the uplink
	}{{"while it is given to the uplink", true}, {"once the uplink has it", false}} {
		t.Run(tt.name, func(t *testing.T) {
			withTestCounter(t, func(t *testing.T, h *testCounter) {
				id := h.mustCreate(op.Withdrawal)
				synctest.Wait()
				h.wantState(id, op.Queued)
				h.link.stall = make(chan struct{})
				h.link.set(true)
				h.c.Notify()
				synctest.Wait()
				h.wantState(id, op.Sent)
				if !tt.during {
					close(h.link.stall)
					synctest.Wait()
				}
				if err := h.c.Welcome(wire.Frame{T: wire.TWelcome, Clock: 1, Window: 8}); err != nil {
					t.Fatal(err)
				}
				if tt.during {
					close(h.link.stall)
				}
				synctest.Wait()
				if ops, asks := h.link.sent(wire.TOp, id), h.link.sent(wire.TAsk, id); ops != 1 || asks != 0 {
					t.Errorf("it was sent %d times and asked for %d times, want 1 and 0", ops, asks)
				}
				h.receive(wire.Frame{T: wire.TAccepted, ID: id})
				h.receive(outcome(id, op.Succeeded, "00"))
				h.wantState(id, op.Succeeded)
			})
		})
	}
}

func TestLostLinkIsAskedAfter(t *testing.T) {
	tests := []struct {
		name   string
		answer func(op.ID) wire.Frame
		want   op.State
	}{
		{"succeeded", func(id op.ID) wire.Frame { return outcome(id, op.Succeeded, "00") }, op.Succeeded},
		{"failed", func(id op.ID) wire.Frame { return outcome(id, op.Failed, "51") }, op.Failed},
		{"pending", func(id op.ID) wire.Frame { return outcome(id, op.Pending, "") }, op.Pending},
		{"refused", func(id op.ID) wire.Frame { return outcome(id, op.Refused, "") }, op.NotSent},
		{"unseen", func(id op.ID) wire.Frame { return wire.Frame{T: wire.TUnseen, ID: id} }, op.NotSent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withTestCounter(t, func(t *testing.T, h *testCounter) {
				h.goOnline()
				id := h.mustCreate(op.Withdrawal)
				synctest.Wait()
				h.goOffline()
				h.wantState(id, op.Unknown)
				hello, err := h.c.Hello()
				if err != nil || len(hello.Unresolved) != 1 || hello.Unresolved[0] != id {
					t.Fatalf("hello names %v, %v", hello.Unresolved, err)
				}
				synctest.Wait() // the loss is dealt with before the connection is back
				h.goOnline()
				if n := h.link.sent(wire.TAsk, id); n != 1 {
					t.Errorf("it was asked for %d times, want 1", n)
				}
				h.receive(tt.answer(id))
				h.wantState(id, tt.want)
				if n := h.link.sent(wire.TOp, id); n != 1 {
					t.Errorf("it was sent %d times, want 1", n)
				}
			})
		})
	}
}

func TestAnOutcomeThatNeverComesIsAskedForAgain(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		id := h.mustCreate(op.Withdrawal)
		synctest.Wait()
		h.receive(wire.Frame{T: wire.TAccepted, ID: id})
		time.Sleep(2 * time.Minute)
		if n := h.link.sent(wire.TAsk, id); n < 2 {
			t.Errorf("asked %d times in two minutes, want at least 2", n)
		}
	})
}

func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := newMemoryQueue()
		h := open(t, queue)
		reserved, err := h.c.Start(h.draft(op.Withdrawal))
		if err != nil {
			t.Fatal(err)
		}
		queued := h.mustCreate(op.Withdrawal)
		synctest.Wait()
		h.stop()

		h.goOnline()
		sentHouse := open(t, queue)
		sentHouse.rand = newLockedRand(2)
		sentHouse.c.cfg.Rand = sentHouse.rand
		sentHouse.wantState(reserved.ID, op.Expired)
		sentHouse.wantState(queued, op.Expired)
		sentHouse.goOnline()
		sent := sentHouse.mustCreate(op.Withdrawal)
		synctest.Wait()
		sentHouse.wantState(sent, op.Sent)
		sentHouse.stop()

		last := open(t, queue)
		defer last.stop()
		last.wantState(sent, op.Unknown)
	})
}

func TestDiskFull(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		h.queue.breakDisk(ErrFull)
		var p *PreconditionError
		if _, err := h.c.Start(h.draft(op.Withdrawal)); !errors.As(err, &p) || p.Code != "disk" {
			t.Errorf("Begin = %v, want a refusal for the disk", err)
		}
		if h.reader.taken != 0 {
			t.Error("a finger was asked for")
		}
		h.queue.breakDisk(nil)
		id := h.mustCreate(op.Withdrawal) // the trouble is looked at again, not remembered for ever
		synctest.Wait()
		h.wantState(id, op.Sent)
	})
}

func TestAFullDiskAfterTheCaptureSendsNothing(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		v, err := h.c.Start(h.draft(op.Withdrawal))
		if err != nil {
			t.Fatal(err)
		}
		h.queue.breakDisk(ErrFull)
		if err := h.c.Capture(v.ID); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		got, _ := h.c.Operation(v.ID)
		if got.State != op.Reserved || got.Problem == nil || h.link.sent(wire.TOp, v.ID) != 0 {
			t.Errorf("state %s, problem %v, sent %d times", got.State, got.Problem, h.link.sent(wire.TOp, v.ID))
		}
	})
}

func TestCaptureProblems(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		h.reader.script = []func(context.Context) (Capture, error){
			func(context.Context) (Capture, error) {
				return Capture{}, &CaptureError{Code: "700", Action: "retry-customer", Message: "No finger came in time."}
			},
		}
		id := h.mustCreate(op.Withdrawal)
		synctest.Wait()
		v, _ := h.c.Operation(id)
		if v.State != op.Reserved || v.Stage != StageReady || v.Problem == nil || v.Problem.Code != "700" {
			t.Fatalf("state %s, stage %s, problem %v", v.State, v.Stage, v.Problem)
		}
		if err := h.c.Capture(id); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		h.wantState(id, op.Sent)
		if h.c.Capture(id) != nil || h.reader.taken != 2 {
			t.Errorf("a further press captured again: %d captures", h.reader.taken)
		}
	})
}

func TestGivingUp(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		h.reader.script = []func(context.Context) (Capture, error){
			func(ctx context.Context) (Capture, error) {
				<-ctx.Done()
				return Capture{}, &CaptureError{Message: "cancelled"}
			},
		}
		id := h.mustCreate(op.Withdrawal)
		synctest.Wait()
		if err := h.c.Cancel(id); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		h.wantState(id, op.Expired)
		if err := h.c.Cancel(id); err != nil {
			t.Errorf("giving up twice = %v", err)
		}
		sent := h.mustCreate(op.Withdrawal)
		synctest.Wait()
		if err := h.c.Cancel(sent); !errors.Is(err, ErrIllegal) {
			t.Errorf("giving up what was sent = %v, want ErrIllegal", err)
		}
	})
}
