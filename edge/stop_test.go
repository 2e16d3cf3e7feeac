package edge

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"galla/shared/op"
	"galla/shared/secret"
	"galla/shared/wire"
)

// TestCapturesThatMeetTheEnd: a press of the button may come at the very moment
// when the program is stopped. The simulation found the race (seeds 32 and 34).
func TestCapturesThatMeetTheEnd(t *testing.T) {
	for round := range 30 {
		synctest.Test(t, func(t *testing.T) {
			h := open(t, newMemoryQueue())
			var ids []op.ID
			for range 8 {
				h.reader.script = append(h.reader.script, func(ctx context.Context) (Capture, error) {
					<-ctx.Done() // the capture is going on when the end comes
					return Capture{}, &CaptureError{Message: "cancelled"}
				})
				v, err := h.c.Start(h.draft(op.Withdrawal))
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, v.ID)
			}
			var presses sync.WaitGroup
			for _, id := range ids {
				presses.Go(func() { _ = h.c.Capture(id) })
			}
			for range 50 * round { // the presses get different head starts
				runtime.Gosched()
			}
			h.stop()
			presses.Wait()
			if err := h.c.Capture(ids[0]); err == nil && h.state(ids[0]) == op.Reserved {
				t.Error("a stopped counter says that it captures")
			}
		})
	}
}

// TestOneFingerForManyPresses: two operators, two tabs or a double click press
// while the reader waits for the finger. One is asked for, and one is sent.
func TestOneFingerForManyPresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newMemoryQueue())
		defer h.stop()
		h.goOnline()
		laid := make(chan struct{})
		h.reader.script = []func(context.Context) (Capture, error){func(context.Context) (Capture, error) {
			<-laid
			return Capture{PidData: secret.NewPidData("<PidData/>"), Quality: 80}, nil
		}}
		v, err := h.c.Start(h.draft(op.Withdrawal))
		if err != nil {
			t.Fatal(err)
		}
		var presses sync.WaitGroup
		for range 8 {
			presses.Go(func() {
				if err := h.c.Capture(v.ID); err != nil {
					t.Error(err)
				}
			})
		}
		presses.Wait()
		close(laid)
		synctest.Wait()
		if n := h.link.sent(wire.TOp, v.ID); h.reader.taken != 1 || n != 1 {
			t.Errorf("%d fingers were asked for, and it was sent %d times", h.reader.taken, n)
		}
	})
}
