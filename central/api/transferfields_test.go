package api

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"galla/central"
	"galla/central/api/field"
	"galla/shared/money"
	"galla/shared/op"
)

// TestForwardRoutesAreThoseOfTheDocument: interface.md, sections 4.3 and 4.4, of the route table are
// Routes and the four that touch the central's own records.
func TestForwardRoutesAreThoseOfTheDocument(t *testing.T) {
	own := []op.RouteID{op.Transfer, op.TransferRequery, op.RefundOTP, op.Refund}
	count := 0
	for _, line := range op.Table() {
		if line.Section != "4.3" && line.Section != "4.4" {
			continue
		}
		count++
		r, ok := findForwardRoute(line.ID)
		if ok == slices.Contains(own, line.ID) {
			t.Errorf("%s: found is %v", line.ID, ok)
		}
		if ok && r.ActsForMerchant != line.Allows(op.Merchant) {
			t.Errorf("%s: acting is %v, its roles are %v", line.ID, r.ActsForMerchant, line.Roles)
		}
	}
	if len(forwardRoutes())+len(own) != count {
		t.Errorf("%d routes of %d in the table", len(forwardRoutes())+len(own), count)
	}
	kinds := map[central.Kind]bool{}
	for _, r := range forwardRoutes() {
		if kinds[r.Kind] || r.Kind.AEPS() || r.Kind.MovesMoney() {
			t.Errorf("%s has the kind %s", r.ID, r.Kind)
		}
		kinds[r.Kind] = true
	}
}

// TestTransferCodeAndOutcomeAgree: whatever the bank's words, the statusCode is 00 if
// and only if it approved, and the data say the same.
func TestTransferCodeAndOutcomeAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := central.Operation{
			Kind:      rapid.SampledFrom([]central.Kind{central.KindTransfer, central.KindRefund}).Draw(t, "kind"),
			Reference: "GL261121AAAAAAAAAA", Original: "GL261121BBBBBBBBBB", Amount: money.Paise(rapid.Int64Range(1, int64(money.Max)).Draw(t, "paise")),
		}
		to := rapid.SampledFrom([]op.State{op.Succeeded, op.Failed, op.Reversed}).Draw(t, "to")
		a := central.BankAnswer{
			Code: rapid.SampledFrom([]string{"", "00", "05", "55", "91"}).Draw(t, "code"), Message: rapid.SampledFrom([]string{"", "SUCCESS"}).Draw(t, "message"),
			RRN: rapid.SampledFrom([]string{"", "632509000042"}).Draw(t, "rrn"),
		}
		code, message, data := transferReply(o, to, a)
		if (code == "00") != (to == op.Succeeded) || code == "" || message == "" {
			t.Fatalf("%s, the bank's code %q: %q %q", to, a.Code, code, message)
		}
		text, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			TransactionID, RefundID, Status string
			Amount                          json.Number
		}
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if p, err := money.Parse(string(got.Amount)); err != nil || p != o.Amount {
			t.Fatalf("amount %s of %s", got.Amount, o.Amount)
		}
		id, refund := string(o.Reference), o.Kind == central.KindRefund
		if refund {
			id = string(o.Original)
		}
		if refund && to == op.Succeeded {
			if got.RefundID != string(o.Reference) || got.TransactionID != "" {
				t.Fatalf("data are %s", text)
			}
			return
		}
		want := map[op.State]string{op.Succeeded: statusSuccess, op.Failed: statusFailed, op.Reversed: statusReversed}[to]
		if got.TransactionID != id || got.Status != want {
			t.Fatalf("%s: data are %s", to, text)
		}
		if pending := transferDataOf(o, "", statusPending); pending.TransactionID != id || pending.RRN != "" || pending.Status != statusPending {
			t.Fatalf("pending data are %+v", pending)
		}
	})
}

// TestRefundableAgreesWithRequery: what a requery calls refunded, or not yet
// final, can't be refunded; of everything else the state decides.
func TestRefundableAgreesWithRequery(t *testing.T) {
	states := []op.State{op.Received, op.Sent, op.Pending, op.Succeeded, op.Failed, op.Reversed, op.Refused}
	for _, state := range states {
		o := central.Operation{Kind: central.KindTransfer, State: state, Amount: 100}
		for _, of := range append([]op.State{""}, op.Received, op.Sent, op.Pending, op.Succeeded) {
			var refund *central.Operation
			if of != "" {
				refund = &central.Operation{Kind: central.KindRefund, State: of, Reference: "GL261121CCCCCCCCCC"}
			}
			err := checkRefundable(o, refund)
			_, data := requeryReply(o, refund)
			want := (data.Status == statusSuccess || data.Status == statusReversed) && refund == nil
			if (err == nil) != want {
				t.Errorf("%s with refund %q: %v, but its status is %s", state, of, err, data.Status)
			}
			if err != nil && central.AsError(err).Fault != central.FailedPrecondition {
				t.Errorf("%s with refund %q: %v", state, of, err)
			}
		}
	}
}

// FuzzTransferFields gives any bytes to every route's reader: it never panics, quotes
// no value, and what passes has what the network needs.
func FuzzTransferFields(f *testing.F) {
	f.Add([]byte(`{"senderId":"5e0de000-0000-4000-8000-000000000001","BeneficiaryId":17,"amount":1500.5,"refId":"r","otp":"730517","receiver_account_no":"001234567890","receiverIfscCode":"SBIN0001234","account_holder_name":"RAVI"}`))
	f.Add([]byte(`{"sender_mobilenumber":"","senderId":""}`))
	f.Add([]byte(`{"transactionId":"GL1","refId":"r","otp":"1234","refereanceId":"GL1"}`))
	f.Add([]byte(`{"amount":1e9,"BeneficiaryId":9007199254740993}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		values, err := field.Decode(text)
		if err != nil {
			return
		}
		readers := map[string]func(*field.Reader, *central.BankRequest){"transfer": readTransferFields, "refundOTP": readRefundOTPFields, "refund": readRefundFields}
		for _, r := range forwardRoutes() {
			readers[string(r.ID)] = r.Read
		}
		for name, read := range readers {
			in, request := field.Reader{Values: values}, central.BankRequest{}
			read(&in, &request)
			if err := in.Err(); err != nil {
				for _, e := range central.AsError(err).Fields {
					sent, _ := values.Get(e.Field)
					if v := strings.Trim(string(sent), `"`); len(v) > 8 && strings.Contains(e.Message, v) {
						t.Fatalf("%s quotes %s: %s", name, e.Field, e.Message)
					}
				}
				continue
			}
			p := request.Particulars
			switch name {
			case "transfer":
				if p.Sender == "" || p.Beneficiary < 1 || request.Amount < 1 || p.CallerRef == "" || request.OTP.IsZero() || len(p.Account) < 6 || len(p.IFSC) != 11 || p.Receiver == "" {
					t.Fatalf("a transfer passed: %+v", request)
				}
			case "refund":
				if p.Original == "" || p.CallerRef == "" || request.OTP.IsZero() {
					t.Fatalf("a refund passed: %+v", request)
				}
			case string(op.RemitterRegister):
				if (p.Mobile == "") == (p.Sender == "") {
					t.Fatalf("a registration passed: %+v", p)
				}
			}
		}
	})
}
