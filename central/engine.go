package central

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"galla/central/enquiry"
	"galla/central/guess"
	"galla/central/refno"
	"galla/shared/op"
)

// EngineConfig sets up an Engine. Zero values take the defaults.
type EngineConfig struct {
	// Node names this central among those that share a database.
	Node string
	// BankTimeout is how long a dispatch waits for the bank; default 15 s.
	BankTimeout time.Duration
	// NotFoundMargin is how long after a dispatch's deadline a 'not found'
	// becomes final: it covers the difference of the clocks and what is still
	// on the way; default 30 s.
	NotFoundMargin time.Duration
	// MaxUnderWay bounds the operations that wait for the bank at one time;
	// more are told to come back. Default 1024: at 15 s of silence each, that
	// is what a bank's outage can pile up.
	MaxUnderWay int
	// Drain is how long Run waits for operations under way before it returns;
	// default the bank's time-out and a second.
	Drain time.Duration

	Enquiries enquiry.Config

	// Tariff works out what succeeded operations earn; nil: nothing is earned.
	Tariff Tariff

	Rand   io.Reader
	Logger *slog.Logger
}

func (c EngineConfig) withDefaults() EngineConfig {
	c.BankTimeout = cmp.Or(c.BankTimeout, 15*time.Second)
	c.NotFoundMargin = cmp.Or(c.NotFoundMargin, 30*time.Second)
	c.MaxUnderWay = cmp.Or(c.MaxUnderWay, 1024)
	c.Drain = cmp.Or(c.Drain, c.BankTimeout+time.Second)
	c.Enquiries = c.Enquiries.WithDefaults()
	return c
}

// EngineStore is what the engine needs of the database.
type EngineStore interface {
	Operations
	Sessions
}

// Engine runs operations: each is recorded, dispatched at most once, and
// followed until the bank's word on it is final. It implements Desk.
type Engine struct {
	store  EngineStore
	bank   Bank
	render Renderer
	bell   *Bell
	cfg    EngineConfig
	draw   *refno.Drawer
	log    *slog.Logger

	refused  *guess.Memory
	slots    chan struct{}
	mu       sync.Mutex
	running  bool
	life     context.Context // ends when dispatches must end
	dispatch sync.WaitGroup
}

// NewEngine makes an engine. Nothing runs before Run.
func NewEngine(store EngineStore, bank Bank, render Renderer, bell *Bell, cfg EngineConfig) (*Engine, error) {
	cfg = cfg.withDefaults()
	if cfg.Node == "" || cfg.Rand == nil || cfg.Logger == nil {
		return nil, errors.New("engine needs a node name, randomness and a logger")
	}
	draw, err := refno.New(cfg.Rand)
	if err != nil {
		return nil, err
	}
	return &Engine{
		store: store, bank: bank, render: render, bell: bell, cfg: cfg, draw: draw, log: cfg.Logger, refused: guess.New(),
		slots: make(chan struct{}, cfg.MaxUnderWay),
	}, nil
}

// Run recovers what an earlier life of this node left behind, then takes
// submissions and reconciles until ctx ends. It returns when the last dispatch
// has ended, or after Config.Drain: what is then still under way is found by
// the next start.
func (e *Engine) Run(ctx context.Context) error {
	if err := e.recover(ctx); err != nil {
		if ctx.Err() != nil {
			return nil // told to stop: the next start finds what this one did not
		}
		return fmt.Errorf("recover operations of node %s: %w", e.cfg.Node, err)
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	e.mu.Lock()
	e.life, e.running = life, true
	e.mu.Unlock()

	err := e.reconcile(ctx)

	e.mu.Lock()
	e.running = false
	e.mu.Unlock()
	drain := time.AfterFunc(e.cfg.Drain, end)
	defer drain.Stop()
	e.dispatch.Wait()
	return err
}

// errNotRunning is the reply to a submission before Run or during shutdown.
func errNotRunning() error {
	return &Error{Fault: TooMany, Message: "The central is starting or stopping; nothing was done, try again", RetryAfter: time.Second}
}

// Submit implements Desk.
func (e *Engine) Submit(ctx context.Context, s Submission) (Operation, bool, error) {
	life, err := e.enter()
	if err != nil {
		return Operation{}, false, err
	}
	started := false
	defer func() {
		if !started {
			e.leave()
		}
	}()

	o, isNew, err := e.attempt(ctx, s)
	if err != nil || !isNew {
		return o, !isNew && err == nil, err
	}
	if s.Accepted != nil {
		s.Accepted(o.ID)
	}
	rung, stop := e.bell.Watch(operationBell(o.ID))
	defer stop()
	started = true
	// What the log and the spans know of the call goes with the operation; its end
	// does not.
	carried, end := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer context.AfterFunc(life, end)()
		defer end()
		e.carry(carried, o, s)
	}()
	return e.await(ctx, o, rung)
}

// enter takes a slot for one operation under way.
func (e *Engine) enter() (context.Context, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.running {
		return nil, errNotRunning()
	}
	select {
	case e.slots <- struct{}{}:
		e.dispatch.Add(1)
		return e.life, nil
	default:
		return nil, &Error{Fault: TooMany, Message: "Too many operations wait for the bank; nothing was done, try again", RetryAfter: 5 * time.Second}
	}
}

func (e *Engine) leave() {
	<-e.slots
	e.dispatch.Done()
}

// newOperation makes the record of a submission. Its errors are faults of the
// program, or of the random source.
func (e *Engine) newOperation(s Submission) (Operation, error) {
	kind, p := s.Request.Kind, s.Request.Particulars
	switch {
	case kind.Consults():
		return Operation{}, fmt.Errorf("submit %s: it is a consultation and no operation", kind)
	case s.Local != kind.Local():
		// A restart knows local operations by their kind.
		return Operation{}, fmt.Errorf("submit %s with Local %t: the kind says otherwise", kind, s.Local)
	}
	id := s.ID
	if id == "" {
		minted, err := op.NewID(e.cfg.Rand)
		if err != nil {
			return Operation{}, err
		}
		id = minted
	}
	identity := s.Identity
	if identity == "" {
		identity = string(id)
	}
	return Operation{
		ID: id, Caller: s.Caller, Identity: identity, Route: s.Route, Fingerprint: s.Fingerprint,
		Merchant: s.Merchant, Terminal: s.Terminal, TID: s.Request.TID,
		Kind: kind, Amount: s.Request.Amount, Aadhaar: s.Request.Aadhaar.Masked(), IIN: s.Request.IIN,
		Party: s.Party, CallerRef: s.CallerRef, Sender: cmp.Or(s.Sender, p.Sender),
		Original: Reference(p.Original), KYC: s.KYC, Reverses: s.Reverses,
		State: op.Received, Node: e.cfg.Node, NotAfter: s.NotAfter, CreatedAt: time.Now(),
	}, nil
}

// maxDraws bounds the attempts to find a reference that is not taken; with 50
// random bits a day, a second draw is already next to impossible.
const maxDraws = 5

// begin commits the operation with a reference of its own, and counts its
// quotas. Where nothing may begin, it fails with the submission's Refusal.
func (e *Engine) begin(ctx context.Context, o *Operation, s Submission) (Operation, bool, error) {
	crowded, quotas := false, s.Quotas
	if s.Refusal != nil {
		quotas = noneNew(*o)
	}
	for range maxDraws {
		reference, stan, err := e.draw.Next(o.CreatedAt)
		if err != nil {
			return Operation{}, false, err
		}
		o.Reference, o.STAN = Reference(reference), stan
		known, isNew, err := e.store.Begin(ctx, *o, quotas)
		var exhausted *QuotaError
		full := errors.As(err, &exhausted)
		switch {
		case full && o.Kind == KindRefund && !crowded:
			crowded = true // by another refund of the transfer, which is found now
		case full && s.Refusal != nil:
			return Operation{}, false, s.Refusal
		case !errors.Is(err, ErrTaken):
			return known, isNew, err
		}
	}
	return Operation{}, false, fmt.Errorf("%d references in a row were taken: the random source is broken", maxDraws)
}

// beginFault is the reply to a submission that could not be recorded.
func beginFault(err error) error {
	var exhausted *QuotaError
	var refused *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &exhausted):
		return Refuse(Precluded, exhausted.Error())
	case errors.Is(err, ErrState):
		return Refuse(Conflict, "The identity and the reference in the body name two different operations; nothing was done")
	}
	return storeFault("record the operation", err)
}

// repeat answers a submission whose identity or CallerRef is known: never a
// second dispatch.
func (e *Engine) repeat(ctx context.Context, s Submission, known Operation) (Operation, bool, error) {
	if known.Forsworn {
		return Operation{}, false, Refuse(Precluded, "This operation was declared never seen and is refused for ever; nothing was sent")
	}
	same := known.Fingerprint == s.Fingerprint || known.Fingerprint == s.Former && s.Former != [32]byte{}
	if !same || known.Route != s.Route {
		return Operation{}, false, Refuse(Conflict, "The same identity was used before with another body or route; nothing was done")
	}
	if s.Accepted != nil {
		s.Accepted(known.ID)
	}
	o, _, err := e.follow(ctx, known)
	return o, true, err
}

// Ask implements Desk.
func (e *Engine) Ask(ctx context.Context, caller, identity string) (Operation, bool, error) {
	known, seen, err := e.store.Ask(ctx, caller, identity, time.Now())
	if err != nil {
		return Operation{}, false, storeFault("look the operation up", err)
	}
	if !seen || known.Forsworn {
		return Operation{}, false, nil
	}
	o, _, err := e.follow(ctx, known)
	return o, true, err
}

// follow waits for an operation that is under way, here or on another node.
func (e *Engine) follow(ctx context.Context, o Operation) (Operation, bool, error) {
	rung, stop := e.bell.Watch(operationBell(o.ID))
	defer stop()
	fresh, err := e.store.Operation(ctx, o.ID) // it may have ended before the watch began
	if err != nil {
		if ctx.Err() != nil {
			return o, false, nil
		}
		return Operation{}, false, storeFault("read the operation", err)
	}
	return e.await(ctx, fresh, rung)
}

// awaitPoll is how often a waiting call looks by itself. Another node's
// settlement rings no bell here: it is looked for sooner, and ever less often.
const awaitPoll = time.Second

// await waits until the operation is final or pending, or ctx ends, and gives
// it as it then stands.
func (e *Engine) await(ctx context.Context, o Operation, rung <-chan struct{}) (Operation, bool, error) {
	pause, most := awaitPoll, awaitPoll
	if o.Node != e.cfg.Node {
		pause, most = awaitPoll/50, awaitPoll/4
	}
	for o.State == op.Received || o.State == op.Dispatched {
		select {
		case <-ctx.Done():
			return o, false, nil
		case <-rung:
		case <-time.After(pause):
			pause = min(2*pause, most)
		}
		fresh, err := e.store.Operation(ctx, o.ID)
		if err != nil {
			if ctx.Err() != nil {
				return o, false, nil
			}
			e.log.Warn("operation can't be read while a call waits for it", "operation", o.ID, "error", err)
			continue
		}
		o = fresh
	}
	return o, false, nil
}

func operationBell(id op.ID) string { return "operation:" + string(id) }

// errServer is the reply to a fault of our own; its cause is for the log.
func errServer(err error) *Error { return &Error{Fault: Internal, Message: "Server error", Err: err} }

// storeFault tells the caller that nothing was done where the store says so
// (ErrBusy). Of other errors that is not known, and nothing is claimed.
func storeFault(doing string, err error) error {
	if errors.Is(err, ErrBusy) {
		return &Error{Fault: TooMany, Message: "The central is busy; this call did nothing, try again", RetryAfter: time.Second, Err: err}
	}
	return errServer(fmt.Errorf("%s: %w", doing, err))
}

// Running tells whether the engine takes submissions: it has recovered, and is
// not being stopped.
func (e *Engine) Running() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.running
}
