package launcher

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

	"galla/edge/update/release"
	"galla/edge/update/releases"
)

// Config sets up a Parent. Zero limits take the defaults.
type Config struct {
	Releases *releases.Store
	// Version is the version of the installed program, and Program its file.
	Version release.Version
	Program string
	// Args and Env are what children get; Env is completed.
	Args []string
	Env  []string
	// Stderr takes the children's logs.
	Stderr io.Writer
	// Start starts a child in place of exec; nil: exec.
	Start func(path string) (*Process, error)

	// HealthyWithin is how long a release may take to show that it works; default
	// 5 minutes: a queue is checked, a bad connection comes up, the central admits
	// thousands that come back at once.
	HealthyWithin time.Duration
	// StopWithin is how long a child has to end; default 45 s, shorter than what
	// systemd and Windows give the launcher.
	StopWithin time.Duration
	// RetryAfter is how long a release that failed is left alone; default 1 h.
	RetryAfter time.Duration
	// StableAfter is how long a child must have run so that its end counts for
	// nothing; default 10 minutes.
	StableAfter time.Duration
	// Pause comes before a child that ended is started again, and each further one
	// is twice as long; default 1 s, and at most 30 s.
	Pause time.Duration

	Logger *slog.Logger
}

// Limits.
const (
	maxStrikes     = 3                // a release that failed thrice where the one before worked is at fault
	maxTrialStarts = 5                // starts of a trial without a result, which may be why the launcher ended
	maxFailures    = 5                // ends in a row of a release that worked once, before the one before has its turn
	maxPause       = 30 * time.Second // a counter with a full disk starts soon after it has space
)

// Launcher keeps one release running.
type Launcher struct {
	cfg   Config
	log   *slog.Logger
	state releases.State

	failures        int // ends in a row
	fallbackWatched bool
}

// New creates a Launcher.
func New(cfg Config) (*Launcher, error) {
	if cfg.Releases == nil || cfg.Program == "" || cfg.Logger == nil {
		return nil, errors.New("the launcher needs releases, the installed program and a logger")
	}
	if _, err := release.ParseVersion(string(cfg.Version)); err != nil {
		return nil, err
	}
	cfg.HealthyWithin = cmp.Or(cfg.HealthyWithin, 5*time.Minute)
	cfg.StopWithin = cmp.Or(cfg.StopWithin, 45*time.Second)
	cfg.RetryAfter = cmp.Or(cfg.RetryAfter, time.Hour)
	cfg.Pause = cmp.Or(cfg.Pause, time.Second)
	cfg.StableAfter = cmp.Or(cfg.StableAfter, 10*time.Minute)
	if cfg.Start == nil {
		cfg.Start = childCommand{cfg.Args, append(slices.Clone(cfg.Env), EnvVar+"="+Protocol), cmp.Or[io.Writer](cfg.Stderr, os.Stderr), cfg.Logger}.start
	}
	return &Launcher{cfg: cfg, log: cfg.Logger}, nil
}

// Run keeps a release running until ctx ends; then it stops it and returns when it
// has ended. Failures of a child are logged; another launcher of this counter is an
// error.
func (p *Launcher) Run(ctx context.Context) error {
	done, err := p.cfg.Releases.LockLauncher(ctx)
	if err != nil {
		return fmt.Errorf("start the launcher (is another galla-edge running? stop it first): %w", err)
	}
	defer done()
	if p.state, err = p.cfg.Releases.ReadState(); err != nil {
		p.log.Error("release state can't be read; the installed version is started", "error", err)
	}
	for ctx.Err() == nil {
		v := p.chooseVersion()
		e := p.runVersion(ctx, v)
		if ctx.Err() != nil {
			break
		}
		pause := p.afterExit(v, e)
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

// saveState writes the state; false where the disk does not take it.
func (p *Launcher) saveState() bool {
	if err := p.cfg.Releases.WriteState(p.state); err != nil {
		p.log.Error("release state can't be written", "error", err)
		return false
	}
	return true
}

// chooseVersion returns what to start: the release on trial, else the newest proven
// one, else the installed program.
func (p *Launcher) chooseVersion() release.Version {
	if v := p.state.Trial; v != "" {
		_, err := p.cfg.Releases.Verify(v)
		switch {
		case err != nil:
			p.markFailed(v, "it can't be verified: "+err.Error())
		case p.state.TrialStarts >= maxTrialStarts:
			p.markFailed(v, "it was started again and again and never showed that it works")
		default:
			return v
		}
		p.saveState()
	}
	versions, err := p.cfg.Releases.Versions()
	if err != nil {
		p.log.Error("the releases can't be listed; the installed version is started", "error", err)
	}
	for _, v := range versions {
		known := p.state.Get(v)
		if v.Compare(p.cfg.Version) <= 0 || !known.Proven || known.Blocked != "" || v == p.state.Suspect {
			continue
		}
		if _, err := p.cfg.Releases.Verify(v); err != nil {
			p.log.Error("a release that worked can't be verified any more; an older one is started", "release", v, "error", err)
			continue
		}
		return v
	}
	return p.cfg.Version
}

// markFailed records that a release did not work; the next one's health tells
// whether the release was the cause.
func (p *Launcher) markFailed(v release.Version, why string) {
	p.log.Error("a release failed; the previous version is started", "release", v, "reason", why)
	known := p.state.Get(v)
	known.Failed, known.LastError = time.Now(), why
	p.state.Set(v, known)
	p.state.Suspect = v
	if p.state.Trial == v {
		p.state.Trial, p.state.Previous, p.state.TrialStarts = "", "", 0
	}
}

// exit is how a child came to its end.
type exit struct {
	next     release.Version // it asked for this one, which may be started
	healthy  bool
	why      string // it failed of this
	duration time.Duration
}

// runVersion starts a version and stays with it until it has ended.
func (p *Launcher) runVersion(ctx context.Context, v release.Version) exit {
	if pid, err := p.cfg.Releases.StopLeftover(ctx, p.cfg.StopWithin+p.cfg.StopWithin/10); err != nil {
		return exit{why: err.Error()}
	} else if pid != 0 {
		p.log.Warn("a leftover process was killed", "process", pid)
	}
	trial := p.state.Trial == v
	p.state.MarkStarted(v)
	if trial {
		p.state.TrialStarts++
	}
	if !p.saveState() && trial {
		return exit{why: "its start can't be recorded on disk"} // its starts could not be counted
	}
	path := p.cfg.Program
	if v != p.cfg.Version {
		path = p.cfg.Releases.ProgramPath(v)
	}
	child, err := p.cfg.Start(path)
	if err != nil {
		return exit{why: err.Error()}
	}
	p.log.Info("a release was started", "release", v, "trial", trial)
	p.fallbackWatched = p.state.Suspect != ""
	return p.superviseChild(ctx, v, child)
}

// superviseChild stays with a child until it has ended.
func (p *Launcher) superviseChild(ctx context.Context, v release.Version, child *Process) exit {
	var e exit
	begun := time.Now()
	late := time.NewTimer(p.cfg.HealthyWithin)
	defer late.Stop()
	var kill <-chan time.Time
	stop := func() {
		if kill == nil {
			child.stop()
			kill = time.After(p.cfg.StopWithin)
		}
	}
	ended, says := ctx.Done(), child.messages
	for {
		select {
		case s, open := <-says:
			switch {
			case !open:
				says = nil
			case kill != nil: // too late while it is stopped
			case s.kind == kindHealthy && s.version != v:
				p.log.Error("a release reported a wrong version", "release", v, "reported", s.version)
			case s.kind == kindHealthy:
				e.healthy = true
				p.markHealthy(v)
			case p.maySwitch(v, s.version):
				e.next = s.version
				stop()
			}
		case <-late.C:
			if !e.healthy && p.onHealthTimeout(v) {
				e.why = "it did not show within " + p.cfg.HealthyWithin.String() + " that it works"
				stop()
			}
		case <-ended:
			ended = nil
			stop()
		case <-kill:
			p.log.Warn("a release did not stop in time; it is killed", "release", v)
			child.kill()
		case err := <-child.exited:
			e.duration = time.Since(begun)
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

// markHealthy notes that a child works. If it serves in a suspect's place, the fault was
// the suspect's.
func (p *Launcher) markHealthy(v release.Version) {
	known := p.state.Get(v)
	if !known.Proven {
		known.Proven, known.Strikes = true, 0
		p.state.Set(v, known)
		p.log.Info("a release is healthy", "release", v)
	}
	if p.state.Trial == v {
		p.state.Trial, p.state.Previous, p.state.TrialStarts = "", "", 0
	}
	if s := p.state.Suspect; p.fallbackWatched && s != "" && s != v {
		known := p.state.Get(s)
		known.Strikes++
		if known.Strikes >= maxStrikes {
			known.Blocked = known.LastError
			p.log.Error("a release is blocked", "release", s, "reason", known.LastError)
		}
		p.state.Set(s, known)
		p.state.Suspect = ""
	}
	p.fallbackWatched = false
	p.saveState()
	p.removeOld(v)
}

// onHealthTimeout reports whether a child that is not healthy in time must be
// stopped: a trial must. If the previous release is not healthy either, the suspect
// is not the cause.
func (p *Launcher) onHealthTimeout(v release.Version) bool {
	if p.state.Trial == v {
		return true
	}
	if p.fallbackWatched {
		p.log.Warn("the previous version is not healthy either; the failed one may not be the cause", "release", p.state.Suspect)
		p.fallbackWatched, p.state.Suspect = false, ""
		p.saveState()
	}
	return false
}

// maySwitch reports whether a release may be started in place of a child.
func (p *Launcher) maySwitch(from, to release.Version) bool {
	known := p.state.Get(to)
	_, err := p.cfg.Releases.Verify(to)
	switch {
	case err != nil:
	case to.Compare(from) <= 0 || to.Compare(p.state.Highest) < 0:
		err = errors.New("it is older than what ran here")
	case known.Blocked != "":
		err = errors.New("it is blocked: " + known.Blocked)
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

// afterExit records a child's end, and returns the pause before the next start.
func (p *Launcher) afterExit(v release.Version, e exit) time.Duration {
	switch {
	case e.next != "":
		before := p.state
		p.state.Trial, p.state.Previous, p.state.TrialStarts = e.next, v, 0
		if !p.saveState() {
			p.state = before
		}
		p.failures = 0
		return 0
	case p.state.Trial == v:
		p.markFailed(v, e.why)
		p.saveState()
		return 0
	case e.healthy && e.duration >= p.cfg.StableAfter:
		p.failures = 0
		return p.cfg.Pause
	}
	p.failures++
	if p.failures >= maxFailures && v != p.cfg.Version {
		p.failures = 0
		p.markFailed(v, e.why)
		p.saveState()
		return 0
	}
	return min(p.cfg.Pause<<min(p.failures-1, 10), maxPause)
}

// removeOld removes releases that have no use any more: all but those that may come,
// the one that works and the one before it.
func (p *Launcher) removeOld(works release.Version) {
	err := p.cfg.Releases.Prune(func(all []release.Version) (keep []release.Version) {
		before := false
		for _, v := range all {
			known := p.state.Get(v)
			switch c := v.Compare(works); {
			case c > 0 && known.Blocked == "", c == 0:
				keep = append(keep, v)
			case c < 0 && known.Proven && known.Blocked == "" && !before:
				keep, before = append(keep, v), true
			}
		}
		return keep
	})
	if err != nil {
		p.log.Warn("old releases can't be removed; they are tried again", "error", err)
	}
}
