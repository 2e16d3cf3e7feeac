package network

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"galla/shared/money"
	"galla/shared/secret"
)

func aPayment() Payment {
	return Payment{
		ID: "AXI7F0C2B9D4E5A4C1F8A0B1C2D3E4F5A6B", RRN: "633000000042", Payee: "gal0000001@gallabank", TR: "order-17", Amount: 1250,
		At: time.UnixMilli(1795000000123), PayerName: "R••••h K•••r", PayerVPA: "ra••••@okbank",
	}
}

func TestAPaymentComesBackAsItWas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Payment{
			ID: rapid.String().Draw(t, "id"), RRN: rapid.String().Draw(t, "rrn"), Payee: rapid.String().Draw(t, "payee"), TR: rapid.String().Draw(t, "tr"),
			Amount: money.Paise(rapid.Int64().Draw(t, "amount")), At: time.UnixMilli(rapid.Int64Range(0, 1<<50).Draw(t, "at")),
			PayerName: rapid.String().Draw(t, "name"), PayerVPA: rapid.String().Draw(t, "vpa"),
		}
		if rapid.Bool().Draw(t, "refunded") {
			p.Refund = &PaymentRefund{rapid.String().Draw(t, "refund"), rapid.String().Draw(t, "refund rrn"), time.UnixMilli(rapid.Int64Range(0, 1<<50).Draw(t, "refund at"))}
		}
		b, err := EncodePayment(p)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := DecodePayment(b); err != nil || !reflect.DeepEqual(back, p) {
			t.Fatalf("%s came back as %+v, %v", b, back, err)
		}
		list := Payments{Reference: "UPI-1", Payments: []Payment{p, aPayment()}, Next: rapid.String().Draw(t, "next")}
		if b, err = EncodePayments(list); err != nil {
			t.Fatal(err)
		}
		if back, err := DecodePayments(b); err != nil || !reflect.DeepEqual(back, list) {
			t.Fatalf("%s came back as %+v, %v", b, back, err)
		}
	})
}

func TestPaymentMembers(t *testing.T) {
	ok := aPayment()
	ok.Refund = &PaymentRefund{"AXI8", "633000000043", time.UnixMilli(1795000009000)}
	static := aPayment()
	static.TR, static.PayerName, static.PayerVPA = "", "", ""
	for _, p := range []Payment{ok, static} {
		if faults := p.InvalidMembers(); faults != nil {
			t.Errorf("%+v: %v", p, faults)
		}
	}
	for _, c := range []struct {
		change func(*Payment)
		want   []string
	}{
		{func(p *Payment) { p.ID = "" }, []string{"id"}},
		{func(p *Payment) { p.ID = strings.Repeat("A", 36) }, []string{"id"}},
		{func(p *Payment) { p.ID = "axi1" }, []string{"id"}},
		{func(p *Payment) { p.ID = "A-1" }, []string{"id"}},
		{func(p *Payment) { p.RRN = "63300000004" }, []string{"rrn"}},
		{func(p *Payment) { p.Payee = "shop" }, []string{"payee"}},
		{func(p *Payment) { p.Payee = "a@b@c" }, []string{"payee"}},
		{func(p *Payment) { p.TR = "with space" }, []string{"tr"}},
		{func(p *Payment) { p.Amount = 0 }, []string{"amountPaise"}},
		{func(p *Payment) { p.Amount = money.Max + 1 }, []string{"amountPaise"}},
		{func(p *Payment) { p.At = time.UnixMilli(0) }, []string{"at"}},
		{func(p *Payment) { p.PayerName = strings.Repeat("x", 401) }, []string{"payerName"}},
		{func(p *Payment) { p.PayerVPA = strings.Repeat("x", 401) }, []string{"payerVPA"}},
		{func(p *Payment) { p.Refund = &PaymentRefund{p.ID, "1", time.UnixMilli(0)} }, []string{"refund.id", "refund.rrn", "refund.at"}},
	} {
		p := aPayment()
		c.change(&p)
		if got := p.InvalidMembers(); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", p, got, c.want)
		}
	}
}

func TestPaymentQueryMembers(t *testing.T) {
	day := time.UnixMilli(1795000000000)
	for _, c := range []struct {
		query PaymentQuery
		want  []string
	}{
		{PaymentQuery{Reference: "UPI-1", Payee: "a@b", TR: "order-1", Limit: 1}, nil},
		{PaymentQuery{Reference: "UPI-1", RRN: "633000000042", Limit: 500}, nil},
		{PaymentQuery{Reference: "UPI-1", From: day, To: day.Add(time.Hour), After: "17", Limit: 500}, nil},
		{PaymentQuery{Reference: "upi 1", Limit: 501}, []string{"reference", "query", "limit"}},
		{PaymentQuery{Reference: "UPI-1", Payee: "a@b", RRN: "633000000042", Limit: 1}, []string{"tr", "query"}},
		{PaymentQuery{Reference: "UPI-1", From: day, To: day, Limit: 1}, []string{"to"}},
		{PaymentQuery{Reference: "UPI-1", RRN: "633000000042", After: "17", Limit: 1}, []string{"after"}},
	} {
		if got := c.query.InvalidMembers(); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.query, got, c.want)
		}
		b, err := EncodePaymentQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := DecodePaymentQuery(b); err != nil || !reflect.DeepEqual(back, c.query) {
			t.Errorf("%s came back as %+v, %v", b, back, err)
		}
	}
}

// A checksum of one kind of message never passes for another.
func TestANotificationIsNoRequest(t *testing.T) {
	sums := NewChecksums(secret.NewKey(make([]byte, 32)))
	body := []byte("{}")
	sum := string(sums.AppendNotification(nil, PathNotifications, body))
	if !sums.IsNotification(sum, PathNotifications, body) {
		t.Error("a notification's checksum is refused")
	}
	if sums.IsNotification(sum, PathNotifications, []byte("{ }")) || sums.IsNotification(sum, "/other", body) ||
		sums.IsRequest(sum, "POST", PathNotifications, body) || sums.IsReply(sum, 200, "", body) {
		t.Error("a notification's checksum passes for another message")
	}
	request := string(sums.AppendRequest(nil, "POST", PathNotifications, body))
	if sums.IsNotification(request, PathNotifications, body) {
		t.Error("a request's checksum passes for a notification")
	}
}

func FuzzDecodePayment(f *testing.F) {
	ok, _ := EncodePayment(aPayment())
	f.Add(ok)
	f.Add([]byte(`{"id":"A1","rrn":"633000000042","payee":"a@b","amountPaise":1,"at":1,"refund":{"id":"A2","rrn":"633000000043","at":2}}`))
	f.Add([]byte(`{"id":null,"amountPaise":1e400}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := DecodePayment(b)
		if err != nil || p.InvalidMembers() != nil {
			return
		}
		again, err := EncodePayment(p)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := DecodePayment(again); err != nil || !reflect.DeepEqual(back, p) {
			t.Fatalf("%s came back as %+v, %v", again, back, err)
		}
	})
}

func FuzzDecodePaymentQuery(f *testing.F) {
	ok, _ := EncodePaymentQuery(PaymentQuery{Reference: "UPI-1", Payee: "a@b", TR: "order-1", Limit: 1})
	f.Add(ok)
	f.Fuzz(func(t *testing.T, b []byte) {
		q, err := DecodePaymentQuery(b)
		if err != nil || q.InvalidMembers() != nil {
			return
		}
		again, err := EncodePaymentQuery(q)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := DecodePaymentQuery(again); err != nil || !reflect.DeepEqual(back, q) {
			t.Fatalf("%s came back as %+v, %v", again, back, err)
		}
	})
}

func FuzzDecodePayments(f *testing.F) {
	ok, _ := EncodePayments(Payments{Reference: "UPI-1", Payments: []Payment{aPayment()}, Next: "2"})
	f.Add(ok)
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := DecodePayments(b)
		if err != nil {
			return
		}
		again, err := EncodePayments(a)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := DecodePayments(again); err != nil || !reflect.DeepEqual(back, a) {
			t.Fatalf("%s came back as %+v, %v", again, back, err)
		}
	})
}
