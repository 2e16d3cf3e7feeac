package cashbook_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"slices"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

// TestOneCash: the day's sums, its closing, its file and its charts agree about the
// drawer, over days on which cash moved later than the operation was created.
func TestOneCash(t *testing.T) {
	s := newShop(t)
	const sent, refused = `{"statusCode":"00","data":{"transactionId":"T1","amount":1000}}`, `{"statusCode":"55","data":{"transactionId":"T2"}}`
	unanswered := s.addRecord(edge.Record{Route: op.Withdrawal, CreatedAt: november(21, 9, 0), Amount: 700_00, State: op.Succeeded})
	kept := s.addRecord(edge.Record{Route: op.Transfer, CreatedAt: november(20, 11, 0), Amount: 300_00, Charge: 10_00, State: op.NotSent, CashKept: true})
	asked := map[ist.Day][]op.ID{"2026-11-20": {kept}, today: {unanswered}}
	for _, r := range []edge.Record{
		{Route: op.Withdrawal, CreatedAt: november(20, 23, 59), Amount: 500_00, State: op.Succeeded, CashGivenAt: november(21, 0, 1)},
		{Route: op.Withdrawal, CreatedAt: november(21, 9, 5), Amount: 900_00, State: op.Reversed},
		{Route: op.Purchase, CreatedAt: november(21, 9, 10), Amount: 800_00, State: op.Succeeded},
		{Route: op.Transfer, CreatedAt: november(21, 10, 0), Amount: 2500_00, Charge: 25_00, State: op.Failed, Reply: []byte(refused)},
		{Route: op.Transfer, CreatedAt: november(21, 10, 1), Amount: 2500_00, Charge: 25_00, State: op.Succeeded, Reply: []byte(sent)},
		{Route: op.Transfer, CreatedAt: november(20, 10, 0), Amount: 1000_00, Charge: 10_00, State: op.Failed, CashKept: true, CashGivenAt: november(21, 18, 0)},
		{Route: op.Transfer, CreatedAt: november(20, 12, 0), Amount: 400_00, Charge: 10_00, State: op.Reversed, RefundedAt: november(21, 12, 0)},
		{Route: op.Refund, CreatedAt: november(21, 12, 0), Amount: 400_00, Charge: 10_00, State: op.Succeeded},
		{Route: op.RemitterRegister, Class: op.Record, CreatedAt: november(21, 13, 0), State: op.Succeeded, Result: edge.Result{StatusCode: "00"},
			Reply: []byte(`{"statusCode":"00","data":{"registrationFeeCharged":10}}`)},
	} {
		s.addRecord(r)
	}
	for _, c := range []struct {
		day  ist.Day
		want money.Paise
	}{{"2026-11-20", 1010_00 + 310_00 + 410_00}, {today, 2525_00 + 10_00 - 500_00 - 700_00 - 1010_00 - 410_00}} {
		day, want := c.day, c.want
		k := s.summarize(day)
		if k.Expected != want || len(k.CashToReturn) != 1 {
			t.Errorf("%s: the drawer is expected to hold %s of %+v, want %s; %d are due", day, k.Expected, k.Lines, want, len(k.CashToReturn))
		}
		var asking *cashbook.UnansweredCashError
		if _, err := s.book.Close(day, "Fatima", nil, "counted nothing", nil); !errors.As(err, &asking) || !slices.Equal(asking.IDs, asked[day]) {
			t.Errorf("%s is closed while it asks about %v: %v", day, asked[day], err)
		}
		for _, id := range asked[day] {
			s.answer(id, map[bool]time.Time{true: november(21, 19, 0)}[id == unanswered])
		}
		c, err := s.book.Close(day, "Fatima", nil, "counted nothing", nil)
		if err != nil || c.Expected-c.Opening != want {
			t.Errorf("%s was closed over %s: %v", day, c.Expected, err)
		}
		in, out := fileOf(t, s, day)
		if in != k.In || out != k.Out {
			t.Errorf("%s: the file has %s in and %s out, the reckoning %s and %s", day, in, out, k.In, k.Out)
		}
		bars, err := s.book.MonthBars(day)
		if bar := bars[day.Noon().Day()-1]; err != nil || bar.In != k.In || bar.Out != k.Out {
			t.Errorf("%s: the month's bar has %+v: %v", day, bar, err)
		}
	}
	moved, err := s.book.DayOperations(today)
	in, k := money.Paise(0), s.summarize(today)
	for _, bar := range s.book.HourBars(today, moved) {
		in += bar.In
	}
	if err != nil || in != k.In {
		t.Errorf("the hours of today have %s in, the reckoning %s: %v", in, k.In, err)
	}
}

// answer records an answer about an operation's cash: when it was given, or never.
func (s *testShop) answer(id op.ID, given time.Time) {
	s.t.Helper()
	if _, err := s.queue.Change(id, func(r *edge.Record) error {
		r.CashGivenAt, r.CashBy = given, "Fatima"
		return nil
	}); err != nil {
		s.t.Fatal(err)
	}
}

// fileOf sums up the cash of a day's file.
func fileOf(t *testing.T, s *testShop, day ist.Day) (in, out money.Paise) {
	t.Helper()
	var file bytes.Buffer
	if err := s.book.WriteDay(&file, day, csvTexts()); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range rows[0] {
		for _, row := range rows[1:] {
			if p, err := money.Parse(row[i]); err == nil {
				switch name {
				case "cash-in":
					in += p
				case "cash-out":
					out += p
				}
			}
		}
	}
	return in, out
}

// A failed transfer's cash is due until it is returned to the customer.
func TestCashToGiveBack(t *testing.T) {
	s := newShop(t)
	id := s.addRecord(edge.Record{Route: op.Transfer, CreatedAt: november(21, 10, 0), Amount: 2500_00, Charge: 25_00, State: op.Failed, CashKept: true})
	if k := s.summarize(today); len(k.CashToReturn) != 1 || k.CashToReturn[0].ID != id || k.Expected != 2525_00 {
		t.Errorf("due are %+v, expected %s", k.CashToReturn, k.Expected)
	}
	if _, err := s.queue.Change(id, func(r *edge.Record) error {
		r.CashGivenAt, r.CashBy = november(21, 15, 0).Add(time.Minute), "Fatima"
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if k := s.summarize(today); len(k.CashToReturn) != 0 || k.Expected != 0 {
		t.Errorf("due are %+v, expected %s", k.CashToReturn, k.Expected)
	}
}
