package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/central/limits"
	"galla/central/payments"
	"galla/central/selfservice"
	"galla/central/webhook"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
	"galla/shared/wire"
)

// knownPayments is a network that knows some payments.
type knownPayments []central.ReceivedPayment

func (n knownPayments) Payments(_ context.Context, q central.PaymentQuery) (central.PaymentPage, error) {
	if q.After == "" && len(n) > 1 {
		return central.PaymentPage{Payments: n[:1], Next: "1"}, nil
	}
	return central.PaymentPage{Payments: n[min(1, len(n)-1):]}, nil
}

// perPayment is a tariff that gives each payment of a merchant an earning.
type perPayment struct{}

func (perPayment) Earning(_ context.Context, o central.Operation, _ central.BankAnswer, _ time.Time) (*central.Earning, error) {
	if o.Kind != central.KindUPIPayment || o.Merchant == "" {
		return nil, nil
	}
	return earningOf(o, "PAYMENT", 1), nil
}

// upiLimits let a merchant receive ₹20,000 at a time, and ₹50,000 in forty payments a day.
func upiLimits(t *testing.T) *limits.RuleSet {
	t.Helper()
	rules, err := limits.Read([]byte(`{"rules": [
		{"kinds": ["UPI_PAYMENT"], "scope": "transaction", "max": "20000.00", "note": "a test"},
		{"kinds": ["UPI_PAYMENT"], "scope": "merchant-day", "count": 40, "sum": "50000.00", "note": "a test"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// paymentsOver is the service of payments over a store and a network, which may be nil; told
// are the topics that it woke.
func paymentsOver(t *testing.T, s *DB, network central.PaymentNetwork) (service *payments.Service, told func() []string) {
	t.Helper()
	if network == nil {
		network = knownPayments(nil)
	}
	var mu sync.Mutex
	var topics []string
	service, err := payments.New(payments.Config{
		Store: s, Network: network, Tariff: perPayment{}, Limits: upiLimits(t), Handle: "gallabank", FingerprintKey: secret.NewKey(bytes.Repeat([]byte{7}, 32)), Node: testNode,
		Logger: slog.New(slog.DiscardHandler),
		Notify: func(topic string) { mu.Lock(); defer mu.Unlock(); topics = append(topics, topic) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return service, func() []string {
		mu.Lock()
		defer mu.Unlock()
		defer func() { topics = nil }()
		return topics
	}
}

// aPayment is a payment of ₹12.50 with a number of its own to merchant1's VPA.
func aPayment(tr string) central.ReceivedPayment {
	n := serial.Add(1)
	return central.ReceivedPayment{
		ID: fmt.Sprintf("AXI%012d", n), RRN: fmt.Sprintf("%012d", n), Payee: "test.store@galla", TR: tr, Amount: 1250,
		At: time.Now().Add(-time.Second).UTC().Truncate(time.Millisecond), PayerName: "R••••h", PayerVPA: "ra••@okbank",
	}
}

func paymentOf(t *testing.T, s *DB, id string) payments.Payment {
	t.Helper()
	p, err := s.Payment(background, id)
	wantErr(t, "read a payment", err, nil)
	return p
}

func paymentEvents(t *testing.T, s *DB, terminal central.TerminalID) (list []op.ID) {
	t.Helper()
	events, err := s.EventsAfter(background, terminal, 0, 100)
	wantErr(t, "read events", err, nil)
	for _, e := range events {
		if e.Kind == string(wire.EventPayment) {
			list = append(list, e.Operation)
		}
	}
	return list
}

// suitePayments: a payment is recorded once, as an operation that succeeded, and told to
// each counter of the shop.
func suitePayments(t *testing.T, s *DB) {
	first, second := enrolled(t, s, 1).ID, enrolled(t, s, 2).ID
	revoked := enrolled(t, s, 3).ID
	wantErr(t, "revoke", s.RevokeTerminal(background, revoked, t0), nil)
	service, told := paymentsOver(t, s, nil)
	r := aPayment("")
	wantErr(t, "record", service.Record(background, r), nil)
	p := paymentOf(t, s, r.ID)
	if p.Merchant != merchant1 || p.Match != payments.MatchStatic || p.Source != payments.FromNotification || p.Order != "" || p.Refunded() {
		t.Errorf("recorded as %+v", p)
	}
	want := []string{central.TerminalTopic(first), central.TerminalTopic(second)}
	slices.Sort(want)
	if got := told(); !slices.Equal(got, want) {
		t.Errorf("woken: %v, want %v", got, want)
	}
	o, err := s.Operation(background, p.Operation)
	wantErr(t, "read its operation", err, nil)
	if o.State != op.Succeeded || o.Kind != central.KindUPIPayment || o.Amount != 1250 || string(o.Reference) != r.ID || o.RRN != r.RRN || o.Merchant != merchant1 || !bytes.Contains(o.Reply, []byte(`"amount":"12.50"`)) {
		t.Errorf("its operation is %+v", o)
	}
	steps, err := s.History(background, o.ID)
	wantErr(t, "read its history", err, nil)
	if len(steps) != 3 || steps[2].From != op.Sent || steps[2].To != op.Succeeded {
		t.Errorf("its history is %+v", steps)
	}

	wantErr(t, "record it again", service.Record(background, r), nil)
	for _, change := range []func(*central.ReceivedPayment){
		func(r *central.ReceivedPayment) { r.Amount++ }, func(r *central.ReceivedPayment) { r.Payee = "other@galla" },
		func(r *central.ReceivedPayment) { r.RRN = "000000000000" }, func(r *central.ReceivedPayment) { r.TR = "x" }, func(r *central.ReceivedPayment) { r.At = r.At.Add(time.Second) },
	} {
		other := r
		change(&other)
		if err := service.Record(background, other); !errors.Is(err, payments.ErrConflict) || !errors.Is(err, central.ErrState) {
			t.Errorf("%+v: %v", other, err)
		}
	}
	another := aPayment("")
	another.RRN = r.RRN
	if err := service.Record(background, another); !errors.Is(err, payments.ErrConflict) {
		t.Errorf("with the RRN of another: %v", err)
	}
	if _, err := s.Operation(background, p.Operation); err != nil || len(told()) > 0 {
		t.Errorf("a refused payment changed something: %v", err)
	}
	for _, terminal := range []central.TerminalID{first, second} {
		if got := paymentEvents(t, s, terminal); !slices.Equal(got, []op.ID{p.Operation}) {
			t.Errorf("terminal %s has events of %v", terminal, got)
		}
	}
	if got := paymentEvents(t, s, revoked); len(got) > 0 {
		t.Errorf("a revoked terminal has events of %v", got)
	}
	if byOperation, err := s.PaymentOf(background, p.Operation); err != nil || byOperation.ID != p.ID {
		t.Errorf("by its operation: %+v, %v", byOperation, err)
	}
}

// suitePaymentMatches: a payment is matched to merchant and order, and what can't be is
// kept for operators.
func suitePaymentMatches(t *testing.T, s *DB) {
	service, _ := paymentsOver(t, s, nil)
	now := time.Now()
	for _, c := range []payments.Code{
		{Merchant: merchant1, TR: "order-1", Amount: 1250, Order: "Order 1", MadeAt: now},
		{Merchant: merchant1, TR: "old", Amount: 1250, Order: "Old", MadeAt: now.Add(-payments.CodeLife - time.Hour)},
		{Merchant: merchant1, TR: "again", Amount: 1250, Order: "Again", MadeAt: now.Add(-payments.CodeLife - time.Hour)},
		{Merchant: merchant1, TR: "again", Amount: 1250, Order: "Again", MadeAt: now},
		{Merchant: merchant1, TR: "again", Amount: 1250, Order: "Again", MadeAt: now.Add(-time.Hour)},
		{Merchant: merchant4, TR: "theirs", Amount: 1250, Order: "Theirs", MadeAt: now},
	} {
		wantErr(t, "add a code", s.AddCode(background, c), nil)
	}
	for _, c := range []struct {
		name     string
		change   func(*central.ReceivedPayment)
		merchant central.MerchantID
		order    string
		match    payments.Match
	}{
		{"order", func(r *central.ReceivedPayment) { r.TR = "order-1" }, merchant1, "Order 1", payments.MatchOrder},
		{"order again", func(r *central.ReceivedPayment) { r.TR = "order-1" }, merchant1, "Order 1", payments.MatchOrder},
		{"a code that was made again", func(r *central.ReceivedPayment) { r.TR = "again" }, merchant1, "Again", payments.MatchOrder},
		{"wrong amount", func(r *central.ReceivedPayment) { r.TR, r.Amount = "order-1", 1251 }, merchant1, "Order 1", payments.MatchAmount},
		{"expired", func(r *central.ReceivedPayment) { r.TR = "old" }, merchant1, "Old", payments.MatchExpired},
		{"another merchant's order", func(r *central.ReceivedPayment) { r.TR = "theirs" }, merchant1, "", payments.MatchUnknownOrder},
		{"default VPA", func(r *central.ReceivedPayment) { r.Payee, r.TR = "TST0000004@GallaBank", "theirs" }, merchant4, "Theirs", payments.MatchOrder},
		{"VPA in capitals", func(r *central.ReceivedPayment) { r.Payee = "TEST.STORE@GALLA" }, merchant1, "", payments.MatchStatic},
		{"default VPA of one with its own", func(r *central.ReceivedPayment) { r.Payee = "tst0000001@gallabank" }, "", "", payments.MatchUnknownPayee},
		{"another handle", func(r *central.ReceivedPayment) { r.Payee = "tst0000004@other" }, "", "", payments.MatchUnknownPayee},
	} {
		r := aPayment("")
		c.change(&r)
		wantErr(t, c.name, service.Record(background, r), nil)
		if p := paymentOf(t, s, r.ID); p.Merchant != c.merchant || p.Order != c.order || p.Match != c.match {
			t.Errorf("%s: merchant %q, order %q, match %q", c.name, p.Merchant, p.Order, p.Match)
		}
	}
	unmatched, err := s.PaymentsForPerson(background, time.Time{}, 10)
	wantErr(t, "list unmatched", err, nil)
	if len(unmatched) != 5 {
		t.Errorf("%d payments need a person", len(unmatched))
	}
	codes, list, err := service.Order(background, merchant1, "Order 1")
	wantErr(t, "order", err, nil)
	if len(codes) != 1 || len(list) != 3 {
		t.Errorf("the order has %d codes and %d payments", len(codes), len(list))
	}
}

// suitePaymentLimits: a code that would lead over a limit is refused, and what was paid is
// recorded, counted on the day it was paid, and shown to people.
func suitePaymentLimits(t *testing.T, s *DB) {
	service, _ := paymentsOver(t, s, nil)
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, ist.Zone()).UTC()
	code := func(day int, amount money.Paise, want string) {
		t.Helper()
		err := service.AddCode(background, payments.Code{Merchant: merchant1, TR: "limited", Amount: amount, Order: "Limited", MadeAt: noon.AddDate(0, 0, day)})
		var refused *central.Error
		switch {
		case want == "" && err != nil:
			t.Errorf("a code for %s is refused: %v", amount, err)
		case want != "" && (!errors.As(err, &refused) || refused.Fault != central.FailedPrecondition || refused.Message != want):
			t.Errorf("a code for %s: %v, want %q", amount, err, want)
		}
	}
	pay := func(day int, amount money.Paise, want string) {
		t.Helper()
		r := aPayment("")
		r.Amount, r.At = amount, noon.AddDate(0, 0, day)
		for range 2 { // the network reports it twice, and it counts once
			wantErr(t, "record a payment", service.Record(background, r), nil)
		}
		if p := paymentOf(t, s, r.ID); p.OverLimit != want || p.NeedsPerson() != (want != "") || p.Match != payments.MatchStatic {
			t.Errorf("a payment of %s is over %q, want %q; match %s", amount, p.OverLimit, want, p.Match)
		}
	}
	const (
		rs   = money.Rupee
		over = "The amount is over the limit: a transaction has at most 20,000.00 rupees"
		left = "The limit of 50000.00 rupees for this merchant's UPI payments today is exceeded; 15000.00 rupees are left"
		none = "The limit of 50000.00 rupees for this merchant's UPI payments today is exceeded; 0.00 rupees are left"
	)
	code(0, 20_000*rs+1, over)
	pay(0, 20_000*rs, "")
	code(0, 15_000*rs, "")
	pay(0, 15_000*rs, "")
	code(0, 15_000*rs+1, left)
	code(0, 15_000*rs, "")
	pay(0, 20_000*rs, left)
	code(0, rs, none)
	pay(0, 20_001*rs, over) // it is over both
	pay(1, 20_000*rs, "")
	code(1, 20_000*rs, "")
	pay(-1, 20_000*rs, "") // it comes late, and counts on its day
	people, err := s.PaymentsForPerson(background, time.Time{}, 10)
	wantErr(t, "list payments for people", err, nil)
	if len(people) != 2 {
		t.Errorf("%d payments need a person", len(people))
	}
	for key, want := range map[string]central.Used{"2026-11-19": {Count: 1, Sum: 20_000 * rs}, "2026-11-20": {Count: 4, Sum: 75_001 * rs}, "2026-11-21": {Count: 1, Sum: 20_000 * rs}} {
		used, err := oneRow(background, s.task("read a quota"), scanUsed, `SELECT count, sum FROM quota_usage WHERE key = $1 AND period = $2`, "merchant:"+string(merchant1)+":UPI_PAYMENT", key)
		if err != nil || used != want {
			t.Errorf("on %s: %+v, %v; want %+v", key, used, err, want)
		}
	}
}

// suitePaymentRefunds: the bank returns a payment, whatever was reported first.
func suitePaymentRefunds(t *testing.T, s *DB) {
	terminal := enrolled(t, s, 1).ID
	service, told := paymentsOver(t, s, nil)
	reports := func(p central.ReceivedPayment) (before, after central.ReceivedPayment) {
		after = p
		after.Refund = &central.PaymentRefund{ID: "R" + p.ID, RRN: "9" + p.RRN[1:], At: p.At.Add(time.Minute)}
		return p, after
	}
	earned := func() (n money.Paise) {
		t.Helper()
		sums, err := s.EarningsOf(background, vendor1, "2000-01-01", "2999-01-01", nil)
		wantErr(t, "earnings", err, nil)
		for _, x := range sums {
			n += x.Commission
		}
		return n
	}
	before, after := reports(aPayment(""))
	wantErr(t, "record", service.Record(background, before), nil)
	if earned() == 0 {
		t.Error("the payment earned nothing")
	}
	told()
	for range 2 {
		wantErr(t, "return", service.Record(background, after), nil)
		wantErr(t, "the older report", service.Record(background, before), nil)
	}
	if got := told(); len(got) != 1 || earned() != 0 {
		t.Errorf("woken %v, earned %s", got, earned())
	}
	p := paymentOf(t, s, before.ID)
	if !p.Refunded() || p.Refund.ID != after.Refund.ID || !p.Refund.At.Equal(after.Refund.At) {
		t.Errorf("returned as %+v", p.Refund)
	}
	o, err := s.Operation(background, p.RefundOperation)
	wantErr(t, "read the return's operation", err, nil)
	if o.Kind != central.KindUPIRefund || o.State != op.Succeeded || string(o.Original) != p.ID || o.Reverses != p.Operation {
		t.Errorf("the return's operation is %+v", o)
	}
	if byReturn, err := s.PaymentOf(background, p.RefundOperation); err != nil || byReturn.ID != p.ID {
		t.Errorf("by its return: %+v, %v", byReturn, err)
	}
	if got := paymentEvents(t, s, terminal); !slices.Equal(got, []op.ID{p.Operation, p.RefundOperation}) {
		t.Errorf("events of %v", got)
	}
	twice := after
	twice.Refund = &central.PaymentRefund{ID: "RX" + before.ID, RRN: after.Refund.RRN, At: after.Refund.At}
	if err := service.Record(background, twice); !errors.Is(err, payments.ErrConflict) {
		t.Errorf("a second return: %v", err)
	}

	_, late := reports(aPayment(""))
	wantErr(t, "returned before it was reported", service.Record(background, late), nil)
	if p := paymentOf(t, s, late.ID); !p.Refunded() || earned() != 0 {
		t.Errorf("recorded as %+v, earned %s", p, earned())
	}
	lost, returned := reports(aPayment(""))
	lost.Payee, returned.Payee = "nobody@galla", "nobody@galla"
	wantErr(t, "of nobody", service.Record(background, returned), nil)
	if p := paymentOf(t, s, lost.ID); !p.Refunded() || p.Merchant != "" {
		t.Errorf("recorded as %+v", p)
	}
}

// suitePaymentsAtOnce: of many reports at once, one is recorded.
func suitePaymentsAtOnce(t *testing.T, s *DB) {
	terminal := enrolled(t, s, 1).ID
	service, _ := paymentsOver(t, s, nil)
	r := aPayment("")
	var all sync.WaitGroup
	errs := make([]error, 24)
	for i := range errs {
		report := r
		if i%2 == 1 {
			report.Refund = &central.PaymentRefund{ID: "R" + r.ID, RRN: "9" + r.RRN[1:], At: r.At.Add(time.Minute)}
		}
		all.Go(func() { errs[i] = service.Record(background, report) })
	}
	all.Wait()
	wantErr(t, "record at once", errors.Join(errs...), nil)
	if p := paymentOf(t, s, r.ID); !p.Refunded() {
		t.Error("the return is lost")
	}
	if got := paymentEvents(t, s, terminal); len(got) != 2 {
		t.Errorf("%d events", len(got))
	}
}

// suitePaymentLists: a merchant's payments come in pages, newest record first.
func suitePaymentLists(t *testing.T, s *DB) {
	service, _ := paymentsOver(t, s, nil)
	for range 7 {
		wantErr(t, "record", service.Record(background, aPayment("")), nil)
	}
	var all []string
	f := payments.Filter{Merchant: merchant1, Limit: 3}
	for {
		page, err := service.List(background, f)
		wantErr(t, "list", err, nil)
		if len(page) == 0 {
			break
		}
		for _, p := range page {
			all = append(all, p.ID)
		}
		f.After = page[len(page)-1].ID
	}
	if len(all) != 7 || len(slices.Compact(slices.Sorted(slices.Values(all)))) != 7 {
		t.Errorf("listed %v", all)
	}
	if list, err := service.List(background, payments.Filter{Merchant: merchant1, To: time.Now().Add(-time.Hour), Limit: 3}); err != nil || len(list) > 0 {
		t.Errorf("before: %v, %v", list, err)
	}
	for _, f := range []payments.Filter{{Merchant: merchant4, After: all[0], Limit: 3}, {Merchant: merchant1, After: "AXI", Limit: 3}} {
		if _, err := service.List(background, f); !errors.Is(err, payments.ErrAfter) {
			t.Errorf("after another's payment: %v", err)
		}
	}
	if list, err := service.List(background, payments.Filter{Merchant: "", Limit: 3}); err != nil || len(list) > 0 {
		t.Errorf("of nobody: %v, %v", list, err)
	}
}

// suitePaymentEnquiry: the enquiry finds what no notification told.
func suitePaymentEnquiry(t *testing.T, s *DB) {
	known := knownPayments{aPayment(""), aPayment(""), aPayment("")}
	service, _ := paymentsOver(t, s, known)
	told := known[1]
	told.Amount++ // as it was notified: the network contradicts itself
	wantErr(t, "record", service.Record(background, told), nil)
	note, err := service.EnquiryJob().Run(background)
	wantErr(t, "enquire", err, nil)
	if note != "3 payments seen, 1 recorded with other values" {
		t.Errorf("note %q", note)
	}
	if p := paymentOf(t, s, known[0].ID); p.Source != payments.FromEnquiry {
		t.Errorf("recorded as %+v", p)
	}
	until, err := s.EnquiredUntil(background)
	if err != nil || time.Since(until) > time.Minute {
		t.Errorf("enquired until %v, %v", until, err)
	}
	wantErr(t, "set it back", s.SetEnquiredUntil(background, until.Add(-time.Hour)), nil)
	if again, err := s.EnquiredUntil(background); err != nil || !again.Equal(until) {
		t.Errorf("set back to %v, %v", again, err)
	}
}

// suitePaymentCallbacks: the endpoint that wants to know is told of a payment and of its
// return, from the transaction that records each.
func suitePaymentCallbacks(t *testing.T, s *DB) {
	service, _ := paymentsOver(t, s, nil)
	report := func() payments.Payment {
		t.Helper()
		r := aPayment("")
		r.Refund = &central.PaymentRefund{ID: "R" + r.ID, RRN: "9" + r.RRN[1:], At: r.At.Add(time.Minute)}
		wantErr(t, "record", service.Record(background, r), nil)
		return paymentOf(t, s, r.ID)
	}
	unwanted := report() // merchant1's endpoint lists other events
	for _, id := range []op.ID{unwanted.Operation, unwanted.RefundOperation} {
		if _, _, err := s.Callback(background, id); !errors.Is(err, central.ErrNotFound) {
			t.Errorf("a callback that nobody wants: %v", err)
		}
	}
	wantErr(t, "set", s.SetEndpoint(background, webhook.OfMerchant(merchant1), "https://shop.example/events", webhook.Events(), t0), nil)
	p := report()
	for id, event := range map[op.ID]string{p.Operation: webhook.EventReceived, p.RefundOperation: webhook.EventReturned} {
		if x, _ := callbackOfOperation(t, s, id); x.Event != event || x.Merchant != merchant1 || x.State != webhook.StateWaiting {
			t.Errorf("%s is owed as %+v", event, x)
		}
	}
	wantErr(t, "replay what was never owed", s.ReplayCallback(background, unwanted.RefundOperation, time.Now()), nil)
	if x, _ := callbackOfOperation(t, s, unwanted.RefundOperation); x.Event != webhook.EventReturned {
		t.Errorf("replayed as %+v", x)
	}
}

// suitePaymentsOfVendor: a vendor finds what its merchants received, and what was returned,
// among their operations, and another vendor does not.
func suitePaymentsOfVendor(t *testing.T, s *DB) {
	service, _ := paymentsOver(t, s, nil)
	r := aPayment("")
	r.Refund = &central.PaymentRefund{ID: "R" + r.ID, RRN: "9" + r.RRN[1:], At: r.At.Add(time.Minute)}
	wantErr(t, "record", service.Record(background, r), nil)
	nobodys := aPayment("")
	nobodys.Payee = "nobody@galla"
	wantErr(t, "record", service.Record(background, nobodys), nil)
	p := paymentOf(t, s, r.ID)
	from, to := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	listed := func(vendor central.VendorID, kind central.Kind) (list []op.ID) {
		t.Helper()
		found, err := s.OperationsOfVendor(background, vendor, selfservice.OperationQuery{Kind: kind, From: from, To: to, Limit: 10})
		wantErr(t, "list", err, nil)
		for _, o := range found {
			list = append(list, o.ID)
		}
		slices.Sort(list)
		return list
	}
	all := []op.ID{p.Operation, p.RefundOperation}
	slices.Sort(all)
	wantSame(t, "of any kind", listed(vendor1, ""), all)
	wantSame(t, "payments", listed(vendor1, central.KindUPIPayment), []op.ID{p.Operation})
	wantSame(t, "returns", listed(vendor1, central.KindUPIRefund), []op.ID{p.RefundOperation})
	wantSame(t, "of another vendor", len(listed(vendor2, "")), 0)
	counts, err := s.CountOfVendor(background, vendor1, from, to)
	wantErr(t, "count", err, nil)
	wantSame(t, "counted", counts, []selfservice.Count{{State: op.Succeeded, Count: 2, Sum: 2500}})
}
