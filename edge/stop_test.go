package edge

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"galla/shared/op"
)

// TestCapturesThatMeetTheEnd: a press of the button may come at the very moment
// when the program is stopped. The simulation found the race (seeds 32 and 34).
func TestCapturesThatMeetTheEnd(t *testing.T) {
	for round := range 30 {
		synctest.Test(t, func(t *testing.T) {
			h := open(t, newShelf())
			var ids []op.ID
			for range 8 {
				h.device.script = append(h.device.script, func(ctx context.Context) (Capture, error) {
					<-ctx.Done() // the capture is going on when the end comes
					return Capture{}, &CaptureError{Message: "cancelled"}
				})
				v, err := h.c.Begin(t.Context(), h.draft(op.Withdrawal))
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
