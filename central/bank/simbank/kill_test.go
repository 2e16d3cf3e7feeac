package simbank

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/central/bank"
	"galla/central/bank/network"
	"galla/central/bank/simbank/books"
	"galla/rdservice/rdcrypto"
	"galla/shared/money"
)

// childEnv holds the data folder of a bank that this test binary runs instead
// of its tests, to be killed; childNotifyEnv the address of the central that it tells.
const (
	childEnv       = "GALLA_SIMBANK_CHILD"
	childNotifyEnv = "GALLA_SIMBANK_CHILD_NOTIFY"
)

// child is a bank in a process of its own. It prints the network's address and the public
// one.
func child() {
	dir := os.Getenv(childEnv)
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	cert, key, err := rdcrypto.EnsureAuthority(filepath.Join(dir, "authority"), rand.Reader)
	fail(err)
	listen := func(context.Context) (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }
	listener, err := listen(context.Background())
	fail(err)
	public, err := listen(context.Background())
	fail(err)
	b, err := New(context.Background(), Config{
		DataDir: filepath.Join(dir, "bank"), NetworkKey: NetworkKey(), AuthorityKey: key, AuthorityCert: cert,
		ListenPublic:  func(context.Context) (net.Listener, error) { return public, nil },
		ListenNetwork: func(context.Context) (net.Listener, error) { return listener, nil },
		NotifyURL:     os.Getenv(childNotifyEnv), TimeScale: 0.01, Rand: rand.Reader, Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	fail(err)
	fmt.Println(listener.Addr(), public.Addr())
	fail(b.Run(context.Background()))
}

// startChild runs a child until it is killed, and gives the network's address and the
// public one.
func startChild(t *testing.T, dir string, env ...string) (address, public string, kill func()) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(append(os.Environ(), childEnv+"="+dir), env...)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = c.Process.Kill()
		_ = c.Wait() // it was killed, and says so
	})
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the bank did not start: %v", err)
	}
	address, public, _ = strings.Cut(strings.TrimSpace(line), " ")
	return address, public, kill
}

// report is what a caller knows of a reference.
type report struct {
	amount  money.Paise
	answer  central.BankAnswer
	notSent bool
	unknown bool
}

// TestKilledAtAnyMoment kills the bank with SIGKILL under load, again and
// again, and holds what callers were told against the books.
func TestKilledAtAnyMoment(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts and kills processes")
	}
	dir := t.TempDir()
	_, _, kill := startChild(t, dir)
	kill() // the first life made the authority
	cert, key, err := rdcrypto.EnsureAuthority(filepath.Join(dir, "authority"), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	kit := *TheKit()
	kit.Cert, kit.Key = cert, key

	var mu sync.Mutex
	all := map[central.Reference]*report{}
	const rounds, callers = 6, 4
	for round := range rounds {
		address, _, again := startChild(t, dir)
		kill = again
		c, err := bank.New(bank.Config{BaseURL: "http://" + address, Key: NetworkKey(), Timeout: 2 * time.Second, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var load sync.WaitGroup
		for caller := range callers {
			load.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					ref := central.Reference(fmt.Sprintf("K%d-%d-%d", round, caller, n))
					amount := money.Rupee + money.Paise([]int{0, 0, 93, 94, 98}[n%5])
					x := &report{amount: amount}
					ask, done := context.WithTimeout(ctx, 100*time.Millisecond) // .98 is silent
					answer, err := c.Send(ask, kit.withdrawal(t, ref, amount))
					done()
					x.answer, x.notSent, x.unknown = answer, central.NotSent(err), err != nil && !central.NotSent(err)
					mu.Lock()
					all[ref] = x
					mu.Unlock()
				}
			})
		}
		time.Sleep(time.Duration(120+67*round) * time.Millisecond)
		kill()
		cancel()
		load.Wait()
	}
	check(t, dir, &kit, all)
}

// withdrawal is a request with a fresh capture.
func (k *Kit) withdrawal(t testing.TB, ref central.Reference, amount money.Paise) central.BankRequest {
	const customer = "999971658847"
	return central.BankRequest{
		Reference: ref, STAN: "000001", Kind: central.KindWithdrawal, MID: "M1", TID: "T1", IIN: "607094", Amount: amount,
		Aadhaar: Aadhaar(t, customer), PidData: k.Capture(t, time.Now(), customer, rdcrypto.RightThumb), NotAfter: time.Now().Add(15 * time.Second),
	}
}

// check holds the books against what was told.
func check(t *testing.T, dir string, kit *Kit, all map[central.Reference]*report) {
	t.Helper()
	cfg, _, _ := NewTestConfig(t)
	cfg.DataDir, cfg.AuthorityCert, cfg.AuthorityKey, cfg.TimeScale = filepath.Join(dir, "bank"), kit.Cert, kit.Key, 0.01
	b := Open(t, cfg)
	for ref := range all {
		for a, err := b.Enquire(t.Context(), string(ref)); a.Status == network.Pending; a, err = b.Enquire(t.Context(), string(ref)) {
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond) // until it is due
		}
	}
	executions, err := b.Executions(t.Context(), books.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	booked := map[central.Reference]books.Execution{}
	balance := 80_000 * money.Rupee
	for _, e := range executions {
		if _, twice := booked[central.Reference(e.Reference)]; twice {
			t.Errorf("%s is in the books twice", e.Reference)
		}
		booked[central.Reference(e.Reference)] = e
		if e.Status == books.Executed {
			balance -= e.Amount
		}
	}
	got, err := b.Balance(t.Context(), Aadhaar(t, "999971658847"))
	if err != nil || got != balance {
		t.Errorf("balance %s, %v; the executions leave %s", got, err, balance)
	}
	counts := map[string]int{}
	for ref, x := range all {
		e, is := booked[ref]
		switch {
		case x.notSent && is:
			t.Errorf("%s was called not sent and is in the books: %+v", ref, e)
		case !x.unknown && !x.notSent && (!is || x.answer.Status == central.BankApproved && e.Status != books.Executed):
			t.Errorf("%s was told %+v and the books say %+v", ref, x.answer, e)
		case x.amount.Fraction() == 98 && is:
			t.Errorf("%s must never execute: %+v", ref, e)
		case x.amount.Fraction() == 93 && is && e.Status != books.Reversed:
			t.Errorf("%s was not reversed: %+v", ref, e)
		case !x.notSent:
			a, err := b.Enquire(t.Context(), string(ref))
			if err != nil || (a.Status == network.Success) != (e.Status == books.Executed) || a.Status == network.Pending {
				t.Errorf("enquiry for %s: %+v, %v; the books say %+v", ref, a, err, e)
			}
		}
		counts[fmt.Sprintf("told %v, not sent %v", x.answer.Status, x.notSent)]++
	}
	if trial, err := b.Trial(t.Context()); err != nil || trial.Debits != trial.Credits || trial.Debits != trial.Entries {
		t.Errorf("trial %+v, %v", trial, err)
	}
	if len(booked) == 0 {
		t.Error(errors.New("nothing was booked: the test tested nothing"))
	}
	t.Logf("%d references, %d in the books: %v", len(all), len(booked), counts)
}
