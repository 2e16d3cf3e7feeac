package printer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Limits of jobs and times.
const (
	// maxQueue is how many jobs may wait: an agent prints slip by slip, and a longer queue
	// would print unexpectedly when paper is loaded.
	maxQueue = 8
	// maxJob is the size of a job, in bytes: twice 60 cm of raster on 80 mm paper.
	maxJob = 1 << 20
	// jobTimeout bounds a job: a long raster slip at 9,600 baud takes two minutes.
	jobTimeout = 4 * time.Minute
	// stallTimeout bounds one chunk; at 9,600 baud a chunk takes half a second.
	stallTimeout = 8 * time.Second
	// openTimeout bounds opening a connection.
	openTimeout = 3 * time.Second
	// answerTimeout bounds the wait for a status byte, which printers answer at once.
	answerTimeout = 700 * time.Millisecond
	// probeInterval is how often an idle printer is queried.
	probeInterval = 15 * time.Second
	// chunkSize is how many bytes are written at once.
	chunkSize = 512
)

// Errors of Print.
var (
	ErrFull  = errors.New("the printer's queue is full: check the printer, then print again")
	ErrLarge = errors.New("the job is larger than a slip can be")
	ErrEmpty = errors.New("the job is empty")
)

// Config sets up a printer.
type Config struct {
	Kind    Kind
	Address string // device file, COM port, or host and port (default 9100)
	Baud    int    // of a serial port; 0 is 9600, the usual default

	// OnChange is called after State changed, on the printer's goroutine; it must not block.
	// It may be nil.
	OnChange func()
	Logger   *slog.Logger
}

// Outcome is the result of a job.
type Outcome string

// The outcomes of jobs.
const (
	Printed Outcome = "printed" // the printer reported afterwards that it is ready
	Sent    Outcome = "sent"    // all bytes were sent; the printer reports nothing
	Failed  Outcome = "failed"  // it may be on paper in part
)

// JobResult is a finished job.
type JobResult struct {
	Name    string
	Outcome Outcome
	At      time.Time
	Err     error // why it failed: a *ConditionError, or the context's error
	// Started: some bytes were sent, so a part of it may be on paper. If false, nothing is.
	Started bool
}

// State is the last known state of the printer.
type State struct {
	Condition Condition
	Since     time.Time // of the condition; zero before the first query
	Problem   string    // what happened and what to do, in English; empty if nothing is wrong
	Printing  string    // name of the running job; empty if none
	Waiting   int       // queued jobs
	Last      JobResult // the last finished job; zero if none
}

// timeouts bound the waits for a printer.
type timeouts struct{ stall, answer time.Duration }

type job struct {
	name  string
	data  []byte
	onEnd func(JobResult)
}

// Printer owns a printer's port.
type Printer struct {
	cfg      Config
	open     func(context.Context) (channel, error)
	timeouts timeouts
	queue    chan job

	mu    sync.Mutex
	state State
}

// New makes a printer; Run starts it. It fails for an unknown kind of connection.
func New(cfg Config) (*Printer, error) {
	open, err := openerFor(cfg)
	if err != nil {
		return nil, err
	}
	if cfg.Logger == nil {
		return nil, errors.New("a printer needs a logger")
	}
	return &Printer{cfg: cfg, open: open, timeouts: timeouts{stallTimeout, answerTimeout}, queue: make(chan job, maxQueue), state: State{Condition: Unknown}}, nil
}

// Print queues a job without blocking. The name is shown in State. ended is called with
// the result on the printer's goroutine; it must not wait for the printer, and may be nil.
// With ErrFull, ErrLarge and ErrEmpty nothing was queued, and ended is not called.
func (p *Printer) Print(name string, data []byte, ended func(JobResult)) error {
	switch {
	case len(data) == 0:
		return ErrEmpty
	case len(data) > maxJob:
		return fmt.Errorf("%q has %d bytes, at most %d are allowed: %w", name, len(data), maxJob, ErrLarge)
	}
	select {
	case p.queue <- job{name, append([]byte(nil), data...), ended}:
		return nil
	default:
		return ErrFull
	}
}

// Full reports whether Print would refuse a job because the queue is full. With a single
// caller of Print, space does not vanish in between.
func (p *Printer) Full() bool { return len(p.queue) == cap(p.queue) }

// State returns the last known state without waiting for the printer.
func (p *Printer) State() State {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.state
	s.Waiting = len(p.queue)
	return s
}

// Run serves the printer until ctx ends, and returns the context's error. Queued jobs then
// fail without being printed.
func (p *Printer) Run(ctx context.Context) error {
	defer p.failWaiting(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	tick := time.NewTicker(probeInterval)
	defer tick.Stop()
	p.probeNow(ctx)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case j := <-p.queue:
			p.printJob(ctx, j)
		case <-tick.C:
			p.probeNow(ctx)
		}
	}
}

// failWaiting fails the queued jobs.
func (p *Printer) failWaiting(ctx context.Context) {
	for {
		select {
		case j := <-p.queue:
			p.finishJob(j, JobResult{Outcome: Failed, Err: ctx.Err()})
		default:
			return
		}
	}
}

// probeNow updates the printer's condition.
func (p *Printer) probeNow(ctx context.Context) {
	c, err := p.Probe(ctx)
	if ctx.Err() == nil {
		p.setCondition(c, err)
	}
}

// Probe opens the port, queries the printer and closes the port. The error is a
// *ConditionError if it would not print; State does not change. It blocks for some seconds
// at most; do not call it while Run is running.
func (p *Printer) Probe(ctx context.Context) (Condition, error) {
	l, err := p.open(ctx)
	if err != nil {
		return conditionOf(err), err
	}
	defer p.close(l)
	return p.timeouts.ask(ctx, l)
}

// printJob prints a job and reports its result.
func (p *Printer) printJob(ctx context.Context, j job) {
	p.update(func(s *State) { s.Printing = j.name })
	ctx, cancel := context.WithTimeout(ctx, jobTimeout)
	defer cancel()
	begun := false
	outcome, err := p.send(ctx, j, &begun)
	if err != nil {
		p.cfg.Logger.Warn("slip not printed", "address", p.cfg.Address, "error", err)
	}
	p.finishJob(j, JobResult{Outcome: outcome, Err: err, Started: begun})
}

// finishJob reports a job's result.
func (p *Printer) finishJob(j job, e JobResult) {
	e.Name, e.At = j.name, time.Now()
	if j.onEnd != nil {
		j.onEnd(e)
	}
	p.update(func(s *State) { s.Printing, s.Last = "", e })
}

// send writes a job if the printer is ready or silent, and queries it afterwards. It sets
// begun before the first byte of the job.
func (p *Printer) send(ctx context.Context, j job, begun *bool) (Outcome, error) {
	l, err := p.open(ctx)
	if err != nil {
		p.setCondition(conditionOf(err), err)
		return Failed, err
	}
	defer p.close(l)
	before, err := p.timeouts.ask(ctx, l)
	p.setCondition(before, err)
	if !before.Prints() {
		return Failed, err
	}
	for rest := j.data; len(rest) > 0; {
		n := min(chunkSize, len(rest))
		*begun = true
		if err := p.timeouts.write(ctx, l, rest[:n]); err != nil {
			p.setCondition(conditionOf(err), err)
			return Failed, err
		}
		rest = rest[n:]
	}
	if before == Silent {
		return Sent, nil
	}
	// The query follows what the kernel still buffers of the job.
	after, err := timeouts{p.timeouts.stall, p.timeouts.stall}.ask(ctx, l)
	p.setCondition(after, err)
	switch {
	case after == Silent || after == Garbled || after == Unknown: // it was ready before, and has received everything
		return Sent, nil
	case !after.Prints():
		return Failed, err
	}
	return Printed, nil
}

// setCondition stores the printer's condition, unless the program is stopping.
func (p *Printer) setCondition(c Condition, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	problem := ""
	if err != nil {
		problem = err.Error()
	}
	p.mu.Lock()
	same := p.state.Condition == c && p.state.Problem == problem
	p.mu.Unlock()
	if same {
		return
	}
	p.update(func(s *State) {
		if s.Condition != c {
			s.Condition, s.Since = c, time.Now()
		}
		s.Problem = problem
	})
}

func (p *Printer) update(do func(*State)) {
	p.mu.Lock()
	do(&p.state)
	p.mu.Unlock()
	if p.cfg.OnChange != nil {
		p.cfg.OnChange()
	}
}

func (p *Printer) close(l channel) {
	if err := l.Close(); err != nil {
		p.cfg.Logger.Debug("printer's port not closed", "address", p.cfg.Address, "error", err)
	}
}
