package payments

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"log/slog"
	"strings"
	"time"

	"galla/central"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// Tariff calculates earnings (central.Tariff).
type Tariff interface {
	Earning(ctx context.Context, o central.Operation, a central.BankAnswer, at time.Time) (*central.Earning, error)
}

// Limits are what a merchant may receive; *limits.RuleSet implements it.
type Limits interface {
	// Check refuses an amount that no transaction may have (FailedPrecondition), and gives
	// the quotas that it counts against.
	Check(at time.Time, s central.LimitSubject) ([]central.Quota, error)
	// Quotas gives the quotas whatever the amount.
	Quotas(at time.Time, s central.LimitSubject) []central.Quota
}

// Config sets up a Service. All fields but Observe are required.
type Config struct {
	Store   Store
	Network central.PaymentNetwork
	Tariff  Tariff
	Limits  Limits
	// Handle is the handle of VPAs that merchants have by default, such as gallabank.
	Handle string
	// FingerprintKey keys the fingerprints of operations.
	FingerprintKey secret.Key
	Node           string
	Logger         *slog.Logger
	// Notify wakes the sessions of a terminal's topic (Notifier.Notify).
	Notify func(topic string)
	// Observe is told of each new record, for metrics.
	Observe func(Payment)
}

// Service records and lists payments. Its methods may be called concurrently.
type Service struct {
	cfg    Config
	prints *secret.MAC
}

// New returns a Service.
func New(cfg Config) (*Service, error) {
	if cfg.Store == nil || cfg.Network == nil || cfg.Tariff == nil || cfg.Limits == nil || cfg.Handle == "" || cfg.FingerprintKey.IsZero() || cfg.Node == "" || cfg.Logger == nil || cfg.Notify == nil {
		return nil, errors.New("payments need a store, a network, a tariff, limits, a handle, a key, a node, a logger and a notifier")
	}
	if cfg.Observe == nil {
		cfg.Observe = func(Payment) {}
	}
	return &Service{cfg: cfg, prints: secret.NewMAC(cfg.FingerprintKey)}, nil
}

// Record records a payment that the network reported, and its return if the bank returned
// it. It returns when both are durable, now or before. ErrConflict: it is recorded with
// other values.
func (s *Service) Record(ctx context.Context, r central.ReceivedPayment) error {
	return s.record(ctx, r, FromNotification)
}

func (s *Service) record(ctx context.Context, r central.ReceivedPayment, from Source) error {
	p, err := s.cfg.Store.Payment(ctx, r.ID)
	if errors.Is(err, central.ErrNotFound) {
		p, err = s.add(ctx, r, from)
	}
	if err != nil {
		return fmt.Errorf("record payment %s: %w", r.ID, err)
	}
	if !samePayment(p.ReceivedPayment, r) {
		return fmt.Errorf("record payment %s: %w", r.ID, ErrConflict)
	}
	if r.Refund == nil {
		return nil // an older report, where the payment was returned since
	}
	if p.Refund != nil && (p.Refund.ID != r.Refund.ID || p.Refund.RRN != r.Refund.RRN) {
		return fmt.Errorf("record the return of payment %s: %w", r.ID, ErrConflict)
	}
	if p.Refund != nil {
		return nil
	}
	p.Refund = r.Refund
	if err := s.addRefund(ctx, p); err != nil {
		return fmt.Errorf("record the return of payment %s: %w", r.ID, err)
	}
	return nil
}

// samePayment compares what never changes of a payment.
func samePayment(a, b central.ReceivedPayment) bool {
	return a.ID == b.ID && a.RRN == b.RRN && a.Payee == b.Payee && a.TR == b.TR && a.Amount == b.Amount && a.At.Equal(b.At)
}

// add records a new payment.
func (s *Service) add(ctx context.Context, r central.ReceivedPayment, from Source) (Payment, error) {
	r.Refund = nil
	p := Payment{ReceivedPayment: r, Source: from, RecordedAt: time.Now().Truncate(time.Millisecond)}
	if err := s.match(ctx, &p); err != nil {
		return Payment{}, err
	}
	o := s.operation(op.PaymentReceived, central.KindUPIPayment, r.ID, r.RRN, r.At, p)
	p.Operation = o.ID
	end, err := s.outcome(ctx, o, r.RRN, "Payment received", p)
	if err != nil {
		return Payment{}, err
	}
	var quotas []central.Quota
	if p.Merchant != "" {
		subject := limitSubject(p.Merchant, p.Amount)
		if _, err := s.cfg.Limits.Check(r.At, subject); err != nil {
			p.OverLimit = err.Error()
		}
		quotas = s.cfg.Limits.Quotas(r.At, subject)
	}
	done, err := s.cfg.Store.AddPayment(ctx, p, o, end, quotas)
	if errors.Is(err, ErrConflict) { // unless another node recorded it at this moment
		if known, readErr := s.cfg.Store.Payment(ctx, r.ID); readErr == nil {
			return known, nil
		}
	}
	if err != nil {
		return Payment{}, err
	}
	s.tell(done)
	return done.Payment, nil
}

// addRefund records the return of a payment.
func (s *Service) addRefund(ctx context.Context, p Payment) error {
	p.RefundRecordedAt = time.Now().Truncate(time.Millisecond)
	o := s.operation(op.PaymentReturned, central.KindUPIRefund, p.Refund.ID, p.Refund.RRN, p.Refund.At, p)
	o.Original, o.Reverses, o.CreatedAt = central.Reference(p.ID), p.Operation, p.RefundRecordedAt
	o.SentAt, o.BankNotAfter = o.CreatedAt, o.CreatedAt
	p.RefundOperation = o.ID
	end, err := s.outcome(ctx, o, p.Refund.RRN, "Payment returned to the payer", p)
	if err != nil {
		return err
	}
	done, err := s.cfg.Store.AddRefund(ctx, p, o, end)
	if err == nil {
		s.tell(done)
	}
	return err
}

// limitSubject is what limits need of a payment.
func limitSubject(m central.MerchantID, amount money.Paise) central.LimitSubject {
	return central.LimitSubject{Kind: central.KindUPIPayment, Amount: amount, Merchant: m}
}

// tell wakes the terminals that have an event of a new record.
func (s *Service) tell(r Recorded) {
	if !r.New {
		return
	}
	for _, t := range r.Terminals {
		s.cfg.Notify(central.TerminalTopic(t))
	}
	p := r.Payment
	s.cfg.Logger.Info("payment recorded", "payment", p.ID, "operation", p.Operation, "merchant", p.Merchant, "match", string(p.Match), "overLimit", p.OverLimit != "", "source", string(p.Source), "returned", p.Refunded())
	s.cfg.Observe(p)
}

// match finds whose payment it is, and for which order.
func (s *Service) match(ctx context.Context, p *Payment) error {
	p.Match = MatchUnknownPayee
	list, err := s.cfg.Store.MerchantsByVPA(ctx, p.Payee, s.defaultMID(p.Payee))
	if err != nil || len(list) != 1 {
		return err
	}
	p.Merchant, p.Match = list[0].ID, MatchStatic
	if p.TR == "" {
		return nil
	}
	codes, err := s.cfg.Store.CodesOf(ctx, p.Merchant, p.TR)
	if err != nil {
		return err
	}
	p.Match = MatchUnknownOrder
	for _, c := range codes {
		p.Order = c.Order // of one tr there is one order, unless its id was hashed to it
		if c.Amount != p.Amount {
			p.Match = MatchAmount
			continue
		}
		p.Match = MatchOrder
		if p.RecordedAt.Sub(c.MadeAt) > CodeLife && p.At.Sub(c.MadeAt) > CodeLife {
			p.Match = MatchExpired
		}
		break
	}
	return nil
}

// defaultMID is the MID of a VPA at our handle; empty: it is at another.
func (s *Service) defaultMID(vpa string) string {
	name, handle, _ := strings.Cut(vpa, "@")
	if !strings.EqualFold(handle, s.cfg.Handle) {
		return ""
	}
	return strings.ToUpper(name)
}

// caller is the network, as the owner of operations that it reports.
const caller = "network"

// operation is the operation of a payment or of its return: sent when it is recorded,
// since the network has executed it. Its id follows from the network's, so that counters know
// it again where it is recorded a second time, after a restoration.
func (s *Service) operation(route op.RouteID, kind central.Kind, identity, rrn string, at time.Time, p Payment) central.Operation {
	o := central.Operation{
		ID: op.DeriveID(at, identity), Caller: caller, Identity: identity, Route: route, Merchant: p.Merchant,
		Kind: kind, Amount: p.Amount, Reference: central.Reference(identity), State: op.Sent, Node: s.cfg.Node,
		CreatedAt: p.RecordedAt, SentAt: p.RecordedAt, BankNotAfter: p.RecordedAt,
	}
	if p.Merchant != "" {
		o.Party = central.Principal{Role: op.Merchant, Merchant: p.Merchant}.Party()
	}
	o.Fingerprint = s.prints.Sum(func(h hash.Hash) {
		_, _ = fmt.Fprintf(h, "%s\n%s\n%s\n%s\n%s\n%d\n", kind, identity, rrn, p.Payee, p.TR, p.Amount) // a hash does not fail
	})
	return o
}

// outcome is the success of a new operation.
func (s *Service) outcome(ctx context.Context, o central.Operation, rrn, message string, p Payment) (central.FinalOutcome, error) {
	answer := central.BankAnswer{Status: central.BankApproved, Code: "00", Message: "SUCCESS", RRN: rrn}
	earning, err := s.cfg.Tariff.Earning(ctx, o, answer, o.CreatedAt)
	if err != nil {
		return central.FinalOutcome{}, err
	}
	return central.FinalOutcome{
		ID: o.ID, Before: &o, To: op.Succeeded, At: o.CreatedAt, Reason: "the network reported it (" + string(p.Source) + ")",
		Answer: answer, HTTP: 200, Reply: Render(message, p), Earning: earning,
	}, nil
}

// Order returns the codes of an order, newest first, and its payments, newest first.
func (s *Service) Order(ctx context.Context, m central.MerchantID, order string) ([]Code, []Payment, error) {
	codes, err := s.cfg.Store.CodesForOrder(ctx, m, order)
	if err != nil {
		return nil, nil, err
	}
	list, err := s.cfg.Store.PaymentsOf(ctx, Filter{Merchant: m, Order: order, Limit: maxOrderPayments})
	return codes, list, err
}

// maxOrderPayments bounds the payments of one order in a reply.
const maxOrderPayments = 100

// List lists a merchant's payments, the newest record first. ErrAfter.
func (s *Service) List(ctx context.Context, f Filter) ([]Payment, error) {
	return s.cfg.Store.PaymentsOf(ctx, f)
}

// AddCode records a QR for one order and amount. Where its payment would be over a limit of
// the merchant, the error is a *central.Error, FailedPrecondition, with a message for the
// caller, and nothing is recorded.
func (s *Service) AddCode(ctx context.Context, c Code) error {
	quotas, err := s.cfg.Limits.Check(c.MadeAt, limitSubject(c.Merchant, c.Amount))
	if err != nil {
		return err
	}
	var full *central.QuotaError
	if err := s.cfg.Store.CheckQuotas(ctx, quotas); errors.As(err, &full) {
		return central.NewError(central.FailedPrecondition, full.Error())
	} else if err != nil {
		return err
	}
	return s.cfg.Store.AddCode(ctx, c)
}
