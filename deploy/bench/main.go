//go:build linux

// Command bench measures Galla beside its peers on this machine: see package works for what
// is measured, and the Makefile's target bench-peers. It prints ratios, since rates depend on
// the machine; with -markdown also the figures of deploy/docs/capacity.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"galla/deploy/bench/host"
	"galla/deploy/bench/report"
	"galla/deploy/bench/works"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	b := &works.Bench{Progress: os.Stderr}
	flag.IntVar(&b.Rounds, "rounds", 5, "rounds; the median counts")
	flag.DurationVar(&b.Span, "for", 10*time.Second, "how long each side runs in a round")
	flag.DurationVar(&b.Rest, "rest", 30*time.Second, "how long terminals are idle before and while their memory is measured; in much less, memory of their greetings is not given back yet")
	flag.Int64Var(&b.Grow, "grow", 1_000_000, "operations in the grown database, for the works of growth")
	fleets := flag.String("fleets", "2000,10000", "numbers of terminals")
	only := flag.String("only", "", "works to run, such as sqlite,postgres; by default all but the long ones")
	list := flag.Bool("list", false, "list the works")
	markdown := flag.Bool("markdown", false, "print Markdown, with figures of this machine")
	flag.StringVar(&b.Profile, "profile", "", "leave profiles of the loaded central in this folder, and measure nothing")
	flag.Parse()
	if *list {
		for _, w := range works.All() {
			fmt.Printf("%-15s %s\n", w.Name, w.What)
		}
		return nil
	}
	if b.Rounds < 1 || b.Span <= 0 || b.Grow < 1 {
		return errors.New("rounds, time and growth must be positive")
	}
	if b.Fleets, err = numbers(*fleets); err != nil {
		return err
	}
	var names []string
	if *only != "" {
		names = strings.Split(*only, ",")
	}
	chosen, err := works.Choose(names)
	if err != nil {
		return err
	}
	if b.Root, err = findRoot(); err != nil {
		return err
	}
	if b.Folder, err = os.MkdirTemp("", "galla-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.Folder)) }()
	if b.Profile != "" {
		return works.Profile(ctx, b)
	}
	return measure(ctx, b, chosen, *markdown)
}

// numbers reads a list of positive numbers.
func numbers(list string) ([]int, error) {
	var all []int
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is no list of positive numbers", list)
		}
		all = append(all, n)
	}
	return all, nil
}

// quiet is how much of a processor others may use on a quiet machine.
const quiet = 0.1

// measure runs the works and prints what they found, also if one of them fails.
func measure(ctx context.Context, b *works.Bench, chosen []works.Work, markdown bool) error {
	before, busy, err := look(ctx)
	if err != nil {
		return err
	}
	var faults []error
	for _, w := range chosen {
		if err := w.Run(ctx, b); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", w.Name, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	after, busyAfter, err := look(context.WithoutCancel(ctx))
	faults = append(faults, err)
	r := &b.Report
	r.Machine = fmt.Sprintf("%d cores; load average %.1f before, %.1f after (the bench's own load included); others used %.2f cores before and %.2f after; %d rounds of %s",
		host.Cores(), before, after, busy, busyAfter, b.Rounds, b.Span)
	if max(busy, busyAfter) > quiet {
		r.Warning = "the machine was not quiet: others used it while this ran; the ratios are not to be trusted"
	}
	if len(r.Ratios) > 0 {
		faults = append(faults, write(r, markdown))
	}
	return errors.Join(faults...)
}

func write(r *report.Report, markdown bool) error {
	if markdown {
		return r.Markdown(os.Stdout)
	}
	return r.Print(os.Stdout)
}

// look tells the machine's load, and how many cores others use.
func look(ctx context.Context) (load, busy float64, err error) {
	if load, err = host.Load(); err != nil {
		return 0, 0, err
	}
	busy, err = host.Busy(ctx, 3*time.Second)
	return load, busy, err
}

// findRoot is the folder of the module galla, above this module's.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module galla\n") {
			return dir, nil
		}
	}
	return "", errors.New("start it below the repository")
}
