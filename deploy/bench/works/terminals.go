//go:build linux

package works

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"galla/deploy/bench/host"
	"galla/deploy/bench/report"
	"galla/deploy/bench/stand"
	"galla/shared/freeport"
)

// connectedWithin bounds the time until a fleet is connected.
const connectedWithin = 10 * time.Minute

// runTerminals measures fleets on SQLite, then what the largest one reads of PostgreSQL.
func runTerminals(ctx context.Context, b *Bench) error {
	for _, n := range b.Fleets {
		if err := b.fleet(ctx, n, n == slices.Max(b.Fleets)); err != nil {
			return fmt.Errorf("%d terminals: %w", n, err)
		}
	}
	if err := b.idleReads(ctx, slices.Max(b.Fleets)); err != nil {
		return fmt.Errorf("reads while idle: %w", err)
	}
	return nil
}

// fleet measures the memory of idle terminals; of the largest fleet the return after a
// restart, too.
func (b *Bench) fleet(ctx context.Context, n int, restart bool) (err error) {
	peer, err := b.gorillaMemory(ctx, n)
	if err != nil {
		return fmt.Errorf("gorilla: %w", err)
	}
	s, err := b.open(ctx, fmt.Sprint("fleet-", n), stand.Config{Merchants: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	f, err := s.AddTerminals(ctx, n)
	if err != nil {
		return err
	}
	defer f.Close()
	empty, err := b.restingMemory(ctx, s.Central)
	if err != nil {
		return err
	}
	began := time.Now()
	f.Connect()
	if err := await(ctx, connectedWithin, seldom, "every terminal is connected", func() bool { return f.Online() == n }); err != nil {
		return err
	}
	b.say("%d terminals connected after %s", n, time.Since(began).Round(100*time.Millisecond))
	full, err := b.restingMemory(ctx, s.Central)
	if err != nil {
		return err
	}
	before, err := s.Usage()
	if err != nil {
		return err
	}
	if err := rest(ctx, b.Rest); err != nil {
		return err
	}
	after, err := s.Usage()
	if err != nil {
		return err
	}
	ours := float64(full-empty) / float64(n)
	work := fmt.Sprintf("%d idle terminals", n)
	b.plain(work, "resident memory of one", "KiB", report.Bound{AtMost: 25}, []float64{ours / 1024})
	b.plain(work, "memory: ours / gorilla on net/http alone", "", report.Bound{}, []float64{ours / peer})
	b.figure(work, "%.1f KiB each, gorilla %.1f KiB; %.1f %% of a processor", ours/1024, peer/1024, 100*after.Sub(before).CPU.Seconds()/b.Rest.Seconds())
	if restart {
		return b.comeBack(ctx, s, f, n)
	}
	return nil
}

// comeBack restarts the central and waits for the terminals.
func (b *Bench) comeBack(ctx context.Context, s *stand.Stand, f *stand.Fleet, n int) error {
	if err := s.Stop(); err != nil {
		return err
	}
	if err := await(ctx, connectedWithin, seldom, "every terminal is offline", func() bool { return f.Online() == 0 }); err != nil {
		return err
	}
	began := time.Now()
	if err := s.Start(ctx); err != nil {
		return err
	}
	ready := time.Since(began)
	work := fmt.Sprintf("%d terminals back after a restart", n)
	for _, share := range []float64{0.95, 1} {
		what := fmt.Sprintf("from the start until %.0f %%", 100*share)
		if err := await(ctx, connectedWithin, seldom, what, func() bool { return f.Online() >= int(share*float64(n)) }); err != nil {
			return err
		}
		b.plain(work, what, "s", report.Bound{AtMost: 10}, []float64{time.Since(began).Seconds()})
	}
	b.say("%d terminals are back after %s; the central was ready after %s", n, time.Since(began).Round(100*time.Millisecond), ready.Round(10*time.Millisecond))
	return nil
}

func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// restingMemory is a process's memory after a rest.
func (b *Bench) restingMemory(ctx context.Context, p *host.Process) (int64, error) {
	if err := rest(ctx, b.Rest); err != nil {
		return 0, err
	}
	return host.Resident(p.PID())
}

// gorillaMemory is what gorilla alone takes for each of so many connections, in bytes.
func (b *Bench) gorillaMemory(ctx context.Context, n int) (float64, error) {
	program, err := b.Build(ctx, "./peers/gorilla")
	if err != nil {
		return 0, err
	}
	addr, release, err := freeport.Take()
	if err != nil {
		return 0, err
	}
	defer release()
	p, err := host.Start(exec.Command(program, "-addr", addr))
	if err != nil {
		return 0, err
	}
	defer p.Kill()
	start, cancel := context.WithTimeout(ctx, peerWait)
	defer cancel()
	if err := p.Await(start, 10*time.Millisecond, func() error { return dial(addr, func(c *websocket.Conn) { _ = c.Close() }) }); err != nil {
		return 0, err
	}
	empty, err := b.restingMemory(ctx, p)
	if err != nil {
		return 0, err
	}
	hung, err := dialMany(addr, n)
	defer hung()
	if err != nil {
		return 0, err
	}
	full, err := b.restingMemory(ctx, p)
	return float64(full-empty) / float64(n), err
}

func dial(addr string, connected func(*websocket.Conn)) error {
	c, resp, err := websocket.DefaultDialer.Dial("ws://"+addr+"/", nil)
	if err != nil {
		return err
	}
	_ = resp.Body.Close()
	connected(c)
	return nil
}

// dialers is how many connect at one time.
const dialers = 16

// dialMany opens connections and gives what closes them.
func dialMany(addr string, n int) (hangUp func(), err error) {
	var mu sync.Mutex
	var all []*websocket.Conn
	faults := make([]error, dialers)
	var work sync.WaitGroup
	for d := range dialers {
		work.Go(func() {
			for i := d; i < n && faults[d] == nil; i += dialers {
				faults[d] = dial(addr, func(c *websocket.Conn) {
					mu.Lock()
					defer mu.Unlock()
					all = append(all, c)
				})
			}
		})
	}
	work.Wait()
	return func() {
		for _, c := range all {
			_ = c.Close()
		}
	}, errors.Join(faults...)
}

// idleReads counts the transactions on PostgreSQL that idle terminals cause: each statement
// outside of a transaction is one.
func (b *Bench) idleReads(ctx context.Context, n int) (err error) {
	s, err := b.open(ctx, "reads", stand.Config{Merchants: 1, Postgres: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	f, err := s.AddTerminals(ctx, n)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := rest(ctx, b.Rest); err != nil {
		return err
	}
	alone, err := b.transactions(ctx, s)
	if err != nil {
		return err
	}
	f.Connect()
	if err := await(ctx, connectedWithin, seldom, "every terminal is connected", func() bool { return f.Online() == n }); err != nil {
		return err
	}
	if err := rest(ctx, b.Rest); err != nil {
		return err
	}
	with, err := b.transactions(ctx, s)
	if err != nil {
		return err
	}
	b.plain(fmt.Sprintf("%d idle terminals", n), "statements on the database for them", "a second", report.Bound{AtMost: 1}, []float64{max(0, with-alone)})
	b.figure(fmt.Sprintf("%d idle terminals, the whole central", n), "%.1f statements on the database a second; %.1f without terminals", with, alone)
	return nil
}

// transactions is how many of them a second there are during a rest. PostgreSQL's processes
// tell their numbers every second, and those that are idle every ten.
func (b *Bench) transactions(ctx context.Context, s *stand.Stand) (float64, error) {
	db, _, err := s.Database()
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }()
	var counts [2]float64
	began := time.Now()
	for i := range counts {
		if i == 1 {
			if err := rest(ctx, b.Rest); err != nil {
				return 0, err
			}
		}
		if err := db.QueryRowContext(ctx, `SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()`).Scan(&counts[i]); err != nil {
			return 0, err
		}
	}
	return (counts[1] - counts[0]) / time.Since(began).Seconds(), nil
}
