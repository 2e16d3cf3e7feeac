//go:build linux

package works

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"galla/deploy/bench/report"
	"galla/deploy/bench/rows"
	"galla/deploy/bench/stand"
)

// portion is how many withdrawals are written in one transaction of the filling.
const portion = 10_000

// history is how far back the operations of the filling go: less than the time after which
// the central archives them.
const history = 150 * 24 * time.Hour

// runGrowthOn returns a work that compares a central whose database has many operations with one
// whose database has none.
func runGrowthOn(database string) func(context.Context, *Bench) error {
	return func(ctx context.Context, b *Bench) error { return b.growth(ctx, database) }
}

func (b *Bench) growth(ctx context.Context, on string) (err error) {
	var sides []side
	pages := map[string]*console{}
	for _, name := range []string{"small", "grown"} {
		var w *withdrawals
		if w, err = b.openWithdrawals(ctx, "growth-"+on+"-"+name, stand.Config{Merchants: merchants, Postgres: on == "PostgreSQL"}); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, w.stand.Close()) }()
		if name == "grown" {
			if err := b.fill(ctx, w); err != nil {
				return fmt.Errorf("fill the database: %w", err)
			}
		}
		if pages[name], err = signIn(ctx, w.stand); err != nil {
			return fmt.Errorf("sign in at the console: %w", err)
		}
		sides = append(sides, side{name, w.measure(few, b.Span)})
	}
	got, err := b.interleave(ctx, sides...)
	if err != nil {
		return err
	}
	work := fmt.Sprintf("%d operations in the database, %s", b.Grow, on)
	b.compare(work, "rate of withdrawals: beside them / without", report.Bound{AtLeast: 0.9}, got["grown"], got["small"], rate)
	b.compare(work, "processor for one: beside them / without", report.Bound{AtMost: 1.1}, got["grown"], got["small"], cpu)
	b.withdrawalFigures(work, got["grown"])
	return b.comparePages(ctx, work, pages["grown"], pages["small"])
}

// fill writes the operations of some months into a central's database while the central is
// stopped.
func (b *Bench) fill(ctx context.Context, w *withdrawals) error {
	p, _, err := w.plan(ctx)
	if err != nil {
		return err
	}
	if err := w.stand.Stop(); err != nil {
		return err
	}
	began := time.Now()
	if err := w.stand.InTx(ctx, func(tx *sql.Tx, dialect rows.Dialect) error { return pastMonths(ctx, tx, dialect, began) }); err != nil {
		return err
	}
	for first := int64(fromHere); first < fromHere+b.Grow; first += portion {
		age := time.Duration(float64(history) * float64(fromHere+b.Grow-first) / float64(b.Grow))
		if err := fillPortion(ctx, w.stand, p.Earlier(age, began), first, min(portion, fromHere+b.Grow-first)); err != nil {
			return err
		}
		if done := first - fromHere + portion; done%(10*portion) == 0 {
			b.say("%d of %d operations after %s", done, b.Grow, time.Since(began).Round(time.Second))
		}
	}
	db, _, err := w.stand.Database()
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "ANALYZE")
	return errors.Join(err, db.Close(), w.stand.Start(ctx))
}

// pastMonths makes the partitions of the filling, where there are any.
func pastMonths(ctx context.Context, tx *sql.Tx, dialect rows.Dialect, now time.Time) error {
	if dialect != rows.PostgreSQL {
		return nil
	}
	first := now.Add(-history)
	months := int(history/(28*24*time.Hour)) + 1
	_, err := tx.ExecContext(ctx, "SELECT ensure_operation_months($1, $2)", first.UnixMilli(), months)
	return err
}

func fillPortion(ctx context.Context, s *stand.Stand, p rows.Plan, first, count int64) error {
	return s.InTx(ctx, func(tx *sql.Tx, dialect rows.Dialect) error {
		if dialect == rows.PostgreSQL {
			for _, text := range p.Fill(first, first+count-1) {
				if _, err := tx.ExecContext(ctx, text); err != nil {
					return fmt.Errorf("%.200s: %w", text, err)
				}
			}
			return nil
		}
		for commit := range p.Commits {
			if err := p.Write(ctx, tx, commit, first, count); err != nil {
				return err
			}
		}
		return nil
	})
}
