package edge

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"galla/edge/message"
	"galla/shared/op"
	"galla/shared/secret"
	"galla/shared/wire"
)

// Config sets up a Counter. Zero durations take the defaults.
type Config struct {
	Agent        string         // the agent's name
	AgentAadhaar secret.Aadhaar // of the agent who enrolled the counter
	Merchant     string         // legal name
	TID          string         // terminal at the bank network
	Latitude     string         // decimal degrees
	Longitude    string         // decimal degrees

	// MerchantID is the shop's id at the central, for the routes that name it.
	MerchantID string

	// Deadline is how long after its capture or OTP an operation may still be
	// sent: while the customer is there. Default 90 s (operations.md).
	Deadline time.Duration
	// RecordLife is how long a change of a record may wait for the line;
	// default 24 h (operations.md).
	RecordLife time.Duration
	// Reply is how long an enquiry waits for its outcome; default 40 s, longer
	// than the central's, which is longer than the bank's.
	Reply time.Duration
	// Ask is how long an operation may stay without an outcome on a link that
	// is up before it is asked for again; default 45 s.
	Ask time.Duration
	// MaxSkew is the clock error above which the bank would refuse captures;
	// default 5 min (domain.md, V1).
	MaxSkew time.Duration

	// NumberOf gives an operator's own Aadhaar number, by id, for the day's
	// authentication; nil: the agent works alone.
	NumberOf func(operator string) (secret.Aadhaar, error)

	// Now is the counter's clock, which may be wrong; it is the subject here.
	Now    func() time.Time
	Rand   io.Reader
	Logger *slog.Logger
}

func (c Config) withDefaults() Config {
	set := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	set(&c.Deadline, 90*time.Second)
	set(&c.RecordLife, 24*time.Hour)
	set(&c.Reply, 40*time.Second)
	set(&c.Ask, 45*time.Second)
	set(&c.MaxSkew, 5*time.Minute)
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// work is the part of an operation that lives in memory only.
type work struct {
	pid       secret.PidData // until it is sent
	otp       secret.OTP     // until it is sent
	word      secret.OTP     // the OTP that no reply may repeat
	stage     Stage
	problem   *CaptureError
	stop      context.CancelFunc // of the capture going on; nil: none
	abandoned bool
	faint     bool      // a faint print was asked for again already
	asked     time.Time // of the last ask
	waits     time.Time // since when it was seen to wait for its finger

	given wire.Frame // kept by a deliberate fault only (package bug)
}

// Counter runs the counter's operations. Its methods may be called from many
// goroutines; each gives what is on disk, or says that it is not.
type Counter struct {
	cfg    Config
	queue  Queue
	memory *memory
	recall *recall
	line   Line
	device Device
	log    *slog.Logger

	cash     cashList
	handover sync.Mutex    // over whose cash a transfer's is (refund.go)
	wake     chan struct{} // the pump has something to do
	jobs     sync.WaitGroup

	mu       sync.Mutex
	life     context.Context // set by Run
	works    map[op.ID]*work
	flying   map[op.ID]bool            // op frames on the line without an outcome
	handed   op.ID                     // the one whose frame the pump is giving to the line; empty: none
	waiting  map[op.ID]chan op.Outcome // calls of the counter's own
	refunds  map[op.ID]map[op.ID]bool  // by transfer, those that may still pay its cash
	watchers map[chan struct{}]struct{}
	session  SessionState
	banks    []Bank
	banksAt  time.Time
	limits   []Limit
	limitsAt time.Time
	sandbox  bool // the central said so, with its limits
	trouble  string
}

// New makes a counter over what the queue holds. What an earlier life left
// before it was sent has lost its capture or OTP, and ends as expired; changes
// of records need neither, and stay queued. What was given to the line is
// unknown, and will be asked for.
func New(queue Queue, device Device, cfg Config) (*Counter, error) {
	cfg = cfg.withDefaults()
	if cfg.Rand == nil || cfg.Logger == nil {
		return nil, errors.New("counter needs randomness and a logger")
	}
	c := &Counter{
		cfg: cfg, queue: queue, memory: newMemory(cfg.Now), recall: newRecall(queue, cfg.Now, cfg.Logger),
		device: device, log: cfg.Logger,
		wake: make(chan struct{}, 1), works: map[op.ID]*work{}, flying: map[op.ID]bool{},
		waiting: map[op.ID]chan op.Outcome{}, watchers: map[chan struct{}]struct{}{}, cash: cashList{open: map[op.ID]Record{}},
		refunds: map[op.ID]map[op.ID]bool{},
	}
	c.recover()
	c.loadCash()
	c.loadCache()
	return c, nil
}

// Attach gives the counter its line. It is called once, before Run: line and
// counter need each other.
func (c *Counter) Attach(line Line) { c.line = line }

func (c *Counter) recover() {
	left, err := c.queue.Unresolved()
	for _, r := range left {
		var to op.State
		var reason string
		switch r.State {
		case op.Reserved:
			to, reason = op.Expired, "The program was restarted during the capture. Nothing was sent, no money moved."
		case op.Queued:
			s := message.ShapeOf(r.Route)
			if !s.Secret() {
				continue
			}
			to, reason = op.Expired, "The program was restarted before it was sent; the fingerprint is never stored. No money moved."
			if s.OTP {
				reason = "The program was restarted before it was sent; the one-time password is never stored. No money moved."
			}
		case op.Sent:
			to, reason = op.Unknown, "The program was restarted after it was sent. The central is asked."
		case op.Accepted:
			to, reason = op.Accepted, r.Reason // the central asks on, and the customer may go meanwhile
		default:
			continue
		}
		_, changeErr := c.queue.Change(r.ID, func(r *Record) error {
			r.State, r.Reason = to, reason
			kept := (to == op.Unknown || to == op.Accepted) && r.keepCash()
			if to == op.Accepted && !kept {
				return errStale
			}
			return nil
		})
		c.noteTrouble(settled(changeErr)) // the pump takes the same steps, when the disk can
	}
	if err != nil {
		// Some records can't be read. The rest goes on; the agent is told.
		c.log.Error("the queue holds records that can't be read", "error", err)
		c.trouble = "Some stored operations can't be read. Call support before you hand out cash for them: " + err.Error()
	}
}

// pumpEvery is how often the pump looks for deadlines by itself.
const pumpEvery = time.Second

// Run moves operations along until ctx ends: it sends what is queued, ends what
// is too late, and asks for what is unknown.
func (c *Counter) Run(ctx context.Context) error {
	if c.line == nil {
		return errors.New("counter has no line")
	}
	c.mu.Lock()
	c.life = ctx
	c.mu.Unlock()
	if c.line.State().Up {
		c.refresh() // it was welcomed before anything could run
	}
	tick := time.NewTicker(pumpEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			c.mu.Lock()
			c.life = nil // no job begins after this, so that all can be waited for
			c.mu.Unlock()
			c.jobs.Wait()
			return nil
		case <-c.wake:
		case <-tick.C:
		}
		c.pump()
	}
}

// nudge makes the pump look now.
func (c *Counter) nudge() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Changed tells the counter that the line's or the device's state changed.
func (c *Counter) Changed() {
	c.nudge()
	c.ring()
}

// Watch gives a channel that receives when anything on the screen may have
// changed; the returned function ends the watch.
func (c *Counter) Watch() (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchers[ch] = struct{}{}
	return ch, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.watchers, ch)
	}
}

func (c *Counter) ring() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for ch := range c.watchers {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

// change alters an operation where it lives, and tells the screen after it is
// on disk.
func (c *Counter) change(id op.ID, alter func(*Record) error) (Record, error) {
	r, err := c.memory.change(id, alter)
	if errors.Is(err, ErrNotFound) {
		r, err = c.queue.Change(id, alter)
		c.noteTrouble(err)
	}
	if err == nil {
		c.changed(r)
	}
	return r, err
}

// changed forgets what no final operation needs, notes what cash is open, and
// rings.
func (c *Counter) changed(r Record) {
	if r.State.Final() {
		c.forget(r.ID)
	}
	c.noteCash(r)
	c.ring()
}

// work gives what memory holds of an operation; mu is held.
func (c *Counter) work(id op.ID) *work {
	if c.works[id] == nil {
		c.works[id] = &work{}
	}
	return c.works[id]
}

// forget drops what is in memory of an operation, secrets first.
func (c *Counter) forget(id op.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.works, id)
	delete(c.flying, id)
}

// noteTrouble remembers that the disk does not take changes, for the screen,
// and forgets it when one is taken.
func (c *Counter) noteTrouble(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil:
		if c.trouble == diskTrouble {
			c.trouble = ""
		}
	case errors.Is(err, ErrNotFound), errors.Is(err, ErrIllegal), errors.Is(err, errStale):
	default:
		c.trouble = diskTrouble
		c.log.Error("the queue can't be written", "error", err)
	}
}

const diskTrouble = "The disk does not take new entries. Free some space; until then no operation can begin."

// SetTrouble shows a lasting trouble on every page, such as a queue file that
// was set aside.
func (c *Counter) SetTrouble(text string) {
	c.mu.Lock()
	c.trouble = text
	c.mu.Unlock()
	c.ring()
}

// Status says what the counter is doing.
func (c *Counter) Status() Status {
	now := c.cfg.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Status{
		Device: c.device.State(), Session: c.session, Agent: c.cfg.Agent, Merchant: c.cfg.Merchant, TID: c.cfg.TID,
		Unresolved: c.queue.Depth(), Cash: c.cash.list(), Trouble: c.trouble, Now: now,
	}
	if c.line != nil {
		s.Link = c.line.State()
	}
	s.Session.Active = s.Session.Active && now.Before(s.Session.ExpiresAt)
	return s
}

// Operation gives an operation as it stands, or ErrNotFound.
func (c *Counter) Operation(id op.ID) (View, error) {
	r, err := c.memory.get(id)
	volatile := err == nil
	if errors.Is(err, ErrNotFound) {
		r, err = c.queue.Get(id)
	}
	if err != nil {
		return View{}, err
	}
	return c.view(r, volatile), nil
}

// Recent gives up to limit operations, newest first, older than before (from
// the newest, if empty), enquiries of this run among them.
func (c *Counter) Recent(before op.ID, limit int) ([]View, error) {
	stored, err := c.queue.Recent(before, limit)
	volatile := c.memory.recent(before, limit)
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

// view adds what is known in memory.
func (c *Counter) view(r Record, volatile bool) View {
	v := View{Record: r, Volatile: volatile}
	v.Body = nil // the screen has no business with it
	if volatile {
		v.KnownAt = c.memory.knownAt(r.ID)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch r.State {
	case op.Reserved:
		v.Stage = StageReady
		if w := c.works[r.ID]; w != nil {
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

// frame makes the op frame of a record.
func (c *Counter) frame(r Record, body []byte) wire.Frame {
	offset := c.line.State().Offset
	f := wire.Frame{T: wire.TOp, ID: r.ID, Route: r.Route, Body: body}
	if !r.Deadline.IsZero() {
		f.NotAfter = r.Deadline.Add(offset).UnixMilli()
	}
	if !r.CapturedAt.IsZero() {
		f.CapturedAt = r.CapturedAt.Add(offset).UnixMilli()
	}
	return f
}
