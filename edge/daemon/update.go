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
	"galla/edge/release"
	"galla/edge/shelf"
	"galla/edge/update"
	"galla/edge/web"
	"galla/shared/op"
)

// Updates says how the program is updated.
type Updates struct {
	Shelf *shelf.Shelf
	// Own is the running program's version.
	Own release.Version
	// Parent started this program and can start another in its place; nil: nobody
	// did, and releases are fetched and no more.
	Parent Parent
	// Every is how often releases are looked for, give or take a quarter; default
	// 4 hours.
	Every time.Duration
	// Idle is how long nobody may have touched the counter before a release is
	// started; default web.DefaultIdle, when it locks.
	Idle time.Duration
}

// Parent is what the daemon tells whoever started it.
type Parent interface {
	// Healthy says that this release works.
	Healthy(version release.Version) error
	// Switch asks that a release be started in this one's place.
	Switch(to release.Version) error
}

// Shelf opens the shelf of releases of a counter, below its data folder; root is
// the root of trust.
func Shelf(data string, root []byte) (*shelf.Shelf, error) {
	return shelf.Open(shelf.Config{Folder: filepath.Join(data, "releases"), Root: root, OS: runtime.GOOS, Arch: runtime.GOARCH})
}

// formats are the versions of the counter's files. The settings have one of their
// own (settingsVersion), which TestFormats ties to the queue's.
var formats = release.Formats{Reads: queue.Reads, Writes: queue.Writes}

// updates is the counter's part in its updates; without any it has a page.
type updates struct {
	cfg     Config
	room    web.Room
	updater *update.Updater // nil: this program is not updated by itself
	counter *edge.Counter
	queue   *queue.Queue
	touched func() time.Time // when anybody last touched the pages
}

// openUpdates makes what looks for releases, and the page that tells of it.
func openUpdates(counter *edge.Counter, q *queue.Queue, settings Settings, cfg Config) (*updates, error) {
	u := &updates{cfg: cfg, counter: counter, queue: q, room: update.NewRoom(cfg.Version, nil)}
	if cfg.Updates == nil {
		return u, nil
	}
	c, err := updaterConfig(settings, cfg)
	if err != nil {
		return nil, err
	}
	c.Busy, c.Yields, c.OnChange = u.busy, u.underWay, counter.Changed
	if cfg.Updates.Parent != nil {
		c.Switch = cfg.Updates.Parent.Switch
	}
	if u.updater, err = update.New(c); err != nil {
		return nil, err
	}
	u.room = update.NewRoom(cfg.Version, u.updater.Standing)
	return u, nil
}

// How often releases are looked for, and within which part of that first.
const (
	lookEvery = 4 * time.Hour
	firstOf   = 24
)

func updaterConfig(settings Settings, cfg Config) (update.Config, error) {
	base, err := update.Base(settings.Uplink)
	every := cmp.Or(cfg.Updates.Every, lookEvery)
	return update.Config{
		Shelf: cfg.Updates.Shelf, Base: base, Terminal: settings.TerminalID, Own: cfg.Updates.Own, Formats: formats,
		OS: runtime.GOOS, Arch: runtime.GOARCH, Rand: cfg.Rand, Logger: cfg.Logger,
		Every: every, First: every / firstOf, Idle: min(time.Minute, cmp.Or(cfg.Updates.Idle, web.DefaultIdle)),
	}, err
}

// busy says why the counter is not empty. Two kinds of operations without an end do
// not keep it from an update. One that is pending: the central has it, asks the bank
// and tells how it ended whenever the counter is there, and that can take days. One
// that is reserved, and that nobody has touched for long: no finger was taken,
// nothing was sent, and it would wait for one for ever.
func (u *updates) busy() string {
	status := u.counter.Status()
	switch {
	case !status.Link.Up:
		return "the line is down"
	case time.Since(u.touched()) < cmp.Or(u.cfg.Updates.Idle, web.DefaultIdle):
		return "somebody is at the counter"
	case status.Unresolved == 0:
		return ""
	}
	open, err := u.queue.Unresolved()
	var damaged *queue.DamagedError // they are set aside, and no start changes them
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

// newest is how many operations are looked at to see whether one is under way: an
// agent has one or two before them.
const newest = 5

// underWay tells whether an operation has the line, or is about to; an enquiry, too.
func (u *updates) underWay() bool {
	views, err := u.counter.Recent("", newest)
	return err == nil && slices.ContainsFunc(views, func(v edge.View) bool {
		return v.Stage != edge.StageNone && v.Stage != edge.StageReady
	})
}

// healthPoll is how often it is looked whether this program works, until it does.
const healthPoll = time.Second

// run looks for releases, and tells the parent when this one works.
func (u *updates) run(ctx context.Context) error {
	if u.updater == nil {
		<-ctx.Done()
		return nil
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return u.updater.Run(ctx) })
	group.Go(func() error { return u.health(ctx) })
	return group.Wait()
}

// health tells the parent once that this release works: the queue is open, or the
// program would have ended, the pages answer, and the central has welcomed it. A
// central that has revoked the terminal knows it, which is as good.
func (u *updates) health(ctx context.Context) error {
	if u.cfg.Updates.Parent == nil {
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
		if !link.Up && !link.Revoked {
			continue
		}
		if err := alive(ctx, u.cfg.Addr); err != nil {
			u.cfg.Logger.Warn("the counter's pages do not answer", "error", err)
			continue
		}
		if err := u.cfg.Updates.Parent.Healthy(u.cfg.Updates.Own); err != nil {
			u.cfg.Logger.Error("the parent can't be told that this release works", "error", err)
		}
		return nil
	}
}

// aliveWait bounds the question whether the pages answer: they are on this machine.
const aliveWait = 5 * time.Second

// alive asks the counter's own pages for a sign of life.
func alive(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, aliveWait)
	defer cancel()
	address := "http://" + hostPort(addr) + "/healthz"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
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

// FetchRelease looks for a release now and fetches it, beside a counter that runs
// or not, which starts it when it is empty. It gives its version, empty where there
// is none. ErrNotEnrolled; shelf.ErrHeld where the counter is fetching itself.
func FetchRelease(ctx context.Context, cfg Config) (release.Version, error) {
	settings, _, _, err := folder(filepath.Join(cfg.Data, "edge")).load(cfg.Rand)
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
	return u.Look(ctx)
}

// releasesOf gives what the doctor says of releases: the one that was started last,
// and a newer one that waits; both empty where the program is not updated by
// itself.
func releasesOf(cfg Config) (r doctor.Release) {
	if cfg.Updates == nil {
		return r
	}
	versions, state, err := update.Versions(cfg.Updates.Shelf)
	if err != nil {
		return r
	}
	runs := state.Running
	if runs == "" {
		runs = cfg.Updates.Own
	}
	r.Runs = string(runs)
	for _, v := range versions {
		if v.Compare(runs) > 0 && state.Of(v).Aside == "" {
			r.Waits = string(v)
			break
		}
	}
	for v, known := range state.Known {
		if known.Aside != "" && v.Compare(runs) > 0 {
			r.Aside = string(v)
		}
	}
	return r
}
