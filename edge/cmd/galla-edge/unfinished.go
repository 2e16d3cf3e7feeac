package main

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"

	"galla/edge/daemon"
	"galla/edge/queue"
	"galla/edge/update/release"
	"galla/installers"
)

type unfinishedCmd struct{}

// statusUnfinished is the exit status where operations have no end yet, for
// the installers.
const statusUnfinished = 3

// errUnfinished leads to statusUnfinished.
var errUnfinished = errors.New("leave the counter installed and online until all outcomes are known; its first page shows them")

// Run counts.
func (*unfinishedCmd) Run(c *cli) error {
	n, err := daemon.CountUnfinished(c.daemonConfig(slog.New(slog.NewTextHandler(os.Stderr, nil))))
	switch {
	case errors.Is(err, daemon.ErrNotEnrolled):
		fmt.Println("this counter is not enrolled; there are no operations")
		return nil
	case errors.Is(err, queue.ErrLocked):
		return errors.New("the counter runs: stop it first")
	case err != nil:
		return err
	}
	if n.Damaged > 0 {
		fmt.Printf("%d operation(s) can't be read; the central knows their outcome\n", n.Damaged)
	}
	if n.Operations == 0 && n.Damaged == 0 {
		fmt.Println("every operation has its outcome")
		return nil
	}
	for _, state := range slices.Sorted(maps.Keys(n.ByState)) {
		fmt.Printf("%d %s\n", n.ByState[state], state)
	}
	fmt.Printf("%d operation(s) without an outcome, Rs %s in all\n", n.Operations, n.Amount)
	return errUnfinished
}

type compareCmd struct {
	Version string `arg:"" help:"The version that is installed."`
}

// statusOlder is the exit status where this program is older than the one that is
// installed, for the setup.
const statusOlder = 4

// errOlder leads to statusOlder.
var errOlder = errors.New("this program is older")

// Run compares. A program without a version is older than none.
func (b *compareCmd) Run() error { return checkNotOlder(installers.Release(), b.Version) }

func checkNotOlder(own, installed string) error {
	v, err := release.ParseVersion(own)
	if err != nil {
		return nil
	}
	other, err := release.ParseVersion(installed)
	if err != nil || v.Compare(other) >= 0 {
		return nil
	}
	return fmt.Errorf("%w: %s, and %s is installed", errOlder, v, other)
}
