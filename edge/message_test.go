package edge_test

import (
	"bytes"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"galla/edge"
	"galla/shared/op"
	"galla/shared/wire"
)

const (
	sentReceipt   = `{"statusCode":"00","message":"Receipt sent","data":{"mobile":"XXXXXX4321"}}`
	receiptNumber = "9876504321"
)

// sendReceipt presses the button for the SMS with an operation's receipt.
func (s *testCounter) sendReceipt(of op.ID, mobile string) op.ID {
	s.t.Helper()
	q, err := edge.MessageOf(of, mobile, "hi", fatima)
	if err != nil {
		s.t.Fatal(err)
	}
	v, err := s.c.Start(q)
	if err != nil {
		s.t.Fatal(err)
	}
	synctest.Wait()
	return v.ID
}

// succeededWithdrawal is a withdrawal that was paid.
func (s *testCounter) succeededWithdrawal() op.ID {
	s.t.Helper()
	id := s.must(op.Withdrawal)
	s.receive(succeeded(id, op.Succeeded, 200, `{"statusCode":"00","data":{"ResponseCode":"00","ReferenceNo":"632509000042"}}`))
	return id
}

func TestMessage(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		of := s.succeededWithdrawal()
		first, second := s.sendReceipt(of, receiptNumber), s.sendReceipt(of, "9876504322")
		s.wantState(second, op.Sent) // it does not wait for the first
		f := s.link.sentFrames(wire.TOp, first)[0]
		if f.Route != op.ReceiptMessage || f.NotAfter == 0 {
			t.Errorf("frame %+v", f)
		}
		if b := s.body(first); string(b["id"]) != `"`+string(of)+`"` || string(b["mobile"]) != `"`+receiptNumber+`"` || string(b["language"]) != `"hi"` || len(b) != 3 {
			t.Errorf("body %s", f.Body)
		}
		if r := s.stored(first); r.Title != "XXXXXX4321" || r.Mobile != "" || r.LinkedTo != of || r.Amount != 0 || !r.IsMessage() {
			t.Errorf("record %+v", r)
		}
		s.receive(succeeded(first, op.Succeeded, 200, sentReceipt))
		s.receive(succeeded(second, op.Failed, 422, `{"statusCode":"05","message":"The limit is reached"}`))
		for range 2 { // also after a restart
			list := s.c.MessagesOf(of)
			if len(list) != 2 || list[0].ID != second || list[1].ID != first || list[1].State != op.Succeeded || list[0].State != op.Failed {
				t.Errorf("messages %+v", list)
			}
			if others := s.c.MessagesOf(first); len(others) != 0 {
				t.Errorf("a message has messages: %v", others)
			}
			s.restart()
			s.goOnline()
		}
		r := s.stored(first)
		if r.Body != nil || bytes.Contains(r.Reply, []byte(receiptNumber)) || r.Result.StatusCode != "00" {
			t.Errorf("after its outcome: %+v", r)
		}
		if of := s.stored(of); of.Cash() != edge.CashDue || s.view(of.ID).Verdict() != edge.VerdictGive {
			t.Error("a message changed the cash of its operation")
		}
	})
}

// TestMessageLost: a lost reply is asked for, and the message is not sent again.
func TestMessageLost(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		of := s.succeededWithdrawal()
		id := s.sendReceipt(of, receiptNumber)
		s.goOffline()
		s.wantState(id, op.Unknown)
		s.goOnline()
		if n := len(s.link.sentFrames(wire.TAsk, id)); n != 1 {
			t.Errorf("it was asked for %d times, want 1", n)
		}
		s.receive(succeeded(id, op.Pending, 502, `{"statusCode":"10","reference":"SMS-NR-1"}`))
		s.wantState(id, op.Pending)
		event := succeeded(id, op.Succeeded, 200, sentReceipt)
		event.T, event.Kind, event.Cursor = wire.TEvent, wire.EventOutcome, 1
		s.receive(event)
		s.wantState(id, op.Succeeded)
		s.wantSent(id, 1)
	})
}

// TestMessageOffline: none is taken while the counter is offline; one that was pressed just
// before ends after the 90 s in which the customer may still be there.
func TestMessageOffline(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		of := s.succeededWithdrawal()
		for range 8 { // the connection takes no more at once
			s.must(op.Balance)
		}
		id := s.sendReceipt(of, receiptNumber)
		s.wantState(id, op.Queued)
		s.goOffline()
		q, err := edge.MessageOf(of, receiptNumber, "en", fatima)
		if err != nil {
			t.Fatal(err)
		}
		var precluded *edge.PreconditionError
		if _, err := s.c.Start(q); !errors.As(err, &precluded) || precluded.Code != edge.PreconditionLink {
			t.Errorf("offline: %v", err)
		}
		if list := s.c.MessagesOf(of); len(list) != 1 {
			t.Errorf("%d messages", len(list))
		}
		time.Sleep(89 * time.Second)
		s.wantState(id, op.Queued)
		time.Sleep(3 * time.Second)
		s.wantState(id, op.Expired)
		s.goOnline()
		s.wantSent(id, 0)
	})
}

// TestMessageHoldsNothingUp: changes of records go past a message that is pending, and a
// message goes past them.
func TestMessageHoldsNothingUp(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		of := s.succeededWithdrawal()
		message := s.sendReceipt(of, receiptNumber)
		change := s.must(op.BeneficiaryDelete)
		s.wantState(change, op.Sent)
		s.wantState(s.sendReceipt(of, "9876504322"), op.Sent)
		s.receive(succeeded(message, op.Pending, 502, `{"statusCode":"10"}`))
		s.receive(succeeded(change, op.Succeeded, 200, `{"statusCode":"00"}`))
		s.wantState(s.must(op.BeneficiaryDelete), op.Sent)
	})
}

// TestPendingIsAskedWithAClockSetBack: an operation that no event will tell of, such as the
// second press of a message, does not wait for a clock that was set back.
func TestPendingIsAskedWithAClockSetBack(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		id := s.sendReceipt(s.succeededWithdrawal(), receiptNumber)
		s.receive(succeeded(id, op.Pending, 502, `{"statusCode":"10"}`))
		s.clock.Store(int64(-3 * time.Hour))
		time.Sleep(3 * time.Second)
		if n := len(s.link.sentFrames(wire.TAsk, id)); n != 1 {
			t.Errorf("it was asked for %d times, want 1", n)
		}
		time.Sleep(4 * time.Minute)
		if n := len(s.link.sentFrames(wire.TAsk, id)); n != 1 {
			t.Errorf("it was asked for %d times within 5 minutes, want 1", n)
		}
		time.Sleep(2 * time.Minute)
		if n := len(s.link.sentFrames(wire.TAsk, id)); n != 2 {
			t.Errorf("it was asked for %d times, want 2", n)
		}
	})
}
