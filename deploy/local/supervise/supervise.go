//go:build unix

package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Program is one process to keep running.
type Program struct {
	Name string   // for people and file names
	Path string   // of the executable
	Args []string // without the program itself
	Env  []string // the whole environment, KEY=value

	// PIDFile is the file into which the program itself writes its process id. The
	// supervisor checks it, and removes it when the program has ended. Empty: none.
	PIDFile string
	// Ready returns nil when the program serves; it is called until then.
	Ready func(ctx context.Context) error
}

// Step is one step of the start: a program that is started and awaited, or a function
// that is called when all before it are ready.
type Step struct {
	Program *Program
	Do      func(ctx context.Context) error
}

// Config configures a Supervisor. Zero durations take the defaults.
type Config struct {
	Steps []Step
	// StopOrder names the programs in the order in which they are stopped; the others
	// are stopped last, the newest first.
	StopOrder []string
	// OnReady is called once, when all steps are done.
	OnReady func()
	LogDir  string    // made if it is missing; <name>.log each
	Screen  io.Writer // gets all programs' lines, prefixed
	Logger  *slog.Logger

	// ReadyWait is how long a program may take to serve; default 60 s: a first
	// start makes keys and databases on a slow disk.
	ReadyWait time.Duration
	// StopGrace is how long a program may take to end after SIGTERM, before it
	// is killed; default 10 s.
	StopGrace time.Duration
}

// Timeouts.
const (
	readyPoll    = 50 * time.Millisecond // between two checks whether a program serves
	readyTimeout = 2 * time.Second       // for one such check
	killWait     = 5 * time.Second       // for a killed process to be gone: only a hanging disk takes longer
)

// Supervisor keeps programs running.
type Supervisor struct {
	cfg     Config
	screen  *screen
	runners []*processRunner // in the order of their start
	once    sync.Once
	hurry   chan struct{} // closed: a stop kills what still runs
}

// New checks the configuration. Nothing runs before Run.
func New(cfg Config) (*Supervisor, error) {
	if cfg.Screen == nil || cfg.Logger == nil || cfg.LogDir == "" {
		return nil, errors.New("a supervisor needs a screen, a logger and a folder for logs")
	}
	names := map[string]bool{}
	for _, s := range cfg.Steps {
		switch {
		case (s.Program == nil) == (s.Do == nil):
			return nil, errors.New("a step is either a program or a function")
		case s.Program == nil:
		case s.Program.Name == "" || s.Program.Ready == nil:
			return nil, errors.New("a program needs a name and a way to ask whether it serves")
		case names[s.Program.Name]:
			return nil, fmt.Errorf("two programs are called %s", s.Program.Name)
		default:
			names[s.Program.Name] = true
		}
	}
	if cfg.ReadyWait == 0 {
		cfg.ReadyWait = 60 * time.Second
	}
	if cfg.StopGrace == 0 {
		cfg.StopGrace = 10 * time.Second
	}
	return &Supervisor{cfg: cfg, screen: &screen{out: cfg.Screen}, hurry: make(chan struct{})}, nil
}

// Run starts everything, keeps it running until ctx ends, and stops it. It
// returns nil after an orderly stop, with every process gone; an error if the
// start failed, also with every process gone.
func (s *Supervisor) Run(ctx context.Context) error {
	if err := os.MkdirAll(s.cfg.LogDir, 0o700); err != nil {
		return fmt.Errorf("make the folder for logs: %w", err)
	}
	l := newLauncher()
	defer l.close()
	err := s.start(ctx, l)
	if err == nil {
		if s.cfg.OnReady != nil {
			s.cfg.OnReady()
		}
		<-ctx.Done()
	}
	if ctx.Err() != nil {
		err = nil // stopped while it started, as requested
	}
	return errors.Join(err, s.stop())
}

// Hurry makes a stop that is in progress kill what still runs.
func (s *Supervisor) Hurry() { s.once.Do(func() { close(s.hurry) }) }

func (s *Supervisor) start(ctx context.Context, l *launcher) error {
	for _, step := range s.cfg.Steps {
		if step.Do != nil {
			if err := step.Do(ctx); err != nil {
				return err
			}
			continue
		}
		k, err := newProcessRunner(*step.Program, l, s.screen, s.cfg)
		if err != nil {
			return err
		}
		s.runners = append(s.runners, k)
		if err := s.await(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

// await waits until a program serves and its pid file is right.
func (s *Supervisor) await(ctx context.Context, k *processRunner) error {
	deadline := time.NewTimer(s.cfg.ReadyWait)
	defer deadline.Stop()
	poll := time.NewTicker(readyPoll)
	defer poll.Stop()
	began := time.Now()
	var last error
	for {
		asking, cancel := context.WithTimeout(ctx, readyTimeout)
		last = k.program.Ready(asking)
		cancel()
		if last == nil {
			last = k.checkPID()
		}
		if last == nil {
			s.cfg.Logger.Info("program serves", "program", k.program.Name, "pid", k.pid(), "after", time.Since(began).Round(time.Millisecond))
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-k.gaveUp:
			return fmt.Errorf("%s ended %d times before it served. Its last words:\n%s\nThe whole log: %s", k.program.Name, gaveUpAfter, k.log.lastLines(), k.log.path)
		case <-deadline.C:
			return fmt.Errorf("%s did not serve within %s (%w). Its last words:\n%s\nThe whole log: %s", k.program.Name, s.cfg.ReadyWait, last, k.log.lastLines(), k.log.path)
		case <-poll.C:
		}
	}
}

// stop ends all programs, one after the other.
func (s *Supervisor) stop() error {
	var errs []error
	for _, k := range s.stopOrder() {
		errs = append(errs, k.stop(s.cfg.StopGrace, s.hurry))
	}
	return errors.Join(errs...)
}

func (s *Supervisor) stopOrder() []*processRunner {
	var order, rest []*processRunner
	for _, name := range s.cfg.StopOrder {
		for _, k := range s.runners {
			if k.program.Name == name {
				order = append(order, k)
			}
		}
	}
	for i := len(s.runners) - 1; i >= 0; i-- {
		named := false
		for _, k := range order {
			named = named || k == s.runners[i]
		}
		if !named {
			rest = append(rest, s.runners[i])
		}
	}
	return append(order, rest...)
}
