package uplink

import (
	"cmp"
	"crypto/ed25519"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"galla/central"
	server "galla/central/uplink"
	client "galla/edge/uplink"
	"galla/shared/wire"
)

// restartVariable names the environment variable that says how many terminals
// TestCentralComesBack has.
const restartVariable = "GALLA_UPLINK_RESTART"

// slowDisk takes the time of a commit, in virtual time, and of each row in it.
type slowDisk struct {
	mu          sync.Mutex
	commit, row time.Duration
}

func (d *slowDisk) write(rows int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	time.Sleep(d.commit + time.Duration(rows)*d.row)
}

// quietCounter is a counter without a user. It remembers when it was welcomed.
type quietCounter struct {
	mu       sync.Mutex
	welcomed time.Time
}

func (c *quietCounter) Hello() (wire.Frame, error) { return wire.Frame{}, nil }
func (c *quietCounter) Disconnected(error)         {}
func (c *quietCounter) Receive(wire.Frame) error   { return nil }

func (c *quietCounter) Welcome(wire.Frame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.welcomed = time.Now()
	return nil
}

// backAfter is how long after a moment the counter was welcomed; negative: it was not.
func (c *quietCounter) backAfter(moment time.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.welcomed.Sub(moment)
}

// TestCentralComesBack: the real clients of many terminals find a central that was away
// for half a minute, whose disk is slow, within 10 s, and each is turned away twice at
// most, on average. The work of the disk is that of 10,000 terminals, however many there
// are.
func TestCentralComesBack(t *testing.T) {
	terminals, _ := strconv.Atoi(cmp.Or(os.Getenv(restartVariable), "500"))
	for name, away := range map[string]time.Duration{"a restart": time.Second, "half a minute": 30 * time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { centralComesBack(t, terminals, away) })
		})
	}
}

func centralComesBack(t *testing.T, terminals int, away time.Duration) {
	const row = 200 * time.Microsecond * 10_000 // of all terminals together
	n, d := newNetwork(), newFakeCentral(5)
	d.disk = &slowDisk{commit: 10 * time.Millisecond, row: row / time.Duration(terminals)}
	greetings := func(c *server.Config) { c.Greetings = max(1, server.DefaultGreetings*terminals/10_000) }
	s, stop := serve(t, n, d, greetings)
	counters := make([]*quietCounter, terminals)
	for i := range counters {
		public, private, err := ed25519.GenerateKey(nil)
		if err != nil {
			t.Fatal(err)
		}
		id := newID()
		d.enrol(central.TerminalID(id), public)
		counters[i] = &quietCounter{}
		line, err := client.New(client.Config{
			URL: "ws://127.0.0.1/uplink", TerminalID: string(id), Audience: audience, Key: private, Version: "test", DialContext: n.dial,
			Addresses: func() ([]net.Addr, error) { return nil, nil }, Rand: d, Logger: logger(),
		}, counters[i])
		if err != nil {
			t.Fatal(err)
		}
		start(t, line.Run)
	}
	all := func() bool { return s.Census().Connected == terminals }
	until(t, "all are connected", all)
	time.Sleep(time.Minute) // the connections count as good

	stop()
	n.breakAll(true)
	time.Sleep(away)
	n.breakAll(false)
	back := time.Now()
	s, stop = serve(t, n, d, greetings)
	until(t, "all are back", all)
	synctest.Wait()
	var after []time.Duration
	for _, c := range counters {
		after = append(after, c.backAfter(back))
	}
	slices.Sort(after)
	last, turned := after[terminals-1], s.Stats().TurnedAway
	t.Logf("away for %v: half of %d terminals are back after %v, 95 %% after %v, all after %v; %.2f were turned away for each", away, terminals,
		after[terminals/2], after[terminals*95/100], last, float64(turned)/float64(terminals))
	if after[0] < 0 || last > 10*time.Second {
		t.Errorf("the first is back after %v, the last after %v", after[0], last)
	}
	if turned > 2*int64(terminals) {
		t.Errorf("%d terminals were turned away %d times", terminals, turned)
	}
	stop()
}
