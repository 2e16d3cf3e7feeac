package till_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/till"
	"galla/shared/money"
	"galla/shared/op"
)

// TestOneCash: the day's reckoning, its closing, its file and its charts say the
// same of the drawer, over days on which cash moved later than it was begun.
func TestOneCash(t *testing.T) {
	s := newShop(t)
	const sent, refused = `{"statusCode":"00","data":{"transactionId":"T1","amount":1000}}`, `{"statusCode":"55","data":{"transactionId":"T2"}}`
	unanswered := s.with(edge.Record{Route: op.Withdrawal, CreatedAt: ist(21, 9, 0), Amount: 700_00, State: op.Succeeded})
	kept := s.with(edge.Record{Route: op.Transfer, CreatedAt: ist(20, 11, 0), Amount: 300_00, Charge: 10_00, State: op.NotSent, CashKept: true})
	asked := map[till.Day][]op.ID{"2026-11-20": {kept}, today: {unanswered}}
	for _, r := range []edge.Record{
		{Route: op.Withdrawal, CreatedAt: ist(20, 23, 59), Amount: 500_00, State: op.Succeeded, CashGiven: ist(21, 0, 1)},
		{Route: op.Withdrawal, CreatedAt: ist(21, 9, 5), Amount: 900_00, State: op.Reversed},
		{Route: op.Purchase, CreatedAt: ist(21, 9, 10), Amount: 800_00, State: op.Succeeded},
		{Route: op.Transfer, CreatedAt: ist(21, 10, 0), Amount: 2500_00, Charge: 25_00, State: op.Failed, Reply: []byte(refused)},
		{Route: op.Transfer, CreatedAt: ist(21, 10, 1), Amount: 2500_00, Charge: 25_00, State: op.Succeeded, Reply: []byte(sent)},
		{Route: op.Transfer, CreatedAt: ist(20, 10, 0), Amount: 1000_00, Charge: 10_00, State: op.Failed, CashKept: true, CashGiven: ist(21, 18, 0)},
		{Route: op.Transfer, CreatedAt: ist(20, 12, 0), Amount: 400_00, Charge: 10_00, State: op.Reversed, Refunded: ist(21, 12, 0)},
		{Route: op.Refund, CreatedAt: ist(21, 12, 0), Amount: 400_00, Charge: 10_00, State: op.Succeeded},
		{Route: op.RemitterRegister, Class: op.Record, CreatedAt: ist(21, 13, 0), State: op.Succeeded, Result: edge.Result{StatusCode: "00"},
			Reply: []byte(`{"statusCode":"00","data":{"registrationFeeCharged":10}}`)},
	} {
		s.with(r)
	}
	for _, c := range []struct {
		day  till.Day
		want money.Paise
	}{{"2026-11-20", 1010_00 + 310_00 + 410_00}, {today, 2525_00 + 10_00 - 500_00 - 700_00 - 1010_00 - 410_00}} {
		day, want := c.day, c.want
		k := s.reckon(day)
		if k.Expected != want || len(k.Due) != 1 {
			t.Errorf("%s: the drawer is expected to hold %s of %+v, want %s; %d are due", day, k.Expected, k.Lines, want, len(k.Due))
		}
		var asking *till.AskingError
		if _, err := s.till.Close(day, "Fatima", nil, "counted nothing", nil); !errors.As(err, &asking) || !slices.Equal(asking.IDs, asked[day]) {
			t.Errorf("%s is closed while it asks about %v: %v", day, asked[day], err)
		}
		for _, id := range asked[day] {
			s.answer(id, map[bool]time.Time{true: ist(21, 19, 0)}[id == unanswered])
		}
		c, err := s.till.Close(day, "Fatima", nil, "counted nothing", nil)
		if err != nil || c.Expected-c.Opening != want {
			t.Errorf("%s was closed over %s: %v", day, c.Expected, err)
		}
		in, out := fileOf(t, s, day)
		if in != k.In || out != k.Out {
			t.Errorf("%s: the file has %s in and %s out, the reckoning %s and %s", day, in, out, k.In, k.Out)
		}
		bars, err := s.till.Days(day)
		if bar := bars[day.Date().Day()-1]; err != nil || bar.In != k.In || bar.Out != k.Out {
			t.Errorf("%s: the month's bar has %+v: %v", day, bar, err)
		}
	}
	moved, err := s.till.Moving(today)
	in, k := money.Paise(0), s.reckon(today)
	for _, bar := range till.Hours(today, moved, 0) {
		in += bar.In
	}
	if err != nil || in != k.In {
		t.Errorf("the hours of today have %s in, the reckoning %s: %v", in, k.In, err)
	}
}

// answer records what somebody said of an operation's cash: when it was given, or
// never.
func (s *shop) answer(id op.ID, given time.Time) {
	s.t.Helper()
	if _, err := s.queue.Change(id, func(r *edge.Record) error {
		r.CashGiven, r.CashBy = given, "Fatima"
		return nil
	}); err != nil {
		s.t.Fatal(err)
	}
}

// fileOf sums up the cash of a day's file.
func fileOf(t *testing.T, s *shop, day till.Day) (in, out money.Paise) {
	t.Helper()
	var file bytes.Buffer
	if err := s.till.WriteDay(&file, day); err != nil {
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
				case "cash_in":
					in += p
				case "cash_out":
					out += p
				}
			}
		}
	}
	return in, out
}

// TestAMobileNumberFindsWhatItDid: however it is written; and it stands nowhere on
// the disk in the clear, nor in the day's file.
func TestAMobileNumberFindsWhatItDid(t *testing.T) {
	const mobile = "9820099887"
	s := newShop(t)
	want := map[op.ID]bool{}
	for i, route := range []op.RouteID{op.Transfer, op.Refund, op.CustomerOnboarding, op.BeneficiaryAdd} {
		want[s.with(edge.Record{Route: route, CreatedAt: ist(21, 10, i), Amount: 500_00, State: op.Succeeded, Mobile: mobile})] = true
	}
	s.with(edge.Record{Route: op.Transfer, CreatedAt: ist(21, 11, 0), Amount: 500_00, State: op.Succeeded, Mobile: "9820099888"})
	for _, typed := range []string{mobile, "98200 99887", "98200-99887", "+91 98200 99887", "919820099887", "91 98200 99887", "09820099887"} {
		search, quiet := till.ParseSearch(typed)
		found, _, err := s.till.Look(search, today, today, 10)
		if err != nil || len(found) != len(want) || !quiet {
			t.Errorf("%q finds %d operations, want %d; it is secret: %v, %v", typed, len(found), len(want), quiet, err)
		}
		for _, r := range found {
			if !want[r.ID] {
				t.Errorf("%q finds %s of %s", typed, r.Route, r.Mobile)
			}
		}
	}
	var file bytes.Buffer
	if err := s.till.WriteDay(&file, today); err != nil {
		t.Fatal(err)
	}
	disk, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"the disk": string(disk), "the file": file.String()} {
		if strings.Contains(text, mobile) || strings.Contains(text, mobile[:8]) {
			t.Errorf("%s has the mobile number in the clear", name)
		}
	}
}

// A failed transfer's cash is due for as long as the customer has not had it, and
// no longer.
func TestCashToGiveBack(t *testing.T) {
	s := newShop(t)
	id := s.with(edge.Record{Route: op.Transfer, CreatedAt: ist(21, 10, 0), Amount: 2500_00, Charge: 25_00, State: op.Failed, CashKept: true})
	if k := s.reckon(today); len(k.Due) != 1 || k.Due[0].ID != id || k.Expected != 2525_00 {
		t.Errorf("due are %+v, expected %s", k.Due, k.Expected)
	}
	if _, err := s.queue.Change(id, func(r *edge.Record) error {
		r.CashGiven, r.CashBy = ist(21, 15, 0).Add(time.Minute), "Fatima"
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if k := s.reckon(today); len(k.Due) != 0 || k.Expected != 0 {
		t.Errorf("due are %+v, expected %s", k.Due, k.Expected)
	}
}
