package contract

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"galla/central/bank/network"
	"galla/shared/money"
	"galla/shared/seal"
	"galla/shared/secret"
)

// paid is a payment as the sandbox bank answers it.
type paid struct {
	ID          string      `json:"id"`
	RRN         string      `json:"rrn"`
	Payee       string      `json:"payee"`
	TR          string      `json:"tr"`
	AmountPaise money.Paise `json:"amountPaise"`
	At          time.Time   `json:"at"`
	PayerName   string      `json:"payerName"`
	PayerVPA    string      `json:"payerVPA"`
}

// report is the payment as the network reports it, changed.
func (p paid) report(t *testing.T, change func(*network.Payment)) []byte {
	t.Helper()
	r := network.Payment{ID: p.ID, RRN: p.RRN, Payee: p.Payee, TR: p.TR, Amount: p.AmountPaise, At: p.At, PayerName: p.PayerName, PayerVPA: p.PayerVPA}
	if change != nil {
		change(&r)
	}
	body, err := network.EncodePayment(r)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// pay has somebody pay by UPI, or the bank return a payment.
func (h *system) pay(t *testing.T, path string, body fields) paid {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := h.http.Post(h.bank+"/control/upi/"+path, "application/json", bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var p paid
	if err := json.NewDecoder(resp.Body).Decode(&p); err != nil || resp.StatusCode != http.StatusOK || p.ID == "" {
		t.Fatalf("%s %s: HTTP %d, %+v, %v", path, text, resp.StatusCode, p, err)
	}
	return p
}

// order is the state of an order.
func (h *system) order(t *testing.T, order string) fields {
	t.Helper()
	return h.call(t, m1, "POST", "/upi/txn/v1/status", fields{"order_id": order}).is(200, "00").data()
}

// TestPayments pays a shop by UPI in all ways, and reads what the merchant is told.
func TestPayments(t *testing.T) {
	h := running
	order := h.ref("upi")
	code := h.call(t, m1, "POST", "/upi/txn/v1/GenerateQR", fields{"amount": 12.5, "order_id": order}).is(200, "00").data()
	link, vpa := text(t, code, "upiLink"), text(t, code, "vpa")
	if got := h.order(t, order); got["status"] != "OPEN" || got["received"] != "0.00" {
		t.Errorf("before it is paid: %v", got)
	}
	status := func(want, received string) func() bool {
		return func() bool {
			got := h.order(t, order)
			return got["status"] == want && got["received"] == received
		}
	}
	h.pay(t, "pay", fields{"upiLink": link, "amount": 10, "notify": fields{"checksum": "wrong-once"}})
	eventually(t, "another amount is told apart, after a notification with a wrong checksum", status("AMOUNT_DIFFERS", "10.00"))
	first := h.pay(t, "pay", fields{"upiLink": link, "notify": fields{"times": 3}, "payer": fields{"name": "Ramesh Kumar", "vpa": "ramesh@okbank"}})
	eventually(t, "it is paid", status("PAID", "22.50"))
	h.pay(t, "pay", fields{"upiLink": link})
	eventually(t, "a second payment is shown, too", status("PAID", "35.00"))
	list := h.order(t, order)["payments"].([]any)
	if len(list) != 3 {
		t.Fatalf("the order has %d payments: %v", len(list), list)
	}
	if p := list[1].(fields); p["id"] != first.ID || p["RRN"] != first.RRN || p["match"] != "order" || p["payerVPA"] == "ramesh@okbank" || p["payerName"] == "Ramesh Kumar" {
		t.Errorf("the payment is %v", p)
	}
	h.pay(t, "refund", fields{"id": first.ID})
	eventually(t, "a returned payment does not count", status("PAID", "22.50"))

	static := h.pay(t, "pay", fields{"vpa": vpa, "amount": "7.25"})
	nobodys := h.pay(t, "pay", fields{"vpa": "nobody@gallabank", "amount": 1})
	eventually(t, "a static payment is listed", func() bool {
		for _, p := range h.call(t, m1, "GET", "/upi/txn/v1/payments", nil).is(200, "00").list() {
			if p["id"] == nobodys.ID {
				t.Error("a payment to an unknown VPA is listed")
			}
			if p["id"] == static.ID {
				return p["match"] == "static" && p["amount"] == "7.25"
			}
		}
		return false
	})
	h.call(t, m1, "GET", "/upi/txn/v1/payments?limit=1&after="+url.QueryEscape(static.ID), nil).is(200, "00").list()
	h.call(t, m1, "GET", "/upi/txn/v1/payments?after=UNKNOWN", nil).is(400, "02")
	h.call(t, m1, "POST", "/upi/txn/v1/status", fields{"order_id": "never made"}).is(404, "04")
	received := h.call(t, v1, "GET", "/vendor/operations?type=UPI_PAYMENT&merchant="+merchant1, nil).is(200, "00").list()
	if p := received[0]; p["reference"] != static.ID || p["amount"] != "7.25" || p["route"] != "NETWORK upi.received" || p["status"] != "succeeded" || p["type"] != "UPI_PAYMENT" {
		t.Errorf("the vendor's newest payment is %v", p)
	}
	if back := h.call(t, v1, "GET", "/vendor/operations?type=UPI_REFUND", nil).is(200, "00").list(); len(back) == 0 || back[0]["amount"] != "12.50" {
		t.Errorf("the vendor's returned payments are %v", back)
	}
	h.call(t, v1, "POST", "/upi/txn/v1/status", fields{"order_id": order}).is(403, "01")
	h.call(t, v1, "GET", "/upi/txn/v1/payments", nil).is(403, "01")
	if other := h.call(t, m2, "POST", "/upi/txn/v1/status", fields{"order_id": order}); other.http != 404 && other.http != 412 && other.http != 403 {
		t.Errorf("another merchant's order: HTTP %d", other.http)
	}
}

// notify reports something to the central, with the checksum of a report, and gives the
// status.
func (h *system) notify(t *testing.T, sums network.Checksums, body, of []byte) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.central+network.PathNotifications, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(network.HeaderChecksum, string(sums.AppendNotification(nil, network.PathNotifications, of)))
	resp, err := h.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// TestForgedPayments: what the network did not sign changes nothing, and neither does what it
// signed once and is reported again, whatever was recorded since.
func TestForgedPayments(t *testing.T) {
	h := running
	key, err := seal.ReadKeyFile(filepath.Join(h.cfg.Data, "keys", "bank-network.key"))
	if err != nil {
		t.Fatal(err)
	}
	foreign := make([]byte, 32)
	_, _ = rand.Read(foreign) // it never fails
	ours, forger := network.NewChecksums(key), network.NewChecksums(secret.NewKey(foreign))
	order := h.ref("forged")
	link := text(t, h.call(t, m1, "POST", "/upi/txn/v1/GenerateQR", fields{"amount": 12.5, "order_id": order}).is(200, "00").data(), "upiLink")
	p := h.pay(t, "pay", fields{"upiLink": link, "notify": fields{"never": true}}) // the test is the network
	genuine := p.report(t, nil)
	returned := func(r *network.Payment) {
		r.Refund = &network.PaymentRefund{ID: "FORGED" + strings.ToUpper(r.ID[:20]), RRN: "999999999999", At: r.At.Add(time.Minute)}
	}
	is := func(what, status, received string) {
		t.Helper()
		got := h.order(t, order)
		if got["status"] != status || got["received"] != received {
			t.Errorf("%s: the order is %v, %v received", what, got["status"], got["received"])
		}
	}
	dearer := p.report(t, func(r *network.Payment) { r.Amount *= 100 })
	for name, forged := range map[string]struct {
		sums     network.Checksums
		body, of []byte
	}{
		"another key":            {forger, genuine, genuine},
		"another amount":         {ours, dearer, genuine},
		"another key and amount": {forger, dearer, dearer},
		"another payee":          {ours, p.report(t, func(r *network.Payment) { r.Payee = "gal0000003@galla" }), genuine},
		"a return of nothing":    {ours, p.report(t, returned), genuine},
	} {
		if got := h.notify(t, forged.sums, forged.body, forged.of); got != http.StatusUnauthorized {
			t.Errorf("%s: HTTP %d", name, got)
		}
		is(name, "OPEN", "0.00")
	}
	for range 2 {
		if got := h.notify(t, ours, genuine, genuine); got != http.StatusOK {
			t.Errorf("the network's own report: HTTP %d", got)
		}
		is("the network's own report", "PAID", "12.50")
	}
	if got := h.notify(t, ours, dearer, dearer); got != http.StatusConflict {
		t.Errorf("another amount of the network's own: HTTP %d", got)
	}
	is("another amount of the network's own", "PAID", "12.50")
	h.pay(t, "refund", fields{"id": p.ID})
	eventually(t, "it is returned", func() bool { return h.order(t, order)["status"] == "RETURNED" })
	if got := h.notify(t, ours, genuine, genuine); got != http.StatusOK {
		t.Errorf("the report before the return: HTTP %d", got)
	}
	is("the report before the return", "RETURNED", "0.00")
	if got := h.notify(t, ours, p.report(t, returned), p.report(t, returned)); got != http.StatusConflict {
		t.Errorf("another return of the network's own: HTTP %d", got)
	}
	if list := h.order(t, order)["payments"].([]any); len(list) != 1 {
		t.Errorf("the order has %d payments: %v", len(list), list)
	}
}
