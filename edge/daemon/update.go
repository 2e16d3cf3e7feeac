package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"galla/edge"
	"galla/edge/doctor"
	"galla/edge/queue"
	"galla/edge/ui"
	updateui "galla/edge/ui/update"
	"galla/edge/update"
	"galla/edge/update/release"
	"galla/edge/update/releases"
	"galla/shared/op"
)

// Updates configures automatic updates.
type Updates struct {
	Releases *releases.Store
	// Version is the running program's version.
	Version release.Version
	// Launcher started this program and can start another release; nil: none, and
	// releases are only fetched.
	Launcher Launcher
	// Interval is how often to check for releases, give or take a quarter; default
	// 4 hours.
	Interval time.Duration
	// IdleFor is how long the counter must be idle before a release is started;
	// default ui.DefaultIdle, when it locks.
	IdleFor time.Duration
}

// Launcher is the process that started the daemon.
type Launcher interface {
	// Healthy reports that this release works.
	Healthy(version release.Version) error
	// Switch asks the launcher to start another release.
	Switch(to release.Version) error
}

// OpenReleases opens the releases on disk, below the data folder; root is the root
// of trust.
func OpenReleases(data string, root []byte) (*releases.Store, error) {
	return releases.Open(releases.Config{Folder: filepath.Join(data, "releases"), Root: root, OS: runtime.GOOS, Arch: runtime.GOARCH})
}

// formats are the versions of the counter's files. The settings have one of their
// own (settingsVersion), which TestFormats ties to the queue's.
var formats = release.Formats{Reads: queue.Reads, Writes: queue.Writes}

// updates is the counter's part in its updates; without any it has a page.
type updates struct {
	cfg       Config
	page      ui.Section
	updater   *update.Updater // nil: this program is not updated by itself
	counter   *edge.Counter
	queue     *queue.Queue
	lastTouch func() time.Time // when anybody last touched the pages
}

func openUpdates(counter *edge.Counter, q *queue.Queue, settings Settings, cfg Config) (*updates, error) {
	u := &updates{cfg: cfg, counter: counter, queue: q, page: updateui.New(cfg.Version, nil)}
	if cfg.Updates == nil {
		return u, nil
	}
	c, err := updaterConfig(settings, cfg)
	if err != nil {
		return nil, err
	}
	c.Busy, c.ConnectionNeeded, c.OnChange = u.busy, u.operationRunning, counter.Notify
	if cfg.Updates.Launcher != nil {
		c.Switch = cfg.Updates.Launcher.Switch
	}
	if u.updater, err = update.New(c); err != nil {
		return nil, err
	}
	u.page = updateui.New(cfg.Version, u.updater.Status)
	return u, nil
}

// How often to check for releases, and within which part of that first.
const (
	checkInterval = 4 * time.Hour
	firstFraction = 24
)

func updaterConfig(settings Settings, cfg Config) (update.Config, error) {
	base, err := update.Base(settings.Uplink)
	every := cmp.Or(cfg.Updates.Interval, checkInterval)
	return update.Config{
		Releases: cfg.Updates.Releases, Base: base, Terminal: settings.TerminalID, Version: cfg.Updates.Version, Formats: formats,
		OS: runtime.GOOS, Arch: runtime.GOARCH, Rand: cfg.Rand, Logger: cfg.Logger,
		Interval: every, FirstWithin: every / firstFraction, IdleFor: min(time.Minute, cmp.Or(cfg.Updates.IdleFor, ui.DefaultIdle)),
	}, err
}

// busy returns why the counter is not idle. Two kinds of unfinished operations do not
// prevent an update: pending ones, whose outcome may take days and arrives whenever
// the counter is online, and reserved ones that nobody has touched for long, of
// which nothing was sent.
func (u *updates) busy() string {
	status := u.counter.Status()
	switch {
	case !status.Link.Online:
		return "the terminal is offline"
	case time.Since(u.lastTouch()) < cmp.Or(u.cfg.Updates.IdleFor, ui.DefaultIdle):
		return "the counter is in use"
	case status.Unresolved == 0:
		return ""
	}
	open, err := u.queue.Unresolved()
	var damaged *queue.DamagedError // a restart does not change them
	if err != nil && !errors.As(err, &damaged) {
		return "the queue can't be read"
	}
	for _, r := range open {
		if r.State != op.Pending && r.State != op.Reserved {
			return "an operation is on its way"
		}
	}
	return ""
}

// recentLimit is how many operations are checked for a running one: an agent has
// one or two.
const recentLimit = 5

// operationRunning reports whether an operation was sent or is about to be.
func (u *updates) operationRunning() bool {
	views, err := u.counter.Recent("", recentLimit)
	return err == nil && slices.ContainsFunc(views, func(v edge.View) bool {
		return v.Stage != edge.StageNone && v.Stage != edge.StageReady
	})
}

const healthPoll = time.Second

// run checks for releases, and reports health to the launcher.
func (u *updates) run(ctx context.Context) error {
	if u.updater == nil {
		return nil
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return u.updater.Run(ctx) })
	group.Go(func() error { return u.reportHealthy(ctx) })
	return group.Wait()
}

// reportHealthy reports once to the launcher that this release works: the queue is
// open, the pages answer, and the central has accepted the terminal or reported it
// as revoked.
func (u *updates) reportHealthy(ctx context.Context) error {
	if u.cfg.Updates.Launcher == nil {
		return nil
	}
	tick := time.NewTicker(healthPoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		link := u.counter.Status().Link
		if !link.Online && !link.Revoked {
			continue
		}
		if err := checkPages(ctx, u.cfg.Addr); err != nil {
			u.cfg.Logger.Warn("the counter's pages do not answer", "error", err)
			continue
		}
		if err := u.cfg.Updates.Launcher.Healthy(u.cfg.Updates.Version); err != nil {
			u.cfg.Logger.Error("health can't be reported to the launcher", "error", err)
		}
		return nil
	}
}

// checkPagesTimeout bounds the question whether the pages answer: they are on this machine.
const checkPagesTimeout = 5 * time.Second

// checkPages calls the health check of the counter's own pages.
func checkPages(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, checkPagesTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, healthURL(addr), nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("HTTP %d", resp.StatusCode)
	}
	return errors.Join(err, resp.Body.Close())
}

// FetchRelease checks for a release and fetches it; a running counter starts it when
// it is idle. It returns the version, empty where there is none. It fails with
// ErrNotEnrolled, or releases.ErrLocked while the counter is fetching.
func FetchRelease(ctx context.Context, cfg Config) (release.Version, error) {
	settings, _, _, err := folderOf(cfg.Data).load(cfg.Rand)
	if err != nil {
		return "", err
	}
	c, err := updaterConfig(settings, cfg)
	if err != nil {
		return "", err
	}
	u, err := update.New(c)
	if err != nil {
		return "", err
	}
	return u.Check(ctx)
}

// releaseInfo returns the release that was started last and a newer one that waits,
// for the doctor; both empty without automatic updates.
func releaseInfo(cfg Config) (r doctor.Release) {
	if cfg.Updates == nil {
		return r
	}
	versions, state, err := update.ListReleases(cfg.Updates.Releases)
	if err != nil {
		return r
	}
	runs := cmp.Or(state.Running, cfg.Updates.Version)
	r.Running = string(runs)
	for _, v := range versions {
		if v.Compare(runs) > 0 && state.Get(v).Blocked == "" {
			r.Waiting = string(v)
			break
		}
	}
	for v, known := range state.Releases {
		if known.Blocked != "" && v.Compare(runs) > 0 {
			r.Blocked = string(v)
		}
	}
	return r
}
