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

	"galla/edge/release"
	"galla/edge/shelf"
)

// Path is where the central offers releases, at the uplink's origin.
const Path = "/updates/"

// Config sets up an Updater. Zero durations take the defaults.
type Config struct {
	Shelf *shelf.Shelf
	// Base is the URL that releases are looked for at, as Base makes it.
	Base     string
	Terminal string // its id
	// Own is the running program's version, Formats those of its files.
	Own      release.Version
	Formats  release.Formats
	OS, Arch string // as Go names them
	HTTP     *http.Client

	// Busy says why the counter is not empty now; empty: it is. It must not wait.
	Busy func() string
	// Yields tells whether something on the line is more urgent than a fetch, such as
	// a customer's withdrawal; the fetch then leaves the line and goes on later. It
	// must not wait. nil: nothing is.
	Yields func() bool
	// Switch asks that a release be started in this one's place. It returns before
	// that happens. nil: nobody can; releases are fetched and no more.
	Switch func(release.Version) error
	// Room is how many bytes may be written on the shelf's disk; nil: what Shelf.Room
	// says.
	Room func() (int64, error)
	// OnChange, if set, is called when what Standing says has changed. It must not
	// wait.
	OnChange func()

	// Every is how often it is looked, give or take a quarter; default 4 hours.
	Every time.Duration
	// First is the time within which it is looked first; default 10 minutes: not all
	// counters at once when the morning begins.
	First time.Duration
	// Idle is for how long Busy must have said nothing; default 1 minute.
	Idle time.Duration
	// RetryAfter is how long a release that failed is left alone; default 1 hour.
	RetryAfter time.Duration

	Rand   io.Reader // of jitter
	Logger *slog.Logger
}

// Waits that are no setting.
const (
	busyPoll = 2 * time.Second // how often it is looked whether the counter is empty
	// shelfAge is how often the shelf is looked through though nothing was put there:
	// a release that failed has its turn again.
	shelfAge = time.Hour
	// askAgain is how long the parent has to do what it was asked: if this program
	// still runs then, it was refused.
	askAgain = 10 * time.Minute
)

// Base gives the URL of the releases for the URL of an uplink: the same origin.
func Base(uplink string) (string, error) {
	u, err := url.Parse(uplink)
	if err != nil || u.Host == "" {
		return "", errors.New("the uplink's address is no address: enrol the counter again")
	}
	scheme := map[string]string{"ws": "http", "wss": "https"}[u.Scheme]
	if scheme == "" {
		return "", fmt.Errorf("the uplink's address begins with %q, want wss: enrol the counter again", u.Scheme)
	}
	return (&url.URL{Scheme: scheme, Host: u.Host, Path: Path}).String(), nil
}

// Standing is how this counter stands, for people.
type Standing struct {
	Own     release.Version
	Waiting release.Version // it is fetched and waits until the counter is empty; empty: none
	Looked  time.Time       // of the last look that was answered; zero: none was
	Problem string          // of the last look; empty: none
	Fetched int             // percent of a release that is being fetched; 0: none is
}

// Updater looks for releases. Its methods may be called from many goroutines.
type Updater struct {
	cfg   Config
	http  *http.Client
	log   *slog.Logger
	mu    sync.Mutex
	stand Standing
}

// New makes an updater. Nothing happens before Run or Look.
func New(cfg Config) (*Updater, error) {
	switch {
	case cfg.Shelf == nil || cfg.Terminal == "" || cfg.Logger == nil || cfg.Rand == nil:
		return nil, errors.New("updates need a shelf, the terminal's id, randomness and a logger")
	case !strings.HasPrefix(cfg.Base, "http"):
		return nil, errors.New("updates need the address of the releases")
	}
	if _, err := release.ParseVersion(string(cfg.Own)); err != nil {
		return nil, err
	}
	cfg.Every, cfg.First = cmp.Or(cfg.Every, 4*time.Hour), cmp.Or(cfg.First, 10*time.Minute)
	cfg.Idle, cfg.RetryAfter = cmp.Or(cfg.Idle, time.Minute), cmp.Or(cfg.RetryAfter, time.Hour)
	if cfg.Busy == nil {
		cfg.Busy = func() string { return "" }
	}
	if cfg.Yields == nil {
		cfg.Yields = func() bool { return false }
	}
	if cfg.Room == nil {
		cfg.Room = cfg.Shelf.Room
	}
	if cfg.OnChange == nil {
		cfg.OnChange = func() {}
	}
	u := &Updater{cfg: cfg, log: cfg.Logger, http: cfg.HTTP, stand: Standing{Own: cfg.Own}}
	if u.http == nil {
		u.http = &http.Client{}
	}
	alone := *u.http
	alone.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	u.http = &alone
	return u, nil
}

// Standing says how this counter stands.
func (u *Updater) Standing() Standing {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.stand
}

func (u *Updater) note(alter func(*Standing)) {
	u.mu.Lock()
	before := u.stand
	alter(&u.stand)
	changed := before != u.stand
	u.mu.Unlock()
	if changed {
		u.cfg.OnChange()
	}
}

// Run looks, fetches and switches until ctx ends. What goes wrong is logged and
// tried again at the next look.
func (u *Updater) Run(ctx context.Context) error {
	var parts sync.WaitGroup
	parts.Go(func() { u.looks(ctx) })
	parts.Go(func() { u.switches(ctx) })
	parts.Wait()
	return nil
}

// looks looks for releases every few hours.
func (u *Updater) looks(ctx context.Context) {
	wait, waiting := u.jitter(u.cfg.First), release.Version("")
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		v, err := u.Look(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, shelf.ErrHeld):
			u.log.Info("a command is fetching a release")
		case err != nil:
			u.log.Warn("no release was fetched; it is tried again", "error", err)
		case v != "" && v != waiting:
			u.log.Info("a release waits until the counter is empty", "release", v)
		}
		waiting = v
		wait = u.cfg.Every*3/4 + u.jitter(u.cfg.Every/2)
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

// switches asks for a release that waits when the counter has been empty for long
// enough.
func (u *Updater) switches(ctx context.Context) {
	tick := time.NewTicker(busyPoll)
	defer tick.Stop()
	var looked, changed, since, asked time.Time // at the shelf; of the shelf; empty; of the last asking
	var waiting release.Version
	var told string // why the counter was not empty, in the log
	look := func() {
		waiting, looked, changed = u.onShelf(), time.Now(), u.cfg.Shelf.Changed()
		u.note(func(s *Standing) { s.Waiting = waiting })
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if looked.IsZero() || time.Since(looked) >= shelfAge || waiting != u.Standing().Waiting || !changed.Equal(u.cfg.Shelf.Changed()) {
			look()
		}
		if waiting == "" || u.cfg.Switch == nil || !asked.IsZero() && time.Since(asked) < askAgain {
			since = time.Time{}
			continue
		}
		if why := u.cfg.Busy(); why != "" {
			if since = (time.Time{}); why != told {
				told = why
				u.log.Info("a release waits", "release", waiting, "because", why)
			}
			continue
		}
		if since.IsZero() {
			since = time.Now()
		}
		if time.Since(since) < u.cfg.Idle {
			continue
		}
		since = time.Time{}
		if look(); waiting == "" { // nothing is asked for that is no longer good, or offered
			continue
		}
		asked = time.Now()
		u.log.Info("the counter is empty: a release is started", "release", waiting)
		if err := u.cfg.Switch(waiting); err != nil {
			u.log.Error("the release can't be asked for", "release", waiting, "error", err)
		}
	}
}

// onShelf gives the newest release on the shelf that may be started in this one's
// place; empty: none. It must be offered still, by what the repository said last.
func (u *Updater) onShelf() release.Version {
	versions, err := u.cfg.Shelf.Versions()
	if err != nil || len(versions) == 0 {
		return ""
	}
	state, err := u.cfg.Shelf.ReadState()
	if err != nil {
		return ""
	}
	offered, err := u.remembered()
	if err != nil {
		return ""
	}
	for _, v := range versions {
		t, ok := offered.Find(u.target(v))
		if !ok || u.unfit(t, state) != nil {
			continue
		}
		known := state.Of(v)
		if !known.Failed.IsZero() && time.Since(known.Failed).Abs() < u.cfg.RetryAfter {
			continue
		}
		if _, err := u.cfg.Shelf.Verify(v); err == nil {
			return v
		}
	}
	return ""
}

func (u *Updater) target(v release.Version) string {
	return release.Facts{Version: v, OS: u.cfg.OS, Arch: u.cfg.Arch}.Target()
}

// unfit says why a release is not for this counter, or gives nil.
func (u *Updater) unfit(t release.Target, state shelf.State) error {
	if err := t.Fits(u.cfg.OS, u.cfg.Arch, u.cfg.Own, u.cfg.Formats); err != nil {
		return err
	}
	known := state.Of(t.Version)
	switch {
	case t.Version.Compare(state.Highest) < 0:
		return fmt.Errorf("release %s is older than %s, which ran here", t.Version, state.Highest)
	case known.Aside != "":
		return fmt.Errorf("release %s was put aside: %s", t.Version, known.Aside)
	case !t.Admits(u.cfg.Terminal):
		return fmt.Errorf("release %s is for %d %% of the counters, and this one is not among them yet", t.Version, t.Percent)
	}
	return nil
}
