//go:build linux

package works

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"galla/deploy/bench/host"
	"galla/deploy/bench/load"
	"galla/deploy/bench/peers"
	"galla/deploy/bench/report"
	"galla/deploy/bench/stand"
	"galla/shared/freeport"
)

// The numbers of connections at which withdrawals are measured.
const (
	few  = 32
	many = 256
)

// runSQLite compares withdrawals with the same rows written raw, and with one insert of
// PocketBase.
func runSQLite(ctx context.Context, b *Bench) (err error) {
	w, err := b.openWithdrawals(ctx, "sqlite", stand.Config{Merchants: merchants})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.stand.Close()) }()
	raw, err := newRawSQLite(ctx, b, w)
	if err != nil {
		return err
	}
	pocket, err := startPocketBase(ctx, b)
	if err != nil {
		return err
	}
	defer pocket.close()

	var sides []side
	for _, n := range []int{few, many} {
		sides = append(sides,
			side{fmt.Sprint("galla ", n), w.measure(n, b.Span)},
			side{fmt.Sprint("raw ", n), raw.measure(n, b.Span)},
			side{fmt.Sprint("pocketbase ", n), pocket.measure(n, b.Span)})
	}
	got, err := b.interleave(ctx, sides...)
	if err != nil {
		return err
	}
	for _, n := range []int{few, many} {
		work := fmt.Sprintf("withdrawal, SQLite, %d connections", n)
		ours, rawly, pocketed := got[fmt.Sprint("galla ", n)], got[fmt.Sprint("raw ", n)], got[fmt.Sprint("pocketbase ", n)]
		b.compare(work, "rate: ours / raw group commit of its rows", report.Bound{AtLeast: 0.70}, ours, rawly, rate)
		b.compare(work, "rate: a withdrawal / one insert of PocketBase", report.Bound{AtLeast: 1}, ours, pocketed, rate)
		b.compare(work, "processor for one: ours / raw", report.Bound{AtMost: 2.2}, ours, rawly, cpu)
		b.compare(work, "processor for one: a withdrawal / an insert of PocketBase", report.Bound{}, ours, pocketed, cpu)
		b.plain(work, "allocations for one", "", report.Bound{AtMost: 250}, values(ours, allocs))
		b.withdrawalFigures(work, ours)
		b.figure(work+", raw rows", "%.0f a second, %.2f ms of the processor each", middle(rawly, rate), middle(rawly, cpu)*1e3)
	}
	return nil
}

// withdrawalFigures adds what a withdrawal takes on this machine.
func (b *Bench) withdrawalFigures(work string, ours []sample) {
	b.figure(work, "%.0f a second, half within %.1f ms, 99 of 100 within %.1f ms; %.2f ms of the central's processor, %.0f allocations and %.0f KB each",
		middle(ours, rate), middle(ours, func(s sample) float64 { return s.half.Seconds() * 1e3 }), middle(ours, func(s sample) float64 { return s.p99.Seconds() * 1e3 }),
		middle(ours, cpu)*1e3, middle(ours, allocs), middle(ours, func(s sample) float64 { return s.bytes })/1e3)
}

// rawSQLite runs the raw program.
type rawSQLite struct {
	program, plan, database string
	next                    int64 // number of the next withdrawal
}

func newRawSQLite(ctx context.Context, b *Bench, w *withdrawals) (*rawSQLite, error) {
	program, err := b.Build(ctx, "./peers/rawsqlite")
	if err != nil {
		return nil, err
	}
	p, database, err := b.planRows(ctx, w)
	if err != nil {
		return nil, err
	}
	text, err := p.Encode()
	if err != nil {
		return nil, err
	}
	r := &rawSQLite{program: program, plan: b.folder("plan.json"), database: database, next: 1}
	return r, os.WriteFile(r.plan, text, 0o600)
}

func (r *rawSQLite) measure(callers int, span time.Duration) func(context.Context) (sample, error) {
	return func(ctx context.Context) (sample, error) {
		if _, err := r.run(ctx, callers, span/5); err != nil {
			return sample{}, err
		}
		return r.run(ctx, callers, span)
	}
}

func (r *rawSQLite) run(ctx context.Context, callers int, span time.Duration) (sample, error) {
	cmd := exec.CommandContext(ctx, r.program, "-plan", r.plan, "-database", r.database,
		"-callers", strconv.Itoa(callers), "-for", span.String(), "-first", strconv.FormatInt(r.next, 10))
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return sample{}, fmt.Errorf("the raw program: %w", err)
	}
	var result peers.Result
	if err := json.Unmarshal(text, &result); err != nil {
		return sample{}, fmt.Errorf("the raw program printed %q: %w", text, err)
	}
	if result.Done == 0 {
		return sample{}, errors.New("the raw program wrote nothing")
	}
	r.next = result.Next + 1
	return sample{rate: result.Rate(), cpu: result.CPU / time.Duration(result.Done)}, nil
}

// pocketBase is PocketBase in a process of its own.
type pocketBase struct {
	process *host.Process
	addr    string
	release func()
	number  atomic.Int64
}

// peerWait bounds the start of a peer.
const peerWait = time.Minute

func startPocketBase(ctx context.Context, b *Bench) (*pocketBase, error) {
	program, err := b.Build(ctx, "./peers/pocketbase")
	if err != nil {
		return nil, err
	}
	p := &pocketBase{}
	if p.addr, p.release, err = freeport.Take(); err != nil {
		return nil, err
	}
	if p.process, err = host.Start(exec.Command(program, "-data", b.folder("pocketbase"), "-addr", p.addr)); err != nil {
		p.release()
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, peerWait)
	defer cancel()
	err = p.process.Await(ctx, 20*time.Millisecond, func() error {
		resp, err := http.Get("http://" + p.addr + "/api/health")
		if err == nil {
			err = resp.Body.Close()
		}
		return err
	})
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *pocketBase) close() {
	p.process.Kill()
	p.release()
}

// insert is one record, with the main columns of a withdrawal.
const insert = `{"identity":"bench-` + load.Mark + `","merchant":"c0000000-0000-4000-8000-000000000001","aadhaar":"XXXXXXXX7058",` +
	`"bank":"990326","state":"succeeded","reference":"GL261121ABCDEFGHJK","amount":10000}`

func (p *pocketBase) measure(connections int, span time.Duration) func(context.Context) (sample, error) {
	plan := load.Plan{
		Addr: p.addr, Connections: connections,
		Next: func(int) load.Requests {
			return load.Numbered(load.Post(p.addr, "/api/collections/withdrawals/records", insert), &p.number)
		},
		Good: func(r *fasthttp.Response) bool { return r.StatusCode() == fasthttp.StatusOK },
	}
	return func(ctx context.Context) (sample, error) {
		plan.For = span / 5
		if err := load.Run(ctx, plan).Check(); err != nil {
			return sample{}, err
		}
		before, err := host.CPU(p.process.PID())
		if err != nil {
			return sample{}, err
		}
		plan.For = span
		r := load.Run(ctx, plan)
		if err := r.Check(); err != nil {
			return sample{}, err
		}
		after, err := host.CPU(p.process.PID())
		return sample{rate: r.Rate(), cpu: (after - before) / time.Duration(r.Done), half: r.Quantile(0.5), p99: r.Quantile(0.99)}, err
	}
}
