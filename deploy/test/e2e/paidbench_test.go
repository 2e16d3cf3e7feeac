//go:build linux

package e2e

import (
	"context"
	"crypto/ed25519"
	crand "crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/queue"
	"galla/edge/uplink"
	"galla/shared/freeport"
	"galla/shared/secret"
	frames "galla/shared/wire"
)

// The plan of BenchmarkPaid.
const (
	paidTerminals = 1000 // each the counter of a shop of its own
	paidCounters  = 100  // of them, real counters; the others only read their frames
	paidWait      = time.Minute
)

// BenchmarkPaid measures the time from the request with which a payer's phone pays at the
// bank until the counter of the shop has PAID on its disk and shows it: the bank books the
// payment and reports it, the central records it, and its event goes to the terminal. Bank
// and central are the real programs, with SQLite. All terminals have the counters' own client
// and are connected; a tenth of them are whole counters, each with a queue on this disk,
// and only these are measured: the disk of a thousand counters is not that of the central.
func BenchmarkPaid(b *testing.B) {
	if raceOn {
		b.Skip("the race detector takes most of what is measured here")
	}
	s := openPaidStand(b)
	for _, c := range []struct{ rate, payments int }{{1, 100}, {200, 8000}} {
		b.Run(fmt.Sprintf("%d-a-second", c.rate), func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				took = append(took, s.pay(b, c.rate, c.payments)...)
			}
			slices.Sort(took)
			ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
			b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
			b.ReportMetric(ms(took[len(took)*99/100]), "p99-ms")
			b.ReportMetric(ms(took[len(took)-1]), "max-ms")
			b.ReportMetric(float64(len(took)), "measured")
		})
	}
}

// paidStand is a bank, a central and the terminals.
type paidStand struct {
	dir   string
	at    map[string]string
	lines []*uplink.Client
	phone *http.Client

	mu    sync.Mutex
	next  int64                   // amount of the next payment, in paise: each has its own
	began map[int64]time.Time     // by amount
	done  map[int64]time.Duration // of those that real counters got
}

func openPaidStand(b *testing.B) *paidStand {
	b.Helper()
	s := &paidStand{
		dir: b.TempDir(), at: map[string]string{}, phone: &http.Client{Timeout: paidWait, Transport: &http.Transport{MaxIdleConnsPerHost: 256}},
		next: 1, began: map[int64]time.Time{}, done: map[int64]time.Duration{},
	}
	for _, name := range []string{"BANK", "BANK_NETWORK", "CENTRAL", "ADMIN", "UPLINK"} {
		s.at[name] = freeport.For(b)
	}
	s.run(b, "galla-bank", "http://"+s.at["BANK"]+"/books/trial", "GALLA_BANK_ADDR="+s.at["BANK"], "GALLA_BANK_NETWORK_ADDR="+s.at["BANK_NETWORK"],
		"GALLA_BANK_NOTIFY_URL=http://"+s.at["CENTRAL"])
	s.run(b, "galla-central", "http://"+s.at["ADMIN"]+"/readyz", "GALLA_CENTRAL_ADDR="+s.at["CENTRAL"], "GALLA_ADMIN_ADDR="+s.at["ADMIN"],
		"GALLA_UPLINK_ADDR="+s.at["UPLINK"], "GALLA_BANK_NETWORK_ADDR=http://"+s.at["BANK_NETWORK"])
	keys := s.addShops(b)
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	b.Cleanup(func() { stop(); running.Wait() })
	for n, key := range keys {
		var hears edge.Receiver = silentCounter{}
		if n < paidCounters {
			hears = s.openCounter(b, n)
		}
		line, err := uplink.New(uplink.Config{
			URL: "ws://" + s.at["UPLINK"] + "/uplink", TerminalID: paidTerminalID(n), Audience: "galla-uplink", Key: key, MaxBackoff: lineBackoff, Version: "bench",
			Addresses: func() ([]net.Addr, error) { return nil, nil }, Rand: crand.Reader, Logger: slog.New(slog.DiscardHandler),
		}, hears)
		must(b, err)
		if c, real := hears.(*paidCounter); real {
			c.SetLink(line)
			running.Go(func() {
				if err := c.run(ctx); err != nil {
					b.Errorf("counter %d: %v", n, err)
				}
			})
		}
		s.lines = append(s.lines, line)
		running.Go(func() { _ = line.Run(ctx) }) // it ends with its context
	}
	waitUntil(b, "every terminal is connected", paidWait, func() bool {
		return !slices.ContainsFunc(s.lines, func(l *uplink.Client) bool { return !l.State().Online })
	})
	s.pay(b, 50, paidCounters) // the first record of a queue makes its reserve
	return s
}

// run starts a program that ends with the benchmark.
func (s *paidStand) run(b *testing.B, program, ready string, env ...string) {
	b.Helper()
	log, err := os.Create(filepath.Join(s.dir, program+".log"))
	must(b, err)
	cmd := exec.Command(filepath.Join(shop.bin, program))
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GALLA_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(append(cmd.Env, "GALLA_SANDBOX=1", "GALLA_DATA="+s.dir), env...)
	cmd.Stderr = log
	must(b, launch(cmd))
	b.Cleanup(func() {
		if err := errors.Join(cmd.Process.Signal(syscall.SIGTERM), cmd.Wait(), log.Close()); err != nil {
			b.Errorf("the end of %s: %v", program, err)
		}
	})
	waitUntil(b, program+" is ready", startWait, func() bool {
		resp, err := s.phone.Get(ready)
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

func paidTerminalID(n int) string { return fmt.Sprintf("d0000000-0000-4000-8000-%012d", n) }
func paidShopID(n int) string     { return fmt.Sprintf("c0000000-0000-4000-8000-%012d", 1000+n) }
func paidVPA(n int) string        { return fmt.Sprintf("shop%d@galla", n) }

// addShops copies the sandbox's first merchant, and gives each shop a terminal with a key of
// its own.
func (s *paidStand) addShops(b *testing.B) (keys []ed25519.PrivateKey) {
	b.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(s.dir, "central", "central.db")+"?mode=rw&_busy_timeout=10000&_foreign_keys=1")
	must(b, err)
	defer db.Close()
	tx, err := db.Begin()
	must(b, err)
	for n := range paidTerminals {
		_, err := tx.Exec(`INSERT INTO merchants (id, mid, legal_name, vendor, status, active, has_info, aeps_ready, tid, mobile, vpa, mcc, created_at)
			SELECT ?, ?, ?, vendor, status, active, has_info, aeps_ready, ?, ?, ?, mcc, created_at FROM merchants WHERE mid = 'GAL0000001'`,
			paidShopID(n), fmt.Sprintf("GAL1%06d", n), fmt.Sprint("Shop ", n), fmt.Sprintf("GAL1%04d", n), fmt.Sprintf("98%08d", n), paidVPA(n))
		must(b, err)
		public, key, err := ed25519.GenerateKey(crand.Reader)
		must(b, err)
		_, err = tx.Exec(`INSERT INTO terminals (id, merchant, name, tid, public_key, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
			paidTerminalID(n), paidShopID(n), fmt.Sprint("counter ", n), fmt.Sprintf("B%07d", n), []byte(public), time.Now().UnixMilli())
		must(b, err)
		keys = append(keys, key)
	}
	_, err = tx.Exec(`INSERT INTO commission_slabs (id, vendor, aggregator, method_key, provider_key, type_key, payment_method, provider, txn_type, rate, rate_type, is_default, created_at, updated_at)
		SELECT '5eb00000-0000-4000-8000-000000000001', id, aggregator, 'UPI', 'NSDL', 'PAYMENT', 'UPI', 'NSDL', 'PAYMENT', 4500, 'PERCENTAGE', 1, 1, 1 FROM vendors WHERE id = 'b0000000-0000-4000-8000-000000000001'`)
	must(b, err)
	must(b, tx.Commit())
	return keys
}

// paidCounter is a counter that notes when a payment is on its disk.
type paidCounter struct {
	*edge.Counter
	queue *queue.Queue
	s     *paidStand
}

// Receive returns after the frame's fact is on disk.
func (c *paidCounter) Receive(f frames.Frame) error {
	err := c.Counter.Receive(f)
	if err != nil || f.T != frames.TEvent || f.Kind != frames.EventPayment {
		return err
	}
	p, err := frames.DecodePayment(f.Data)
	if err != nil || c.Payments(1)[0].ID != f.ID {
		return errors.Join(err, errors.New("a payment is not shown"))
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	c.s.done[int64(p.Amount)] = time.Since(c.s.began[int64(p.Amount)])
	return nil
}

// noReader is no fingerprint reader: nobody puts a finger on it.
type noReader struct{}

func (noReader) State() edge.ReaderState { return edge.ReaderState{Status: "READY"} }
func (noReader) Capture(context.Context) (edge.Capture, error) {
	return edge.Capture{}, errors.New("nobody is here")
}

// openCounter opens a counter over a queue of its own.
func (s *paidStand) openCounter(b *testing.B, n int) *paidCounter {
	b.Helper()
	key := make([]byte, 32)
	_, _ = crand.Read(key) // it never fails
	log := slog.New(slog.DiscardHandler)
	q, _, err := queue.Open(queue.Config{Path: filepath.Join(s.dir, "counters", fmt.Sprint(n), "queue.db"), Key: secret.NewKey(key), Rand: crand.Reader, Logger: log})
	must(b, err)
	agent, err := secret.ParseAadhaar(fatima)
	must(b, err)
	c, err := edge.New(q, noReader{}, edge.Config{
		Agent: "Fatima", AgentAadhaar: agent, Merchant: fmt.Sprint("Shop ", n), MerchantID: paidShopID(n), TID: fmt.Sprintf("B%07d", n),
		Latitude: "18.5204", Longitude: "73.8567", Rand: crand.Reader, Logger: log,
	})
	must(b, err)
	return &paidCounter{c, q, s}
}

// run runs the counter until ctx ends, and closes its queue.
func (c *paidCounter) run(ctx context.Context) error { return errors.Join(c.Run(ctx), c.queue.Close()) }

// pay makes payments at a rate, in turn to the shops with real counters if it is slow, and
// to all shops otherwise. It gives how long those took that real counters got.
func (s *paidStand) pay(b *testing.B, rate, payments int) []time.Duration {
	b.Helper()
	shops := paidTerminals
	if rate < 10 {
		shops = paidCounters
	}
	clock := time.NewTicker(time.Second / time.Duration(rate))
	defer clock.Stop()
	var paying sync.WaitGroup
	var mine []int64 // amounts of those that are measured
	for n := range payments {
		<-clock.C
		s.mu.Lock()
		amount := s.next
		s.next++
		s.began[amount] = time.Now()
		s.mu.Unlock()
		if n%shops < paidCounters {
			mine = append(mine, amount)
		}
		paying.Go(func() { s.payOnce(b, n%shops, amount) })
	}
	paying.Wait()
	var took []time.Duration
	waitUntil(b, fmt.Sprintf("%d payments are on the counters' disks", len(mine)), paidWait, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		took = took[:0]
		for _, amount := range mine {
			if d, ok := s.done[amount]; ok {
				took = append(took, d)
			}
		}
		return len(took) == len(mine)
	})
	return took
}

func (s *paidStand) payOnce(b *testing.B, shop int, paise int64) {
	body := fmt.Sprintf(`{"vpa":%q,"amount":"%d.%02d","order_id":"bill-%d"}`, paidVPA(shop), paise/100, paise%100, paise)
	resp, err := s.phone.Post("http://"+s.at["BANK"]+"/control/upi/pay", "application/json", strings.NewReader(body))
	if err != nil {
		b.Error(err)
		return
	}
	said, _ := io.ReadAll(resp.Body) // only for the message
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		b.Errorf("pay %s: HTTP %d %s", body, resp.StatusCode, said)
	}
}
