package sim

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/central/bank"
	"galla/central/bank/simbank"
	"galla/central/bank/simbank/books"
	"galla/central/commission"
	"galla/central/jobs"
	"galla/central/payments"
	"galla/shared/money"
	"galla/shared/op"
)

// notifyNames are where the centrals hear the bank's reports of payments.
var notifyNames = []string{"notify-1", "notify-2"}

// Counters of the audit of payments by UPI.
const (
	countPayments  = "payments by UPI"
	countReturned  = "payments that were returned"
	countUntold    = "payments that no notification told"
	countUnmatched = "payments without an order or a payee"
)

// AddPayment commits on the disk of its central.
func (l faultyStore) AddPayment(ctx context.Context, p payments.Payment, o central.Operation, end central.FinalOutcome, quotas []central.Quota) (r payments.Recorded, err error) {
	err = l.disk.commit(func() error { r, err = l.DB.AddPayment(ctx, p, o, end, quotas); return err })
	return r, err
}

// AddRefund commits on the disk of its central.
func (l faultyStore) AddRefund(ctx context.Context, p payments.Payment, o central.Operation, end central.FinalOutcome) (r payments.Recorded, err error) {
	err = l.disk.commit(func() error { r, err = l.DB.AddRefund(ctx, p, o, end); return err })
	return r, err
}

// addPayments creates the central's service of payments, and the loops that serve the bank's
// notifications and ask for what they missed.
func (o *centralNode) addPayments(kept faultyStore, bounds payments.Limits, notifier *central.Notifier) (*payments.Service, []func(context.Context) error, error) {
	h := o.system
	rates, err := commission.Embedded()
	if err != nil {
		return nil, nil, err
	}
	tariff, err := commission.New(kept, kept, rates, commission.Config{})
	if err != nil {
		return nil, nil, err
	}
	service, err := payments.New(payments.Config{
		Store: kept, Network: o.bank, Tariff: tariff, Limits: bounds, Handle: "galla", FingerprintKey: h.snapshot.keys.fing, Node: o.name,
		Notify: notifier.Notify, Logger: h.log,
	})
	if err != nil {
		return nil, nil, err
	}
	reports, err := bank.NewNotifications(h.snapshot.keys.network, service, h.log)
	if err != nil {
		return nil, nil, err
	}
	enquiry, err := jobs.SchedulerJob(kept, h.log, service.EnquiryJob())
	if err != nil {
		return nil, nil, err
	}
	runner, err := central.NewJobRunner(h.log, enquiry)
	if err != nil {
		return nil, nil, err
	}
	l := h.network.listen(o.notify)
	return service, []func(context.Context) error{runner.Run, func(ctx context.Context) error { return serveHTTP(ctx, l, reports) }}, nil
}

// serveHTTP serves until ctx ends; then every connection breaks.
func serveHTTP(ctx context.Context, l net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// payers pay the shops by UPI, and the bank returns some of it.
func (s *story) payers(ctx context.Context, cast *sync.WaitGroup) {
	luck := newRNG(s.seed, "payers")
	for nth := 0; ; nth++ {
		select {
		case <-time.After(luck.between(time.Second, 12*time.Second)):
		case <-ctx.Done():
			return
		}
		p := s.drawPayment(luck, nth)
		s.trace.notePlanned("payer %d: %+v", nth, p)
		cast.Go(func() { s.pay(ctx, p) })
	}
}

// paymentPlan is one payment, and what becomes of it.
type paymentPlan struct {
	payee    string
	order    string // empty: static
	code     bool   // the order has a QR code
	amount   money.Paise
	asked    money.Paise // of the code
	node     int         // which makes the code
	notice   simbank.Notice
	refund   time.Duration // 0: never
	returned simbank.Notice
}

func (s *story) drawPayment(luck *rng, nth int) paymentPlan {
	shops := s.snapshot.shops
	p := paymentPlan{payee: shops[luck.below(len(shops))].vpa, amount: money.Paise(100+nth) * money.Rupee, node: luck.below(len(s.nodes)), notice: drawNotice(luck), returned: drawNotice(luck)}
	switch luck.below(6) {
	case 0:
		p.payee = "nobody@galla"
	case 1, 2: // static
	default: // only the first shop's program makes codes
		p.payee, p.order, p.code, p.asked = shops[0].vpa, fmt.Sprint("order-", nth), luck.below(5) > 0, p.amount
		if luck.below(5) == 0 {
			p.asked += money.Rupee
		}
	}
	if luck.below(4) == 0 {
		p.refund = luck.between(time.Millisecond, 40*time.Second)
	}
	return p
}

func drawNotice(luck *rng) (n simbank.Notice) {
	switch luck.below(8) {
	case 0:
		n.Never = true
	case 1:
		n.Copies = 2 + luck.below(3)
	case 2:
		n.After = luck.between(time.Second, 50*time.Second)
	case 3:
		n.Spoil = books.SpoilOnce
	}
	return n
}

func (s *story) pay(ctx context.Context, p paymentPlan) {
	if p.code {
		s.call(ctx, p.node, op.GenerateQR, map[string]any{"order_id": p.order, "amount": jsontext.Value(p.asked.Number())})
	}
	b := s.books()
	if b == nil {
		return // the bank is down, and nobody can pay
	}
	done, err := b.PayUPI(ctx, simbank.UPIPayment{Payee: p.payee, TR: p.order, Amount: p.amount, PayerName: "Asha Kulkarni", PayerVPA: "asha@okbank"}, p.notice)
	if err != nil || p.refund == 0 {
		return
	}
	select {
	case <-time.After(p.refund):
	case <-ctx.Done():
		return
	}
	if b := s.books(); b != nil {
		_, _ = b.RefundUPI(ctx, done.ID, p.returned) // it is in the books, or it is not
	}
}

// bankPayments reads all payments of the bank's books.
func (h *system) bankPayments(ctx context.Context) ([]simbank.PaymentEntry, error) {
	b := h.books()
	if b == nil {
		return nil, fmt.Errorf("the bank is down")
	}
	return b.Payments(ctx, simbank.Filter{To: time.Now().Add(time.Hour)})
}

// paymentsArrived tells whether the central and the counters know all payments.
func (h *system) paymentsArrived() bool {
	ctx := context.Background()
	list, err := h.bankPayments(ctx)
	if err != nil {
		return false
	}
	for _, e := range list {
		p, err := h.nodes[0].store.Payment(ctx, e.ID)
		if err != nil || p.Refunded() != (e.Refund != nil) {
			return false
		}
		for _, c := range h.counters {
			for _, id := range expectedRecords(c, p) {
				if _, err := c.queue.Get(id); err != nil {
					return false
				}
			}
		}
	}
	return true
}

// expectedRecords are the records that a counter has of a payment.
func expectedRecords(c *counter, p payments.Payment) []op.ID {
	if p.Merchant != c.merchant || p.Merchant == "" {
		return nil
	}
	ids := []op.ID{p.Operation}
	if p.Refunded() {
		ids = append(ids, p.RefundOperation)
	}
	return ids
}

// verifyPayments compares the bank's payments with the central's and the counters': each
// was recorded once and told to each counter of its shop, and nothing else was.
func (a *audit) verifyPayments(ctx context.Context) {
	list, err := a.bankPayments(ctx)
	if err != nil {
		a.violation("the bank's payments can't be read: %v", err)
		return
	}
	known := map[op.ID]payments.Payment{}
	for _, e := range list {
		a.trace.countEvent(countPayments, true)
		a.trace.countEvent(countReturned, e.Refund != nil)
		p, err := a.nodes[0].store.Payment(ctx, e.ID)
		if err != nil {
			a.addLost("payment %s of %s to %s is in the books, and not at the central: %v", e.ID, e.Amount, e.Payee, err)
			continue
		}
		a.trace.countEvent(countUntold, p.Source == payments.FromEnquiry)
		a.trace.countEvent(countUnmatched, p.NeedsPerson())
		known[p.Operation] = p
		if p.Refunded() {
			known[p.RefundOperation] = p
		}
		if p.Amount != e.Amount || p.RRN != e.RRN || p.Payee != e.Payee || p.Refunded() != (e.Refund != nil) {
			a.violation("payment %s is %+v at the central, and %+v in the books", e.ID, p, e)
		}
		a.verifyEarnings(ctx, p)
		for _, c := range a.counters {
			for _, id := range expectedRecords(c, p) {
				if _, err := c.queue.Get(id); err != nil {
					a.addLost("%s was not told of payment %s (operation %s of %s and %s): %v", c.name, e.ID, id, p.Operation, p.RefundOperation, err)
				}
			}
		}
	}
	for _, c := range a.counters {
		a.verifyToldPayments(c, known)
	}
}

// verifyEarnings checks the two operations of a payment.
func (a *audit) verifyEarnings(ctx context.Context, p payments.Payment) {
	for _, id := range []op.ID{p.Operation, p.RefundOperation} {
		if id == "" {
			continue
		}
		o, err := a.nodes[0].store.Operation(ctx, id)
		if err != nil || o.State != op.Succeeded || o.Amount != p.Amount || o.Merchant != p.Merchant {
			a.violation("the operation %s of payment %s is %+v, %v", id, p.ID, o, err)
		}
	}
}

// verifyToldPayments looks for payments that a counter shows and nobody made.
func (a *audit) verifyToldPayments(c *counter, known map[op.ID]payments.Payment) {
	seen := map[string]op.ID{}
	for _, r := range c.daemon().Payments(1 << 20) {
		p, ok := known[r.ID]
		if !ok || p.Merchant != c.merchant || p.Amount != r.Amount || r.State != op.Succeeded || (r.Route == op.PaymentReturned) != (r.ID == p.RefundOperation) {
			a.addDoubled("%s shows payment %s of %s (%s), which is not the shop's: %+v", c.name, r.ID, r.Amount, r.Route, p)
			continue
		}
		name := string(r.Route) + p.ID
		if before, twice := seen[name]; twice {
			a.addDoubled("%s shows payment %s twice: as %s and as %s", c.name, p.ID, before, r.ID)
		}
		seen[name] = r.ID
	}
}
