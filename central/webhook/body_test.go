package webhook_test

import (
	"strings"
	"testing"
	"time"

	"galla/central/webhook"

	"github.com/go-json-experiment/json"

	"galla/central"
	"galla/central/api"
	"galla/central/payments"
	"galla/shared/op"
)

func testOperation() central.Operation {
	return central.Operation{
		ID: "0193519c-0000-7000-8000-000000000001", Caller: "merchant:" + string(merchant1), Party: "merchant:" + string(merchant1), Identity: "key-1", CallerRef: "ref-1",
		Route: op.Withdrawal, Merchant: merchant1, TID: "GAL00001", Kind: central.KindWithdrawal, Amount: 1234_56, Aadhaar: customer, IIN: "990326", Sender: remitter,
		Reference: "GL2611210001", STAN: "000001", PendingReference: "AEPS-NR-1", State: op.Succeeded, Code: "00", RRN: "632510123456",
		FinishedAt: time.Date(2026, 11, 21, 10, 30, 0, 123_000_000, time.UTC), Reply: []byte(`{"data":{"Balance":"88.00"}}`),
	}
}

func TestBody(t *testing.T) {
	body, err := webhook.RenderBody(webhook.Callback{Merchant: merchant1, Event: webhook.EventFinished}, testOperation())
	must(t, err)
	want := `{"type":"operation.finished","timestamp":"2026-11-21T10:30:00.123Z","data":{"id":"0193519c-0000-7000-8000-000000000001",` +
		`"merchantId":"c0000000-0000-4000-8000-000000000001","route":"POST /aeps/withdrawal","reference":"GL2611210001","pendingReference":"AEPS-NR-1",` +
		`"callerReference":"ref-1","idempotencyKey":"key-1","amount":"1234.56","txnStatus":"SUCCESS","ResponseCode":"00","RRN":"632510123456",` +
		`"finishedAt":"2026-11-21T10:30:00.123Z"}}`
	if string(body) != want {
		t.Errorf("body\n got %s\nwant %s", body, want)
	}
	for _, private := range []string{"7058", remitter, "GAL00001", "990326", "88.00"} {
		if strings.Contains(string(body), private) {
			t.Errorf("the body has %q", private)
		}
	}
	// A vendor's name for its call is the vendor's.
	o := testOperation()
	o.Caller, o.Party, o.Identity, o.CallerRef, o.RRN = "vendor:v", "vendor:v", "request-1", "", ""
	body, err = webhook.RenderBody(webhook.Callback{Merchant: merchant1, Event: webhook.EventFinished}, o)
	must(t, err)
	for _, absent := range []string{"request-1", "callerReference", "idempotencyKey", "RRN"} {
		if strings.Contains(string(body), absent) {
			t.Errorf("the body has %q: %s", absent, body)
		}
	}
	// The vendor's own endpoint gets it, and not its merchant's.
	own := webhook.Callback{Merchant: merchant1, Vendor: "v", Event: webhook.EventFinished}
	body, err = webhook.RenderBody(own, o)
	must(t, err)
	if !strings.Contains(string(body), `"idempotencyKey":"request-1"`) || !strings.Contains(string(body), `"merchantId":"`+string(merchant1)+`"`) {
		t.Errorf("to the vendor: %s", body)
	}
	if body, err = webhook.RenderBody(own, testOperation()); err != nil || strings.Contains(string(body), "key-1") {
		t.Errorf("the merchant's call, to the vendor: %s, %v", body, err)
	}
	for _, state := range []op.State{op.Received, op.Sent, op.Pending, op.Refused} {
		o.State = state
		if body, err := webhook.RenderBody(webhook.Callback{Merchant: merchant1, Event: webhook.EventFinished}, o); err == nil {
			t.Errorf("a callback reports that an operation is %s: %s", state, body)
		}
	}
}

// TestBodyOfAPayment: it says what the interface's list of payments says, and whose it is;
// once the reply is archived, what the operation itself has.
func TestBodyOfAPayment(t *testing.T) {
	at := time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)
	p := payments.Payment{ReceivedPayment: central.ReceivedPayment{ID: "AXI1", RRN: "633000000042", Payee: "shop@galla", TR: "o", Amount: 1250, At: at, PayerName: "R••••h"}, Merchant: merchant1, Order: "o", Match: payments.MatchOrder, RecordedAt: at.Add(time.Second)}
	o := central.Operation{ID: "0193519c-0000-7000-8000-000000000002", Kind: central.KindUPIPayment, Merchant: merchant1, Amount: 1250, Reference: "AXI1", RRN: "633000000042", State: op.Succeeded, FinishedAt: p.RecordedAt, Reply: payments.Render("Payment received", p)}
	back := o
	back.Kind, back.Original, back.Reference, back.RRN = central.KindUPIRefund, "AXI1", "AXI2", "633000000043"
	p.Refund = &central.PaymentRefund{ID: "AXI2", RRN: "633000000043", At: at.Add(time.Hour)}
	back.Reply = payments.Render("Payment returned to the payer", p)
	archived, archivedBack := o, back
	archived.Reply, archivedBack.Reply = []byte(`{"archived":true}`), []byte(`{"archived":true}`)
	const begin = `"timestamp":"2026-11-26T09:00:01.000Z","data":{"merchantId":"c0000000-0000-4000-8000-000000000001","id":"AXI1","RRN":"`
	for _, c := range []struct {
		o    central.Operation
		want string
	}{
		{o, `{"type":"upi.received",` + begin + `633000000042","order_id":"o","amount":"12.50","vpa":"shop@galla","payerName":"R••••h","match":"order","status":"RECEIVED","paidAt":"2026-11-26T09:00:00.000Z","recordedAt":"2026-11-26T09:00:01.000Z"}}`},
		{back, `{"type":"upi.returned",` + begin + `633000000042","order_id":"o","amount":"12.50","vpa":"shop@galla","payerName":"R••••h","match":"order","status":"RETURNED","paidAt":"2026-11-26T09:00:00.000Z","recordedAt":"2026-11-26T09:00:01.000Z","refundId":"AXI2","refundRRN":"633000000043","returnedAt":"2026-11-26T10:00:00.000Z"}}`},
		{archived, `{"type":"upi.received",` + begin + `633000000042","amount":"12.50","vpa":"","match":"","status":"RECEIVED","paidAt":"","recordedAt":"2026-11-26T09:00:01.000Z"}}`},
		{archivedBack, `{"type":"upi.returned",` + begin + `","amount":"12.50","vpa":"","match":"","status":"RETURNED","paidAt":"","recordedAt":"2026-11-26T09:00:01.000Z","refundId":"AXI2","refundRRN":"633000000043"}}`},
	} {
		body, err := webhook.RenderBody(webhook.Callback{Merchant: merchant1, Event: webhook.EventOf(c.o)}, c.o)
		must(t, err)
		if string(body) != c.want {
			t.Errorf("body\n got %s\nwant %s", body, c.want)
		}
	}
}

// TestBodySaysWhatTheReplySays: the callback and the stored reply, which a repeat gets, have
// the same outcome.
func TestBodySaysWhatTheReplySays(t *testing.T) {
	for _, state := range []op.State{op.Succeeded, op.Failed, op.Reversed} {
		for _, code := range []string{"", "00", "51", "68", "91", "U16"} {
			o := testOperation()
			o.State, o.Code = state, code
			_, reply := api.Renderer{}.FinalReply(o, state, central.BankAnswer{Code: code})
			var said struct {
				Data struct {
					TxnStatus    string `json:"txnStatus"`
					ResponseCode string `json:"ResponseCode"`
				} `json:"data"`
			}
			must(t, json.Unmarshal(reply, &said))
			if status, code := webhook.ReplyStatus(o); status != said.Data.TxnStatus || code != said.Data.ResponseCode {
				t.Errorf("%s with code %q: the callback says %s %s, the reply %s %s", state, o.Code, status, code, said.Data.TxnStatus, said.Data.ResponseCode)
			}
			o.Kind, o.Route = central.KindTransfer, op.Transfer
			_, reply = api.Renderer{}.FinalReply(o, state, central.BankAnswer{Code: code})
			var transfer struct {
				StatusCode string `json:"statusCode"`
				Data       struct {
					Status string `json:"status"`
				} `json:"data"`
			}
			must(t, json.Unmarshal(reply, &transfer))
			if status, code := webhook.ReplyStatus(o); status != transfer.Data.Status || code != transfer.StatusCode {
				t.Errorf("a transfer %s with code %q: the callback says %s %s, the reply %s %s", state, o.Code, status, code, transfer.Data.Status, transfer.StatusCode)
			}
		}
	}
}
