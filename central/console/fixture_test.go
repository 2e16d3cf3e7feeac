package console

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"testing"
	"time"

	"galla/central"
	"galla/central/limits"
	"galla/central/payments"
	"galla/central/store"
	"galla/shared/op"
)

const (
	shop   central.MerchantID = "c0000000-0000-4000-8000-000000000001"
	mobile string             = "9800000001" // the merchant's own
)

// seed adds a merchant.
func (h *harness) seed(t testing.TB) {
	t.Helper()
	err := h.db.Seed(t.Context(), store.Seed{Merchants: []central.Merchant{{
		ID: shop, MID: "GAL0000001", LegalName: "Lakshmi Kirana Store", Status: central.MerchantApproved, HasInfo: true, AEPSReady: true, TID: "GAL00001", Mobile: mobile,
	}}})
	if err != nil {
		t.Fatal(err)
	}
}

// operation records a withdrawal of some time ago and brings it into a state; stuck is
// one that is pending and stuck.
func (h *harness) operation(t testing.TB, n int, ago time.Duration, state op.State, change ...func(*central.Operation)) central.Operation {
	t.Helper()
	at := time.Now().Add(-ago)
	o := central.Operation{
		ID: op.ID(fmt.Sprintf("0193519c-0000-7000-8000-%012d", n)), Caller: "merchant:" + string(shop), Identity: fmt.Sprintf("order-%d", n), Route: op.Withdrawal,
		Party: "merchant:" + string(shop), CallerRef: fmt.Sprintf("order-%d", n),
		Fingerprint: sha256.Sum256([]byte{byte(n)}), Merchant: shop, TID: "GAL00001", Kind: central.KindWithdrawal, Amount: 500_00,
		Aadhaar: "XXXXXXXX7058", IIN: "990326", Reference: central.Reference(fmt.Sprintf("GL261121%06d", n)), STAN: fmt.Sprintf("%06d", n),
		State: op.Received, Node: "central-1", NotAfter: at.Add(90 * time.Second), CreatedAt: at,
	}
	for _, c := range change {
		c(&o)
	}
	ctx := t.Context()
	if _, _, err := h.db.Create(ctx, o, nil); err != nil {
		t.Fatal(err)
	}
	err := h.db.MarkSent(ctx, central.SentUpdate{ID: o.ID, At: at, BankNotAfter: at.Add(15 * time.Second)})
	stuck := state == "stuck"
	if err == nil && (state == op.Pending || stuck) {
		_, err = h.db.MarkPending(ctx, central.PendingUpdate{ID: o.ID, At: at.Add(15 * time.Second), Reason: "no answer from the bank", Prefix: "AEPS-NR-", NextEnquiry: at.Add(20 * time.Second)})
	}
	if err == nil && stuck {
		err = h.db.PostponeEnquiry(ctx, o.ID, time.Now(), time.Now().Add(time.Minute), "the bank says it is in progress", true)
	}
	if err == nil && state.Final() {
		_, err = h.db.Finish(ctx, central.FinalOutcome{
			ID: o.ID, To: state, At: at.Add(time.Second), Reason: "the bank answered", Answer: central.BankAnswer{Code: "00", RRN: fmt.Sprintf("632510%06d", n)},
			HTTP: 200, Reply: []byte(`{"statusCode":"00","message":"SUCCESS"}`),
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	if o, err = h.db.Operation(ctx, o.ID); err != nil {
		t.Fatal(err)
	}
	return o
}

// noPayments is a network that is not asked, and a tariff without earnings.
type noPayments struct{}

func (noPayments) Payments(context.Context, central.PaymentQuery) (central.PaymentPage, error) {
	return central.PaymentPage{}, errors.New("the network is not asked")
}

func (noPayments) Earning(context.Context, central.Operation, central.BankAnswer, time.Time) (*central.Earning, error) {
	return nil, nil
}

// payment records a payment by UPI of ₹12.50 to the shop, as the network reports it.
func (h *harness) payment(t testing.TB, n int, change ...func(*central.ReceivedPayment)) payments.Payment {
	t.Helper()
	service, err := payments.New(payments.Config{
		Store: h.db, Network: noPayments{}, Tariff: noPayments{}, Limits: &limits.RuleSet{}, Handle: "gallabank", FingerprintKey: key("payments"), Node: "central-1",
		Logger: slog.New(slog.DiscardHandler), Notify: func(string) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := central.ReceivedPayment{
		ID: fmt.Sprintf("GSB%032X", n), RRN: fmt.Sprintf("633090%06d", n), Payee: "gal0000001@gallabank", Amount: 1250,
		At: time.Now().Add(-time.Minute).UTC().Truncate(time.Millisecond), PayerName: "R••••h K••••r", PayerVPA: "ra••••@okbank",
	}
	for _, c := range change {
		c(&r)
	}
	if err := service.Record(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	p, err := h.db.Payment(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// returned is the change of a payment that the bank returned.
func returned(r *central.ReceivedPayment) {
	r.Refund = &central.PaymentRefund{ID: "R" + r.ID[1:], RRN: "9" + r.RRN[1:], At: r.At.Add(30 * time.Second)}
}

// send makes the request of a form with a file; without a name there is none.
func (v *browser) send(path, field, name, content string, fields ...string) *http.Request {
	v.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	_ = w.WriteField("csrf", v.csrf)
	for i := 0; i < len(fields); i += 2 {
		_ = w.WriteField(fields[i], fields[i+1])
	}
	// A browser sends the field of a file that was not chosen, too.
	part, err := w.CreateFormFile(field, name)
	if err != nil {
		v.t.Fatal(err)
	}
	_, _ = io.WriteString(part, content)
	_ = w.Close()
	r := v.request(http.MethodPost, path, &b)
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Origin", v.h.server.URL)
	return r
}

// sends sends a form with a file and expects a status.
func (v *browser) sends(path string, status int, field, name, content string, fields ...string) string {
	v.t.Helper()
	reply, body := v.do(v.send(path, field, name, content, fields...))
	return v.wants(reply, body, status)
}
