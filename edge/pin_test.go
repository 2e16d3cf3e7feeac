package edge

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/secret"
)

func TestPIN(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := newShelf()
		h := open(t, queue)
		wrong, right := secret.NewOTP("0000"), secret.NewOTP("2580")
		var p *PINError
		for i := range pinTries - 1 {
			if _, err := h.c.CheckPIN(t.Context(), AgentID, wrong); !errors.As(err, &p) || p.Left != pinTries-1-i || p.Wait != 0 {
				t.Fatalf("try %d: %v", i, err)
			}
		}
		for i, wait := range []time.Duration{30, 60, 120, 240, 480, 900, 900} {
			if _, err := h.c.CheckPIN(t.Context(), AgentID, wrong); !errors.As(err, &p) || p.Wait != wait*time.Second {
				t.Fatalf("wait %d: %v", i, err)
			}
			if _, err := h.c.CheckPIN(t.Context(), AgentID, right); !errors.As(err, &p) || p.Wait == 0 {
				t.Fatalf("the right PIN was looked at while waiting: %v", err)
			}
			if i == 2 { // a restart gives no new tries
				h.stop()
				h = open(t, queue)
				if _, err := h.c.CheckPIN(t.Context(), AgentID, right); !errors.As(err, &p) || p.Wait == 0 {
					t.Fatalf("the wait is gone after a restart: %v", err)
				}
			}
			time.Sleep(wait * time.Second)
		}
		defer h.stop()
		if got, err := h.c.CheckPIN(t.Context(), AgentID, right); err != nil || got != (Operator{ID: AgentID, Name: "Fatima", Role: RoleOwner}) {
			t.Errorf("CheckPIN = %+v, %v", got, err)
		}
		if _, err := h.c.CheckPIN(t.Context(), "nobody", right); !errors.Is(err, ErrNotFound) {
			t.Errorf("an operator who is not here: %v", err)
		}
		if _, err := h.c.CheckPIN(t.Context(), AgentID, wrong); !errors.As(err, &p) || p.Left != pinTries-1 {
			t.Errorf("the count does not begin anew: %v", err)
		}
	})
}
