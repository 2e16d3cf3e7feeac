//go:build linux

// Package works measures Galla against its peers: each work runs its sides in turn, round
// after round, so that both meet the same machine, and gives a ratio for each round.
package works

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"galla/deploy/bench/report"
	"galla/deploy/bench/stand"
)

// Bench is one run of the program.
type Bench struct {
	Root     string // of the repository
	Folder   string // for everything that is built and written, removed at the end
	Rounds   int
	Span     time.Duration // of one side in one round
	Fleets   []int         // numbers of terminals, in order
	Rest     time.Duration // until the memory of a fleet's arrival is given back
	Grow     int64         // operations that lie in the grown database
	Progress io.Writer
	Profile  string // folder for profiles; empty: measure

	Report report.Report
}

// Work is one thing that is measured.
type Work struct {
	Name string // as it is chosen on the command line
	What string
	Run  func(context.Context, *Bench) error
	// Long works run only where they are named.
	Long bool
}

// All are the works in the order in which they run.
func All() []Work {
	return []Work{
		{Name: "sqlite", What: "withdrawals on SQLite against the same rows written raw, and one insert of PocketBase", Run: runSQLite},
		{Name: "postgres", What: "withdrawals on PostgreSQL against the same rows written by pgbench in two pipelines", Run: runPostgres},
		{Name: "nodes", What: "withdrawals on PostgreSQL over two nodes against one, on the same machine", Run: runNodes},
		{Name: "gateway", What: "withdrawals through the gateway against the direct entrance", Run: runGateway},
		{Name: "crash", What: "the time until a central is ready after a crash, with 10,000 operations under way", Run: runCrash},
		{Name: "terminals", What: "memory of idle terminals against gorilla on net/http alone, their return after a restart, and what they read of the database", Run: runTerminals},
		{Name: "counter", What: "a press at the counter until it is durable, against one sync; the syncs of a withdrawal", Run: runCounter},
		{Name: "page", What: "a key at the counter until the next page is painted, against an empty page", Run: runPage},
		{Name: "growth-sqlite", What: "withdrawals and pages of the console beside many operations, see -grow; only where it is named", Run: runGrowthOn("SQLite"), Long: true},
		{Name: "growth-postgres", What: "the same on PostgreSQL", Run: runGrowthOn("PostgreSQL"), Long: true},
	}
}

// Choose gives the works of some names; none: all that are not long.
func Choose(names []string) ([]Work, error) {
	all := All()
	if len(names) == 0 {
		return slices.DeleteFunc(all, func(w Work) bool { return w.Long }), nil
	}
	var chosen []Work
	for _, name := range names {
		at := slices.IndexFunc(all, func(w Work) bool { return w.Name == name })
		if at < 0 {
			var known []string
			for _, w := range all {
				known = append(known, w.Name)
			}
			return nil, fmt.Errorf("no work is called %q; there are %s", name, strings.Join(known, ", "))
		}
		chosen = append(chosen, all[at])
	}
	return chosen, nil
}

func (b *Bench) say(format string, args ...any) {
	fmt.Fprintf(b.Progress, time.Now().Format("15:04:05 ")+format+"\n", args...)
}

func (b *Bench) folder(name string) string { return filepath.Join(b.Folder, name) }

// Build builds a program of the repository or of the bench, once.
func (b *Bench) Build(ctx context.Context, pkg string, flags ...string) (string, error) {
	out := b.folder("bin-" + filepath.Base(pkg))
	if _, err := os.Stat(out); err == nil {
		return out, nil
	}
	dir := b.Root
	if strings.HasPrefix(pkg, "./peers/") {
		dir = filepath.Join(b.Root, "deploy", "bench")
	}
	b.say("build %s", pkg)
	cmd := exec.CommandContext(ctx, "go", append(append([]string{"build", "-buildvcs=false", "-o", out}, flags...), pkg)...)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", pkg, err, text)
	}
	return out, nil
}

// open builds the central and starts it.
func (b *Bench) open(ctx context.Context, name string, cfg stand.Config) (*stand.Stand, error) {
	program, err := b.Build(ctx, "./central/cmd/galla-central")
	if err != nil {
		return nil, err
	}
	cfg.Program, cfg.Folder = program, b.folder(name)
	b.say("start the central of %s", name)
	return stand.Open(ctx, cfg)
}

// sample is what one side did in one round.
type sample struct {
	rate      float64       // operations a second
	cpu       time.Duration // of the process that is measured, for each operation
	allocs    float64       // for each operation; 0: not counted
	bytes     float64
	half, p99 time.Duration
}

// side is one of those that are compared.
type side struct {
	name string
	run  func(context.Context) (sample, error)
}

// interleave runs all sides in turn, and gives each one's samples by its name.
func (b *Bench) interleave(ctx context.Context, sides ...side) (map[string][]sample, error) {
	all := map[string][]sample{}
	for round := range b.Rounds {
		for _, s := range sides {
			got, err := s.run(ctx)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}
			b.say("round %d of %d: %s", round+1, b.Rounds, s.name)
			all[s.name] = append(all[s.name], got)
		}
	}
	return all, nil
}

// compare adds a ratio of two sides to the report.
func (b *Bench) compare(work, of string, must report.Bound, ours, theirs []sample, value func(sample) float64) {
	r := report.Ratio{Work: work, Of: of, Must: must}
	for i := range ours {
		r.Rounds = append(r.Rounds, value(ours[i])/value(theirs[i]))
	}
	b.Report.Ratios = append(b.Report.Ratios, r)
}

// plain adds a value that does not depend on the machine.
func (b *Bench) plain(work, of, unit string, must report.Bound, values []float64) {
	b.Report.Ratios = append(b.Report.Ratios, report.Ratio{Work: work, Of: of, Rounds: values, Must: must, Unit: unit})
}

func (b *Bench) figure(what, format string, args ...any) {
	b.Report.Figures = append(b.Report.Figures, report.Figure{What: what, Value: fmt.Sprintf(format, args...)})
}

// middle is the median of a value over samples.
func middle(samples []sample, value func(sample) float64) float64 {
	var all []float64
	for _, s := range samples {
		all = append(all, value(s))
	}
	return report.Median(all)
}

func rate(s sample) float64   { return s.rate }
func cpu(s sample) float64    { return s.cpu.Seconds() }
func allocs(s sample) float64 { return s.allocs }

func values(samples []sample, value func(sample) float64) []float64 {
	var all []float64
	for _, s := range samples {
		all = append(all, value(s))
	}
	return all
}

// How often it is looked whether something has happened: a look at a large fleet takes
// milliseconds of the processor that the central needs.
const (
	often  = 2 * time.Millisecond
	seldom = 100 * time.Millisecond
)

// await waits until something has happened.
func await(ctx context.Context, limit, every time.Duration, what string, happened func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for !happened() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("never happened in %s: %s", limit, what)
		}
	}
	return nil
}
