package cashbook

import (
	"testing"
	"time"

	"galla/edge"
	"galla/shared/money"
	"galla/shared/op"
)

// TestNoCustomersCashIsForgotten walks every state of a transfer and every fact of its
// cash: cash that belongs to the customer is open until it is returned or refunded,
// OwedBack is its amount, and nothing else is open.
func TestNoCustomersCashIsForgotten(t *testing.T) {
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	n := 0
	for _, state := range []op.State{
		op.Reserved, op.Queued, op.Sent, op.Accepted, op.Unknown, op.Pending, op.Succeeded, op.Failed, op.Reversed, op.Expired, op.NotSent,
	} {
		for facts := range 32 {
			r := edge.Record{Route: op.Transfer, State: state, Amount: 500 * money.Rupee, Charge: 25 * money.Rupee, CreatedAt: at}
			r.CashKept = facts&1 != 0
			if facts&2 != 0 {
				r.CashBy = "Fatima"
			}
			if facts&4 != 0 {
				r.CashGivenAt = at
			}
			if facts&8 != 0 {
				r.RefundedAt = at
			}
			if facts&16 != 0 {
				r.Reply = []byte(`{"statusCode":"22","data":{"charge":25}}`)
			}
			n++
			entries := EntriesOf(r)
			in, out := Sum(entries)
			owed := len(entries) > 0 && entries[0].Flow == Owed && in > out && r.RefundedAt.IsZero()
			if state != op.Reversed && len(entries) > 0 && entries[0].Flow == Owed {
				owed = in > out // no refund pays it
			}
			if owed != r.Cash().IsOpen() {
				t.Errorf("%s, facts %05b: owed %v, but its cash is %q", state, facts, owed, r.Cash())
			}
			want := money.Paise(0)
			if owed {
				want = in - out
			}
			if due := OwedBack(r); due != want || owed && Payable(r) != want {
				t.Errorf("%s, facts %05b: %s are due and %s payable, want %s", state, facts, due, Payable(r), want)
			}
		}
	}
	if n != 11*32 {
		t.Errorf("%d are not all", n)
	}
}

// TestARefundTakesItsCashOnce: not if it left with the transfer's record.
func TestARefundTakesItsCashOnce(t *testing.T) {
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for consent, want := range map[string]money.Paise{"": 525_00, edge.RefundCashAfter: 525_00, edge.RefundCashBefore: 0} {
		r := edge.Record{Route: op.Refund, State: op.Succeeded, Amount: 500_00, Charge: 25_00, Consent: consent, CreatedAt: at}
		if in, out := Sum(EntriesOf(r)); in != 0 || out != want {
			t.Errorf("%q: in %s, out %s, want %s", consent, in, out, want)
		}
	}
}
