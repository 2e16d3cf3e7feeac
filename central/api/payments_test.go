package api

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"galla/central"
	"galla/central/payments"
	"galla/shared/money"
	"galla/shared/op"
)

// fakePayments has the codes and payments of merchant 1.
type fakePayments struct {
	err   error
	codes []payments.Code
	list  []payments.Payment
	asked payments.Filter
}

func (f *fakePayments) AddCode(_ context.Context, c payments.Code) error {
	f.codes = append(f.codes, c)
	return f.err
}

func (f *fakePayments) Order(_ context.Context, m central.MerchantID, order string) (codes []payments.Code, list []payments.Payment, err error) {
	for _, c := range f.codes {
		if c.Merchant == m && c.Order == order {
			codes = append(codes, c)
		}
	}
	for _, p := range f.list {
		if p.Merchant == m && p.Order == order {
			list = append(list, p)
		}
	}
	return codes, list, f.err
}

func (f *fakePayments) List(_ context.Context, filter payments.Filter) ([]payments.Payment, error) {
	f.asked = filter
	return f.list[:min(len(f.list), filter.Limit)], f.err
}

func newPaymentFixture(t *testing.T) (*fixture, *fakePayments) {
	t.Helper()
	f := &fakePayments{}
	b, _ := newQRFixture(t, func(m *central.Merchant) { m.VPA = "lakshmi@galla" }, func(c *Config) { c.Payments = f })
	return b, f
}

func paid(order string, amount money.Paise, match payments.Match) payments.Payment {
	at := time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)
	return payments.Payment{
		ReceivedPayment: central.ReceivedPayment{ID: "AXI1", RRN: "633000000042", Payee: "lakshmi@galla", TR: order, Amount: amount, At: at, PayerName: "R••••h", PayerVPA: "ra••@okbank"},
		Merchant:        m1, Order: order, Match: match, RecordedAt: at.Add(time.Second),
	}
}

func returned(p payments.Payment) payments.Payment {
	p.Refund = &central.PaymentRefund{ID: "AXI2", RRN: "633000000043", At: p.At.Add(time.Hour)}
	return p
}

// TestDynamicCodesAreRecorded: a code with an amount can be told from others when it is
// paid; a static one needs no record.
func TestDynamicCodesAreRecorded(t *testing.T) {
	b, f := newPaymentFixture(t)
	expect(t, b.call(merchant1, op.GenerateQR, `{"order_id":"counter"}`), 200, "00")
	if len(f.codes) > 0 {
		t.Errorf("a static code was recorded: %+v", f.codes)
	}
	expect(t, b.call(merchant1, op.GenerateQR, `{"amount":12.5,"order_id":"बिल 17"}`), 200, "00")
	if len(f.codes) != 1 || f.codes[0].Order != "बिल 17" || f.codes[0].TR != upiReference("बिल 17") || f.codes[0].Amount != 1250 || f.codes[0].Merchant != m1 {
		t.Errorf("recorded as %+v", f.codes)
	}
	f.err = errors.New("the disk is full")
	expect(t, b.call(merchant1, op.GenerateQR, `{"amount":12.5,"order_id":"18"}`), 500, "500")
}

func TestOrderStatus(t *testing.T) {
	now := time.Now()
	fresh, old := payments.Code{Merchant: m1, TR: "o", Amount: 1250, Order: "o", MadeAt: now}, payments.Code{Merchant: m1, TR: "o", Amount: 1250, Order: "o", MadeAt: now.Add(-payments.CodeLife - time.Minute)}
	right, wrong := paid("o", 1250, payments.MatchOrder), paid("o", 1000, payments.MatchAmount)
	for _, c := range []struct {
		name     string
		codes    []payments.Code
		list     []payments.Payment
		status   string
		received string
	}{
		{"open", []payments.Code{fresh}, nil, orderOpen, "0.00"},
		{"expired", []payments.Code{old}, nil, orderExpired, "0.00"},
		{"paid", []payments.Code{fresh}, []payments.Payment{right}, orderPaid, "12.50"},
		{"paid late", []payments.Code{old}, []payments.Payment{paid("o", 1250, payments.MatchExpired)}, orderPaid, "12.50"},
		{"paid twice", []payments.Code{fresh}, []payments.Payment{right, right}, orderPaid, "25.00"},
		{"another amount", []payments.Code{fresh}, []payments.Payment{wrong}, orderAmountDiffers, "10.00"},
		{"both amounts", []payments.Code{fresh}, []payments.Payment{wrong, right, wrong}, orderPaid, "32.50"},
		{"returned", []payments.Code{fresh}, []payments.Payment{returned(right)}, orderReturned, "0.00"},
		{"returned and paid", []payments.Code{fresh}, []payments.Payment{returned(right), right}, orderPaid, "12.50"},
		{"paid and returned", []payments.Code{fresh}, []payments.Payment{right, returned(right)}, orderPaid, "12.50"},
	} {
		b, f := newPaymentFixture(t)
		f.codes, f.list = c.codes, c.list
		data := expect(t, b.call(merchant1, op.UPIStatus, `{"order_id":"o"}`), 200, "00").fields()
		if data["status"] != c.status || data["received"] != c.received || data["amount"] != "12.50" || len(data["payments"].([]any)) != len(c.list) {
			t.Errorf("%s: %v", c.name, data)
		}
	}
	b, f := newPaymentFixture(t)
	expect(t, b.call(merchant1, op.UPIStatus, `{"order_id":"none"}`), 404, "04")
	expect(t, b.call(merchant1, op.UPIStatus, `{}`), 400, "02")
	f.err = errors.New("the disk is full")
	expect(t, b.call(merchant1, op.UPIStatus, `{"order_id":"o"}`), 500, "500")
	expect(t, b.call(vendor1, op.UPIStatus, `{"order_id":"o"}`), 403, "01")
}

func listCall(b *fixture, p central.Principal, query map[string]string) central.Reply {
	route, _ := op.Find(op.UPIPayments)
	return b.Handle(context.Background(), central.Request{Principal: p, Route: route, Query: query, RequestID: "req-1"})
}

func TestListPayments(t *testing.T) {
	b, f := newPaymentFixture(t)
	f.list = []payments.Payment{paid("o", 1250, payments.MatchOrder), returned(paid("o", 1250, payments.MatchOrder))}
	list := func(query map[string]string) (reply struct {
		Data []payments.Data `json:"data"`
		Next string          `json:"next"`
	}) {
		t.Helper()
		r := listCall(b, merchant1, query)
		expect(t, r, 200, "00")
		if err := json.Unmarshal(r.Body, &reply); err != nil {
			t.Fatal(err)
		}
		return reply
	}
	if got := list(map[string]string{"from": "2026-11-26", "to": "2026-11-26"}); len(got.Data) != 2 || got.Next != "" || got.Data[0] != payments.DataOf(f.list[0]) || got.Data[1].Status != payments.StatusReturned {
		t.Errorf("listed %+v", got)
	}
	if f.asked.Merchant != m1 || f.asked.From.UTC().Format(time.RFC3339) != "2026-11-25T18:30:00Z" || f.asked.To.Sub(f.asked.From) != 24*time.Hour {
		t.Errorf("asked %+v", f.asked)
	}
	if got := list(map[string]string{"limit": "1", "after": "AXI9"}); len(got.Data) != 1 || got.Next != "AXI1" || f.asked.After != "AXI9" {
		t.Errorf("listed %+v, asked %+v", got, f.asked)
	}
	f.err = payments.ErrAfter
	expect(t, listCall(b, merchant1, map[string]string{"after": "AXI9"}), 400, "02")
	expect(t, listCall(b, vendor1, map[string]string{}), 403, "01")
	expect(t, listCall(b, merchant1, map[string]string{"from": "yesterday"}), 400, "02")
}

func TestGoldenPayments(t *testing.T) {
	b, f := newPaymentFixture(t)
	f.codes = []payments.Code{{Merchant: m1, TR: "o", Amount: 1250, Order: "o", MadeAt: time.Date(2126, 11, 26, 9, 0, 0, 0, time.UTC)}}
	golden(t, "upi-order-open", b.call(merchant1, op.UPIStatus, `{"order_id":"o"}`))
	f.list = []payments.Payment{paid("o", 1250, payments.MatchOrder), returned(paid("o", 1250, payments.MatchOrder))}
	golden(t, "upi-order-paid", b.call(merchant1, op.UPIStatus, `{"order_id":"o"}`))
	golden(t, "upi-order-absent", b.call(merchant1, op.UPIStatus, `{"order_id":"none"}`))
	golden(t, "upi-payments", listCall(b, merchant1, map[string]string{"limit": "1"}))
}

// TestWithoutPayments: the routes do not exist where nothing records payments.
func TestWithoutPayments(t *testing.T) {
	b, _ := newQRFixture(t, nil)
	expect(t, b.call(merchant1, op.UPIStatus, `{"order_id":"o"}`), 404, "04")
	expect(t, listCall(b, merchant1, map[string]string{}), 404, "04")
}
