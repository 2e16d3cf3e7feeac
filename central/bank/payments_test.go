package bank

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/central/bank/network"
	"galla/shared/secret"
)

func networkPayment(id string) network.Payment {
	return network.Payment{
		ID: id, RRN: "633000000042", Payee: "shop@galla", TR: "order-1", Amount: 1250, At: time.UnixMilli(1_795_000_000_123), PayerName: "R••••h", PayerVPA: "ra••@okbank",
		Refund: &network.PaymentRefund{ID: id + "R", RRN: "633000000043", At: time.UnixMilli(1_795_000_060_000)},
	}
}

func centralPayment(id string) central.ReceivedPayment {
	return central.ReceivedPayment{
		ID: id, RRN: "633000000042", Payee: "shop@galla", TR: "order-1", Amount: 1250, At: time.UnixMilli(1_795_000_000_123).UTC(), PayerName: "R••••h", PayerVPA: "ra••@okbank",
		Refund: &central.PaymentRefund{ID: id + "R", RRN: "633000000043", At: time.UnixMilli(1_795_000_060_000).UTC()},
	}
}

func samePayments(a, b central.ReceivedPayment) bool {
	refunds := a.Refund != nil && b.Refund != nil && *a.Refund == *b.Refund
	a.Refund, b.Refund = nil, nil
	return refunds && a == b
}

// paymentNetwork serves the network's route of payments: change may alter the answer, its
// status and the reference that its checksum binds.
func paymentNetwork(t *testing.T, change func(a *network.Payments, status *int, bound *string)) (*Client, *[]network.PaymentQuery) {
	t.Helper()
	sums := network.NewChecksums(testKey())
	var asked []network.PaymentQuery
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != network.PathPayments || !sums.IsRequest(r.Header.Get(network.HeaderChecksum), r.Method, r.URL.Path, body) {
			t.Errorf("%s %s, %v: not a query with a right checksum", r.Method, r.URL.Path, err)
		}
		q, err := network.DecodePaymentQuery(body)
		if err != nil || q.InvalidMembers() != nil {
			t.Errorf("query %+v: %v, %v", q, err, q.InvalidMembers())
		}
		asked = append(asked, q)
		a, status, bound := network.Payments{Reference: q.Reference, Payments: []network.Payment{networkPayment("AXI1"), networkPayment("AXI2")}, Next: "2"}, http.StatusOK, q.Reference
		if change != nil {
			change(&a, &status, &bound)
		}
		reply, err := network.EncodePayments(a)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set(network.HeaderChecksum, string(sums.AppendReply(nil, status, bound, reply)))
		w.WriteHeader(status)
		_, _ = w.Write(reply)
	}))
	t.Cleanup(server.Close)
	c := newClient(t, Config{BaseURL: server.URL})
	t.Cleanup(c.Close)
	return c, &asked
}

func TestPayments(t *testing.T) {
	c, asked := paymentNetwork(t, nil)
	from := time.UnixMilli(1_795_000_000_000)
	for _, q := range []central.PaymentQuery{
		{Payee: "shop@galla", TR: "order-1"}, {RRN: "633000000042"}, {From: from, To: from.Add(time.Hour)}, {From: from, To: from.Add(time.Hour), After: "2"},
	} {
		page, err := c.Payments(t.Context(), q)
		if err != nil || page.Next != "2" || len(page.Payments) != 2 || !samePayments(page.Payments[0], centralPayment("AXI1")) || !samePayments(page.Payments[1], centralPayment("AXI2")) {
			t.Errorf("%+v: %+v, %v", q, page, err)
		}
		last := (*asked)[len(*asked)-1]
		if last.Payee != q.Payee || last.TR != q.TR || last.RRN != q.RRN || !last.From.Equal(q.From) || !last.To.Equal(q.To) || last.After != q.After {
			t.Errorf("%+v was asked as %+v", q, last)
		}
	}
	if _, err := c.Payments(t.Context(), central.PaymentQuery{}); err == nil || len(*asked) != 4 {
		t.Errorf("an empty query: %v", err)
	}
}

func TestPaymentsRefusesBadReplies(t *testing.T) {
	for name, change := range map[string]func(a *network.Payments, status *int, bound *string){
		"another query's":  func(a *network.Payments, _ *int, bound *string) { a.Reference, *bound = "UPI-OTHER", "UPI-OTHER" },
		"another's inside": func(a *network.Payments, _ *int, _ *string) { a.Reference = "UPI-OTHER" },
		"an error":         func(_ *network.Payments, status *int, _ *string) { *status = http.StatusServiceUnavailable },
		"a bad payment":    func(a *network.Payments, _ *int, _ *string) { a.Payments[1].RRN = "1" },
	} {
		c, _ := paymentNetwork(t, change)
		if page, err := c.Payments(t.Context(), central.PaymentQuery{RRN: "633000000042"}); err == nil || len(page.Payments) > 0 {
			t.Errorf("%s: %+v, %v", name, page, err)
		}
	}
}

// recorder records what it is told.
type recorder struct {
	err  error
	told []central.ReceivedPayment
}

func (r *recorder) Record(_ context.Context, p central.ReceivedPayment) error {
	r.told = append(r.told, p)
	return r.err
}

func TestNotifications(t *testing.T) {
	sums := network.NewChecksums(testKey())
	good, err := network.EncodePayment(networkPayment("AXI1"))
	if err != nil {
		t.Fatal(err)
	}
	invalid, err := network.EncodePayment(network.Payment{ID: "AXI1", RRN: "x", At: time.UnixMilli(1)})
	if err != nil {
		t.Fatal(err)
	}
	sum := func(body []byte) []string {
		return []string{string(sums.AppendNotification(nil, network.PathNotifications, body))}
	}
	changed := func(change func(*network.Payment)) []byte {
		p := networkPayment("AXI1")
		change(&p)
		body, err := network.EncodePayment(p)
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	dearer := changed(func(p *network.Payment) { p.Amount *= 100 })
	another := changed(func(p *network.Payment) { p.Payee = "other@galla" })
	kept := changed(func(p *network.Payment) { p.Refund = nil })
	otherKey := network.NewChecksums(secret.NewKey([]byte("another key, that nobody here has")[:32]))
	for _, c := range []struct {
		name, method, path string
		body               []byte
		sums               []string
		err                error
		want               int
		says               string
		told               int
	}{
		{"recorded", "POST", network.PathNotifications, good, sum(good), nil, 200, `{"id":"AXI1"}`, 1},
		{"recorded otherwise", "POST", network.PathNotifications, good, sum(good), central.ErrState, 409, "other values", 1},
		{"not recorded", "POST", network.PathNotifications, good, sum(good), errors.New("canary"), 503, "report it again", 1},
		{"wrong checksum", "POST", network.PathNotifications, good, sum([]byte("{}")), nil, 401, "checksum", 0},
		{"no checksum", "POST", network.PathNotifications, good, nil, nil, 401, "checksum", 0},
		{"two checksums", "POST", network.PathNotifications, good, append(sum(good), sum(good)...), nil, 401, "checksum", 0},
		{"another key's checksum", "POST", network.PathNotifications, good, []string{string(otherKey.AppendNotification(nil, network.PathNotifications, good))}, nil, 401, "checksum", 0},
		{"a replay with another amount", "POST", network.PathNotifications, dearer, sum(good), nil, 401, "checksum", 0},
		{"a replay with another payee", "POST", network.PathNotifications, another, sum(good), nil, 401, "checksum", 0},
		{"a replay without its return", "POST", network.PathNotifications, kept, sum(good), nil, 401, "checksum", 0},
		{"a replay with a space more", "POST", network.PathNotifications, append(slices.Clone(good), ' '), sum(good), nil, 401, "checksum", 0},
		{"a reply's checksum", "POST", network.PathNotifications, good, []string{string(sums.AppendReply(nil, 200, "AXI1", good))}, nil, 401, "checksum", 0},
		{"a request's checksum", "POST", network.PathNotifications, good, []string{network.RequestChecksum(testKey(), "POST", network.PathNotifications, good)}, nil, 401, "checksum", 0},
		{"not JSON", "POST", network.PathNotifications, []byte("x"), sum([]byte("x")), nil, 400, "not JSON", 0},
		{"invalid", "POST", network.PathNotifications, invalid, sum(invalid), nil, 400, "rrn, payee, amountPaise", 0},
		{"too large", "POST", network.PathNotifications, make([]byte, network.MaxNotification+1), nil, nil, 413, "too large", 0},
		{"GET", "GET", network.PathNotifications, nil, nil, nil, 405, "only POST", 0},
		{"another path", "POST", "/network/other", good, sum(good), nil, 404, "no such route", 0},
	} {
		told := &recorder{err: c.err}
		var log strings.Builder
		n, err := NewNotifications(testKey(), told, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(c.method, c.path, strings.NewReader(string(c.body)))
		r.Header[network.HeaderChecksum] = c.sums
		w := httptest.NewRecorder()
		n.ServeHTTP(w, r)
		about := ""
		if c.want == 200 {
			about = "AXI1"
		}
		if w.Code != c.want || !strings.Contains(w.Body.String(), c.says) || len(told.told) != c.told || !sums.IsReply(w.Header().Get(network.HeaderChecksum), w.Code, about, w.Body.Bytes()) {
			t.Errorf("%s: %d %s, recorded %d", c.name, w.Code, w.Body, len(told.told))
		}
		if c.told > 0 && !samePayments(told.told[0], centralPayment("AXI1")) {
			t.Errorf("%s: recorded as %+v", c.name, told.told[0])
		}
		if strings.Contains(w.Body.String(), "canary") || slices.ContainsFunc([]string{"okbank", "R••••h"}, func(text string) bool { return strings.Contains(log.String(), text) }) {
			t.Errorf("%s: said %s, logged %s", c.name, w.Body, log.String())
		}
	}
}

func FuzzNotification(f *testing.F) {
	good, _ := network.EncodePayment(networkPayment("AXI1"))
	f.Add(good)
	f.Add([]byte(`{"id":"A","rrn":"633000000042","payee":"a@b","amountPaise":1,"at":1}`))
	sums := network.NewChecksums(testKey())
	f.Fuzz(func(t *testing.T, body []byte) {
		told := &recorder{}
		n, err := NewNotifications(testKey(), told, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("POST", network.PathNotifications, strings.NewReader(string(body)))
		r.Header.Set(network.HeaderChecksum, string(sums.AppendNotification(nil, network.PathNotifications, body)))
		w := httptest.NewRecorder()
		n.ServeHTTP(w, r)
		if (w.Code == 200) != (len(told.told) == 1) || w.Code >= 500 {
			t.Fatalf("answered %d, recorded %d", w.Code, len(told.told))
		}
	})
}
