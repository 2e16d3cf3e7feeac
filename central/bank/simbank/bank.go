package simbank

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"

	"galla/central/bank/network"
	"galla/central/bank/simbank/books"
	"galla/central/bank/simbank/services"
	"galla/central/bank/simbank/upi"
	"galla/shared/money"
	"galla/shared/secret"
)

// Names of books and services that users of a Bank need.
type (
	Customer  = books.Customer
	Execution = books.Execution
	Filter    = books.Filter
	Trial     = books.Trial
	Message   = services.Message
)

// Config sets up a Bank.
type Config struct {
	// DataDir holds the books and the key to their records; it is made with
	// mode 0700.
	DataDir string
	// NetworkKey is shared with the callers of the network and makes checksums.
	NetworkKey secret.Key
	// AuthorityKey and AuthorityCert are the pair under which devices seal PID
	// blocks.
	AuthorityKey  *rsa.PrivateKey
	AuthorityCert *x509.Certificate
	// ListenPublic and ListenNetwork open the two listeners of Run. ListenNetwork
	// is called again when the network comes back after it was down.
	ListenPublic  func(context.Context) (net.Listener, error)
	ListenNetwork func(context.Context) (net.Listener, error)
	// TimeScale multiplies the waits of the scenarios; 0 means 1, at most 1000.
	TimeScale float64
	// Customers are opened where the books do not have them; nil means the
	// residents of the sandbox.
	Customers []Customer
	// DailyCeiling is what a customer may be debited on an Indian day; 0 means
	// ₹1,00,000.
	DailyCeiling money.Paise
	// FloatOpening is what the aggregator's float holds when the books are
	// made; DayLimit and MonthLimit bound what a remitter may transfer on an
	// Indian day and in an Indian month, TransferMax one transfer. 0 means the
	// sandbox's (sandbox.md).
	FloatOpening, DayLimit, MonthLimit, TransferMax money.Paise
	// FloatRefill: a request that leaves less than this in the float fills it up to
	// FloatOpening; 0: none does.
	FloatRefill money.Paise
	// NotifyURL is the central's address, such as http://127.0.0.1:7100, which is told of
	// payments by UPI; empty: nobody is. DialNotify opens connections to it; nil: as the
	// system does.
	NotifyURL  string
	DialNotify func(ctx context.Context, network, address string) (net.Conn, error)
	// Origins are those of web pages that may read inboxes, as the sandbox's /docs/try
	// does. Other pages may not.
	Origins []string
	// Rand feeds authorisation codes, OTPs, ids and the records' key. One
	// goroutine reads it at a time.
	Rand   io.Reader
	Logger *slog.Logger
}

// servicesBackend executes what is no AEPS transaction.
type servicesBackend interface {
	// Execute decides on a transaction and books it, as Books.Execute does.
	Execute(ctx context.Context, t network.Transaction) (network.Answer, books.Delivery, error)
	// Consult answers a kind that Consults and records nothing of it.
	Consult(ctx context.Context, t network.Transaction) (network.Answer, books.Delivery, error)
	// Inbox lists the newest texts sent to a mobile number, newest first, at
	// most 100.
	Inbox(ctx context.Context, mobile string) ([]Message, error)
}

// Bank is the sandbox bank. Its methods are safe for concurrent use; those of
// its books are its own (Executions, Balance, Trial, Close and others).
type Bank struct {
	*books.Books
	services servicesBackend
	notifier *upi.Notifier // nil: nobody is told
	cfg      Config
	log      *slog.Logger

	checksums network.Checksums

	listenerCommands chan listenerCommand // to the network's listener, while Run runs
	changing         chan struct{}        // held during a change of the control
	gate             gate                 // handlers under way

	mu      sync.Mutex
	control Control
	running bool
}

// New opens the books in Config.DataDir, or makes them with the customers'
// opening balances. It listens nowhere before Run. Close ends it, after Run
// returned; the books stay.
func New(ctx context.Context, cfg Config) (*Bank, error) {
	var faults []error
	missing := func(is bool, name string) {
		if is {
			faults = append(faults, fmt.Errorf("the %s is missing", name))
		}
	}
	missing(cfg.NetworkKey.IsZero(), "NetworkKey")
	missing(cfg.ListenPublic == nil, "ListenPublic")
	missing(cfg.ListenNetwork == nil, "ListenNetwork")
	missing(cfg.Logger == nil, "Logger")
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("sandbox bank: %w", err)
	}
	kept, err := books.Open(ctx, books.Config{
		Dir: cfg.DataDir, AuthorityKey: cfg.AuthorityKey, AuthorityCert: cfg.AuthorityCert, TimeScale: cfg.TimeScale,
		Customers: cfg.Customers, DailyCeiling: cfg.DailyCeiling, Rand: cfg.Rand, Logger: cfg.Logger,
	})
	if err != nil {
		return nil, fmt.Errorf("sandbox bank: %w", err)
	}
	// The services draw from the books' source of randomness.
	beside, err := services.New(kept, services.Config{
		FloatOpening: cfg.FloatOpening, FloatRefill: cfg.FloatRefill, DayLimit: cfg.DayLimit, MonthLimit: cfg.MonthLimit, TransferMax: cfg.TransferMax,
		TimeScale: cfg.TimeScale, Logger: cfg.Logger,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sandbox bank: %w", err), kept.Close())
	}
	b := &Bank{
		Books: kept, services: beside, cfg: cfg, log: cfg.Logger, checksums: network.NewChecksums(cfg.NetworkKey),
		listenerCommands: make(chan listenerCommand), changing: make(chan struct{}, 1),
	}
	if cfg.NotifyURL != "" {
		b.notifier = upi.NewNotifier(upi.NotifierConfig{
			Books: kept, URL: cfg.NotifyURL, DialContext: cfg.DialNotify, Checksums: b.checksums,
			IsDown: func() bool { return b.Control().Down }, Logger: cfg.Logger,
		})
	}
	return b, nil
}

// Inbox lists the newest texts sent to a mobile number, newest first, at most
// 100; those with OTPs are forgotten when the bank ends.
func (b *Bank) Inbox(ctx context.Context, mobile string) ([]Message, error) {
	return b.services.Inbox(ctx, mobile)
}
