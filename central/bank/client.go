package bank

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"time"

	"galla/central"
	"galla/central/bank/network"
	"galla/shared/secret"
)

// Defaults of Config.
const (
	// defaultTimeout is how long the central waits for the bank (sandbox.md).
	defaultTimeout = 15 * time.Second
	// defaultConnections stands above the engine's bound of 1024 operations
	// and 16 enquiries under way, so that it is met only when something is
	// wrong.
	defaultConnections = 1200
)

// Config sets up a Client.
type Config struct {
	// BaseURL is where the network listens, such as http://127.0.0.1:7301.
	// https is taken too; there is no path in it.
	BaseURL string
	// Key is shared with the network; it makes the checksums.
	Key secret.Key
	// Timeout bounds one exchange from dial to reply; 0 means 15 s. A context
	// that ends earlier bounds it more.
	Timeout time.Duration
	// MaxConnections bounds the exchanges under way; further ones wait for a
	// place, unsent. 0 means 1200.
	MaxConnections int
	// DialContext opens a connection; nil means TCP.
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)
	// TLS is used where BaseURL is https; nil means the system's roots.
	TLS *tls.Config
	// Logger gets a line for each exchange, at debug level; what failed is
	// returned and not logged.
	Logger *slog.Logger
}

// Client is the adapter. It is safe for concurrent use and has no goroutines
// of its own.
type Client struct {
	cfg     Config
	secure  bool
	host    string // as the Host header has it
	address string // as it is dialled
	slots   chan struct{}
	log     *slog.Logger
}

var _ central.Bank = (*Client)(nil)

// New makes a client. It does not connect. Its error names every fault of the
// configuration.
func New(cfg Config) (*Client, error) {
	var faults []error
	base, err := url.Parse(cfg.BaseURL)
	if err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Hostname() == "" ||
		(base.Path != "" && base.Path != "/") || base.RawQuery != "" || base.Fragment != "" || base.User != nil {
		// It is not quoted: it may hold a password that does not belong there.
		faults = append(faults, errors.New("the BaseURL must be http or https, a host, a port and nothing else"))
	}
	if cfg.Key.IsZero() {
		faults = append(faults, errors.New("the Key shared with the network is missing"))
	}
	if cfg.Timeout < 0 {
		faults = append(faults, fmt.Errorf("the Timeout %s must not be negative", cfg.Timeout))
	}
	if cfg.MaxConnections < 0 {
		faults = append(faults, fmt.Errorf("the MaxConnections %d must not be negative", cfg.MaxConnections))
	}
	if cfg.Logger == nil {
		faults = append(faults, errors.New("the Logger is missing"))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("bank network: %w", err)
	}
	cfg.Timeout = cmp.Or(cfg.Timeout, defaultTimeout)
	cfg.MaxConnections = cmp.Or(cfg.MaxConnections, defaultConnections)
	if cfg.DialContext == nil {
		cfg.DialContext = new(net.Dialer).DialContext
	}
	c := &Client{
		cfg: cfg, secure: base.Scheme == "https", host: base.Host,
		slots: make(chan struct{}, cfg.MaxConnections), log: cfg.Logger,
	}
	c.address = net.JoinHostPort(base.Hostname(), cmp.Or(base.Port(), map[bool]string{false: "80", true: "443"}[c.secure]))
	return c, nil
}

// Send implements central.Bank: one request, at most one delivery. It returns
// when the network answered, ctx ended, or Config.Timeout passed. Consultations
// and kinds that only the central knows are refused, unsent.
func (c *Client) Send(ctx context.Context, req central.BankRequest) (central.BankAnswer, error) {
	return c.sendRequest(ctx, req, network.PathTransactions, checkSent)
}

// Consult implements central.Bank: one request, at most one delivery, of a kind
// that Consults; others are refused, unsent. A decline is an answer.
func (c *Client) Consult(ctx context.Context, req central.BankRequest) (central.BankAnswer, error) {
	return c.sendRequest(ctx, req, network.PathConsultations, checkConsulted)
}

// sendRequest exchanges a request for an answer that passed its check.
func (c *Client) sendRequest(ctx context.Context, req central.BankRequest, path string,
	check func(network.Transaction, network.Answer) error,
) (central.BankAnswer, error) {
	about := fmt.Sprintf("send %s %s to the bank network", req.Kind, req.Reference)
	unsent := func(err error) (central.BankAnswer, error) {
		return central.BankAnswer{}, central.MarkNotSent(fmt.Errorf("%s: not sent: %w", about, err))
	}
	if err := checkPath(req.Kind, path); err != nil {
		return unsent(err)
	}
	t := transaction(req)
	if faults := t.InvalidMembers(); faults != nil {
		return unsent(fmt.Errorf("these members are wrong: %v", faults))
	}
	if !time.Now().Before(t.NotAfter) {
		return unsent(errors.New("its deadline has passed"))
	}
	body, err := t.Encode()
	if err != nil {
		return unsent(err)
	}
	a, wrote, err := c.exchange(ctx, path, t.Reference, body)
	if err != nil {
		err = fmt.Errorf("%s: %w", about, err)
		if !wrote {
			err = central.MarkNotSent(err)
		}
		return central.BankAnswer{}, err
	}
	if err := check(t, a); err != nil {
		return central.BankAnswer{}, fmt.Errorf("%s: %w", about, err)
	}
	return c.answer(t.Reference, a), nil
}

// checkPath tells why a kind may not go to a path; nil: it may. An unknown kind is
// the network's to refuse (12).
func checkPath(k central.Kind, path string) error {
	switch consults := path == network.PathConsultations; {
	case k == central.KindInitialize:
		return errors.New("this kind is the central's own, the network does not have it")
	case k.IsConsultation() && !consults:
		return errors.New("this kind is a consultation, which has a call of its own (Consult)")
	case !k.IsConsultation() && consults:
		return errors.New("this kind is no consultation; it is recorded and enquired for (Send)")
	}
	return nil
}

// transaction translates a request into the network's words.
func transaction(req central.BankRequest) network.Transaction {
	return network.Transaction{
		Reference: string(req.Reference), STAN: req.STAN, Kind: network.Kind(req.Kind), NotAfter: req.NotAfter,
		MID: req.MID, TID: req.TID, IIN: req.IIN, Amount: req.Amount, Aadhaar: req.Aadhaar, PidData: req.PidData,
		Customer: req.Customer, Latitude: req.Latitude, Longitude: req.Longitude, InlineFor: string(req.InlineFor),
		OTP: req.OTP, Particulars: network.Particulars(req.Particulars),
	}
}

// Enquire implements central.Bank. Its errors say nothing about the operation.
func (c *Client) Enquire(ctx context.Context, ref central.Reference) (central.BankAnswer, error) {
	about := fmt.Sprintf("enquire for %s at the bank network", ref)
	if !network.ValidReference(string(ref)) {
		return central.BankAnswer{}, fmt.Errorf("%s: this can't be a reference", about)
	}
	body, err := network.EncodeEnquiry(network.Enquiry{Reference: string(ref)})
	if err != nil {
		return central.BankAnswer{}, fmt.Errorf("%s: %w", about, err)
	}
	a, _, err := c.exchange(ctx, network.PathEnquiries, string(ref), body)
	if err != nil {
		return central.BankAnswer{}, fmt.Errorf("%s: %w", about, err)
	}
	if err := checkEnquired(string(ref), a); err != nil {
		return central.BankAnswer{}, fmt.Errorf("%s: %w", about, err)
	}
	return c.answer(string(ref), a), nil
}
