package edge_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/printable"
)

func TestLimitsAreKeptBeforeAFingerOrAnOTP(t *testing.T) {
	refused := func(s *testCounter, route op.RouteID, amount int64, words string) {
		s.t.Helper()
		var err error
		if aeps[route] {
			_, err = s.c.Start(edge.Request{Route: route, Aadhaar: aadhaar(s.t), Customer: "Asha", IIN: "990326", Consent: "en-1", Amount: rupees(amount)})
		} else {
			q := s.request(route)
			q.Fields = []byte(strings.Replace(samples[route], "500.00", fmt.Sprint(amount), 1))
			_, err = s.c.Start(q)
		}
		var d *edge.ValidationError
		switch {
		case words == "" && err != nil:
			s.t.Errorf("%s of %d rupees = %v", route, amount, err)
		case words != "" && (!errors.As(err, &d) || d.Fields[0] != "amount" || !strings.Contains(amountText(s, route, rupees(amount)), words)):
			s.t.Errorf("%s of %d rupees = %v (%+v), want %q", route, amount, err, d, words)
		}
	}
	withTestCounter(t, func(s *testCounter) {
		s.limits = `[{"kinds":["CASH_WITHDRAWAL","PURCHASE"],"scope":"transaction","min":100,"max":10000,"step":50,"count":0,"sum":0,"from":"1999-01-01","until":""},
			{"kinds":["CASH_WITHDRAWAL"],"scope":"transaction","max":2000,"from":"2000-01-02"},
			{"kinds":["CASH_WITHDRAWAL"],"scope":"transaction","max":300,"from":"1999-01-01","until":"1999-12-31"},
			{"kinds":["CASH_WITHDRAWAL"],"scope":"customer-terminal-day","count":5,"from":"1999-01-01"},
			{"kinds":["TRANSFER"],"scope":"transaction","min":10,"max":5000,"from":"1999-01-01"}]`
		if _, at := s.c.Limits(); !at.IsZero() {
			t.Error("limits are known before any was received")
		}
		if b := s.c.Bounds(op.Withdrawal); b.Max != rupees(10000) || b.Min != rupees(1) {
			t.Errorf("the first bounds are %+v", b)
		}
		refused(s, op.Transfer, 0, "Enter an amount")
		refused(s, op.Transfer, 100_000, "") // the central knows
		time.Sleep(2 * time.Minute)          // it expires
		s.goOnline()
		refused(s, op.Withdrawal, 50, "from ₹100.00 to ₹10,000.00")
		refused(s, op.Withdrawal, 10050, "from ₹100.00 to ₹10,000.00")
		refused(s, op.Withdrawal, 120, "steps of ₹50.00")
		refused(s, op.Purchase, 3000, "")
		refused(s, op.Withdrawal, 3000, "")
		refused(s, op.TransferOTP, 9, "from ₹10.00 to ₹5,000.00")
		refused(s, op.Transfer, 5001, "from ₹10.00 to ₹5,000.00")
		refused(s, op.TransferOTP, 4999, "")
		s.restart() // they are kept over a restart
		refused(s, op.Transfer, 5001, "from ₹10.00 to ₹5,000.00")
		time.Sleep(19 * time.Hour) // another rule is in force, since midnight in India
		if b := s.c.Bounds(op.Withdrawal); b.Max != rupees(2000) {
			t.Errorf("the bounds of the next day are %+v", b)
		}
	})
}

// amountText is what a page says of an amount.
func amountText(s *testCounter, route op.RouteID, amount money.Paise) string {
	book, err := i18n.Load(outcome.Catalogue())
	if err != nil {
		s.t.Fatal(err)
	}
	return outcome.AmountText(book.Localizer(i18n.English), s.c.Bounds(route), amount)
}

// TestCashIsInWholeRupees: cash has no paise. In a sandbox they play scenarios,
// and only its central can say that it is one.
func TestCashIsInWholeRupees(t *testing.T) {
	ask := func(s *testCounter, route op.RouteID, amount string) error {
		if aeps[route] {
			p, err := money.Parse(amount)
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.c.Start(edge.Request{Route: route, Aadhaar: aadhaar(s.t), Customer: "Asha", IIN: "990326", Consent: "en-1", Amount: p})
			return err
		}
		q := s.request(route)
		q.Fields = []byte(strings.Replace(samples[route], "500.00", amount, 1))
		_, err := s.c.Start(q)
		return err
	}
	for _, sandbox := range []bool{false, true} {
		withTestCounter(t, func(s *testCounter) {
			s.sandbox = sandbox
			s.goOnline()
			if said := s.c.Status().Sandbox; said != sandbox {
				t.Errorf("the status says that it is a sandbox: %v, want %v", said, sandbox)
			}
			for round := range 2 {
				for _, route := range []op.RouteID{op.Withdrawal, op.Transfer, op.TransferOTP}[:3-round] {
					d := (*edge.ValidationError)(nil)
					switch err := ask(s, route, "500.97"); {
					case sandbox && err != nil:
						t.Errorf("%s in a sandbox: %v", route, err)
					case !sandbox && (!errors.As(err, &d) || !strings.Contains(amountText(s, route, 500_97), "whole rupees")):
						t.Errorf("%s of paise outside a sandbox: %v", route, err)
					}
				}
				if err := ask(s, op.Purchase, "500.97"); err != nil {
					t.Errorf("Aadhaar Pay is no cash: %v", err)
				}
				if round == 0 {
					s.restart() // what the central said is kept, and the terminal is offline: no enquiry
				}
			}
		})
	}
}

func TestWhatAProgramMustNotPass(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		for name, q := range map[string]edge.Request{
			"no route":      {Route: "POST /aeps/deposit"},
			"not over it":   {Route: op.FloatBalance},
			"AEPS fields":   {Route: op.Withdrawal, Fields: []byte(`{"TxnAmount":1}`)},
			"no object":     {Route: op.Login, Fields: []byte(`[]`)},
			"null":          {Route: op.Login, Fields: []byte(`null`)},
			"trailing":      {Route: op.Login, Fields: []byte(`{}{}`)},
			"twice":         {Route: op.Login, Fields: []byte(`{"a":1,"a":2}`)},
			"nested":        {Route: op.Login, Fields: []byte(`{"a":{"otp":"1"}}`)},
			"no UTF-8":      {Route: op.Login, Fields: []byte("{\"a\":\"\xff\"}")},
			"clear OTP":     {Route: op.Transfer, Fields: []byte(`{"OTP":"1"}`)},
			"clear PID":     {Route: op.AgentUpdateBio, Fields: []byte(`{"piddata":"1"}`)},
			"clear Aadhaar": {Route: op.AgentUpdateUID, Fields: []byte(`{"aadhaarno":"` + canaryAadhaar + `"}`)},
			"too long":      {Route: op.Login, Fields: []byte(`{"a":"` + strings.Repeat("x", 20<<10) + `"}`)},
		} {
			var d *edge.ValidationError
			if _, err := s.c.Start(q); err == nil || errors.As(err, &d) || strings.Contains(err.Error(), canaryAadhaar) {
				t.Errorf("%s: Start = %v", name, err)
			}
		}
	})
}

func TestEveryWrongFieldComesAtOnce(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		for _, tt := range []struct {
			q    edge.Request
			want []string
		}{
			{edge.Request{Route: op.Transfer, Fields: []byte(`{"senderId":" ","amount":"5","refId":"mine"}`)},
				[]string{"senderId", "receiver_account_no", "receiverIfscCode", "BeneficiaryId", "account_holder_name", "amount", "refId", "otp"}},
			{edge.Request{Route: op.CustomerUpdateBio}, []string{"referenceid", "aadhaar", "consent"}},
			{edge.Request{Route: op.AgentUpdateBio}, nil}, // the agent's own number is known
			{edge.Request{Route: op.BeneficiaryAdd, Fields: []byte(samples[op.BeneficiaryAdd]), Title: "9999 4105 7058"}, []string{"title"}},
			{edge.Request{Route: op.CustomerOnboarding, Fields: []byte(`{"name":"9999-4105-7058","mobile_no":"9876543210","city":"Pune","state":"MH"}`)}, []string{"name"}},
		} {
			_, err := s.c.Start(tt.q)
			var d *edge.ValidationError
			var got []string
			if errors.As(err, &d) {
				got = d.Fields
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s: wrong fields %v (%v), want %v", tt.q.Route, got, err, tt.want)
			}
		}
	})
}

// TestNoNameIsTakenThatTheCentralRefuses walks every field of the interface that
// holds a name, and what the rule of both halves refuses.
func TestNoNameIsTakenThatTheCentralRefuses(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		before := len(s.link.frames)
		for _, bad := range badNames {
			d := edge.Request{Route: op.Balance, Aadhaar: aadhaar(t), Customer: bad, IIN: "990326", Consent: "en-1", User: "Fatima", UserID: edge.AgentID}
			var wrong *edge.ValidationError
			if _, err := s.c.Start(d); !errors.As(err, &wrong) || wrong.Fields[0] != "customer" {
				t.Errorf("the customer's name %+q: %v", bad, err)
			}
			for field := range printable.Fields() {
				fields, err := json.Marshal(map[string]string{field: bad})
				if err != nil {
					t.Fatal(err)
				}
				_, err = s.c.Start(edge.Request{Route: op.CustomerOnboarding, Fields: fields})
				if !errors.As(err, &wrong) || !slices.Contains(wrong.Fields, field) {
					t.Errorf("%s %+q: %v", field, bad, err)
				}
			}
			for field, q := range map[string]edge.Request{"title": {Title: bad}, "customer": {Customer: bad}} {
				q.Route, q.Fields = op.BeneficiaryAdd, []byte(samples[op.BeneficiaryAdd])
				if _, err := s.c.Start(q); !errors.As(err, &wrong) || wrong.Fields[0] != field {
					t.Errorf("%s %+q: %v", field, bad, err)
				}
			}
		}
		if left, err := s.queue.Unresolved(); err != nil || len(left) != 0 || len(s.link.frames) != before {
			t.Errorf("%d operations were begun, %d frames sent: %v", len(left), len(s.link.frames)-before, err)
		}
	})
}

// badNames hide something, or are formulas.
var badNames = []string{
	"Asha\nPaid", "Asha\tB", "Asha\x00", "Asha\x1b[2J", "Asha\u202eahsA", "Asha\u2066", "Asha\u200b", "Asha\u200d", "\ufeffAsha", "Asha\u2028B",
	"Asha\u00ad", "Asha\ufffd", "=HYPERLINK(1)", "@SUM(A1)", "+1+cmd|A0", "-2+3", " =1",
}

func rupees(n int64) money.Paise { return money.Paise(n) * money.Rupee }
