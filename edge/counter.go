package edge

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"galla/edge/api"
	"galla/shared/op"
	"galla/shared/secret"
	"galla/shared/wire"
)

// Config configures a Counter.
type Config struct {
	Agent        string         // the agent's name
	AgentAadhaar secret.Aadhaar // of the agent who enrolled the terminal
	Merchant     string         // legal name
	TID          string         // terminal at the bank network
	Latitude     string         // decimal degrees
	Longitude    string         // decimal degrees

	// MerchantID is the shop's id at the central, for the routes that name it.
	MerchantID string

	// RecordSendWithin is how long a change of a record may wait until the
	// terminal is online. Default 24 h (operations.md).
	RecordSendWithin time.Duration
	// AadhaarOf returns a user's own Aadhaar number, for the day's
	// authentication. Nil: only the agent has one.
	AadhaarOf func(userID string) (secret.Aadhaar, error)

	// Now is the computer's clock, which may be wrong.
	Now    func() time.Time
	Rand   io.Reader
	Logger *slog.Logger
}

// Times of an operation (operations.md, section 8).
const (
	// sendWithin is how long after its capture or OTP an operation may be sent, while the
	// customer is present.
	sendWithin = 90 * time.Second
	// replyTimeout is how long an enquiry waits for its outcome: longer than the
	// central's timeout, which is longer than the bank's.
	replyTimeout = 40 * time.Second
	// askInterval is how long an operation may stay without an outcome while the terminal
	// is online before the counter asks for it.
	askInterval = 45 * time.Second
	// maxSkew is the clock error above which the bank would refuse captures (domain.md,
	// V1).
	maxSkew = 5 * time.Minute
)

// pendingState is the part of an unfinished operation that is in memory only.
type pendingState struct {
	pid           secret.PidData // until it is sent
	otp           secret.OTP     // until it is sent
	usedOTP       secret.OTP     // the OTP that no reply may repeat
	stage         Stage
	problem       *CaptureError
	cancelCapture context.CancelFunc // of the running capture; nil: none
	captured      *captureFacts      // the finger was read; the pump sends or queues the operation
	cancelled     bool
	faintRetried  bool      // a faint print was rejected before
	askedAt       time.Time // when the counter last asked for the outcome
	waitingSince  time.Time // since when this program has seen it wait for its finger
}

// Counter runs the operations of one terminal. Its methods are safe for
// concurrent use and return what is on disk.
type Counter struct {
	cfg       Config
	queue     Queue
	enquiries *enquiryStore
	replies   *replyCache
	uplink    Link
	reader    Reader
	log       *slog.Logger

	openCash openCashList
	cashMu   sync.Mutex    // held while the cash of a transfer changes hands (refund.go)
	newsMu   sync.Mutex    // held while it is stored what was told of payments (told.go)
	wake     chan struct{} // makes the pump run now
	jobs     sync.WaitGroup

	mu          sync.Mutex
	runCtx      context.Context // set by Run
	pending     map[op.ID]*pendingState
	inFlight    map[op.ID]bool            // sent on the current connection, without an outcome
	sendingID   op.ID                     // the operation whose frame is being sent; empty: none
	ownCalls    map[op.ID]chan op.Outcome // requests of the counter itself
	openRefunds map[op.ID]map[op.ID]bool  // by transfer, the refunds that may still pay its cash
	payments    []Record                  // the latest by UPI, oldest first
	news        news                      // those that nobody was told of
	logFork     bool                      // the central's log has another past than it had signed
	messages    map[op.ID][]op.ID         // by receipt, its messages
	subscribers map[chan struct{}]struct{}
	revision    uint64 // grows with each notification of the subscribers
	session     SessionState
	shop        Shop
	banks       []Bank
	banksAt     time.Time
	limits      []Limit
	limitsAt    time.Time
	sandbox     bool      // the central is a sandbox, by its limits
	warnings    []Warning // that last
	diskFull    bool
}

// New creates a Counter over the queue. Operations that an earlier run left
// before they were sent have lost their capture or OTP: they become expired.
// Changes of records need neither and stay queued. Operations that were sent
// become unknown; the counter asks for them.
func New(queue Queue, device Reader, cfg Config) (*Counter, error) {
	cfg.RecordSendWithin = cmp.Or(cfg.RecordSendWithin, 24*time.Hour)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Rand == nil || cfg.Logger == nil {
		return nil, errors.New("the counter needs Config.Rand and Config.Logger")
	}
	c := &Counter{
		cfg: cfg, queue: queue, enquiries: newEnquiryStore(cfg.Now), replies: newReplyCache(queue, cfg.Now, cfg.Logger),
		reader: device, log: cfg.Logger,
		wake: make(chan struct{}, 1), pending: map[op.ID]*pendingState{}, inFlight: map[op.ID]bool{},
		ownCalls: map[op.ID]chan op.Outcome{}, subscribers: map[chan struct{}]struct{}{}, openCash: openCashList{open: map[op.ID]Record{}},
		openRefunds: map[op.ID]map[op.ID]bool{}, messages: map[op.ID][]op.ID{},
	}
	c.recoverUnfinished()
	c.loadOpenCash()
	c.loadCache()
	c.loadFork()
	if err := c.loadPayments(); err != nil {
		return nil, err
	}
	return c, nil
}

// SetLink sets the uplink. It is called once, before Run: uplink and counter
// need each other.
func (c *Counter) SetLink(link Link) { c.uplink = link }

func (c *Counter) recoverUnfinished() {
	left, err := c.queue.Unresolved()
	for _, r := range left {
		var to op.State
		var reason Reason
		switch r.State {
		case op.Reserved:
			to, reason = op.Expired, ReasonRestartedDuringCapture
		case op.Queued:
			if !api.SpecOf(r.Route).HasSecret() {
				continue
			}
			to, reason = op.Expired, ReasonRestartedBeforeSend
		case op.Sent:
			to, reason = op.Unknown, ReasonRestartedAfterSend
		case op.Accepted:
			to, reason = op.Accepted, r.Reason // the central goes on, and the customer may leave
		default:
			continue
		}
		_, changeErr := c.queue.Change(r.ID, func(r *Record) error {
			r.State, r.Reason = to, reason
			kept := (to == op.Unknown || to == op.Accepted) && r.markCashKept()
			if to == op.Accepted && !kept {
				return errStale
			}
			return nil
		})
		c.noteDiskError(ignoreStale(changeErr)) // the pump takes the same steps later
	}
	if err != nil {
		// The rest goes on; the agent is warned.
		c.log.Error("the queue holds records that can't be read", "error", err)
		c.warnings = []Warning{{Kind: WarningSomeUnreadable}}
	}
}

const pumpInterval = time.Second

// Run sends queued operations, expires late ones, and asks for the outcome of
// unknown ones, until ctx ends.
func (c *Counter) Run(ctx context.Context) error {
	if c.uplink == nil {
		return errors.New("the counter has no uplink")
	}
	c.mu.Lock()
	c.runCtx = ctx
	c.mu.Unlock()
	if c.uplink.State().Online {
		c.refreshReferences() // the uplink was connected before Run
	}
	tick := time.NewTicker(pumpInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			c.mu.Lock()
			c.runCtx = nil // no job starts after this, so that Wait ends
			c.mu.Unlock()
			c.jobs.Wait()
			return nil
		case <-c.wake:
		case <-tick.C:
		}
		c.pump()
	}
}

func (c *Counter) wakePump() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Notify reports that the state of the uplink or the reader changed.
func (c *Counter) Notify() {
	c.wakePump()
	c.notifySubscribers()
}

// Subscribe returns a channel that receives after anything on the pages may have
// changed. The returned function ends the subscription.
func (c *Counter) Subscribe() (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subscribers[ch] = struct{}{}
	return ch, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.subscribers, ch)
	}
}

// Revision grows with each change that Subscribe tells of, before its channels receive.
func (c *Counter) Revision() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.revision
}

func (c *Counter) notifySubscribers() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revision++
	for ch := range c.subscribers {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

// change changes an operation in the queue or in memory, and notifies the pages
// after the change is on disk.
func (c *Counter) change(id op.ID, alter func(*Record) error) (Record, error) {
	r, err := c.enquiries.change(id, alter)
	if errors.Is(err, ErrNotFound) {
		r, err = c.queue.Change(id, alter)
		c.noteDiskError(err)
	}
	if err == nil {
		c.afterChange(r)
	}
	return r, err
}

// afterChange updates what depends on a changed operation: memory, open cash,
// pages.
func (c *Counter) afterChange(r Record) {
	if r.State.Final() {
		c.forget(r.ID)
	}
	c.updateOpenCash(r)
	c.notifySubscribers()
}

// pendingOf returns the in-memory part of an operation. The caller holds mu.
func (c *Counter) pendingOf(id op.ID) *pendingState {
	if c.pending[id] == nil {
		c.pending[id] = &pendingState{}
	}
	return c.pending[id]
}

// forget drops the in-memory part of an operation, with its secrets.
func (c *Counter) forget(id op.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
	delete(c.inFlight, id)
}

// noteDiskError sets a warning when the disk does not take changes, and clears
// it after the next successful change.
func (c *Counter) noteDiskError(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil:
		c.diskFull = false
	case errors.Is(err, ErrNotFound), errors.Is(err, ErrIllegal), errors.Is(err, errStale):
	default:
		c.diskFull = true
		c.log.Error("the queue can't be written", "error", err)
	}
}

// SetWarnings shows lasting warnings on every page, such as a queue file that
// was set aside.
func (c *Counter) SetWarnings(warnings []Warning) {
	c.mu.Lock()
	c.warnings = warnings
	c.mu.Unlock()
	c.notifySubscribers()
}

// Status returns the counter's state for the pages.
func (c *Counter) Status() Status {
	now := c.cfg.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Status{
		Reader: c.reader.State(), Session: c.session, Agent: c.cfg.Agent, Merchant: c.cfg.Merchant, Shop: c.shop, TID: c.cfg.TID,
		Unresolved: c.queue.UnresolvedCount(), OpenCash: c.openCash.sorted(), Sandbox: c.sandbox, Warnings: slices.Clone(c.warnings), Now: now,
	}
	if c.diskFull {
		s.Warnings = append(s.Warnings, Warning{Kind: WarningDiskFull})
	}
	if c.logFork {
		s.Warnings = append(s.Warnings, Warning{Kind: WarningLogFork})
	}
	c.fillNews(&s)
	if c.uplink != nil {
		s.Link = c.uplink.State()
	}
	s.Session.Active = s.Session.Active && now.Before(s.Session.ExpiresAt)
	return s
}

// Operation returns an operation, or ErrNotFound.
func (c *Counter) Operation(id op.ID) (View, error) {
	r, err := c.enquiries.get(id)
	volatile := err == nil
	if errors.Is(err, ErrNotFound) {
		r, err = c.queue.Get(id)
	}
	if err != nil {
		return View{}, err
	}
	return c.view(r, volatile), nil
}

// Recent returns up to limit operations, newest first, older than before (from
// the newest, if empty). Enquiries of this run are among them.
func (c *Counter) Recent(before op.ID, limit int) ([]View, error) {
	stored, err := c.queue.Recent(before, limit)
	volatile := c.enquiries.recent(before, limit)
	var out []View
	for len(out) < limit && (len(stored) > 0 || len(volatile) > 0) {
		if len(volatile) == 0 || (len(stored) > 0 && stored[0].ID > volatile[0].ID) {
			out = append(out, c.view(stored[0], false))
			stored = stored[1:]
			continue
		}
		out = append(out, c.view(volatile[0], true))
		volatile = volatile[1:]
	}
	return out, err
}

// IsWaiting reports whether a request is with the central and its answer is to come.
func (c *Counter) IsWaiting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.inFlight) > 0
}

// Unfinished returns the operations without a final outcome, newest first, however old
// they are: enquiries of this run are among them. Results beside an error are
// incomplete.
func (c *Counter) Unfinished() ([]View, error) {
	stored, err := c.queue.Unresolved()
	var out []View
	for _, r := range stored {
		out = append(out, c.view(r, false))
	}
	for _, r := range c.enquiries.unresolved() {
		out = append(out, c.view(r, true))
	}
	slices.SortFunc(out, func(a, b View) int { return cmp.Compare(b.ID, a.ID) })
	return out, err
}

// view adds what is known in memory only.
func (c *Counter) view(r Record, volatile bool) View {
	v := View{Record: r, Volatile: volatile}
	v.Body = nil // may hold an Aadhaar number
	if volatile {
		v.KnownAt = c.enquiries.knownAt(r.ID)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch r.State {
	case op.Reserved:
		v.Stage = StageReady
		if w := c.pending[r.ID]; w != nil {
			v.Problem = w.problem
			if w.stage != StageNone {
				v.Stage = w.stage
			}
		}
	case op.Queued, op.Sent:
		v.Stage = StageSending
	case op.Accepted:
		v.Stage = StageBank
	case op.Unknown:
		v.Stage = StageAsking
	}
	return v
}

// operationFrame builds the op frame of a record, with times by the central's clock.
func (c *Counter) operationFrame(r Record, body []byte) wire.Frame {
	offset := c.uplink.State().Offset
	f := wire.Frame{T: wire.TOp, ID: r.ID, Route: r.Route, Body: body}
	if !r.Deadline.IsZero() {
		f.NotAfter = r.Deadline.Add(offset).UnixMilli()
	}
	if !r.CapturedAt.IsZero() {
		f.CapturedAt = r.CapturedAt.Add(offset).UnixMilli()
	}
	return f
}
