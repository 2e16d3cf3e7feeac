package store

import (
	"bufio"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/central/store/pgtest"
	"galla/shared/money"
	"galla/shared/op"
)

// Environment of the child process: the database's place, and where its ids
// begin.
const (
	crashChild = "GALLA_STORE_CRASH_CHILD"
	crashIDs   = "GALLA_STORE_CRASH_IDS"
)

// life is the way of an operation in the crash test, in order.
var life = []op.State{op.Received, op.Sent, op.Pending, op.Reversed}

// crashQuotas are what an operation of the crash test counts for; no bound is
// ever reached.
func crashQuotas(o central.Operation) []central.Quota {
	return []central.Quota{{Key: "all", Period: "2026-11", Amount: o.Amount}, {Key: "some " + string(o.ID[len(o.ID)-1:]), Period: "2026-11-21", Amount: 1}}
}

// crashKey is the key of the messages that ask for operations.
var crashKey = func() central.VendorKey {
	k := newVendorKey(vendor1, 77)
	k.ID = "crash"
	return k
}()

// crashMessage is the message that asks for an operation.
func crashMessage(id op.ID) *central.SealedMessage {
	return &central.SealedMessage{Key: crashKey.ID, IV: central.IV([]byte(id[24:])), Expires: t0.Add(time.Hour)}
}

// auditMessages holds the spent messages against the operations.
func auditMessages(t *testing.T, s *DB, acknowledged map[op.ID]op.State) {
	t.Helper()
	for id := range acknowledged {
		m := crashMessage(id)
		if spent, err := s.IVSpent(background, m.Key, m.IV); err != nil || !spent {
			t.Errorf("the message of operation %s is spent: %t, %v", id, spent, err)
		}
	}
	var operations, messages int
	wantErr(t, "count", s.read(background, func(c conn) error {
		return errors.Join(c.one(`SELECT count(*) FROM operations`, nil, &operations), c.one(`SELECT count(*) FROM gateway_messages`, nil, &messages))
	}), nil)
	wantSame(t, "spent messages", messages, operations)
}

// auditQuotas holds every count against the operations that count for it: those
// that were begun, until they end without success.
func auditQuotas(t *testing.T, s *DB) {
	t.Helper()
	type used map[string]central.Used
	usage, reserved, live := used{}, used{}, used{}
	add := func(u used, key string, n int, amount money.Paise) {
		u[key] = central.Used{Count: u[key].Count + n, Sum: u[key].Sum + amount}
		if u[key] == (central.Used{}) {
			delete(u, key)
		}
	}
	wantErr(t, "read counts", s.read(background, func(c conn) error {
		read := func(into used, statement string) error {
			return c.Each(statement, nil, func(row row) error {
				var key string
				var n int
				var amount money.Paise
				err := row.Scan(&key, &n, &amount)
				add(into, key, n, amount)
				return err
			})
		}
		clear(usage)
		clear(reserved)
		clear(live)
		operations, err := c.operations(`SELECT ` + operationColumns + ` FROM operations WHERE finished_at IS NULL OR state = 'succeeded'`)
		for _, o := range operations {
			for _, q := range crashQuotas(o) {
				add(live, q.Key, 1, q.Amount)
			}
		}
		return errors.Join(err, read(usage, `SELECT key, count, sum FROM quota_usage`),
			read(reserved, `SELECT key, count(*), CAST(sum(amount) AS BIGINT) FROM reservations GROUP BY key`))
	}), nil)
	if !maps.Equal(usage, live) || !maps.Equal(reserved, live) {
		t.Errorf("quotas: used %v, reserved %v, and the operations count for %v", usage, reserved, live)
	}
}

// writeUntilKilled is the child: many callers write, and each acknowledged
// step is a line on the standard output.
func writeUntilKilled(place string) {
	s, err := openPlace(place, testConfig())
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	fail(err)
	var base int64
	_, err = fmt.Sscan(os.Getenv(crashIDs), &base)
	fail(err)
	serial.Store(base)
	for range 16 {
		go func() {
			for {
				o := newOperation()
				for _, state := range life {
					var err error
					if state == op.Received {
						o.Message = crashMessage(o.ID)
						_, _, err = s.Create(background, o, crashQuotas(o))
					} else {
						err = step(s, o.ID, state)
					}
					fail(err)
					_, err = os.Stdout.WriteString(string(o.ID) + " " + string(state) + "\n")
					fail(err)
				}
			}
		}()
	}
	select {}
}

// TestKill9 kills a process that writes, at a random moment, several times on
// one database, and looks for everything that it had acknowledged.
func TestKill9(t *testing.T) { onBoth(t, kill9) }

func kill9(t *testing.T, on kind) {
	if testing.Short() {
		t.Skip("-short: starts and kills processes")
	}
	place := on.seeded(t)
	s := openAt(t, place, testConfig())
	wantErr(t, "add a key", errors.Join(s.AddVendorKey(background, crashKey), s.Close()), nil)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	acknowledged := map[op.ID]op.State{}
	for round := range 3 {
		collect(t, acknowledged, place, round, 1+random.IntN(300))
		t.Logf("round %d", round)
		s := openAt(t, place, testConfig())
		on.settled(t, s)
		auditSteps(t, s, acknowledged)
		auditMessages(t, s, acknowledged)
		auditQuotas(t, s)
		on.audit(t, s)
		wantErr(t, "close", s.Close(), nil)
	}
	t.Logf("%d operations were acknowledged by three processes", len(acknowledged))
}

// settled waits until the server has done with a process that is gone.
func (k kind) settled(t *testing.T, s *DB) {
	t.Helper()
	if k == onSQLite {
		return
	}
	for busy := 1; busy > 0; time.Sleep(10 * time.Millisecond) {
		wantErr(t, "count transactions", s.read(background, func(c conn) error {
			return c.one(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`, nil, &busy)
		}), nil)
	}
}

// audit looks whether the database is whole in itself.
func (k kind) audit(t *testing.T, s *DB) {
	t.Helper()
	check, want := "PRAGMA integrity_check", "ok"
	if k == onPostgres {
		check, want = `SELECT CAST(count(*) AS TEXT) FROM operations AS o FULL JOIN operation_names AS n ON o.id = n.id AND o.created_at = n.created_at
			AND o.reference = n.reference AND o.pending_reference IS NOT DISTINCT FROM n.pending_reference WHERE o.id IS NULL OR n.id IS NULL`, "0"
	}
	var verdict string
	wantErr(t, "check the database", s.read(background, func(c conn) error { return c.one(check, nil, &verdict) }), nil)
	if verdict != want {
		t.Errorf("the database is damaged: %s", verdict)
	}
}

// auditSteps looks for what was acknowledged, and whether each step was taken
// once.
func auditSteps(t *testing.T, s *DB, acknowledged map[op.ID]op.State) {
	t.Helper()
	for id, state := range acknowledged {
		o, err := s.Operation(background, id)
		if err != nil {
			t.Fatalf("an acknowledged operation: %v", err)
		}
		if rank(o.State) < rank(state) {
			t.Errorf("operation %s is %s and was acknowledged as %s", id, o.State, state)
		}
		steps, err := s.History(background, id)
		if err != nil || len(steps) != rank(o.State)+1 {
			t.Errorf("operation %s is %s with %d steps: %v", id, o.State, len(steps), err)
		}
	}
}

// TestKillPostgres kills the server under those who write, and starts it again:
// each change that was acknowledged is there, once.
func TestKillPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts and kills processes")
	}
	folder, err := os.MkdirTemp("", "galla-kill")
	wantErr(t, "make a folder", err, nil)
	defer os.RemoveAll(folder)
	server, err := pgtest.Start(folder, pgtest.Options{Durable: true})
	wantErr(t, "start a server", err, nil)
	defer server.Kill()
	s := openAt(t, server.URL("postgres"), testConfig())
	wantErr(t, "seed", s.Seed(background, testSeed()), nil)
	wantErr(t, "add a key", s.AddVendorKey(background, crashKey), nil)

	acknowledged, steps, failed := map[op.ID]op.State{}, 0, 0
	var mu sync.Mutex
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 16 {
		wg.Go(func() {
			for {
				o := newOperation()
				for _, state := range life {
					select {
					case <-stop:
						return
					default:
					}
					var err error
					if state == op.Received {
						o.Message = crashMessage(o.ID)
						_, _, err = s.Create(background, o, crashQuotas(o))
					} else {
						err = step(s, o.ID, state)
					}
					mu.Lock()
					if err == nil {
						acknowledged[o.ID] = state
						steps++
					} else {
						failed++
					}
					mu.Unlock()
					if err != nil {
						break // its result is not known
					}
				}
			}
		})
	}
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return steps
	}
	for range 3 {
		for enough := count() + 20 + rand.IntN(100); count() < enough; {
			time.Sleep(time.Millisecond)
		}
		server.Kill()
		wantErr(t, "start it again", server.Run(), nil)
	}
	close(stop)
	wg.Wait()
	auditSteps(t, s, acknowledged)
	auditMessages(t, s, acknowledged)
	auditQuotas(t, s)
	onPostgres.audit(t, s)
	t.Logf("%d steps of %d operations were acknowledged over three deaths of the server, and %d calls failed", steps, len(acknowledged), failed)
}

func rank(state op.State) int {
	for i, s := range life {
		if s == state {
			return i
		}
	}
	return -1
}

// collect runs a child until it has acknowledged so many steps, kills it, and
// notes what else it had acknowledged by then.
func collect(t *testing.T, acknowledged map[op.ID]op.State, place string, round, enough int) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), crashChild+"="+place, fmt.Sprintf("%s=%d", crashIDs, (round+1)*1_000_000))
	var complaint strings.Builder
	child.Stderr = &complaint
	output, err := child.StdoutPipe()
	wantErr(t, "make a pipe", err, nil)
	wantErr(t, "start a child", child.Start(), nil)
	lines := bufio.NewScanner(output)
	for n := 0; lines.Scan(); n++ {
		if n == enough {
			wantErr(t, "kill the child", child.Process.Kill(), nil)
		}
		id, state, ok := strings.Cut(lines.Text(), " ")
		if !ok || rank(op.State(state)) < 0 {
			continue // cut off by the kill
		}
		acknowledged[op.ID(id)] = op.State(state)
	}
	err = child.Wait()
	if child.ProcessState.ExitCode() != -1 {
		slog.Error("a child ended by itself", "error", err, "stderr", complaint.String())
		t.Fatalf("round %d: the child was not killed but ended by itself: %v: %s", round, err, complaint.String())
	}
}
