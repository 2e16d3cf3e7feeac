package edge

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/op"
)

func TestAllWrongFieldsAreReported(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		var d *ValidationError
		if _, err := h.c.Start(Request{Route: op.Withdrawal, IIN: "1"}); !errors.As(err, &d) || len(d.Fields) != 5 {
			t.Errorf("Begin = %v, want five fields", err)
		}
		typed := h.draft(op.Withdrawal)
		typed.Customer = "9999 4105-7058"
		if _, err := h.c.Start(typed); !errors.As(err, &d) || d.Fields[0] != "customer" {
			t.Errorf("an Aadhaar number was taken for a name: %v", err)
		}
		if _, err := h.c.Start(Request{Route: op.Withdrawal, Fields: []byte(`{"amount":1}`)}); err == nil || errors.As(err, &d) {
			t.Errorf("a withdrawal with fields: %v", err)
		}
	})
}

func TestNoSessionNoTransaction(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		time.Sleep(2 * time.Hour)
		var p *PreconditionError
		if _, err := h.c.Start(h.draft(op.Withdrawal)); !errors.As(err, &p) || p.Code != "session" {
			t.Fatalf("Begin = %v, want a refusal for the session", err)
		}
		v, err := h.c.Start(Request{Route: op.ReqAuth, User: "Fatima", UserID: AgentID})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.c.Capture(v.ID); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		h.receive(outcome(v.ID, op.Succeeded, "00"))
		if !h.c.Status().Session.Active {
			t.Error("the session is not active after the authentication")
		}
	})
}

func TestAWrongClockPrecludes(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		h.link.mu.Lock()
		h.link.state.Offset = -2 * time.Hour
		h.link.mu.Unlock()
		var p *PreconditionError
		if _, err := h.c.Start(h.draft(op.Withdrawal)); !errors.As(err, &p) || p.Code != "clock" {
			t.Errorf("Begin = %v, want a refusal for the clock", err)
		}
	})
}
