package edge

import (
	"errors"
	"testing"
	"time"

	"galla/shared/op"
	"galla/shared/wire"
)

const (
	paymentID op.ID = "0190e000-0000-7000-8000-000000000001"
	returnID  op.ID = "0190e000-0000-7000-8000-000000000002"
)

// paymentEvent is an event of a payment of ₹12.50 for an order.
func paymentEvent(t *testing.T, id op.ID, cursor int64, order string, at time.Time, change ...func(*wire.Payment)) wire.Frame {
	t.Helper()
	p := wire.Payment{ID: "AXI1", RRN: "633000000042", VPA: "shop@galla", Order: order, Amount: 1250, Match: "order", PayerName: "R••••h", PayerVPA: "ra••@okbank", PaidAt: at.UnixMilli(), RecordedAt: at.Add(time.Second).UnixMilli()}
	for _, alter := range change {
		alter(&p)
	}
	data, err := wire.EncodePayment(p)
	if err != nil {
		t.Fatal(err)
	}
	return wire.Frame{T: wire.TEvent, Kind: wire.EventPayment, Cursor: cursor, ID: id, Data: data}
}

// TestPayments: what the central recorded is on disk before it is acknowledged, once, and
// is found by its order.
func TestPayments(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		at := time.Now().Truncate(time.Millisecond)
		changes, stop := h.c.Subscribe()
		defer stop()
		for range 2 { // at least once
			h.receive(paymentEvent(t, paymentID, 7, "o-1", at))
		}
		select {
		case <-changes:
		default:
			t.Error("the pages were not told")
		}
		r, err := h.queue.Get(paymentID)
		if err != nil || !r.IsPayment() || r.State != op.Succeeded || r.Amount != 1250 || r.Title != "R••••h" || r.PaymentOrder() != "o-1" || !r.PaidAt().Equal(at) || r.ReplyValue("rrn") != "633000000042" {
			t.Errorf("stored as %+v, %v", r, err)
		}
		if cursor, _ := h.queue.Cursor(); cursor != 7 {
			t.Errorf("cursor = %d, want 7", cursor)
		}
		h.receive(paymentEvent(t, returnID, 8, "o-1", at, func(p *wire.Payment) { p.ReturnedAt, p.Received = at.Add(time.Hour).UnixMilli(), paymentID }))
		back, err := h.queue.Get(returnID)
		if err != nil || back.Route != op.PaymentReturned || back.LinkedTo != paymentID {
			t.Errorf("the return is stored as %+v, %v", back, err)
		}
		if got := h.c.PaymentsOf("o-1"); len(got) != 2 || got[0].ID != paymentID || got[1].ID != returnID {
			t.Errorf("of the order: %+v", got)
		}
		if got := h.c.PaymentsOf(""); len(got) != 0 {
			t.Errorf("of no order: %+v", got)
		}
		if got := h.c.Payments(1); len(got) != 1 || got[0].ID != returnID {
			t.Errorf("the latest: %+v", got)
		}
		again, err := New(h.queue, h.reader, h.c.cfg)
		if err != nil || len(again.Payments(10)) != 2 {
			t.Errorf("after a restart: %v, %v", again.Payments(10), err)
		}
	})
}

// TestPaymentsOnABrokenDisk: a payment that is not stored is not acknowledged, and comes
// again.
func TestPaymentsOnABrokenDisk(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.goOnline()
		f := paymentEvent(t, paymentID, 7, "o-1", time.Now())
		h.queue.breakDisk(ErrFull)
		if err := h.c.Receive(f); !errors.Is(err, ErrFull) {
			t.Errorf("received: %v", err)
		}
		if len(h.c.Payments(1)) > 0 {
			t.Error("a payment is shown that is not stored")
		}
		h.queue.breakDisk(nil)
		h.receive(f)
		if len(h.c.Payments(1)) != 1 {
			t.Error("the payment is lost")
		}
		f.Cursor, f.Data = 8, []byte(`{"id":"A"}`)
		if err := h.c.Receive(f); !errors.Is(err, wire.ErrField) {
			t.Errorf("a payment without an amount: %v", err)
		}
	})
}
