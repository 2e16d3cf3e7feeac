package parent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"time"

	"galla/edge/release"
	"galla/edge/shelf"
)

// Config sets up a Parent. Zero limits take the defaults.
type Config struct {
	Shelf *shelf.Shelf
	// Own is the version of the installed program, and Program its file.
	Own     release.Version
	Program string
	// Args and Env are what children get; Env is completed.
	Args []string
	Env  []string
	// Stderr takes the children's logs.
	Stderr io.Writer
	// Start starts a child in place of exec; nil: exec.
	Start func(path string) (Process, error)

	// HealthyWithin is how long a release may take to show that it works; default
	// 5 minutes: a queue is checked, a bad line comes up, the central admits
	// thousands that come back at once.
	HealthyWithin time.Duration
	// StopWithin is how long a child has for its answers under way; default 45 s,
	// shorter than what systemd and Windows give the parent.
	StopWithin time.Duration
	// RetryAfter is how long a release that failed is left alone; default 1 h.
	RetryAfter time.Duration
	// SoundAfter is how long a child must have run so that its end counts for
	// nothing; default 10 minutes.
	SoundAfter time.Duration
	// Pause comes before a child that ended is started again, and each further one
	// is twice as long; default 1 s, and at most 30 s.
	Pause time.Duration

	Logger *slog.Logger
}

// Limits of what is tried.
const (
	maxStrikes  = 3                // a release that failed thrice where the one before worked is at fault
	maxBegun    = 5                // starts of a trial without a verdict: whatever ends it may end the parent, too
	maxFailures = 5                // ends in a row of a release that worked once, before the one before has its turn
	maxPause    = 30 * time.Second // a counter whose disk is full is back soon after it has room
)

// Parent keeps one release running.
type Parent struct {
	cfg   Config
	log   *slog.Logger
	state shelf.State

	failures int // ends in a row
	judging  bool
}

// New makes a parent.
func New(cfg Config) (*Parent, error) {
	if cfg.Shelf == nil || cfg.Program == "" || cfg.Logger == nil {
		return nil, errors.New("the parent needs a shelf, the installed program and a logger")
	}
	if _, err := release.ParseVersion(string(cfg.Own)); err != nil {
		return nil, err
	}
	cfg.HealthyWithin = cmp.Or(cfg.HealthyWithin, 5*time.Minute)
	cfg.StopWithin = cmp.Or(cfg.StopWithin, 45*time.Second)
	cfg.RetryAfter = cmp.Or(cfg.RetryAfter, time.Hour)
	cfg.Pause = cmp.Or(cfg.Pause, time.Second)
	cfg.SoundAfter = cmp.Or(cfg.SoundAfter, 10*time.Minute)
	if cfg.Start == nil {
		cfg.Start = command{cfg.Args, append(slices.Clone(cfg.Env), Env+"="+Protocol), cmp.Or[io.Writer](cfg.Stderr, os.Stderr), cfg.Logger}.start
	}
	return &Parent{cfg: cfg, log: cfg.Logger}, nil
}

// Run keeps a release running until ctx ends; then it stops it and returns when
// it has ended. What goes wrong with a child is logged, and never an error; that
// another parent looks after this counter is one.
func (p *Parent) Run(ctx context.Context) error {
	done, err := p.cfg.Shelf.Looking(ctx)
	if err != nil {
		return fmt.Errorf("look after the counter (does another galla-edge? stop it first): %w", err)
	}
	defer done()
	if p.state, err = p.cfg.Shelf.ReadState(); err != nil {
		p.log.Error("what became of the releases is not known; the installed program is started", "error", err)
	}
	for ctx.Err() == nil {
		v := p.choose()
		e := p.serve(ctx, v)
		if ctx.Err() != nil {
			break
		}
		pause := p.judge(v, e)
		if pause > 0 {
			p.log.Info("it is started again after a pause", "pause", pause)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return nil
}

// write keeps the state; false where the disk does not take it.
func (p *Parent) write() bool {
	if err := p.cfg.Shelf.WriteState(p.state); err != nil {
		p.log.Error("what became of a release can't be kept", "error", err)
		return false
	}
	return true
}

// choose gives what to start: the release on trial, else the newest that is known
// to work, else the installed program.
func (p *Parent) choose() release.Version {
	if v := p.state.Trial; v != "" {
		_, err := p.cfg.Shelf.Verify(v)
		switch {
		case err != nil:
			p.failed(v, "it can't be verified: "+err.Error())
		case p.state.Begun >= maxBegun:
			p.failed(v, "it was started again and again and never showed that it works")
		default:
			return v
		}
		p.write()
	}
	versions, err := p.cfg.Shelf.Versions()
	if err != nil {
		p.log.Error("the releases can't be looked through; the installed program is started", "error", err)
	}
	for _, v := range versions {
		known := p.state.Of(v)
		if v.Compare(p.cfg.Own) <= 0 || !known.Proven || known.Aside != "" || v == p.state.Suspect {
			continue
		}
		if _, err := p.cfg.Shelf.Verify(v); err != nil {
			p.log.Error("a release that worked can't be verified any more; an older one is started", "release", v, "error", err)
			continue
		}
		return v
	}
	return p.cfg.Own
}

// failed notes that a release did not work, and that the next one is watched to
// learn whose fault it was.
func (p *Parent) failed(v release.Version, why string) {
	p.log.Error("a release failed; the one before is started", "release", v, "why", why)
	known := p.state.Of(v)
	known.Failed, known.Why = time.Now(), why
	p.state.Put(v, known)
	p.state.Suspect = v
	if p.state.Trial == v {
		p.state.Trial, p.state.Before, p.state.Begun = "", "", 0
	}
}

// end is how a child came to its end.
type end struct {
	next    release.Version // it asked for this one, which may be started
	healthy bool
	why     string // it failed of this
	lasted  time.Duration
}

// serve starts a version and stays with it until it has ended.
func (p *Parent) serve(ctx context.Context, v release.Version) end {
	if pid, err := p.cfg.Shelf.Clear(ctx, p.cfg.StopWithin+p.cfg.StopWithin/10); err != nil {
		return end{why: err.Error()}
	} else if pid != 0 {
		p.log.Warn("a program that outlived its parent was ended", "process", pid)
	}
	trial := p.state.Trial == v
	p.state.Started(v)
	if trial {
		p.state.Begun++
	}
	if !p.write() && trial {
		return end{why: "the disk does not take that it is begun"} // its starts could not be counted
	}
	path := p.cfg.Program
	if v != p.cfg.Own {
		path = p.cfg.Shelf.Program(v)
	}
	child, err := p.cfg.Start(path)
	if err != nil {
		return end{why: err.Error()}
	}
	p.log.Info("a release was started", "release", v, "trial", trial)
	p.judging = p.state.Suspect != ""
	return p.watch(ctx, v, child)
}

// watch stays with a child until it has ended.
func (p *Parent) watch(ctx context.Context, v release.Version, child Process) end {
	var e end
	begun := time.Now()
	late := time.NewTimer(p.cfg.HealthyWithin)
	defer late.Stop()
	var kill <-chan time.Time
	stop := func() {
		if kill == nil {
			child.Stop()
			kill = time.After(p.cfg.StopWithin)
		}
	}
	told, says := ctx.Done(), child.Says()
	for {
		select {
		case s, open := <-says:
			switch {
			case !open:
				says = nil
			case kill != nil: // what it still says while it stops is late
			case s.word == wordHealthy && s.version != v:
				p.log.Error("a release says that it is another one", "release", v, "says", s.version)
			case s.word == wordHealthy:
				e.healthy = true
				p.works(v)
			case p.takes(v, s.version):
				e.next = s.version
				stop()
			}
		case <-late.C:
			if !e.healthy && p.late(v) {
				e.why = "it did not show within " + p.cfg.HealthyWithin.String() + " that it works"
				stop()
			}
		case <-told:
			told = nil
			stop()
		case <-kill:
			p.log.Warn("a release did not end when it was told to; it is killed", "release", v)
			child.Kill()
		case err := <-child.Ended():
			e.lasted = time.Since(begun)
			if e.why == "" && kill == nil {
				e.why = "it ended by itself"
				if err != nil {
					e.why += ": " + err.Error()
				}
			}
			p.log.Info("a release has ended", "release", v, "why", e.why, "next", e.next)
			return e
		}
	}
}

// works notes that a child works. If it serves in a suspect's place, the fault was
// the suspect's.
func (p *Parent) works(v release.Version) {
	known := p.state.Of(v)
	if !known.Proven {
		known.Proven, known.Strikes = true, 0
		p.state.Put(v, known)
		p.log.Info("a release works", "release", v)
	}
	if p.state.Trial == v {
		p.state.Trial, p.state.Before, p.state.Begun = "", "", 0
	}
	if s := p.state.Suspect; p.judging && s != "" && s != v {
		known := p.state.Of(s)
		known.Strikes++
		if known.Strikes >= maxStrikes {
			known.Aside = known.Why
			p.log.Error("a release is put aside for good", "release", s, "why", known.Why)
		}
		p.state.Put(s, known)
		p.state.Suspect = ""
	}
	p.judging = false
	p.write()
	p.tidy(v)
}

// late says whether a child must be stopped that has not shown in time that it
// works: a trial must. One that serves in a suspect's place does not work either,
// so the fault is not the suspect's.
func (p *Parent) late(v release.Version) bool {
	if p.state.Trial == v {
		return true
	}
	if p.judging {
		p.log.Warn("the release before does not work either: the one that failed may not be at fault", "release", p.state.Suspect)
		p.judging, p.state.Suspect = false, ""
		p.write()
	}
	return false
}

// takes says whether a release may be started in a child's place.
func (p *Parent) takes(from, to release.Version) bool {
	known := p.state.Of(to)
	_, err := p.cfg.Shelf.Verify(to)
	switch {
	case err != nil:
	case to.Compare(from) <= 0 || to.Compare(p.state.Highest) < 0:
		err = errors.New("it is older than what ran here")
	case known.Aside != "":
		err = errors.New("it was put aside: " + known.Aside)
	case !known.Failed.IsZero() && time.Since(known.Failed).Abs() < p.cfg.RetryAfter:
		err = errors.New("it failed a moment ago")
	case p.state.Suspect != "" || p.state.Trial != "":
		err = errors.New("another release is on trial")
	}
	if err != nil {
		p.log.Warn("a release is not started", "release", to, "error", err)
		return false
	}
	return true
}

// judge notes what a child's end means, and gives the pause before the next start.
func (p *Parent) judge(v release.Version, e end) time.Duration {
	switch {
	case e.next != "":
		before := p.state
		p.state.Trial, p.state.Before, p.state.Begun = e.next, v, 0
		if !p.write() {
			p.state = before
		}
		p.failures = 0
		return 0
	case p.state.Trial == v:
		p.failed(v, e.why)
		p.write()
		return 0
	case e.healthy && e.lasted >= p.cfg.SoundAfter:
		p.failures = 0
		return p.cfg.Pause
	}
	p.failures++
	if p.failures >= maxFailures && v != p.cfg.Own {
		p.failures = 0
		p.failed(v, e.why)
		p.write()
		return 0
	}
	return min(p.cfg.Pause<<min(p.failures-1, 10), maxPause)
}

// tidy removes releases that have no use any more: all but those that may come,
// the one that works and the one before it.
func (p *Parent) tidy(works release.Version) {
	err := p.cfg.Shelf.Keep(func(all []release.Version) (keep []release.Version) {
		before := false
		for _, v := range all {
			known := p.state.Of(v)
			switch c := v.Compare(works); {
			case c > 0 && known.Aside == "", c == 0:
				keep = append(keep, v)
			case c < 0 && known.Proven && known.Aside == "" && !before:
				keep, before = append(keep, v), true
			}
		}
		return keep
	})
	if err != nil {
		p.log.Warn("old releases can't be removed; they are tried again", "error", err)
	}
}
