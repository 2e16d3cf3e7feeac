package update

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"galla/edge/update/release"
	"galla/edge/update/releases"
)

// Path is where the central offers releases, at the uplink's origin.
const Path = "/updates/"

// Config sets up an Updater. Zero durations take the defaults.
type Config struct {
	Releases *releases.Store
	// Base is the URL of the releases, of function Base.
	Base     string
	Terminal string // its id
	// Version is the running program's version, Formats those of its files.
	Version  release.Version
	Formats  release.Formats
	OS, Arch string // as Go names them
	HTTP     *http.Client

	// Busy returns why the counter is not idle; empty: it is. It must not block.
	Busy func() string
	// ConnectionNeeded reports whether an operation needs the connection; a fetch then
	// pauses. It must not block. nil: never.
	ConnectionNeeded func() bool
	// Switch asks the launcher to start a release in place of this one. It returns
	// before that happens. nil: releases are only fetched.
	Switch func(release.Version) error
	// FreeSpace is how many bytes may be written on the disk; nil: Store.FreeSpace.
	FreeSpace func() (int64, error)
	// OnChange, if set, is called when Status has changed. It must not block.
	OnChange func()

	// Interval is how often to check, give or take a quarter; default 4 hours.
	Interval time.Duration
	// FirstWithin is the time within which to check first; default 10 minutes, so that
	// not all counters check at once in the morning.
	FirstWithin time.Duration
	// IdleFor is how long Busy must have been empty; default 1 minute.
	IdleFor time.Duration
	// RetryAfter is how long a release that failed is left alone; default 1 hour.
	RetryAfter time.Duration

	Rand   io.Reader // of jitter
	Logger *slog.Logger
}

// Waits that are no setting.
const (
	busyPoll = 2 * time.Second // how often Busy is called
	// recheckAfter is how often the releases are listed though none was added: one
	// that failed is tried again.
	recheckAfter = time.Hour
	// switchTimeout is how long the launcher has to switch: if this program still
	// runs then, it refused.
	switchTimeout = 10 * time.Minute
)

// Base returns the URL of the releases for the URL of an uplink: the same origin.
func Base(uplink string) (string, error) {
	u, err := url.Parse(uplink)
	if err != nil || u.Host == "" {
		return "", errors.New("the uplink's address is no address: enrol the counter again")
	}
	scheme := map[string]string{"ws": "http", "wss": "https"}[u.Scheme]
	if scheme == "" {
		return "", fmt.Errorf("the uplink's scheme is %q, want wss: enrol the counter again", u.Scheme)
	}
	return (&url.URL{Scheme: scheme, Host: u.Host, Path: Path}).String(), nil
}

// Status is the state of the updates.
type Status struct {
	Version   release.Version
	Waiting   release.Version // fetched, waits until the counter is idle; empty: none
	CheckedAt time.Time       // of the last successful check; zero: never
	Problem   string          // of the last check; empty: none
	Fetched   int             // percent of a release that is being fetched; 0: none is
}

// Updater checks for releases. Its methods are safe for concurrent use.
type Updater struct {
	cfg    Config
	http   *http.Client
	log    *slog.Logger
	mu     sync.Mutex
	status Status
}

// New makes an updater. Nothing happens before Run or Look.
func New(cfg Config) (*Updater, error) {
	switch {
	case cfg.Releases == nil || cfg.Terminal == "" || cfg.Logger == nil || cfg.Rand == nil:
		return nil, errors.New("updates need releases, the terminal's id, randomness and a logger")
	case !strings.HasPrefix(cfg.Base, "http"):
		return nil, errors.New("updates need the address of the releases")
	}
	if _, err := release.ParseVersion(string(cfg.Version)); err != nil {
		return nil, err
	}
	cfg.Interval, cfg.FirstWithin = cmp.Or(cfg.Interval, 4*time.Hour), cmp.Or(cfg.FirstWithin, 10*time.Minute)
	cfg.IdleFor, cfg.RetryAfter = cmp.Or(cfg.IdleFor, time.Minute), cmp.Or(cfg.RetryAfter, time.Hour)
	if cfg.Busy == nil {
		cfg.Busy = func() string { return "" }
	}
	if cfg.ConnectionNeeded == nil {
		cfg.ConnectionNeeded = func() bool { return false }
	}
	if cfg.FreeSpace == nil {
		cfg.FreeSpace = cfg.Releases.FreeSpace
	}
	if cfg.OnChange == nil {
		cfg.OnChange = func() {}
	}
	u := &Updater{cfg: cfg, log: cfg.Logger, http: cfg.HTTP, status: Status{Version: cfg.Version}}
	if u.http == nil {
		u.http = &http.Client{}
	}
	alone := *u.http
	alone.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	u.http = &alone
	return u, nil
}

// Status returns the state of the updates.
func (u *Updater) Status() Status {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.status
}

func (u *Updater) setStatus(alter func(*Status)) {
	u.mu.Lock()
	before := u.status
	alter(&u.status)
	changed := before != u.status
	u.mu.Unlock()
	if changed {
		u.cfg.OnChange()
	}
}

// Run checks, fetches and switches until ctx ends. Errors are logged, and the next
// check tries again.
func (u *Updater) Run(ctx context.Context) error {
	var parts sync.WaitGroup
	parts.Go(func() { u.checkLoop(ctx) })
	parts.Go(func() { u.switchLoop(ctx) })
	parts.Wait()
	return nil
}

// checkLoop checks for releases every few hours.
func (u *Updater) checkLoop(ctx context.Context) {
	wait, waiting := u.jitter(u.cfg.FirstWithin), release.Version("")
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		v, err := u.Check(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, releases.ErrLocked):
			u.log.Info("a command is fetching a release")
		case err != nil:
			u.log.Warn("no release was fetched; it is tried again", "error", err)
		case v != "" && v != waiting:
			u.log.Info("a release waits until the counter is idle", "release", v)
		}
		waiting = v
		wait = u.cfg.Interval*3/4 + u.jitter(u.cfg.Interval/2)
	}
}

// jitter is a random duration below d.
func (u *Updater) jitter(d time.Duration) time.Duration {
	var b [8]byte
	if _, err := io.ReadFull(u.cfg.Rand, b[:]); err != nil || d <= 0 {
		return d / 2
	}
	return time.Duration(binary.LittleEndian.Uint64(b[:]) % uint64(d))
}

// switchLoop asks for a waiting release when the counter has been idle for long
// enough.
func (u *Updater) switchLoop(ctx context.Context) {
	tick := time.NewTicker(busyPoll)
	defer tick.Stop()
	var looked, changed, since, asked time.Time // last listing; last change; idle since; last request
	var waiting release.Version
	var logged string // why the counter was not idle
	look := func() {
		waiting, looked, changed = u.newestReady(), time.Now(), u.cfg.Releases.LastModified()
		u.setStatus(func(s *Status) { s.Waiting = waiting })
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if looked.IsZero() || time.Since(looked) >= recheckAfter || waiting != u.Status().Waiting || !changed.Equal(u.cfg.Releases.LastModified()) {
			look()
		}
		if waiting == "" || u.cfg.Switch == nil || !asked.IsZero() && time.Since(asked) < switchTimeout {
			since = time.Time{}
			continue
		}
		if why := u.cfg.Busy(); why != "" {
			if since = (time.Time{}); why != logged {
				logged = why
				u.log.Info("a release waits", "release", waiting, "because", why)
			}
			continue
		}
		if since.IsZero() {
			since = time.Now()
		}
		if time.Since(since) < u.cfg.IdleFor {
			continue
		}
		since = time.Time{}
		if look(); waiting == "" { // nothing is asked for that is no longer good, or offered
			continue
		}
		asked = time.Now()
		u.log.Info("the counter is idle; switching to a release", "release", waiting)
		if err := u.cfg.Switch(waiting); err != nil {
			u.log.Error("the switch can't be requested", "release", waiting, "error", err)
		}
	}
}

// newestReady returns the newest stored release that may be started in place of this
// one; empty: none. The repository must still offer it.
func (u *Updater) newestReady() release.Version {
	versions, err := u.cfg.Releases.Versions()
	if err != nil || len(versions) == 0 {
		return ""
	}
	state, err := u.cfg.Releases.ReadState()
	if err != nil {
		return ""
	}
	offered, err := u.storedCatalogue()
	if err != nil {
		return ""
	}
	for _, v := range versions {
		t, ok := offered.Find(u.targetName(v))
		if !ok || u.checkCandidate(t, state) != nil {
			continue
		}
		known := state.Get(v)
		if !known.Failed.IsZero() && time.Since(known.Failed).Abs() < u.cfg.RetryAfter {
			continue
		}
		if _, err := u.cfg.Releases.Verify(v); err == nil {
			return v
		}
	}
	return ""
}

func (u *Updater) targetName(v release.Version) string {
	return release.Manifest{Version: v, OS: u.cfg.OS, Arch: u.cfg.Arch}.TargetName()
}

// checkCandidate returns why a release is not for this counter, or nil.
func (u *Updater) checkCandidate(t release.Target, state releases.State) error {
	if err := t.CheckUpgrade(u.cfg.OS, u.cfg.Arch, u.cfg.Version, u.cfg.Formats); err != nil {
		return err
	}
	known := state.Get(t.Version)
	switch {
	case t.Version.Compare(state.Highest) < 0:
		return fmt.Errorf("release %s is older than %s, which ran here", t.Version, state.Highest)
	case known.Blocked != "":
		return fmt.Errorf("release %s is blocked: %s", t.Version, known.Blocked)
	case !t.InRollout(u.cfg.Terminal):
		return fmt.Errorf("release %s is for %d %% of the counters, and this one is not among them yet", t.Version, t.Percent)
	}
	return nil
}
