//go:build linux

package works

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"galla/deploy/bench/load"
	"galla/deploy/bench/rows"
	"galla/deploy/bench/stand"
)

// merchants is how many callers of the direct entrance there are: each may make 500 requests
// a second.
const merchants = 16

// withdrawals makes withdrawals at a stand.
type withdrawals struct {
	stand   *stand.Stand
	body    string
	tokens  []string
	renewed time.Time
	number  atomic.Int64
}

// tokenAge is when tokens are renewed; they live for 15 minutes.
const tokenAge = 8 * time.Minute

// openWithdrawals starts a central for withdrawals. The caller closes its stand.
func (b *Bench) openWithdrawals(ctx context.Context, name string, cfg stand.Config) (*withdrawals, error) {
	s, err := b.open(ctx, name, cfg)
	if err != nil {
		return nil, err
	}
	w, err := newWithdrawals(ctx, s)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return w, nil
}

// planRows is the plan of a withdrawal's rows, with the database that it was made of.
func (b *Bench) planRows(ctx context.Context, w *withdrawals) (rows.Plan, string, error) {
	p, database, err := w.plan(ctx)
	if err != nil {
		return p, "", fmt.Errorf("the rows of a withdrawal: %w", err)
	}
	b.say("the rows of a withdrawal:\n%s", p.Summary())
	return p, database, nil
}

func newWithdrawals(ctx context.Context, s *stand.Stand) (*withdrawals, error) {
	body, err := s.Withdrawal(ctx)
	if err != nil {
		return nil, err
	}
	return &withdrawals{stand: s, body: body}, nil
}

// requests are those of one caller.
func (w *withdrawals) requests(caller int) load.Requests {
	return load.Numbered(load.Post(w.stand.Direct, "/aeps/withdrawal", w.body,
		"Authorization", "Bearer "+w.tokens[caller%len(w.tokens)], "Idempotency-Key", "bench-"+load.Mark), &w.number)
}

func withdrawn(r *fasthttp.Response) bool {
	return r.StatusCode() == fasthttp.StatusOK && bytes.Contains(r.Body(), []byte(`"txnStatus":"SUCCESS"`))
}

// renew gets new tokens in time.
func (w *withdrawals) renew(ctx context.Context) (err error) {
	if time.Since(w.renewed) < tokenAge {
		return nil
	}
	w.tokens, err = w.stand.Tokens(ctx)
	w.renewed = time.Now()
	return err
}

// run makes withdrawals over so many connections for a while; each of them must succeed.
func (w *withdrawals) run(ctx context.Context, connections int, span time.Duration) (load.Result, error) {
	if err := w.renew(ctx); err != nil {
		return load.Result{}, err
	}
	r := load.Run(ctx, load.Plan{Addr: w.stand.Direct, Connections: connections, For: span, Next: w.requests, Good: withdrawn})
	return r, r.Check()
}

// one makes a single withdrawal.
func (w *withdrawals) one(ctx context.Context) error {
	next := w.requests(0)
	sent := false
	r := load.Run(ctx, load.Plan{Addr: w.stand.Direct, Connections: 1, Good: withdrawn, Next: func(int) load.Requests {
		return func() []byte {
			if sent {
				return nil
			}
			sent = true
			return next()
		}
	}})
	return r.Check()
}

// measure is a side: withdrawals with what they cost the central.
func (w *withdrawals) measure(connections int, span time.Duration) func(context.Context) (sample, error) {
	return sampled(w.stand.Usage, span, func(ctx context.Context, span time.Duration) (load.Result, error) {
		return w.run(ctx, connections, span)
	})
}

// sampled measures what calls cost the central. A fifth of the time before it is not counted.
func sampled(usage func() (stand.Usage, error), span time.Duration, run func(context.Context, time.Duration) (load.Result, error)) func(context.Context) (sample, error) {
	return func(ctx context.Context) (sample, error) {
		if _, err := run(ctx, span/5); err != nil {
			return sample{}, err
		}
		before, err := usage()
		if err != nil {
			return sample{}, err
		}
		r, err := run(ctx, span)
		if err != nil {
			return sample{}, err
		}
		after, err := usage()
		if err != nil {
			return sample{}, err
		}
		u, n := after.Sub(before), float64(r.Done)
		return sample{
			rate: r.Rate(), cpu: u.CPU / time.Duration(r.Done), allocs: u.Allocations / n, bytes: u.Bytes / n,
			half: r.Quantile(0.5), p99: r.Quantile(0.99),
		}, nil
	}
}

// heldWithin bounds how long a withdrawal takes to the bank.
const heldWithin = time.Minute

// observe watches the rows of one withdrawal.
func (w *withdrawals) observe(ctx context.Context, db rows.Querier, d rows.Dialect) (rows.Moments, error) {
	bank := w.stand.Bank
	ended := make(chan error, 1)
	begin := func() error {
		bank.Hold()
		go func() { ended <- w.one(ctx) }()
		return await(ctx, heldWithin, often, "a withdrawal comes to the bank", func() bool { return bank.Waiting() > 0 })
	}
	finish := func() error {
		bank.Release()
		return <-ended
	}
	return rows.Observe(ctx, db, d, begin, finish)
}

// plan finds out what a withdrawal writes and gives the name of a copy of the database for the
// raw program. A first withdrawal leaves behind what only a caller's first one does; then two
// are observed, since the central writes other things, too.
func (w *withdrawals) plan(ctx context.Context) (rows.Plan, string, error) {
	if err := w.renew(ctx); err != nil {
		return rows.Plan{}, "", err
	}
	if err := w.one(ctx); err != nil {
		return rows.Plan{}, "", err
	}
	name, raw, d, err := w.stand.CopyDatabase(ctx)
	if err != nil {
		return rows.Plan{}, "", fmt.Errorf("copy the database: %w", err)
	}
	defer func() { _ = raw.Close() }()
	db, _, err := w.stand.Database()
	if err != nil {
		return rows.Plan{}, "", err
	}
	defer func() { _ = db.Close() }()
	var observed []rows.Moments
	for range 2 {
		m, err := w.observe(ctx, db, d)
		if err != nil {
			return rows.Plan{}, "", err
		}
		observed = append([]rows.Moments{m}, observed...) // the last one first
	}
	tx, err := raw.BeginTx(ctx, nil)
	if err != nil {
		return rows.Plan{}, "", err
	}
	defer func() { _ = tx.Rollback() }()
	p, err := rows.NewPlan(ctx, tx, d, observed...)
	return p, name, err
}
