//go:build linux

// Command counter makes withdrawals at a counter, its real queue and rules behind a reader and
// a central that answer at once, and prints how long a press takes until it is durable,
// beside one sync of the same file system. A trace of its system calls (strace) shows the
// syncs of each withdrawal between its marks.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"galla/deploy/bench/peers"
	"galla/edge"
	"galla/edge/queue"
	"galla/shared/op"
	"galla/shared/secret"
	"galla/shared/wire"
)

func main() {
	folder := flag.String("folder", "", "an empty folder; a temporary one by default")
	n := flag.Int("n", 100, "withdrawals")
	flag.Parse()
	result, err := runIn(*folder, *n)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(result)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "counter:", err)
		os.Exit(1)
	}
}

// runIn leaves nothing behind where no folder was given.
func runIn(folder string, n int) (result peers.Presses, err error) {
	if folder != "" {
		return run(folder, n)
	}
	if folder, err = os.MkdirTemp("", "galla-counter-"); err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	return run(folder, n)
}

// pause is between two customers: the counter may do then what it does at rest.
const pause = 20 * time.Millisecond

// limit bounds one withdrawal.
const limit = time.Minute

func run(folder string, n int) (result peers.Presses, err error) {
	log := slog.New(slog.DiscardHandler)
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	q, _, err := queue.Open(queue.Config{Path: filepath.Join(folder, "queue.db"), Key: secret.NewKey(key), Rand: rand.Reader, Logger: log})
	if err != nil {
		return result, err
	}
	customer, err := secret.ParseAadhaar("999941057058")
	if err != nil {
		return result, err
	}
	c, err := edge.New(q, reader{}, edge.Config{
		Agent: "Fatima", AgentAadhaar: customer, Merchant: "Lakshmi Kirana Store", MerchantID: "m1", TID: "GAL00101",
		Latitude: "18.5204", Longitude: "73.8567", Rand: rand.Reader, Logger: log,
	})
	if err != nil {
		return result, err
	}
	l := &link{counter: c, frames: make(chan wire.Frame, 64)}
	c.SetLink(l)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	go l.answer(ctx)
	defer func() {
		stop()
		err = errors.Join(err, <-ended, q.Close())
	}()
	l.goOnline()
	return measure(ctx, c, customer, folder, n)
}

// measure makes the withdrawals, and a plain sync before each.
func measure(ctx context.Context, c *edge.Counter, customer secret.Aadhaar, folder string, n int) (peers.Presses, error) {
	var presses, syncs, whole []time.Duration
	file, err := os.Create(filepath.Join(folder, "plain"))
	if err != nil {
		return peers.Presses{}, err
	}
	defer func() { _ = file.Close() }()
	for range n {
		took, err := plainSync(file)
		if err != nil {
			return peers.Presses{}, err
		}
		syncs = append(syncs, took)
		press, all, err := withdraw(ctx, c, customer)
		if err != nil {
			return peers.Presses{}, err
		}
		presses, whole = append(presses, press), append(whole, all)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return peers.Presses{}, ctx.Err()
		}
	}
	return peers.Presses{Press: median(presses), Sync: median(syncs), Whole: median(whole)}, nil
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// plainSync writes one page in its place and syncs it.
func plainSync(f *os.File) (time.Duration, error) {
	var page [4096]byte
	_, _ = rand.Read(page[:])
	began := time.Now()
	_, err := f.WriteAt(page[:], 0)
	if err == nil {
		err = unix.Fdatasync(int(f.Fd()))
	}
	return time.Since(began), err
}

// mark is seen in a trace of system calls, and does nothing.
func mark(path string) { _ = unix.Access(path, unix.F_OK) }

// withdraw is one customer: the press, the finger, the bank's answer, the cash. It gives the
// time until the press is durable, and until the cash is recorded.
func withdraw(ctx context.Context, c *edge.Counter, customer secret.Aadhaar) (press, whole time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	mark(peers.MarkBegin)
	defer mark(peers.MarkEnd)
	began := time.Now()
	v, err := start(ctx, c, customer)
	if err != nil {
		return 0, 0, err
	}
	press = time.Since(began)
	if err := c.Capture(v.ID); err != nil {
		return 0, 0, fmt.Errorf("capture: %w", err)
	}
	if v, err = c.Await(ctx, v.ID); err != nil || v.State != op.Succeeded {
		return 0, 0, fmt.Errorf("a withdrawal is %s (%s): %w", v.State, v.Reason, err)
	}
	mark(peers.MarkAnswered)
	err = c.ConfirmCash(v.ID, edge.User{ID: edge.AgentID, Name: "Fatima"})
	return press, time.Since(began), err
}

// start presses; the first time the counter may still wait for what it asks the central for.
func start(ctx context.Context, c *edge.Counter, customer secret.Aadhaar) (edge.View, error) {
	for {
		v, err := c.Start(edge.Request{
			Route: op.Withdrawal, Aadhaar: customer, Customer: "Asha", IIN: "990326", Consent: "en-1",
			User: "Fatima", UserID: edge.AgentID, Amount: 500_00,
		})
		unmet, unknown := (*edge.PreconditionError)(nil), (*edge.ValidationError)(nil)
		if banks, _ := c.Banks(); !errors.As(err, &unmet) && !(errors.As(err, &unknown) && len(banks) == 0) {
			return v, err
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return v, errors.Join(ctx.Err(), err)
		}
	}
}

// reader always has a finger.
type reader struct{}

func (reader) State() edge.ReaderState { return edge.ReaderState{Status: "READY"} }

func (reader) Capture(context.Context) (edge.Capture, error) {
	return edge.Capture{PidData: secret.NewPidData("<PidData>" + strings.Repeat("A", 3000) + "</PidData>"), CapturedAt: time.Now(), Quality: 80}, nil
}

// link is an uplink whose central answers at once.
type link struct {
	counter *edge.Counter
	frames  chan wire.Frame

	mu sync.Mutex
	up bool
}

func (l *link) goOnline() {
	l.mu.Lock()
	l.up = true
	l.mu.Unlock()
	_ = l.counter.Welcome(wire.Frame{T: wire.TWelcome, Clock: time.Now().UnixMilli(), Window: 8}) // a failure shows in the first withdrawal
}

func (l *link) State() edge.LinkState {
	l.mu.Lock()
	defer l.mu.Unlock()
	return edge.LinkState{Online: l.up, Window: 8}
}

func (l *link) Send(f wire.Frame) error {
	if !l.State().Online {
		return edge.ErrOffline
	}
	l.frames <- f
	return nil
}

// answer plays the central, one frame at a time as the uplink does.
func (l *link) answer(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case f := <-l.frames:
			if f.T == wire.TOp {
				l.reply(f)
			}
		}
	}
}

func (l *link) reply(f wire.Frame) {
	data := `[]`
	switch f.Route {
	case op.Withdrawal:
		data = `{"ResponseCode":"00","STAN":"000042","RetailerReferenceNumber":"GL261121ABCDEFGHJK","ReferenceNo":"632510123456","AadharNo":"XXXXXXXX7058","Balance":"25000.00","txnStatus":"SUCCESS"}`
		_ = l.counter.Receive(wire.Frame{T: wire.TAccepted, ID: f.ID}) // a failure shows in the withdrawal
	case op.AuthStatus:
		data = fmt.Sprintf(`{"authenticated":true,"tid":"GAL00101","expiresAt":%q}`, time.Now().Add(72*time.Hour).UTC().Format(time.RFC3339))
	case op.Banks:
		data = `[{"iin":"990326","bankName":"Sandbox test bank"}]`
	}
	reply := `{"statusCode":"00","message":"Transaction successful","data":` + data + `}`
	_ = l.counter.Receive(wire.OutcomeFrame(f.ID, op.Outcome{State: op.Succeeded, HTTP: 200, Reply: []byte(reply)}))
}
