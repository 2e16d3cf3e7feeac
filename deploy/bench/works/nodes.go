//go:build linux

package works

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"galla/deploy/bench/load"
	"galla/deploy/bench/report"
	"galla/deploy/bench/stand"
)

// farNumbers is where the second node's numbers begin: above all of the first.
const farNumbers = 100_000_000_000

// runNodes compares two nodes on one database with one. They share this machine's processors
// with each other, so that the ratio shows what nodes cost each other, not what a second
// machine would give.
func runNodes(ctx context.Context, b *Bench) (err error) {
	s, err := b.open(ctx, "nodes", stand.Config{Merchants: merchants, Postgres: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	other, err := s.Second(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, other.Close()) }()
	var both pair
	for i, at := range []*stand.Stand{s, other} {
		if both[i], err = newWithdrawals(ctx, at); err != nil {
			return err
		}
	}
	both[1].number.Store(farNumbers)
	var sides []side
	for _, n := range []int{few, many} {
		sides = append(sides,
			side{fmt.Sprint("one ", n), both[0].measure(n, b.Span)},
			side{fmt.Sprint("two ", n), both.measure(n, b.Span)})
	}
	got, err := b.interleave(ctx, sides...)
	if err != nil {
		return err
	}
	for _, n := range []int{few, many} {
		work := fmt.Sprintf("withdrawal, PostgreSQL, two nodes, %d connections", n)
		one, two := got[fmt.Sprint("one ", n)], got[fmt.Sprint("two ", n)]
		b.compare(work, "rate: two nodes / one", report.Bound{}, two, one, rate)
		b.compare(work, "processor for one: two nodes / one", report.Bound{}, two, one, cpu)
		b.withdrawalFigures(work, two)
	}
	return nil
}

// pair makes withdrawals at two nodes at the same time, half of them at each.
type pair [2]*withdrawals

func (p pair) measure(connections int, span time.Duration) func(context.Context) (sample, error) {
	return sampled(p.usage, span, func(ctx context.Context, span time.Duration) (load.Result, error) {
		var results [2]load.Result
		var faults [2]error
		var work sync.WaitGroup
		for i, w := range p {
			work.Go(func() { results[i], faults[i] = w.run(ctx, connections/2, span) })
		}
		work.Wait()
		return results[0].And(results[1]), errors.Join(faults[:]...)
	})
}

// usage is what both nodes have used.
func (p pair) usage() (stand.Usage, error) {
	first, err := p[0].stand.Usage()
	if err != nil {
		return stand.Usage{}, err
	}
	second, err := p[1].stand.Usage()
	return first.Add(second), err
}
