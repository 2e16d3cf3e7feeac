package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"text/tabwriter"
	"time"

	"galla/edge/daemon"
	"galla/edge/update"
	"galla/edge/update/launcher"
	"galla/edge/update/release"
	"galla/edge/update/releases"
	"galla/installers"
	"galla/shared/files"
)

type updateTrust struct {
	UpdateRoot string `name:"update-root" env:"GALLA_UPDATE_ROOT" type:"existingfile" help:"Root of trust of releases (root.json) in place of the one that is built in: for a repository of one's own, or a test's."`
}

// root returns the root of trust; nil where there is none.
func (t updateTrust) root() ([]byte, error) {
	if t.UpdateRoot == "" {
		return installers.Root()
	}
	text, err := files.ReadBounded(t.UpdateRoot, release.MaxRoot)
	if err != nil {
		return nil, fmt.Errorf("read the root of trust: %w", err)
	}
	return text, nil
}

// errNoTrust and errNoRelease say why this program can't be updated by itself.
var (
	errNoTrust   = errors.New("this program has no root of trust for releases: build it with installers/trust/root.json, or name one with --update-root")
	errNoRelease = errors.New("this program was not released, so it has no version that could be compared: build it with 'make dist'")
)

// openUpdates opens what updates need. It fails with errNoTrust or errNoRelease.
func (t updateTrust) openUpdates(data string) (*daemon.Updates, error) {
	root, err := t.root()
	if err != nil {
		return nil, err
	}
	if len(root) == 0 {
		return nil, errNoTrust
	}
	own, err := release.ParseVersion(installers.Release())
	if err != nil {
		return nil, errNoRelease
	}
	s, err := daemon.OpenReleases(data, root)
	if err != nil {
		return nil, err
	}
	return &daemon.Updates{Releases: s, Version: own}, nil
}

// launchOrServe runs the counter, or, with updates, the launcher of the release
// that does.
func (r *runCmd) launchOrServe(ctx context.Context, c *cli, log *slog.Logger, stderr io.Writer, wanted bool) error {
	child := launcher.Attach(os.Getenv, os.Stdin, os.Stdout)
	if !wanted && child == nil {
		return r.serve(ctx, c, log, nil)
	}
	updates, err := r.openUpdates(c.Data)
	switch {
	case child == nil && (errors.Is(err, errNoTrust) || errors.Is(err, errNoRelease)):
		log.Warn("this program is not updated by itself", "reason", err.Error())
		return r.serve(ctx, c, log, nil)
	case err != nil:
		return err
	case child != nil:
		return r.serveAsChild(ctx, c, log, updates, child)
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program's own file: %w", err)
	}
	p, err := launcher.New(launcher.Config{
		Releases: updates.Releases, Version: updates.Version, Program: program, Args: os.Args[1:], Env: os.Environ(), Stderr: stderr, Logger: log,
	})
	if err != nil {
		return err
	}
	remove, err := daemon.WritePIDFile(c.Data)
	if err != nil {
		return err
	}
	return errors.Join(p.Run(ctx), remove())
}

// servingWait is how long a release waits for the one before to end: longer than
// that one may take for its answers under way.
const servingWait = 70 * time.Second

// serveAsChild runs the counter as a launcher's child, until ctx ends or the
// launcher stops it.
func (r *runCmd) serveAsChild(ctx context.Context, c *cli, log *slog.Logger, updates *daemon.Updates, child *launcher.Child) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // it ends with the process: nothing wakes a reader of standard input
		child.Wait()
		stop()
	}()
	waiting, cancel := context.WithTimeout(ctx, servingWait)
	done, err := updates.Releases.LockServe(waiting)
	cancel()
	if err != nil {
		return err
	}
	defer done()
	updates.Launcher, updates.Interval, updates.IdleFor = child, r.UpdateEvery, r.UpdateIdle
	return r.serve(ctx, c, log, updates)
}

// updatesFor is open for commands that have a use for updates and need none.
func (t updateTrust) updatesFor(data string) *daemon.Updates {
	if _, err := os.Stat(data); errors.Is(err, fs.ErrNotExist) || checkDataOwner(data) != nil {
		return nil // looking at a counter makes no folder, and none that it could not use
	}
	updates, err := t.openUpdates(data)
	if err != nil {
		return nil
	}
	return updates
}

type updateCmd struct{ updateTrust }

// Run checks for a release and fetches it.
func (u *updateCmd) Run(ctx context.Context, c *cli) error {
	if err := checkDataOwner(c.Data); err != nil {
		return err
	}
	updates, err := u.openUpdates(c.Data)
	if err != nil {
		return err
	}
	v, err := daemon.FetchRelease(ctx, daemon.Config{
		Data: c.Data, Rand: rand.Reader, Updates: updates, Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	switch {
	case errors.Is(err, releases.ErrLocked):
		return errors.New("the counter is fetching a release itself; its page 'This program' shows the progress")
	case err != nil:
		return err
	case v == "":
		fmt.Printf("there is no release for this counter beyond %s\n", updates.Version)
		return nil
	}
	fmt.Printf("release %s is fetched and verified; the counter starts it when it is empty\n", v)
	return nil
}

type releasesCmd struct {
	updateTrust
	Block  string `placeholder:"VERSION" help:"Block a release. Stop the counter first; it then starts the previous one."`
	Reason string `default:"blocked by hand" help:"Why it is blocked."`
}

// Run lists the releases of this computer, or blocks one.
func (r *releasesCmd) Run(ctx context.Context, c *cli) error {
	if err := checkDataOwner(c.Data); err != nil {
		return err
	}
	updates, err := r.openUpdates(c.Data)
	if err != nil {
		return err
	}
	versions, state, err := update.ListReleases(updates.Releases)
	if err != nil {
		return err
	}
	if r.Block != "" {
		return r.block(ctx, updates, state)
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(t, "%s\tinstalled\n", updates.Version) // Flush returns the error
	for _, v := range versions {
		_, _ = fmt.Fprintf(t, "%s\t%s\n", v, releaseStatus(updates.Releases, state, v))
	}
	return t.Flush()
}

func releaseStatus(s *releases.Store, state releases.State, v release.Version) string {
	known := state.Get(v)
	said := "fetched"
	switch {
	case known.Blocked != "":
		said = "blocked: " + known.Blocked
	case state.Trial == v:
		said = "on trial"
	case known.Strikes > 0:
		said = fmt.Sprintf("failed %d time(s), last of: %s", known.Strikes, known.LastError)
	case known.Proven:
		said = "works"
	}
	if state.Running == v {
		said += "; started last"
	}
	if _, err := s.Verify(v); err != nil {
		said += "; NOT GOOD: " + err.Error()
	}
	return said
}

// block notes that a release is never started again.
func (r *releasesCmd) block(ctx context.Context, updates *daemon.Updates, state releases.State) error {
	v, err := release.ParseVersion(r.Block)
	if err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	done, err := updates.Releases.LockServe(waiting)
	if errors.Is(err, releases.ErrLocked) {
		return errors.New("the counter is running: stop it first")
	}
	if err != nil {
		return err
	}
	defer done()
	known := state.Get(v)
	known.Blocked = cmp.Or(r.Reason, "blocked by hand")
	state.Set(v, known)
	if state.Trial == v {
		state.Trial, state.Previous, state.TrialStarts = "", "", 0
	}
	if err := updates.Releases.WriteState(state); err != nil {
		return err
	}
	fmt.Printf("release %s is blocked; start the counter\n", v)
	return nil
}
