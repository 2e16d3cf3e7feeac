//go:build linux

package works

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/deploy/bench/report"
	"galla/deploy/bench/rows"
	"galla/deploy/bench/stand"
)

// underWay is how many operations are at the bank when the central crashes.
const underWay = 10_000

// crashes is how many rounds there are at most.
const crashes = 3

// fromHere is above the numbers of real withdrawals.
const fromHere = 1_000_000_000

// resolvedWithin bounds the time until all of them are resolved; the enquiries have a schedule.
const resolvedWithin = 5 * time.Minute

// runCrash kills a central, writes operations as they are while the bank has them, and starts
// it again. The bank then knows all of them.
func runCrash(ctx context.Context, b *Bench) error {
	for _, on := range []string{"SQLite", "PostgreSQL"} {
		if err := b.crash(ctx, on); err != nil {
			return fmt.Errorf("%s: %w", on, err)
		}
	}
	return nil
}

func (b *Bench) crash(ctx context.Context, on string) (err error) {
	s, err := b.open(ctx, "crash-"+on, stand.Config{Merchants: 2, Postgres: on == "PostgreSQL"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	w, err := newWithdrawals(ctx, s)
	if err != nil {
		return err
	}
	var ready, served, resolved []float64
	rounds := min(b.Rounds, crashes)
	for round := range rounds {
		// Each round has a plan of its own, so that its moments are recent.
		p, _, err := w.plan(ctx)
		if err != nil {
			return err
		}
		s.Kill()
		if err := write(ctx, s, p, int64(fromHere+round*underWay)); err != nil {
			return err
		}
		began := time.Now()
		if err := s.Start(ctx); err != nil {
			return err
		}
		ready = append(ready, time.Since(began).Seconds())
		if err := w.one(ctx); err != nil {
			return fmt.Errorf("the first withdrawal after the crash: %w", err)
		}
		served = append(served, time.Since(began).Seconds())
		if err := waitResolved(ctx, s); err != nil {
			return err
		}
		resolved = append(resolved, time.Since(began).Seconds())
		b.say("round %d of %d: ready after %.2f s, all resolved after %.1f s", round+1, rounds, ready[round], resolved[round])
	}
	work := fmt.Sprintf("a crash with %d operations under way, %s", underWay, on)
	b.plain(work, "from the start until it is ready", "s", report.Bound{AtMost: 1.5}, ready)
	b.plain(work, "from the start until a withdrawal is answered", "s", report.Bound{}, served)
	b.plain(work, "from the start until all are resolved", "s", report.Bound{}, resolved)
	return nil
}

// write writes the operations while the central is down.
func write(ctx context.Context, s *stand.Stand, p rows.Plan, first int64) error {
	db, _, err := s.Database()
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := p.Write(ctx, tx, 0, first, underWay); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// waitResolved waits until no operation is open.
func waitResolved(ctx context.Context, s *stand.Stand) error {
	db, _, err := s.Database()
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	var open int
	var fault error
	err = await(ctx, resolvedWithin, often, "all operations are resolved", func() bool {
		fault = db.QueryRowContext(ctx, `SELECT count(*) FROM operations WHERE finished_at IS NULL`).Scan(&open)
		return fault != nil || open == 0
	})
	return errors.Join(fault, err)
}
