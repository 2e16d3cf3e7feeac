package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/central/api/field"
	"galla/central/iin"
	"galla/central/recovery"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// Registry is what the terminal routes need; *central.Registry implements it.
// Errors are *central.Error. All methods may fail with Internal or TooMany. Also
// CreateEnrolmentCode fails with Unauthenticated or FailedPrecondition if the caller
// was disabled meanwhile, Revoke with NotFound for another merchant's terminal, and
// Enrol with Unauthenticated for a wrong code.
type Registry interface {
	CreateEnrolmentCode(ctx context.Context, merchant central.MerchantID, by central.Credential) (central.EnrolmentCode, error)
	Enrol(ctx context.Context, code secret.Token, publicKey []byte, name string) (central.Terminal, error)
	List(ctx context.Context, merchant central.MerchantID) ([]central.Terminal, error)
	Revoke(ctx context.Context, merchant central.MerchantID, id central.TerminalID) error
}

// Store is what the routes read from the database. An absent record is central.ErrNotFound.
type Store interface {
	Merchant(ctx context.Context, id central.MerchantID) (central.Merchant, error)
	Vendor(ctx context.Context, id central.VendorID) (central.Vendor, error)
	Terminal(ctx context.Context, id central.TerminalID) (central.Terminal, error)
	Session(ctx context.Context, tid string) (central.AgentSession, error)
	Operation(ctx context.Context, id op.ID) (central.Operation, error)
	ByIdentity(ctx context.Context, caller, identity string) (central.Operation, error)
	ByReference(ctx context.Context, party string, by central.ReferenceQuery) (central.Operation, error)
	RefundOf(ctx context.Context, original central.Reference) (central.Operation, error)

	central.Onboardings
}

// Limits checks operations against the limits; *limits.Book implements it.
type Limits interface {
	// Check refuses an amount that no transaction may have (Precluded, naming
	// what is allowed), and gives the quotas that the operation counts against.
	Check(at time.Time, s central.LimitSubject) ([]central.Quota, error)
	// InForce lists the rules that apply at a time.
	InForce(at time.Time) []central.Limit
	// Lookups is how many of the bank's customers a merchant may look up in an
	// hour without an OTP or a fingerprint from them.
	Lookups(merchant central.MerchantID) int
}

// Config sets up a Handler. Every field but Recovery, SelfService and Payments is needed.
type Config struct {
	// FingerprintKey keys the fingerprints of bodies; at least 32 bytes. With
	// another key, a repeat of an earlier operation looks like a conflict.
	FingerprintKey secret.Key
	// UplinkURL is the address that terminals connect to, such as
	// wss://uplink.example.in/uplink.
	UplinkURL string
	// Audience is what a terminal's tokens must name as their audience.
	Audience string
	// Limits are checked for every operation.
	Limits Limits
	// Recovery says what may be missing after a restoration; nil: nothing.
	Recovery *recovery.Gap
	// SelfService is what vendors manage by themselves; nil: their routes for it do not
	// exist.
	SelfService SelfService
	// Payments are what merchants received by UPI; nil: their routes do not exist.
	Payments Payments
	// UPIHandle is the part after the @ in the UPI address of a merchant that has
	// no address of its own, such as galla.
	UPIHandle string
	Sandbox   bool      // the paise of an amount choose a scenario; GET /limits shows it
	Rand      io.Reader // for ids; safe for concurrent use
	Logger    *slog.Logger
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

// Handler serves the routes of the interface. It implements central.Handler and
// is safe for concurrent use.
type Handler struct {
	executor  central.Executor
	registry  Registry
	store     Store
	vendors   central.VendorAdmin
	cfg       Config
	prints    *secret.MAC // of Config.FingerprintKey
	log       *slog.Logger
	banks     *iin.List
	bankList  central.Reply // of aeps/banks; it never changes
	endpoints map[op.RouteID]endpoint
	customers *accounts.CustomerPolicy
}

// activeRequest is a request that is being handled.
type activeRequest struct {
	central.Request
	endpoint  endpoint
	body      field.Values // as sent, without the query
	fields    field.Reader
	merchant  central.Merchant
	tid       string // the terminal's id at the bank network
	submitted bool   // the executor has been called: from here on, unknown means pending
	kind      central.Kind
	amount    money.Paise

	// The operation that the request made or asked about, for the log.
	operation op.ID
	reference central.Reference
	code      string // the bank's
}

// note keeps what the log says of the request's operation.
func (c *activeRequest) note(o central.Operation) {
	c.operation, c.reference, c.code = o.ID, o.Reference, o.Code
}

// New makes a Handler. It fails if the configuration is incomplete, or if the
// route table and the code do not match.
func New(executor central.Executor, registry Registry, store Store, customers accounts.CustomerStore, vendors central.VendorAdmin, cfg Config) (*Handler, error) {
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuration of the API: %w", err)
	}
	banks, err := iin.Load()
	if err != nil {
		return nil, err
	}
	h := &Handler{
		executor: executor, registry: registry, store: store, vendors: vendors, cfg: cfg, prints: secret.NewMAC(cfg.FingerprintKey), log: cfg.Logger,
		banks: banks, bankList: bankList(banks),
		customers: accounts.NewCustomerPolicy(customers, cfg.FingerprintKey, cfg.Limits.Lookups, cfg.Logger),
	}
	h.endpoints = h.newEndpoints()
	return h, h.checkRoutes()
}

// Handle implements central.Handler.
func (h *Handler) Handle(ctx context.Context, in central.Request) (reply central.Reply) {
	started := time.Now()
	c := &activeRequest{Request: in}
	defer func() { h.logRequest(c, reply, time.Since(started)) }()
	defer func() {
		if p := recover(); p != nil {
			reply = h.panicReply(c, p, debug.Stack())
		}
	}()
	reply, err := h.process(ctx, c)
	if err != nil {
		return h.ErrorReply(err, c.RequestID)
	}
	return reply
}

// process takes a request through all steps.
func (h *Handler) process(ctx context.Context, c *activeRequest) (central.Reply, error) {
	b, ok := h.endpoints[c.Route.ID]
	if !ok {
		return central.Reply{}, central.NewError(central.NoRoute, "")
	}
	c.endpoint = b
	if len(b.route.Roles) > 0 && !b.route.Allows(c.Principal.Role) {
		return central.Reply{}, central.NewError(central.AccessDenied, "")
	}
	if len(c.Body) > field.MaxBody {
		return central.Reply{}, central.NewError(central.TooLarge, "")
	}
	if c.readsBody() {
		values, err := field.Decode(c.Body)
		if err != nil {
			return central.Reply{}, err
		}
		c.body, c.fields.Values = values, values
	}
	if c.endpoint.route.Method == "GET" {
		c.fields.AddQuery(c.Query)
		if err := c.fields.Err(); err != nil {
			return central.Reply{}, err
		}
	}
	if err := h.resolveMerchant(ctx, c); err != nil {
		return central.Reply{}, err
	}
	c.Identity = c.fields.Identity(c.Identity)
	work := b.prepare(c)
	if err := c.fields.Err(); err != nil {
		return central.Reply{}, err
	}
	return work(ctx)
}

// readsBody reports whether fields come in the body. GET and DELETE routes read
// the query; only a vendor's body may hold fields there, and it names the merchant
// (interface.md, section 4.7, rule 4).
func (c *activeRequest) readsBody() bool {
	return c.endpoint.route.Method == "POST" || c.endpoint.route.Method == "PUT" || c.Principal.Role == op.Vendor
}

// Describe lists the fields that a route reads, as its own code reads them.
// merchantId, which vendors add on routes that act for a merchant, comes last.
func (h *Handler) Describe(id op.RouteID) []field.Description {
	b, ok := h.endpoints[id]
	if !ok {
		return nil
	}
	c := &activeRequest{endpoint: b, fields: field.Reader{Describing: true}}
	b.prepare(c)
	if b.actsForMerchant {
		c.fields.UUID(merchantField, field.May)
	}
	return c.fields.Described()
}

// panicReply is the reply after a panic. Once the executor was called, the
// operation may be in progress, so the reply is 'pending'.
func (h *Handler) panicReply(c *activeRequest, p any, stack []byte) central.Reply {
	h.log.Error("panic while a request was handled", "request", c.RequestID, "operation", c.operation, "route", c.Route.ID, "panic", fmt.Sprint(p), "stack", string(stack))
	if c.submitted {
		return pendingReply(central.Operation{ID: c.operation, Route: c.endpoint.route.ID, Kind: c.kind, Amount: c.amount, State: op.Pending})
	}
	return errorReply(central.NewError(central.Internal, ""), c.RequestID)
}

// logRequest writes one audit line for each request: who, what, and the result. It is
// also the line of the operation that the call waited for.
func (h *Handler) logRequest(c *activeRequest, r central.Reply, took time.Duration) {
	caller := "none"
	if c.Principal.Role != "" {
		caller = c.Principal.Caller()
	}
	var room [12]slog.Attr
	attrs := append(room[:0],
		slog.String("request", c.RequestID), slog.String("route", string(c.endpoint.route.ID)),
		slog.String("caller", caller), slog.String("client", c.Credential.Client), slog.Int("http", r.HTTP), slog.Duration("took", took),
	)
	if c.merchant.ID != "" {
		attrs = append(attrs, slog.String("merchant", string(c.merchant.ID)))
	}
	if c.operation != "" {
		attrs = append(attrs, slog.String("operation", string(c.operation)), slog.String("reference", string(c.reference)), slog.String("code", c.code))
	}
	if r.State != "" {
		attrs = append(attrs, slog.String("state", string(r.State)), slog.Bool("replayed", r.Replayed))
	}
	h.log.LogAttrs(context.Background(), slog.LevelInfo, "request", attrs...)
}

// FindOrTombstone implements central.Handler.
func (h *Handler) FindOrTombstone(ctx context.Context, p central.Principal, id op.ID) (central.Reply, bool, error) {
	if err := h.cfg.Recovery.MayDeclareUnseen(ctx, p.Caller(), string(id)); err != nil {
		return central.Reply{}, false, err
	}
	o, seen, err := h.executor.FindOrTombstone(ctx, p.Caller(), string(id))
	if err != nil || !seen {
		return central.Reply{}, false, err
	}
	return h.CurrentReply(o), true, nil
}
