package edge

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/op"
	"galla/shared/secret"
)

// TestAFaintPrintIsAskedForOnceMore: the first faint print of an operation is
// not sent; the second one is, since some fingers never read better.
func TestAFaintPrintIsAskedForOnceMore(t *testing.T) {
	for name, c := range map[string]struct {
		qualities []int // of each capture, until one is sent
		refused   int   // how many of them are not
	}{
		"clear":               {[]int{45}, 0},
		"not known":           {[]int{0}, 0},
		"faint, then clear":   {[]int{44, 80}, 1},
		"faint twice":         {[]int{30, 26}, 1},
		"faint, clear enough": {[]int{25, 45}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(t, newMemoryQueue())
				defer h.stop()
				h.goOnline()
				for _, quality := range c.qualities {
					h.reader.script = append(h.reader.script, func(context.Context) (Capture, error) {
						return Capture{PidData: secret.NewPidData(canaryPid), CapturedAt: time.Now(), Quality: quality}, nil
					})
				}
				id := h.mustCreate(op.Withdrawal)
				for i := range c.refused {
					synctest.Wait()
					v, err := h.c.Operation(id)
					if err != nil || v.State != op.Reserved || v.Problem == nil || v.Problem.Quality != c.qualities[i] || v.Problem.Action != "retry-customer" {
						t.Fatalf("a faint print leaves %s with %+v (%v)", v.State, v.Problem, err)
					}
					if err := h.c.Capture(id); err != nil {
						t.Fatal(err)
					}
				}
				synctest.Wait()
				h.wantState(id, op.Sent)
				if v, err := h.c.Operation(id); err != nil || v.Quality != c.qualities[len(c.qualities)-1] || v.Problem != nil {
					t.Errorf("the record says quality %d, problem %v (%v)", v.Quality, v.Problem, err)
				}
				if h.reader.taken != len(c.qualities) {
					t.Errorf("%d fingers were asked for, want %d", h.reader.taken, len(c.qualities))
				}
			})
		})
	}
}
