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
	"galla/edge/parent"
	"galla/edge/release"
	"galla/edge/shelf"
	"galla/edge/update"
	"galla/installers"
)

// trust says what releases are believed.
type trust struct {
	UpdateRoot string `name:"update-root" env:"GALLA_UPDATE_ROOT" type:"existingfile" help:"Root of trust of releases (root.json) in place of the one that is built in: for a repository of one's own, or a test's."`
}

// maxRoot bounds the file of a root of trust, in bytes.
const maxRoot = release.MaxRoot

// root gives the root of trust; nil where there is none.
func (t trust) root() ([]byte, error) {
	if t.UpdateRoot == "" {
		return installers.Root()
	}
	f, err := os.Open(t.UpdateRoot)
	if err != nil {
		return nil, fmt.Errorf("read the root of trust: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxRoot+1))
	if err == nil && len(text) > maxRoot {
		err = fmt.Errorf("it has more than %d bytes", maxRoot)
	}
	return text, errors.Join(err, f.Close())
}

// errNoTrust and errNoRelease say why this program can't be updated by itself.
var (
	errNoTrust   = errors.New("this program has no root of trust for releases: build it with installers/trust/root.json, or name one with --update-root")
	errNoRelease = errors.New("this program was not released, so it has no version that could be compared: build it with 'make dist'")
)

// open gives what the program's updates need. errNoTrust, errNoRelease.
func (t trust) open(data string) (*daemon.Updates, error) {
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
	s, err := daemon.Shelf(data, root)
	if err != nil {
		return nil, err
	}
	return &daemon.Updates{Shelf: s, Own: own}, nil
}

// begin runs the counter, or, where updates are wanted, as the parent of the
// release that does.
func (r *runCmd) begin(ctx context.Context, c *cli, log *slog.Logger, stderr io.Writer, wanted bool) error {
	child := parent.Attach(os.Getenv, os.Stdin, os.Stdout)
	if !wanted && child == nil {
		return r.serve(ctx, c, log, nil)
	}
	updates, err := r.open(c.Data)
	switch {
	case child == nil && (errors.Is(err, errNoTrust) || errors.Is(err, errNoRelease)):
		log.Warn("this program is not updated by itself", "reason", err.Error())
		return r.serve(ctx, c, log, nil)
	case err != nil:
		return err
	case child != nil:
		return r.serveFor(ctx, c, log, updates, child)
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program's own file: %w", err)
	}
	p, err := parent.New(parent.Config{
		Shelf: updates.Shelf, Own: updates.Own, Program: program, Args: os.Args[1:], Env: os.Environ(), Stderr: stderr, Logger: log,
	})
	if err != nil {
		return err
	}
	forget, err := daemon.TellPID(c.Data)
	if err != nil {
		return err
	}
	defer forget()
	return p.Run(ctx)
}

// servingWait is how long a release waits for the one before to end: longer than
// that one may take for its answers under way.
const servingWait = 70 * time.Second

// serveFor runs the counter as a parent's child, until ctx ends or the parent says
// so.
func (r *runCmd) serveFor(ctx context.Context, c *cli, log *slog.Logger, updates *daemon.Updates, child *parent.Child) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // it ends with the process: nothing wakes a reader of standard input
		child.Wait()
		stop()
	}()
	waiting, cancel := context.WithTimeout(ctx, servingWait)
	done, err := updates.Shelf.Serving(waiting)
	cancel()
	if err != nil {
		return err
	}
	defer done()
	updates.Parent, updates.Every, updates.Idle = child, r.UpdateEvery, r.UpdateIdle
	return r.serve(ctx, c, log, updates)
}

// updatesFor is open for commands that have a use for updates and need none.
func (t trust) updatesFor(data string) *daemon.Updates {
	if _, err := os.Stat(data); errors.Is(err, fs.ErrNotExist) || anothers(data) != nil {
		return nil // looking at a counter makes no folder, and none that it could not use
	}
	updates, err := t.open(data)
	if err != nil {
		return nil
	}
	return updates
}

type updateCmd struct{ trust }

// Run looks for a release and fetches it.
func (u *updateCmd) Run(ctx context.Context, c *cli) error {
	if err := anothers(c.Data); err != nil {
		return err
	}
	updates, err := u.open(c.Data)
	if err != nil {
		return err
	}
	v, err := daemon.FetchRelease(ctx, daemon.Config{
		Data: c.Data, Rand: rand.Reader, Updates: updates, Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	switch {
	case errors.Is(err, shelf.ErrHeld):
		return errors.New("the counter is fetching a release itself; its page 'This program' tells how far it is")
	case err != nil:
		return err
	case v == "":
		fmt.Printf("there is no release for this counter beyond %s\n", updates.Own)
		return nil
	}
	fmt.Printf("release %s is fetched and verified; the counter starts it when it is empty\n", v)
	return nil
}

type releasesCmd struct {
	trust
	Aside string `placeholder:"VERSION" help:"Put a release aside for good. Stop the counter first; it then starts the one before."`
	Why   string `default:"put aside by hand" help:"Why it is put aside."`
}

// Run lists the releases of this computer, or puts one aside.
func (r *releasesCmd) Run(ctx context.Context, c *cli) error {
	if err := anothers(c.Data); err != nil {
		return err
	}
	updates, err := r.open(c.Data)
	if err != nil {
		return err
	}
	versions, state, err := update.Versions(updates.Shelf)
	if err != nil {
		return err
	}
	if r.Aside != "" {
		return r.putAside(ctx, updates, state)
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(t, "%s\tinstalled\n", updates.Own) // Flush tells
	for _, v := range versions {
		_, _ = fmt.Fprintf(t, "%s\t%s\n", v, standing(updates.Shelf, state, v))
	}
	return t.Flush()
}

// standing says what is known of a release on the shelf.
func standing(s *shelf.Shelf, state shelf.State, v release.Version) string {
	known := state.Of(v)
	said := "fetched"
	switch {
	case known.Aside != "":
		said = "put aside: " + known.Aside
	case state.Trial == v:
		said = "on trial"
	case known.Strikes > 0:
		said = fmt.Sprintf("failed %d time(s), last of: %s", known.Strikes, known.Why)
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

// putAside notes that a release is never started again.
func (r *releasesCmd) putAside(ctx context.Context, updates *daemon.Updates, state shelf.State) error {
	v, err := release.ParseVersion(r.Aside)
	if err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	done, err := updates.Shelf.Serving(waiting)
	if errors.Is(err, shelf.ErrHeld) {
		return errors.New("the counter runs, and keeps its own list: stop it first")
	}
	if err != nil {
		return err
	}
	defer done()
	known := state.Of(v)
	known.Aside = cmp.Or(r.Why, "put aside by hand")
	state.Put(v, known)
	if state.Trial == v {
		state.Trial, state.Before, state.Begun = "", "", 0
	}
	if err := updates.Shelf.WriteState(state); err != nil {
		return err
	}
	fmt.Printf("release %s is put aside; start the counter\n", v)
	return nil
}
