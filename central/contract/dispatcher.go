package contract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"time"

	"galla/central"
	"galla/central/customer"
	"galla/central/form"
	"galla/central/iin"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// Registry is what the terminal routes need; *central.Registry implements it.
// Errors are *central.Error: all fail with Internal or TooMany, Mint with
// Unauthenticated or Precluded where the caller ended meanwhile, Revoke of another's
// terminal with NotFound, Enrol with Unauthenticated where the code is not good.
type Registry interface {
	Mint(ctx context.Context, merchant central.MerchantID, by central.Credential) (central.EnrolmentCode, error)
	Enrol(ctx context.Context, code secret.Token, publicKey []byte, name string) (central.Terminal, error)
	List(ctx context.Context, merchant central.MerchantID) ([]central.Terminal, error)
	Revoke(ctx context.Context, merchant central.MerchantID, id central.TerminalID) error
}

// Store is what the routes read of the database; every central.Store is one.
// Absent records are central.ErrNotFound.
type Store interface {
	Merchant(ctx context.Context, id central.MerchantID) (central.Merchant, error)
	Terminal(ctx context.Context, id central.TerminalID) (central.Terminal, error)
	Session(ctx context.Context, tid string) (central.AgentSession, error)
	Operation(ctx context.Context, id op.ID) (central.Operation, error)
	ByIdentity(ctx context.Context, caller, identity string) (central.Operation, error)
	ByReference(ctx context.Context, party string, by central.ReferenceQuery) (central.Operation, error)
	RefundOf(ctx context.Context, original central.Reference) (central.Operation, error)

	central.Onboardings
	customer.Store
}

// Limits are the rules that operations are held against; *limits.Book is one.
type Limits interface {
	// Judge refuses an amount that no transaction may have (Precluded, naming
	// what is allowed), and gives the quotas that the operation counts against.
	Judge(at time.Time, s central.Subject) ([]central.Quota, error)
	// InForce lists the rules of the moment.
	InForce(at time.Time) []central.Limit
	// Lookups is how many of the bank's customers a merchant may look up in an hour
	// who have not given it an OTP or a finger.
	Lookups(merchant central.MerchantID) int
}

// Config sets up a Dispatcher. Every field is needed.
type Config struct {
	// FingerprintKey keys the fingerprints of bodies; at least 32 bytes. With
	// another key, repeats of earlier operations are taken for conflicts.
	FingerprintKey secret.Key
	// UplinkURL is the address that terminals connect to, such as
	// wss://uplink.example.in/uplink.
	UplinkURL string
	// Audience is what a terminal's tokens must name as their audience.
	Audience string
	// Limits are held against every operation.
	Limits Limits
	// Handle is the part after the @ of the UPI addresses of merchants that
	// have none of their own, such as galla.
	Handle  string
	Sandbox bool      // paise play scenarios: GET /limits tells it
	Rand    io.Reader // of ids; safe for concurrent use
	Logger  *slog.Logger
}

// validate reports everything that is wrong with a configuration at once.
func (c Config) validate() error {
	var wrong []error
	if len(c.FingerprintKey.Reveal()) < 32 {
		wrong = append(wrong, errors.New("the fingerprint key needs at least 32 bytes"))
	}
	if c.UplinkURL == "" || c.Audience == "" {
		wrong = append(wrong, errors.New("the terminals' address and audience are needed"))
	}
	if c.Limits == nil {
		wrong = append(wrong, errors.New("limits are needed"))
	}
	if c.Rand == nil || c.Logger == nil {
		wrong = append(wrong, errors.New("randomness and a logger are needed"))
	}
	return errors.Join(wrong...)
}

// Dispatcher serves the routes of the interface. It implements
// central.Dispatcher and is safe for concurrent use.
type Dispatcher struct {
	desk     central.Desk
	registry Registry
	store    Store
	vendors  central.Administration
	cfg      Config
	log      *slog.Logger
	banks    *iin.List
	bankList central.Reply // of aeps/banks, which never changes
	bindings map[op.RouteID]binding
	guard    *customer.Guard
}

// step is a route's work, after everything in the call was found right.
type step func(ctx context.Context) (central.Reply, error)

// binding ties a route to its code.
type binding struct {
	route op.Route
	// acting: the route acts for one merchant, whom a vendor must name.
	acting bool
	// read checks the call's fields, notes what is wrong in call.in, and gives
	// the work to do if nothing is.
	read func(c *call) step
}

// call is a call on its way through the dispatcher.
type call struct {
	central.Call
	binding   binding
	in        form.Reader
	merchant  central.Merchant
	tid       string // terminal at the bank network
	submitted bool   // the desk has been asked: from here on, in doubt means pending
	kind      central.Kind
	amount    money.Paise
	operation op.ID // for the log
}

// New makes a dispatcher. It fails if the configuration is incomplete, or if
// the route table and the code do not match.
func New(desk central.Desk, registry Registry, store Store, vendors central.Administration, cfg Config) (*Dispatcher, error) {
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuration of the dispatcher: %w", err)
	}
	banks, err := iin.Load()
	if err != nil {
		return nil, err
	}
	d := &Dispatcher{
		desk: desk, registry: registry, store: store, vendors: vendors, cfg: cfg, log: cfg.Logger,
		banks: banks, bankList: bankList(banks), bindings: map[op.RouteID]binding{},
		guard: customer.NewGuard(store, cfg.FingerprintKey, cfg.Limits.Lookups, cfg.Logger),
	}
	d.bindAgent()
	d.bindAEPS()
	d.bindTransfers()
	d.bindUPI()
	d.bindVendor()
	d.bindOwn()
	return d, d.matchTable()
}

func (d *Dispatcher) bindAEPS() {
	d.bind(true, d.readTransaction, op.Withdrawal, op.Balance, op.MiniStatement, op.ReqAuth, op.Purchase)
	d.bind(true, d.readAuthStatus, op.AuthStatus)
	d.bind(false, d.readBanks, op.Banks)
}

func (d *Dispatcher) bindOwn() {
	d.bind(true, d.readMint, op.MintTerminal)
	d.bind(true, d.readList, op.ListTerminals)
	d.bind(true, d.readRevoke, op.RevokeTerminal)
	d.bind(false, d.readEnrol, op.EnrolTerminal)
	d.bind(false, d.readOperation, op.OperationState)
}

func (d *Dispatcher) bind(acting bool, read func(*call) step, routes ...op.RouteID) {
	for _, id := range routes {
		d.bindings[id] = binding{acting: acting, read: read}
	}
}

// matchTable completes the bindings with their lines of the route table, and
// reports routes without code and code without a route.
func (d *Dispatcher) matchTable() error {
	var wrong []error
	for _, route := range op.Table() {
		b, ok := d.bindings[route.ID]
		if !ok {
			wrong = append(wrong, fmt.Errorf("route %s has no code", route.ID))
			continue
		}
		b.route = route
		d.bindings[route.ID] = b
	}
	for id, b := range d.bindings {
		if b.route.ID == "" {
			wrong = append(wrong, fmt.Errorf("%s has code and no line in the route table", id))
		}
	}
	return errors.Join(wrong...)
}

// Dispatch implements central.Dispatcher.
func (d *Dispatcher) Dispatch(ctx context.Context, in central.Call) (reply central.Reply) {
	started := time.Now()
	c := &call{Call: in}
	defer func() { d.audit(c, reply, time.Since(started)) }()
	defer func() {
		if p := recover(); p != nil {
			reply = d.panicked(c, p, debug.Stack())
		}
	}()
	reply, err := d.serve(ctx, c)
	if err != nil {
		return d.Refusal(err, c.RequestID)
	}
	return reply
}

// serve is the path that every call takes.
func (d *Dispatcher) serve(ctx context.Context, c *call) (central.Reply, error) {
	b, ok := d.bindings[c.Route.ID]
	if !ok {
		return central.Reply{}, central.Refuse(central.NoRoute, "")
	}
	c.binding = b
	if len(b.route.Roles) > 0 && !b.route.Allows(c.Principal.Role) {
		return central.Reply{}, central.Refuse(central.AccessDenied, "")
	}
	if len(c.Body) > form.MaxBody {
		return central.Reply{}, central.Refuse(central.TooLarge, "")
	}
	if c.readsBody() {
		values, err := form.Decode(c.Body)
		if err != nil {
			return central.Reply{}, err
		}
		c.in.Values = values
	}
	if c.binding.route.Method == "GET" {
		c.in.AddQuery(c.Query)
		if err := c.in.Err(); err != nil {
			return central.Reply{}, err
		}
	}
	if err := d.resolve(ctx, c); err != nil {
		return central.Reply{}, err
	}
	c.Identity = c.in.Identity(c.Identity)
	work := b.read(c)
	if err := c.in.Err(); err != nil {
		return central.Reply{}, err
	}
	return work(ctx)
}

// readsBody: GET and DELETE routes take their fields from the query and ignore
// a body, except that a vendor's may hold them, and names the merchant (section
// 4.7, rule 4).
func (c *call) readsBody() bool {
	return c.binding.route.Method == "POST" || c.binding.route.Method == "PUT" || c.Principal.Role == op.Vendor
}

// Describe lists the fields that a route reads, as its own code reads them.
// merchantId, which vendors add on routes that act for a merchant, is the last.
func (d *Dispatcher) Describe(id op.RouteID) []form.Field {
	b, ok := d.bindings[id]
	if !ok {
		return nil
	}
	c := &call{binding: b, in: form.Reader{Describing: true}}
	b.read(c)
	if b.acting {
		c.in.UUID(merchantField, form.May)
	}
	return c.in.Described()
}

// panicked answers after a panic. Once the desk was asked, the operation may be
// under way, and the only true word is 'pending'.
func (d *Dispatcher) panicked(c *call, p any, stack []byte) central.Reply {
	d.log.Error("panic while a call was served", "request", c.RequestID, "operation", c.operation, "route", c.Route.ID, "panic", fmt.Sprint(p), "stack", string(stack))
	if c.submitted {
		return pending(central.Operation{ID: c.operation, Route: c.binding.route.ID, Kind: c.kind, Amount: c.amount, State: op.Pending})
	}
	return refuse(central.Refuse(central.Internal, ""), c.RequestID)
}

// audit writes one line for each call: who, what, and how it ended.
func (d *Dispatcher) audit(c *call, r central.Reply, took time.Duration) {
	caller := "none"
	if c.Principal.Role != "" {
		caller = c.Principal.Caller()
	}
	attrs := []slog.Attr{
		slog.String("request", c.RequestID), slog.String("route", string(c.binding.route.ID)),
		slog.String("caller", caller), slog.String("client", c.Credential.Client), slog.Int("http", r.HTTP), slog.Duration("took", took),
	}
	if c.merchant.ID != "" {
		attrs = append(attrs, slog.String("merchant", string(c.merchant.ID)))
	}
	if c.operation != "" {
		attrs = append(attrs, slog.String("operation", string(c.operation)))
	}
	if r.State != "" {
		attrs = append(attrs, slog.String("state", string(r.State)), slog.Bool("replayed", r.Replayed))
	}
	d.log.LogAttrs(context.Background(), slog.LevelInfo, "call", attrs...)
}

// Ask implements central.Dispatcher.
func (d *Dispatcher) Ask(ctx context.Context, p central.Principal, id op.ID) (central.Reply, bool, error) {
	o, seen, err := d.desk.Ask(ctx, p.Caller(), string(id))
	if err != nil || !seen {
		return central.Reply{}, false, err
	}
	return d.Outcome(o), true, nil
}

func errNoReply(id op.ID) error {
	return fmt.Errorf("operation %s is final, but no reply is stored with it", id)
}
