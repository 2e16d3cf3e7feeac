package bank

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
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
	// defaultMaxIdle stands below the shortest time after which servers commonly
	// end an idle connection, which is 5 s. A request on a connection that the
	// network is just ending has an unknown outcome.
	defaultMaxIdle = 3 * time.Second
	// defaultMaxLife lets changes of the network's name and certificate arrive.
	defaultMaxLife = time.Minute
	// defaultMaxKept is what a busy central has between two exchanges; more would
	// only wait.
	defaultMaxKept = 256
)

// Config sets up a Client.
type Config struct {
	// BaseURL is where the network listens, such as http://127.0.0.1:7301.
	// https is taken too; there is no path in it.
	BaseURL string
	// Key is shared with the network; it makes the checksums.
	Key secret.Key
	// Timeout bounds one exchange from its start to the reply; 0 means 15 s. A context
	// that ends earlier bounds it more.
	Timeout time.Duration
	// MaxConnections bounds the exchanges under way; further ones wait for a
	// place, unsent. 0 means 1200.
	MaxConnections int
	// MaxIdle is how long a connection may have waited to be used again. It must be
	// well below the time after which the network ends an idle connection. 0 means
	// 3 s; with a negative one each exchange gets a connection of its own.
	MaxIdle time.Duration
	// MaxLife is how long after its opening a connection is used again; 0 means 1 min.
	MaxLife time.Duration
	// MaxKept bounds the connections that wait for an exchange; 0 means 256.
	MaxKept int
	// DialContext opens a connection; nil means TCP. One that is no socket is used
	// again if a read on it whose deadline has passed finds neither bytes nor its end.
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)
	// TLS is used where BaseURL is https; nil means the system's roots.
	TLS *tls.Config
	// Logger gets a line for each exchange, at debug level; what failed is
	// returned and not logged.
	Logger *slog.Logger
}

// Client is the adapter. It is safe for concurrent use and has no goroutines
// of its own. Close ends the connections that it keeps.
type Client struct {
	cfg     Config
	tls     *tls.Config // nil: none
	host    string      // as the Host header has it
	headers string      // of every request
	address string      // as it is dialled
	slots   chan struct{}
	kept    pool
	log     *slog.Logger

	checksums network.Checksums
	exchanges sync.Pool // of *exchange, used before
	queries   *http.Client

	opened, reused atomic.Int64
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
	if cfg.MaxLife < 0 || cfg.MaxKept < 0 {
		faults = append(faults, fmt.Errorf("the MaxLife %s and the MaxKept %d must not be negative", cfg.MaxLife, cfg.MaxKept))
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
		cfg: cfg, host: base.Host, checksums: network.NewChecksums(cfg.Key), slots: make(chan struct{}, cfg.MaxConnections), log: cfg.Logger,
		kept: pool{
			maxIdle: cmp.Or(cfg.MaxIdle, defaultMaxIdle), maxLife: cmp.Or(cfg.MaxLife, defaultMaxLife), bound: cmp.Or(cfg.MaxKept, defaultMaxKept),
		},
	}
	c.exchanges.New = func() any { return new(exchange) }
	port := cmp.Or(base.Port(), "80")
	if base.Scheme == "https" {
		port = cmp.Or(base.Port(), "443")
		c.tls = tlsConfig(cfg.TLS, base.Hostname())
	}
	c.headers = c.requestHeaders()
	c.address = net.JoinHostPort(base.Hostname(), port)
	c.queries = c.newQueries()
	return c, nil
}

// Close closes the connections that wait for an exchange. An exchange under way,
// or one that begins later, closes its own connection.
func (c *Client) Close() {
	c.kept.close()
	c.queries.CloseIdleConnections()
}

// Connections counts the connections that were opened for exchanges, and the
// exchanges that used one again.
func (c *Client) Connections() (opened, reused int64) { return c.opened.Load(), c.reused.Load() }

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
	check func(*network.Transaction, network.Answer) error,
) (central.BankAnswer, error) {
	about := func(err error) error {
		return fmt.Errorf("send %s %s to the bank network: %w", req.Kind, req.Reference, err)
	}
	unsent := func(err error) (central.BankAnswer, error) {
		return central.BankAnswer{}, central.MarkNotSent(about(fmt.Errorf("not sent: %w", err)))
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
	x := c.begin(path, t, check)
	defer c.free(x)
	var err error
	if x.body, err = x.about.Append(x.body); err != nil {
		return unsent(err)
	}
	c.complete(x)
	a, wrote, err := c.do(ctx, x)
	if err != nil {
		err = about(err)
		if !wrote {
			err = central.MarkNotSent(err)
		}
		return central.BankAnswer{}, err
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
	about := func(err error) error { return fmt.Errorf("enquire for %s at the bank network: %w", ref, err) }
	if !network.ValidReference(string(ref)) {
		return central.BankAnswer{}, about(errors.New("this can't be a reference"))
	}
	body, err := network.EncodeEnquiry(network.Enquiry{Reference: string(ref)})
	if err != nil {
		return central.BankAnswer{}, about(err)
	}
	x := c.begin(network.PathEnquiries, network.Transaction{Reference: string(ref)}, checkEnquired)
	defer c.free(x)
	x.body = append(x.body, body...)
	c.complete(x)
	a, _, err := c.do(ctx, x)
	if err != nil {
		return central.BankAnswer{}, about(err)
	}
	return c.answer(string(ref), a), nil
}
