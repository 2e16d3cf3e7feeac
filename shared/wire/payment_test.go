package wire

import (
	"errors"
	"testing"
)

func TestPayment(t *testing.T) {
	want := Payment{ID: "AXI1", RRN: "633000000042", VPA: "shop@galla", Order: "Order 1", Amount: 1250, Match: "order", PayerName: "R••••h", PaidAt: 1, RecordedAt: 2, ReturnedAt: 3, Received: "0190e000-0000-7000-8000-000000000001"}
	data, err := EncodePayment(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := DecodePayment(data); err != nil || got != want {
		t.Errorf("%s came back as %+v, %v", data, got, err)
	}
	for _, c := range []struct {
		data string
		want error
	}{
		{`{"id":"A","amountPaise":1,"paidAt":1,"recordedAt":1,"newer":true}`, nil},
		{`{"id":"","amountPaise":1,"paidAt":1,"recordedAt":1}`, ErrField},
		{`{"id":"A","amountPaise":0,"paidAt":1,"recordedAt":1}`, ErrField},
		{`{"id":"A","amountPaise":1,"recordedAt":1}`, ErrField},
		{`{"id":"A","amountPaise":1,"paidAt":1}`, ErrField},
		{`{"id":"A","id":"B","amountPaise":1,"paidAt":1,"recordedAt":1}`, ErrSyntax},
		{`[]`, ErrSyntax},
		{`{`, ErrSyntax},
	} {
		if _, err := DecodePayment([]byte(c.data)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.data, err)
		}
	}
}

func FuzzDecodePayment(f *testing.F) {
	f.Add([]byte(`{"id":"A","rrn":"633000000042","amountPaise":1,"paidAt":1,"recordedAt":1,"returnedAt":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := DecodePayment(data)
		if err != nil {
			return
		}
		again, err := EncodePayment(p)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := DecodePayment(again); err != nil || back != p {
			t.Fatalf("%s came back as %+v, %v", again, back, err)
		}
	})
}
