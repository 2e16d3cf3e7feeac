package server

import (
	"galla/central"
	"galla/central/bank"
	"galla/central/cache"
	"galla/central/commission"
	"galla/central/jobs"
	"galla/central/keys"
	"galla/central/payments"
	"galla/central/reconcile"
	"galla/central/store"
	"galla/central/telemetry"
)

// networkRoot is the path below which the bank network calls the central.
const networkRoot = "/network/"

// receivedPayments records what merchants received by UPI, and serves the network's reports.
type receivedPayments struct {
	*payments.Service
	notifications *bank.Notifications
}

// newMoneyPaths creates the two ways of money: operations that are sent to the bank, and
// payments that it reports. Both earn by the same tariff.
func newMoneyPaths(cfg Config, k keys.Set, network *bank.Client, db *store.DB, parties *cache.Parties, notifier *central.Notifier, r rules, w *telemetry.Metrics) (*central.Engine, receivedPayments, error) {
	tariff, err := commission.New(parties, parties, r.rates, commission.Config{Provider: cfg.Provider})
	if err != nil {
		return nil, receivedPayments{}, err
	}
	engine, err := newEngine(cfg, network, db, tariff, notifier, w)
	if err != nil {
		return nil, receivedPayments{}, err
	}
	received, err := newPayments(cfg, k, network, db, tariff, r.limits, notifier, w)
	return engine, received, err
}

func newPayments(cfg Config, k keys.Set, network *bank.Client, db *store.DB, tariff central.Tariff, bounds payments.Limits, notifier *central.Notifier, w *telemetry.Metrics) (receivedPayments, error) {
	service, err := payments.New(payments.Config{
		Store: db, Network: network, Tariff: tariff, Limits: bounds, Handle: cfg.handle(), FingerprintKey: k.Fingerprint, Node: cfg.Node,
		Notify: notifier.Notify, Observe: w.RecordPayment, Logger: cfg.Logger,
	})
	if err != nil {
		return receivedPayments{}, err
	}
	notifications, err := bank.NewNotifications(k.Bank, service, cfg.Logger)
	return receivedPayments{service, notifications}, err
}

// jobs find the payments that the network's reports missed: by the enquiry of the day, and
// by the bank's settlement file.
func (p receivedPayments) jobs(db *store.DB) []jobs.ScheduledJob {
	return []jobs.ScheduledJob{p.EnquiryJob(), reconcile.PaymentJob(db, p.Service)}
}
