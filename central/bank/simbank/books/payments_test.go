package books

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"galla/central/bank/network"
	"galla/shared/ist"
	"galla/shared/money"
)

// pay books a payment of an order.
func pay(t testing.TB, b *Books, order string, amount money.Paise, n Notice) network.Payment {
	t.Helper()
	id, err := b.NewPaymentID()
	if err != nil {
		t.Fatal(err)
	}
	p, err := b.ReceivePayment(t.Context(), NewPayment{ID: id, Payee: "gal0000001@gallabank", TR: order, Amount: amount, PayerName: "R••••h K•••r", PayerVPA: "ra••••@okbank"}, n)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func refund(t testing.TB, b *Books, id string) network.Payment {
	t.Helper()
	p, err := b.RefundPayment(t.Context(), id, Notice{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func find(t testing.TB, b *Books, q network.PaymentQuery) network.Payments {
	t.Helper()
	q.Reference = "UPI-1"
	if wrong := q.InvalidMembers(); wrong != nil {
		t.Fatalf("query %+v: %v", q, wrong)
	}
	a, err := b.FindPayments(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// balanced checks the trial balance and gives what the merchants are owed.
func balanced(t testing.TB, b *Books) (merchants money.Paise) {
	t.Helper()
	trial, err := b.Trial(t.Context())
	if err != nil || trial.Debits != trial.Credits || trial.Debits != trial.Entries {
		t.Fatalf("trial %+v, %v", trial, err)
	}
	var payers money.Paise
	const sum = `SELECT credits_paise - debits_paise FROM accounts WHERE code = ?`
	for code, dest := range map[string]*money.Paise{accountMerchants: &merchants, accountPayers: &payers} {
		if _, err := b.db.committed(t.Context()).row("sum up", sum, []any{code}, dest); err != nil {
			t.Fatal(err)
		}
	}
	if merchants != -payers {
		t.Fatalf("the merchants are owed %s, and the payers' banks owe %s", merchants, -payers)
	}
	return merchants
}

// TestPaymentIsBookedOnce: money moves once, a second with the id gives the first, and a
// refund takes it all back, once.
func TestPaymentIsBookedOnce(t *testing.T) {
	b := openBooks(t, testConfig(t))
	p := pay(t, b, "order-1", 12_50, Notice{})
	if wrong := p.InvalidMembers(); wrong != nil || len(p.ID) != 35 || p.RRN[4] != '9' {
		t.Errorf("%+v: %v", p, wrong)
	}
	again, err := b.ReceivePayment(t.Context(), NewPayment{ID: p.ID, Payee: "other@bank", Amount: 99}, Notice{})
	if err != nil || !reflect.DeepEqual(again, p) {
		t.Errorf("again: %+v, %v", again, err)
	}
	if owed := balanced(t, b); owed != 12_50 {
		t.Errorf("the merchants are owed %s", owed)
	}
	second := pay(t, b, "order-1", 12_50, Notice{})
	back := refund(t, b, p.ID)
	if back.Refund == nil || back.Refund.ID == p.ID || back.Refund.RRN == p.RRN || back.InvalidMembers() != nil {
		t.Errorf("refund %+v", back)
	}
	if _, err := b.RefundPayment(t.Context(), p.ID, Notice{}); !errors.Is(err, ErrPaymentRefunded) {
		t.Errorf("a second refund: %v", err)
	}
	if _, err := b.RefundPayment(t.Context(), "GSB1", Notice{}); !errors.Is(err, ErrUnknownPayment) {
		t.Errorf("of no payment: %v", err)
	}
	if owed := balanced(t, b); owed != 12_50 {
		t.Errorf("after the refund the merchants are owed %s", owed)
	}
	for _, bad := range []NewPayment{{ID: "GSB2", Payee: "nobody", Amount: 1}, {ID: "GSB2", Payee: "a@b"}, {Payee: "a@b", Amount: 1}} {
		if _, err := b.ReceivePayment(t.Context(), bad, Notice{}); err == nil {
			t.Errorf("%+v is booked", bad)
		}
	}
	for name, q := range map[string]network.PaymentQuery{
		"by tr":           {Payee: "gal0000001@gallabank", TR: "order-1", Limit: 9},
		"by tr, short":    {Payee: "gal0000001@gallabank", TR: "order-1", Limit: 1},
		"by tr, payee":    {Payee: "gal0000002@gallabank", TR: "order-1", Limit: 9},
		"by RRN":          {RRN: second.RRN, Limit: 9},
		"by refund's RRN": {RRN: back.Refund.RRN, Limit: 9},
		"by RRN, none":    {RRN: "000000000000", Limit: 9},
	} {
		want := map[string][]network.Payment{
			"by tr": {back, second}, "by tr, short": {back}, "by RRN": {second}, "by refund's RRN": {back},
		}[name]
		if got := find(t, b, q); !reflect.DeepEqual(got, network.Payments{Reference: "UPI-1", Payments: want}) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// TestPaymentsOfAPeriod: a payment comes where it was recorded, and again where its refund
// was; pages follow each other without a gap.
func TestPaymentsOfAPeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := openBooks(t, testConfig(t))
		began := time.Now()
		var paid []network.Payment
		for i := range 5 {
			paid = append(paid, pay(t, b, fmt.Sprint("order-", i), money.Paise(100+i), Notice{}))
			time.Sleep(time.Second)
		}
		middle := time.Now()
		paid[1] = refund(t, b, paid[1].ID)
		time.Sleep(time.Second)
		paid = append(paid, pay(t, b, "", 700, Notice{}))
		end := time.Now().Add(time.Second)
		ids := func(list []network.Payment) (out []string) {
			for _, p := range list {
				out = append(out, p.ID)
			}
			return out
		}
		want := []string{paid[0].ID, paid[1].ID, paid[2].ID, paid[3].ID, paid[4].ID, paid[1].ID, paid[5].ID}
		for limit := 1; limit <= 8; limit++ {
			var got []string
			q := network.PaymentQuery{From: began, To: end, Limit: limit}
			for pages := 1; ; pages++ {
				a := find(t, b, q)
				got = append(got, ids(a.Payments)...)
				if q.After = a.Next; q.After == "" {
					if most := (len(want) + limit - 1) / limit; pages != most {
						t.Errorf("limit %d: %d pages, want %d", limit, pages, most)
					}
					break
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("limit %d: %v, want %v", limit, got, want)
			}
		}
		if got := find(t, b, network.PaymentQuery{From: began, To: middle, Limit: 9}); len(got.Payments) != 5 || got.Payments[1].Refund == nil {
			t.Errorf("before the refund's record: %+v", got)
		}
		if got := find(t, b, network.PaymentQuery{From: middle, To: end, Limit: 9}); !reflect.DeepEqual(ids(got.Payments), want[5:]) {
			t.Errorf("from the refund on: %+v", got)
		}
		if got := find(t, b, network.PaymentQuery{From: end, To: end.Add(time.Hour), Limit: 9}); got.Payments != nil {
			t.Errorf("later: %+v", got)
		}
		if _, err := b.FindPayments(t.Context(), network.PaymentQuery{From: began, To: end, After: "x", Limit: 1}); !errors.Is(err, ErrPlace) {
			t.Errorf("an after that is none: %v", err)
		}
	})
}

// TestPaymentsInTheSettlement: a line for each payment and each refund, on its own day.
func TestPaymentsInTheSettlement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := openBooks(t, testConfig(t))
		midnight, err := time.ParseInLocation(time.DateOnly, string(ist.DayOf(time.Now())), ist.Zone())
		if err != nil {
			t.Fatal(err)
		}
		paid := pay(t, b, "order-1", 12_50, Notice{Never: true})
		time.Sleep(time.Second)
		withdraw(t, b, "W1", 100_00)
		time.Sleep(time.Second)
		other := pay(t, b, "", 7_00, Notice{})
		time.Sleep(24 * time.Hour)
		back := refund(t, b, paid.ID)
		for i, want := range [][]SettlementLine{
			{{paid.ID, paid.RRN, "000000", 12_50, "00", paid.At}, {"W1", "", "000001", 100_00, "00", time.Time{}}, {other.ID, other.RRN, "000000", 7_00, "00", other.At}},
			{{back.Refund.ID, back.Refund.RRN, "000000", 12_50, "00", back.Refund.At}},
			{},
		} {
			got, err := b.SettlementLines(t.Context(), midnight.AddDate(0, 0, i))
			for j := range got {
				if got[j].Reference == "W1" {
					got[j].RRN, got[j].At = "", time.Time{}
				}
			}
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("day %d: %+v, %v; want %+v", i, got, err, want)
			}
		}
	})
}

// TestSchemaOfPaymentsRefuses: the rules of payments hold by themselves.
func TestSchemaOfPaymentsRefuses(t *testing.T) {
	b := openBooks(t, testConfig(t))
	pay(t, b, "order-1", 12_50, Notice{})
	refund(t, b, pay(t, b, "order-2", 7_00, Notice{Copies: 2}).ID)
	if err := b.MarkDelivered(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	const insert = `INSERT INTO entries (transaction_id, payment_id, purpose, debit_account, credit_account, amount_paise, narration, at) VALUES `
	merchants, payers := `(SELECT id FROM accounts WHERE code = 'settlement.upi.merchants')`, `(SELECT id FROM accounts WHERE code = 'settlement.upi.payers')`
	refusals(t, b, map[string]string{
		`UPDATE payments SET amount_paise = 1`:            "never changed",
		`DELETE FROM payments`:                            "never deleted",
		`UPDATE payment_refunds SET rrn = '000000000000'`: "never changed",
		`DELETE FROM payment_refunds`:                     "never deleted",
		`UPDATE payment_records SET recorded_at = 1`:      "never changed",
		`DELETE FROM payment_records`:                     "never deleted",
		`INSERT INTO payment_records (seq, payment_id, is_refund, recorded_at) VALUES (9, 1, 1, 1)`:                "follow each other",
		`INSERT INTO payment_records (seq, payment_id, is_refund, recorded_at) VALUES (1, 1, 1, 99999999999999)`:   "follow each other",
		`INSERT INTO payment_records (seq, payment_id, is_refund, recorded_at) VALUES (9, 1, 0, 99999999999999)`:   "UNIQUE",
		`INSERT INTO payment_refunds (payment_id, upi_id, rrn, refunded_at) VALUES (2, 'GSB9', '000000000009', 1)`: "UNIQUE",
		`UPDATE notifications SET next_at = 1, attempts = 2, delivered_at = NULL WHERE id = 1`:                     "has ended",
		`UPDATE notifications SET attempts = 0 WHERE id = 2`:                                                       "has ended",
		`UPDATE notifications SET attempts = 1, delivered_at = 1 WHERE id = 2`:                                     "delivered_ends",
		`DELETE FROM notifications`: "never deleted",
		insert + `(NULL, 1, 'PAYMENT_REFUND', ` + merchants + `, ` + payers + `, 1250, 'X', 1)`:                                                              "mirrors it",
		insert + `(NULL, 2, 'PAYMENT', ` + payers + `, ` + merchants + `, 700, 'X', 1)`:                                                                      "UNIQUE",
		insert + `(NULL, 1, 'PAYMENT', ` + payers + `, ` + merchants + `, 1, 'X', 1)`:                                                                        "its own amount",
		insert + `(NULL, NULL, 'PAYMENT', ` + payers + `, ` + merchants + `, 1, 'X', 1)`:                                                                     "its own amount",
		insert + `(NULL, 1, 'OPENING', 1, ` + merchants + `, 1, 'X', 1)`:                                                                                     "opening_alone",
		insert + `(1, 1, 'DEBIT', ` + payers + `, ` + merchants + `, 1, 'X', 1)`:                                                                             "of_",
		`INSERT INTO payments (upi_id, rrn, payee, tr, amount_paise, payer_name, payer_vpa, paid_at) VALUES ('GSB9', '000000000009', 'x', '', 1, '', '', 1)`: "payee",
	})
	if owed := balanced(t, b); owed != 12_50 {
		t.Errorf("the merchants are owed %s", owed)
	}
}

// TestNotificationsOfBooks: what is to be told is read in the order of its time, with the
// payment as it is now.
func TestNotificationsOfBooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := openBooks(t, testConfig(t))
		late := pay(t, b, "late", 1_00, Notice{After: time.Minute, Spoil: SpoilOnce})
		twice := pay(t, b, "twice", 2_00, Notice{Copies: 2})
		never := pay(t, b, "never", 3_00, Notice{Never: true})
		late = refund(t, b, late.ID)
		list := func(limit int) []Notification {
			t.Helper()
			out, err := b.NextNotifications(t.Context(), limit)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		now := late.Refund.At
		want := []Notification{{2, twice, 0, now, now, ""}, {3, twice, 0, now, now, ""}, {4, late, 0, now, now, ""}, {1, late, 0, now.Add(time.Minute), now.Add(time.Minute), SpoilOnce}}
		if got := list(9); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v\nwant %+v", got, want)
		}
		if got := list(2); !reflect.DeepEqual(got, want[:2]) {
			t.Errorf("two: %+v", got)
		}
		time.Sleep(time.Second)
		at := time.Now()
		for _, err := range []error{
			b.MarkDelivered(t.Context(), 2), b.MarkAttempted(t.Context(), 3, at.Add(time.Hour)), b.MarkAttempted(t.Context(), 4, time.Time{}),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		want[1].Attempts, want[1].Next = 1, at.Add(time.Hour)
		if got := list(9); !reflect.DeepEqual(got, []Notification{want[3], want[1]}) {
			t.Errorf("after the first attempts: %+v", got)
		}
		entries := []PaymentEntry{
			{late, []Told{{0, now.Add(time.Minute), time.Time{}}, {1, time.Time{}, time.Time{}}}},
			{twice, []Told{{1, time.Time{}, at}, {1, at.Add(time.Hour), time.Time{}}}},
			{never, nil},
		}
		got, err := b.Payments(t.Context(), Filter{})
		if err != nil || !reflect.DeepEqual(got, entries) {
			t.Errorf("%+v, %v\nwant %+v", got, err, entries)
		}
		newest, err := b.NewestPayments(t.Context(), Filter{From: now, To: now})
		if err != nil || len(newest) != 3 || !reflect.DeepEqual(newest[2], entries[0]) {
			t.Errorf("newest: %+v, %v", newest, err)
		}
		for _, reference := range []string{late.ID, late.RRN, late.Refund.ID, late.Refund.RRN, late.TR} {
			if got, err := b.Payments(t.Context(), Filter{Reference: reference, From: now}); err != nil || !reflect.DeepEqual(got, entries[:1]) {
				t.Errorf("%s: %+v, %v", reference, got, err)
			}
		}
		if got, err := b.Payments(t.Context(), Filter{From: now.Add(time.Millisecond)}); err != nil || len(got) != 0 {
			t.Errorf("later: %+v, %v", got, err)
		}
	})
}
