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

	"galla/shared/op"
)

// EngineConfig sets up an Engine. Zero values take the defaults.
type EngineConfig struct {
	// Node is this node's name among those that share a database.
	Node string
	// BankTimeout is how long Send waits for the bank; default 15 s.
	BankTimeout time.Duration
	// NotFoundMargin is how long after the bank's deadline a 'not found' becomes
	// final: it covers the difference of the clocks and requests still in transit;
	// default 30 s.
	NotFoundMargin time.Duration
	// MaxInFlight bounds the operations that wait for the bank at one time; more
	// are refused with TooMany. Default 1024.
	MaxInFlight int
	// DrainTimeout is how long Run waits for operations under way before it returns;
	// default the bank's time-out and a second.
	DrainTimeout time.Duration

	Enquiries EnquiryConfig

	// Decisions are those of staff; nil: there are none.
	Decisions Decisions
	// Tariff calculates what succeeded operations earn; nil: nothing is earned.
	Tariff Tariff

	Rand   io.Reader
	Logger *slog.Logger
}

func (c EngineConfig) withDefaults() EngineConfig {
	c.BankTimeout = cmp.Or(c.BankTimeout, 15*time.Second)
	c.NotFoundMargin = cmp.Or(c.NotFoundMargin, 30*time.Second)
	c.MaxInFlight = cmp.Or(c.MaxInFlight, 1024)
	c.DrainTimeout = cmp.Or(c.DrainTimeout, c.BankTimeout+time.Second)
	c.Enquiries.Batch = cmp.Or(c.Enquiries.Batch, DefaultEnquiries(c.MaxInFlight))
	c.Enquiries = c.Enquiries.WithDefaults()
	return c
}

// EngineStore is what the engine needs of the database.
type EngineStore interface {
	Operations
	Sessions
}

// Engine runs operations: it records each, sends it at most once, and asks the bank
// until its outcome is final. It is an Executor. Its methods are safe for concurrent
// use.
type Engine struct {
	store      EngineStore
	bank       Bank
	renderer   Renderer
	notifier   *Notifier
	cfg        EngineConfig
	references *ReferenceGenerator
	log        *slog.Logger

	refusedOTPs  *refusedOTPs
	sessions     *activeSessions
	slots        chan struct{}
	mu           sync.Mutex
	running      bool
	executionCtx context.Context // ends when executions must end
	executions   sync.WaitGroup
}

// NewEngine makes an engine. It refuses submissions until Run.
func NewEngine(store EngineStore, bank Bank, renderer Renderer, notifier *Notifier, cfg EngineConfig) (*Engine, error) {
	cfg = cfg.withDefaults()
	if cfg.Node == "" || cfg.Rand == nil || cfg.Logger == nil {
		return nil, errors.New("engine needs a node name, randomness and a logger")
	}
	references, err := NewReferenceGenerator(cfg.Rand)
	if err != nil {
		return nil, err
	}
	return &Engine{
		store: store, bank: bank, renderer: renderer, notifier: notifier, cfg: cfg, references: references, log: cfg.Logger, refusedOTPs: newRefusedOTPs(),
		sessions: newActiveSessions(), slots: make(chan struct{}, cfg.MaxInFlight),
	}, nil
}

// Run reads what earlier runs of this node left unfinished; then it accepts submissions,
// ends what it read beside them, and makes enquiries until ctx ends. It returns when the
// last execution has ended, or after DrainTimeout; the next start finds what is then
// still under way.
func (e *Engine) Run(ctx context.Context) error {
	left, err := e.unfinished(ctx, e.cfg.Node, time.Time{})
	if err != nil {
		if ctx.Err() != nil {
			return nil // stopped: the next start continues
		}
		return fmt.Errorf("recover operations of node %s: %w", e.cfg.Node, err)
	}
	executionCtx, end := context.WithCancel(context.Background()) // see executionContext
	defer end()
	e.mu.Lock()
	e.executionCtx, e.running = executionCtx, true
	e.mu.Unlock()

	var recovery sync.WaitGroup
	recovery.Go(func() { e.recoverOwn(ctx, left) })
	err = e.runEnquiries(ctx)
	recovery.Wait()

	e.mu.Lock()
	e.running = false
	e.mu.Unlock()
	drain := time.AfterFunc(e.cfg.DrainTimeout, end)
	defer drain.Stop()
	e.executions.Wait()
	return err
}

// errNotRunning is the reply to a submission before Run or during shutdown.
func errNotRunning() error {
	return &Error{Fault: TooMany, Message: "The central is starting or stopping; nothing was done, try again", RetryAfter: time.Second}
}

// Submit implements Executor. The result of the execution comes to the call through a
// channel; nothing is read again. Who calls logs it (see logEnded).
func (e *Engine) Submit(ctx context.Context, s Submission) (Operation, bool, error) {
	engineCtx, err := e.acquireSlot()
	if err != nil {
		return Operation{}, false, err
	}
	started := false
	defer func() {
		if !started {
			e.releaseSlot()
		}
	}()

	o, isNew, err := e.createOrFind(ctx, s)
	if err != nil || !isNew {
		return o, !isNew && err == nil, err
	}
	if s.OnAccepted != nil {
		s.OnAccepted(o.ID)
	}
	ended := make(chan Operation)
	started = true
	go func() {
		defer e.executions.Done()
		defer close(ended)
		executionCtx := executionContext{engineCtx, ctx}
		result, recorded := e.execute(executionCtx, o, s)
		<-e.slots
		if !recorded {
			return
		}
		select {
		case ended <- result:
		case <-ctx.Done(): // nobody waits for it any more
			e.logEnded(executionCtx, result)
		}
	}()
	select {
	case <-ctx.Done():
		return o, false, nil
	case result, recorded := <-ended:
		if recorded {
			return result, false, nil
		}
	}
	return e.waitForKnown(ctx, o), false, nil // a sweep or another node ends it
}

// executionContext ends with the engine and not with the request. It has the request's
// values, for logs and traces.
type executionContext struct {
	context.Context // the engine's, without values of its own
	request         context.Context
}

// Value implements context.Context.
func (c executionContext) Value(key any) any {
	if value := c.Context.Value(key); value != nil {
		return value
	}
	return c.request.Value(key)
}

// acquireSlot takes one of the MaxInFlight slots. The context ends when the engine
// stops waiting for executions.
func (e *Engine) acquireSlot() (context.Context, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.running {
		return nil, errNotRunning()
	}
	select {
	case e.slots <- struct{}{}:
		e.executions.Add(1)
		return e.executionCtx, nil
	default:
		return nil, &Error{Fault: TooMany, Message: "Too many operations wait for the bank; nothing was done, try again", RetryAfter: 5 * time.Second}
	}
}

func (e *Engine) releaseSlot() {
	<-e.slots
	e.executions.Done()
}

// newOperation makes the operation of a submission. Its errors are programming
// errors, or failures of the random source.
func (e *Engine) newOperation(s Submission) (Operation, error) {
	kind, p := s.Request.Kind, s.Request.Particulars
	if kind.IsConsultation() {
		return Operation{}, fmt.Errorf("submit %s: it is a consultation, not an operation", kind)
	}
	id := s.ID
	if id == "" {
		generated, err := op.NewID(e.cfg.Rand)
		if err != nil {
			return Operation{}, err
		}
		id = generated
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

// maxReferenceTries bounds the tries to find an unused reference. With 50 random
// bits per day, even a second try is extremely rare.
const maxReferenceTries = 5

// createWithReference commits the operation with a new reference and counts its
// quotas. If no operation may be created, it fails with the submission's RefuseNew.
func (e *Engine) createWithReference(ctx context.Context, o *Operation, s Submission) (Operation, bool, error) {
	retried, quotas := false, s.Quotas
	if s.RefuseNew != nil {
		quotas = refuseNewQuota(*o)
	}
	for range maxReferenceTries {
		reference, stan, err := e.references.Next(o.CreatedAt)
		if err != nil {
			return Operation{}, false, err
		}
		o.Reference, o.STAN = Reference(reference), stan
		o.Message = s.unspent()
		known, isNew, err := e.store.Create(ctx, *o, quotas)
		o.Message = nil
		s.noteSpending(err)
		if err == nil {
			return known, isNew, nil
		}
		var exhausted *QuotaError
		full := errors.As(err, &exhausted)
		switch {
		case full && o.Kind == KindRefund && !retried:
			retried = true // another refund of the transfer was created meanwhile; now it is found
		case full && s.RefuseNew != nil:
			return Operation{}, false, s.RefuseNew
		case !errors.Is(err, ErrTaken):
			return Operation{}, false, err
		}
	}
	return Operation{}, false, fmt.Errorf("%d references in a row were in use: the random source is broken", maxReferenceTries)
}

// createError is the reply to a submission that could not be created.
func createError(err error) error {
	if err == nil {
		return nil
	}
	var exhausted *QuotaError
	var refused *Error
	switch {
	case errors.Is(err, ErrReplayed):
		return NewError(Unauthenticated, "Not authenticated")
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &exhausted):
		return NewError(FailedPrecondition, exhausted.Error())
	case errors.Is(err, ErrState):
		return NewError(Conflict, "The identity and the reference in the body name two different operations; nothing was done")
	}
	return storeError("record the operation", err)
}

// answerRepeat answers a submission whose identity or CallerRef is known. Nothing is
// sent.
func (e *Engine) answerRepeat(ctx context.Context, s Submission, known Operation) (Operation, bool, error) {
	if known.Tombstone {
		return Operation{}, false, NewError(FailedPrecondition, "This operation was declared never seen and is refused for ever; nothing was sent")
	}
	if known.Fingerprint != s.Fingerprint || known.Route != s.Route {
		return Operation{}, false, NewError(Conflict, "The same identity was used before with another body or route; nothing was done")
	}
	if s.OnAccepted != nil {
		s.OnAccepted(known.ID)
	}
	return e.waitForKnown(ctx, known), true, nil
}

// FindOrTombstone implements Executor.
func (e *Engine) FindOrTombstone(ctx context.Context, caller, identity string) (Operation, bool, error) {
	known, seen, err := e.store.FindOrTombstone(ctx, caller, identity, time.Now())
	if err != nil {
		return Operation{}, false, storeError("look the operation up", err)
	}
	if !seen || known.Tombstone {
		return Operation{}, false, nil
	}
	return e.waitForKnown(ctx, known), true, nil
}

// waitPoll is how often a waiting request reads the operation without a
// notification. On SQLite another node's change is not notified here, so such an
// operation is read sooner, and then less and less often.
const waitPoll = time.Second

// waitForKnown waits until an operation that was begun by another call, here or on
// another node, is final or pending, or ctx ends, and gives it as it then stands.
func (e *Engine) waitForKnown(ctx context.Context, o Operation) Operation {
	underWay := func() bool { return o.State == op.Received || o.State == op.Sent }
	if !underWay() {
		return o
	}
	changed, stop := e.notifier.Subscribe(operationTopic(o.ID))
	defer stop()
	pause, most := waitPoll, waitPoll
	if o.Node != e.cfg.Node {
		pause, most = waitPoll/50, waitPoll/4
	}
	for {
		fresh, err := e.store.Operation(ctx, o.ID) // it may have ended before the subscription
		switch {
		case err == nil:
			o = fresh
		case ctx.Err() == nil:
			e.log.Warn("operation can't be read while a request waits for it", "operation", o.ID, "error", err)
		}
		if !underWay() {
			return o
		}
		select {
		case <-ctx.Done():
			return o
		case <-changed:
		case <-time.After(pause):
			pause = min(2*pause, most)
		}
	}
}

func operationTopic(id op.ID) string { return "operation:" + string(id) }

// errInternal is the reply to an internal error; its cause is for the log.
func errInternal(err error) *Error { return &Error{Fault: Internal, Message: "Server error", Err: err} }

// storeError says that nothing was done only if the store says so (ErrBusy). After
// other errors that is not known.
func storeError(doing string, err error) error {
	if errors.Is(err, ErrBusy) {
		return &Error{Fault: TooMany, Message: "The central is busy; this call did nothing, try again", RetryAfter: time.Second, Err: err}
	}
	return errInternal(fmt.Errorf("%s: %w", doing, err))
}

// Running tells whether the engine accepts submissions: Run has recovered, and is
// not being stopped.
func (e *Engine) Running() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.running
}
