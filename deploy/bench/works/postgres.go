//go:build linux

package works

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"galla/deploy/bench/report"
	"galla/deploy/bench/stand"
)

// runPostgres compares withdrawals with pgbench, which writes the same rows in two pipelined
// transactions.
func runPostgres(ctx context.Context, b *Bench) (err error) {
	w, err := b.openWithdrawals(ctx, "postgres", stand.Config{Merchants: merchants, Postgres: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.stand.Close()) }()
	raw, err := newPgbench(ctx, b, w)
	if err != nil {
		return err
	}
	var sides []side
	for _, n := range []int{few, many} {
		sides = append(sides,
			side{fmt.Sprint("galla ", n), w.measure(n, b.Span)},
			side{fmt.Sprint("pgbench ", n), raw.measure(n, b.Span)})
	}
	got, err := b.interleave(ctx, sides...)
	if err != nil {
		return err
	}
	for _, n := range []int{few, many} {
		work := fmt.Sprintf("withdrawal, PostgreSQL, %d connections", n)
		ours, rawly := got[fmt.Sprint("galla ", n)], got[fmt.Sprint("pgbench ", n)]
		b.compare(work, "rate: ours / two pipelined commits of its rows by pgbench", report.Bound{AtLeast: 0.90}, ours, rawly, rate)
		b.plain(work, "allocations for one", "", report.Bound{AtMost: 250}, values(ours, allocs))
		b.withdrawalFigures(work, ours)
		b.figure(work+", pgbench", "%.0f a second", middle(rawly, rate))
	}
	return nil
}

// pgbench runs PostgreSQL's own program for load.
type pgbench struct {
	program, script string
	database        string // URL
	base            int64  // above all numbers so far
}

// numbers is how many numbers one run of pgbench may use.
const numbers = 100_000_000

func newPgbench(ctx context.Context, b *Bench, w *withdrawals) (*pgbench, error) {
	program, err := findPgbench()
	if err != nil {
		return nil, err
	}
	p, database, err := b.planRows(ctx, w)
	if err != nil {
		return nil, err
	}
	g := &pgbench{program: program, script: b.folder("pgbench.sql"), database: database, base: numbers}
	return g, os.WriteFile(g.script, []byte(p.Script()), 0o600)
}

// findPgbench finds the program of the newest server.
func findPgbench() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pgbench")
	if len(found) > 0 {
		return found[len(found)-1], nil
	}
	program, err := exec.LookPath("pgbench")
	if err != nil {
		return "", errors.New("pgbench is missing: deploy/tools/need.sh postgres installs it")
	}
	return program, nil
}

func (g *pgbench) measure(clients int, span time.Duration) func(context.Context) (sample, error) {
	return func(ctx context.Context) (sample, error) {
		if _, err := g.run(ctx, clients, span/5); err != nil {
			return sample{}, err
		}
		text, err := g.run(ctx, clients, max(span, pgbenchSpan))
		if err != nil {
			return sample{}, err
		}
		return parsePgbench(text)
	}
}

// pgbenchSpan is the shortest time in which many clients of pgbench are sure to connect.
const pgbenchSpan = 5 * time.Second

// perSecond is what pgbench prints, connecting excluded.
var perSecond = regexp.MustCompile(`(?m)^tps = ([0-9.]+)`)

func (g *pgbench) run(ctx context.Context, clients int, span time.Duration) ([]byte, error) {
	seconds := max(1, int(span.Round(time.Second)/time.Second))
	cmd := exec.CommandContext(ctx, g.program, "-n", "-M", "prepared", "-c", strconv.Itoa(clients), "-j", "2", "-T", strconv.Itoa(seconds),
		"-D", "n=0", "-D", fmt.Sprint("base=", g.base), "-f", g.script, g.database)
	g.base += numbers
	text, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("pgbench: %w\n%.2000s", err, text)
	}
	return text, nil
}

func parsePgbench(text []byte) (sample, error) {
	m := perSecond.FindSubmatch(text)
	if m == nil {
		return sample{}, fmt.Errorf("pgbench printed no rate:\n%.2000s", text)
	}
	r, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil || r <= 0 {
		return sample{}, fmt.Errorf("pgbench wrote nothing:\n%.2000s", text)
	}
	return sample{rate: r}, nil
}
