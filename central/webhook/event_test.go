package webhook_test

import (
	"testing"

	"galla/central"
	"galla/central/webhook"
)

// TestEventOf: a late outcome has a callback, except that of a receipt's SMS, of which no
// program waits to hear.
func TestEventOf(t *testing.T) {
	for _, c := range []struct {
		kind    central.Kind
		pending string
		want    string
	}{
		{central.KindWithdrawal, "AEPS-NR-1", webhook.EventFinished},
		{central.KindWithdrawal, "", ""},
		{central.KindUPIPayment, "", webhook.EventReceived},
		{central.KindUPIRefund, "", webhook.EventReturned},
		{central.KindReceiptMessage, "", ""},
		{central.KindReceiptMessage, "SMS-NR-1", ""},
	} {
		if got := webhook.EventOf(central.Operation{Kind: c.kind, PendingReference: c.pending}); got != c.want {
			t.Errorf("%s, pending as %q: %q, want %q", c.kind, c.pending, got, c.want)
		}
	}
}
