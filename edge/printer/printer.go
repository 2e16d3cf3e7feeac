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
	// maxQueue is how many jobs wait: an agent prints slip by slip, and a longer
	// queue would only come out as a surprise when paper is put in.
	maxQueue = 8
	// maxJob is the size of a job: 60 cm of raster on 80 mm paper, twice.
	maxJob = 1 << 20
	// jobTime bounds a job: a long raster slip at 9,600 baud takes two minutes.
	jobTime = 4 * time.Minute
	// stallTime bounds one piece of a job; at 9,600 baud a piece takes half a second.
	stallTime = 8 * time.Second
	// openTime bounds the making of a connection.
	openTime = 3 * time.Second
	// answerTime bounds the wait for a status byte, which is answered at once.
	answerTime = 700 * time.Millisecond
	// lookEvery is how often an idle printer is looked at.
	lookEvery = 15 * time.Second
	// piece is how many bytes are written at once.
	piece = 512
)

// Errors of Print.
var (
	ErrFull  = errors.New("printer's queue is full: see to the printer, then print again")
	ErrLarge = errors.New("job is larger than a slip can be")
	ErrEmpty = errors.New("job is empty")
)

// Config is a printer of the counter.
type Config struct {
	Kind    Kind
	Address string // device file, COM port, or host and port; a host alone has port 9100
	Baud    int    // of a serial port; 0 is 9600, the makers' usual setting

	// OnChange is called after State changed, from the printer's goroutine; it
	// must not wait. It may be nil.
	OnChange func()
	Logger   *slog.Logger
}

// Outcome is how a job ended.
type Outcome string

// The outcomes of jobs.
const (
	Printed Outcome = "printed" // the printer said afterwards that it is well
	Sent    Outcome = "sent"    // all bytes went out; the printer says nothing
	Failed  Outcome = "failed"  // it may be on paper in part
)

// Ended is a job that has ended.
type Ended struct {
	Name    string
	Outcome Outcome
	At      time.Time
	Err     error // why it failed; a *Trouble, or the context's error
	// Begun: bytes went out, so that a part of it may be on paper. Where it is
	// false, nothing is.
	Begun bool
}

// State is what is known of the printer.
type State struct {
	Condition Condition
	Since     time.Time // of the condition; zero before the first look
	Problem   string    // what happened and what to do, in English; empty when well
	Printing  string    // name of the job that is on its way; empty when none
	Waiting   int       // jobs in the queue
	Last      Ended     // the job that ended last; zero when none did
}

// pace is how long a printer is waited for.
type pace struct{ stall, answer time.Duration }

type job struct {
	name  string
	data  []byte
	ended func(Ended)
}

// Printer is the owner of a printer's port.
type Printer struct {
	cfg   Config
	open  func(context.Context) (link, error)
	pace  pace
	queue chan job

	mu    sync.Mutex
	state State
}

// New makes a printer; Run makes it work. It fails where the configuration
// names no channel that is known.
func New(cfg Config) (*Printer, error) {
	open, err := opener(cfg)
	if err != nil {
		return nil, err
	}
	if cfg.Logger == nil {
		return nil, errors.New("a printer needs a logger")
	}
	return &Printer{cfg: cfg, open: open, pace: pace{stallTime, answerTime}, queue: make(chan job, maxQueue), state: State{Condition: Unknown}}, nil
}

// Print puts a job into the queue and never waits. The name stands in State.
// ended is told how the job ended, from the printer's goroutine; it must not
// wait for the printer, and may be nil. ErrFull, ErrLarge and ErrEmpty say that
// nothing was queued; ended is not called then.
func (p *Printer) Print(name string, data []byte, ended func(Ended)) error {
	switch {
	case len(data) == 0:
		return ErrEmpty
	case len(data) > maxJob:
		return fmt.Errorf("%q has %d bytes, at most %d are taken: %w", name, len(data), maxJob, ErrLarge)
	}
	select {
	case p.queue <- job{name, append([]byte(nil), data...), ended}:
		return nil
	default:
		return ErrFull
	}
}

// Full tells whether Print would refuse a job for want of room. Where one
// caller prints, room that there is stays.
func (p *Printer) Full() bool { return len(p.queue) == cap(p.queue) }

// State is what was seen last; it never waits for the printer.
func (p *Printer) State() State {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.state
	s.Waiting = len(p.queue)
	return s
}

// Run looks after the printer until ctx ends, and gives the context's error.
// Jobs that wait then fail, and are not printed.
func (p *Printer) Run(ctx context.Context) error {
	defer p.drop(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	p.look(ctx)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case j := <-p.queue:
			p.work(ctx, j)
		case <-tick.C:
			p.look(ctx)
		}
	}
}

// drop ends the jobs that wait.
func (p *Printer) drop(ctx context.Context) {
	for {
		select {
		case j := <-p.queue:
			p.end(j, Ended{Outcome: Failed, Err: ctx.Err()})
		default:
			return
		}
	}
}

// look notes how the printer is now.
func (p *Printer) look(ctx context.Context) {
	c, err := p.Look(ctx)
	if ctx.Err() == nil {
		p.found(c, err)
	}
}

// Look opens the port, asks the printer how it is and closes the port. The error
// is a *Trouble where it would not print; State does not change. It waits for the
// printer, at most for some seconds, and is not called while Run goes on.
func (p *Printer) Look(ctx context.Context) (Condition, error) {
	l, err := p.open(ctx)
	if err != nil {
		return conditionOf(err), err
	}
	defer p.close(l)
	return p.pace.ask(ctx, l)
}

// work prints a job and tells how it ended.
func (p *Printer) work(ctx context.Context, j job) {
	p.alter(func(s *State) { s.Printing = j.name })
	ctx, cancel := context.WithTimeout(ctx, jobTime)
	defer cancel()
	begun := false
	outcome, err := p.send(ctx, j, &begun)
	if err != nil {
		p.cfg.Logger.Warn("slip not printed", "address", p.cfg.Address, "error", err)
	}
	p.end(j, Ended{Outcome: outcome, Err: err, Begun: begun})
}

// end tells how a job ended.
func (p *Printer) end(j job, e Ended) {
	e.Name, e.At = j.name, time.Now()
	if j.ended != nil {
		j.ended(e)
	}
	p.alter(func(s *State) { s.Printing, s.Last = "", e })
}

// send writes a job where the printer is well or says nothing, and asks it
// afterwards. begun is set before the first byte of the job goes out.
func (p *Printer) send(ctx context.Context, j job, begun *bool) (Outcome, error) {
	l, err := p.open(ctx)
	if err != nil {
		p.found(conditionOf(err), err)
		return Failed, err
	}
	defer p.close(l)
	before, err := p.pace.ask(ctx, l)
	p.found(before, err)
	if !before.Prints() {
		return Failed, err
	}
	for rest := j.data; len(rest) > 0; {
		n := min(piece, len(rest))
		*begun = true
		if err := p.pace.write(ctx, l, rest[:n]); err != nil {
			p.found(conditionOf(err), err)
			return Failed, err
		}
		rest = rest[n:]
	}
	if before == Silent {
		return Sent, nil
	}
	// the question waits behind what the kernel still holds of the job
	after, err := pace{p.pace.stall, p.pace.stall}.ask(ctx, l)
	p.found(after, err)
	switch {
	case after == Silent || after == Garbled || after == Unknown: // it was well before, and has all of it
		return Sent, nil
	case !after.Prints():
		return Failed, err
	}
	return Printed, nil
}

// found notes the printer's condition; a program that stops has found none.
func (p *Printer) found(c Condition, err error) {
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
	p.alter(func(s *State) {
		if s.Condition != c {
			s.Condition, s.Since = c, time.Now()
		}
		s.Problem = problem
	})
}

func (p *Printer) alter(do func(*State)) {
	p.mu.Lock()
	do(&p.state)
	p.mu.Unlock()
	if p.cfg.OnChange != nil {
		p.cfg.OnChange()
	}
}

func (p *Printer) close(l link) {
	if err := l.Close(); err != nil {
		p.cfg.Logger.Debug("printer's port not closed", "address", p.cfg.Address, "error", err)
	}
}
