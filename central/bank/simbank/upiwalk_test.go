package simbank_test

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"galla/central/bank/network"
	. "galla/central/bank/simbank"
	"galla/central/bank/simbank/books"
	"galla/central/bank/simbank/upi/upitest"
	"galla/shared/money"
)

// TestUPIWalk pays and refunds while the central is deaf, slow or forgets its replies, and
// the bank is stopped and started. In the end the central has heard of everything, money
// has moved once, and the order of records has no gap.
func TestUPIWalk(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var failure any // rapid's failures are panics, and must not end the bubble
		synctest.Test(t, func(t *testing.T) {
			defer func() { failure = recover() }()
			upiWalk(t, rt)
		})
		if failure != nil {
			panic(failure)
		}
	})
}

// upiWalker is the bank, and what must be true of it.
type upiWalker struct {
	t       *testing.T
	cfg     Config
	bank    *Bank
	stop    func()
	central *upitest.Central
	began   time.Time

	paid    []network.Payment // in the order of records, as they are now
	order   []string          // ids, again where a refund was recorded
	secret  map[string]bool   // nobody is told of the payment
	heard   map[string]bool   // confirmed by the central at least once
	back    map[string]bool   // and with its refund
	balance money.Paise
}

func upiWalk(t *testing.T, rt *rapid.T) {
	cfg, _, _ := NewTestConfig(t)
	cfg.Customers = []Customer{}
	w := &upiWalker{t: t, cfg: cfg, began: time.Now(), secret: map[string]bool{}, heard: map[string]bool{}, back: map[string]bool{}}
	w.central = upitest.New(t, network.NewChecksums(NetworkKey()))
	w.cfg.NotifyURL, w.cfg.DialNotify = "http://central.test", w.central.Dial
	w.start(rt)
	defer func() { w.stop() }()
	rt.Repeat(map[string]func(*rapid.T){
		"pay":     w.pay,
		"pay too": w.pay,
		"refund":  w.refund,
		"restart": func(rt *rapid.T) { w.stop(); w.start(rt) },
		"central": w.behave,
		"wait": func(rt *rapid.T) {
			time.Sleep(time.Duration(rapid.SampledFrom([]int{1, 500, 20_000, 400_000}).Draw(rt, "ms")) * time.Millisecond)
		},
		"": w.check,
	})
	w.central.Answer(nil)
	time.Sleep(20 * time.Minute) // longer than any delay between two attempts, and the latest begin
	w.hear()
	w.check(rt)
	for _, p := range w.paid {
		if !w.secret[p.ID] && !w.heard[p.ID] || p.Refund != nil && !w.back[p.ID] {
			rt.Fatalf("the central has not heard of %+v", p)
		}
	}
	entries, err := w.bank.Payments(t.Context(), books.Filter{})
	if err != nil || len(entries) != len(w.paid) {
		rt.Fatalf("%d payments, %v; want %d", len(entries), err, len(w.paid))
	}
	for _, e := range entries {
		for _, n := range e.Notifications {
			if n.Delivered.IsZero() {
				rt.Fatalf("%+v is not delivered", e)
			}
		}
	}
}

// start begins a life of the bank on the books that are there.
func (w *upiWalker) start(rt *rapid.T) {
	b, err := New(w.t.Context(), w.cfg)
	if err != nil {
		rt.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx) }()
	synctest.Wait()
	w.bank = b
	w.stop = func() {
		cancel()
		if err := <-done; err != nil {
			w.t.Error(err)
		}
		if err := b.Close(); err != nil {
			w.t.Error(err)
		}
		w.hear()
	}
}

// behave changes how the central answers.
func (w *upiWalker) behave(rt *rapid.T) {
	switch rapid.SampledFrom([]string{"well", "busy", "silent", "forgetful", "mixed"}).Draw(rt, "central") {
	case "well":
		w.central.Answer(nil)
	case "busy":
		w.central.Answer(func(r http.ResponseWriter, _ int, _ network.Payment) { r.WriteHeader(http.StatusServiceUnavailable) })
	case "silent":
		w.central.Answer(func(http.ResponseWriter, int, network.Payment) { time.Sleep(time.Minute) })
	case "forgetful": // it has recorded it, and its reply is lost
		w.central.Answer(func(http.ResponseWriter, int, network.Payment) { panic(http.ErrAbortHandler) })
	case "mixed":
		w.central.Answer(func(r http.ResponseWriter, n int, p network.Payment) {
			if n%2 == 0 {
				w.central.Confirm(r, p.ID)
				return
			}
			r.WriteHeader(http.StatusConflict)
		})
	}
}

func (w *upiWalker) notice(rt *rapid.T) Notice {
	return rapid.SampledFrom([]Notice{{}, {}, {Copies: 3}, {After: 2 * time.Minute}, {Spoil: books.SpoilOnce}}).Draw(rt, "notice")
}

func (w *upiWalker) pay(rt *rapid.T) {
	n := w.notice(rt)
	n.Never = rapid.IntRange(0, 9).Draw(rt, "never") == 0
	p := UPIPayment{
		Payee: rapid.SampledFrom([]string{"a@galla", "b@galla"}).Draw(rt, "payee"), TR: rapid.SampledFrom([]string{"", "order-1", "order-2"}).Draw(rt, "tr"),
		Amount: money.Paise(rapid.IntRange(1, 1_00_000_00).Draw(rt, "amount")), PayerName: "Asha", PayerVPA: "asha@okbank",
	}
	if len(w.paid) > 0 && rapid.IntRange(0, 9).Draw(rt, "again") == 0 {
		known := rapid.SampledFrom(w.paid).Draw(rt, "known")
		p.ID = known.ID
		if again, err := w.bank.PayUPI(w.t.Context(), p, n); err != nil || again.RRN != known.RRN || again.Amount != known.Amount {
			rt.Fatalf("%+v again: %+v, %v", known, again, err)
		}
		return
	}
	paid, err := w.bank.PayUPI(w.t.Context(), p, n)
	if err != nil || paid.Amount != p.Amount || paid.TR != p.TR || paid.Payee != p.Payee {
		rt.Fatalf("%+v, %v", paid, err)
	}
	w.paid, w.order = append(w.paid, paid), append(w.order, paid.ID)
	w.secret[paid.ID] = n.Never
	w.balance += paid.Amount
}

func (w *upiWalker) refund(rt *rapid.T) {
	if len(w.paid) == 0 {
		rt.Skip("nothing was paid so far")
	}
	i := rapid.IntRange(0, len(w.paid)-1).Draw(rt, "payment")
	refunded, err := w.bank.RefundUPI(w.t.Context(), w.paid[i].ID, w.notice(rt))
	if w.paid[i].Refund != nil {
		if err == nil {
			rt.Fatalf("%s is refunded twice", w.paid[i].ID)
		}
		return
	}
	if err != nil || refunded.Refund == nil {
		rt.Fatalf("%+v, %v", refunded, err)
	}
	w.paid[i] = refunded
	w.order = append(w.order, refunded.ID)
	w.balance -= refunded.Amount
}

// hear counts what reached the central with a right checksum, whatever it replied.
func (w *upiWalker) hear() {
	for _, r := range w.central.Took() {
		if r.Signed {
			w.heard[r.Payment.ID] = true
			w.back[r.Payment.ID] = w.back[r.Payment.ID] || r.Payment.Refund != nil
		}
	}
}

// check holds what is always true.
func (w *upiWalker) check(rt *rapid.T) {
	trial, err := w.bank.Trial(w.t.Context())
	if err != nil || trial.Debits != trial.Credits || trial.Debits != trial.Entries {
		rt.Fatalf("trial %+v, %v", trial, err)
	}
	limit := rapid.IntRange(1, 5).Draw(rt, "limit")
	var order []string
	var last map[string]network.Payment
	for q := (network.PaymentQuery{Reference: "UPI-1", From: w.began, To: time.Now().Add(time.Millisecond), Limit: limit}); ; {
		a, err := w.bank.FindPayments(w.t.Context(), q)
		if err != nil {
			rt.Fatal(err)
		}
		for _, p := range a.Payments {
			if last == nil {
				last = map[string]network.Payment{}
			}
			order, last[p.ID] = append(order, p.ID), p
		}
		if q.After = a.Next; q.After == "" {
			break
		}
	}
	if !slices.Equal(order, w.order) {
		rt.Fatalf("order %v, want %v", order, w.order)
	}
	var sum money.Paise
	for _, p := range w.paid {
		if got := last[p.ID]; !reflect.DeepEqual(got, p) {
			rt.Fatalf("%+v, want %+v", got, p)
		}
		if p.Refund == nil {
			sum += p.Amount
		}
	}
	if sum != w.balance {
		rt.Fatalf("the payments that stand sum to %s, and %s was paid", sum, w.balance)
	}
}
