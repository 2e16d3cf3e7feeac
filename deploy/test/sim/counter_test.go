package sim

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"galla/central"
	"galla/edge"
	"galla/edge/queue"
	edgeuplink "galla/edge/uplink"
	"galla/shared/op"
	"galla/shared/secret"
)

// shop is what the enrolment stored at a counter, the same in every story.
type shop struct {
	title    string
	merchant central.MerchantID
	legal    string
	vpa      string // where it is paid by UPI
	public   ed25519.PublicKey
	key      ed25519.PrivateKey
	sealKey  secret.Key
	terminal central.Terminal
}

// counter is one shop's daemon.
type counter struct {
	*process
	shop
	system      *system
	place       int
	disk        *disk
	clockOffset atomic.Int64 // the counter's clock minus the true time
	queue       *queue.Queue

	mu        sync.Mutex
	open      *edge.Counter          // nil while the daemon is dead
	lastShown map[op.ID]edge.Verdict // the last final outcome that a screen showed
	states    map[op.ID]op.State     // of those
}

func (h *system) addCounter(place int, s shop) *counter {
	c := &counter{
		process: newProcess(s.title), shop: s, system: h, place: place,
		lastShown: map[op.ID]edge.Verdict{}, states: map[op.ID]op.State{},
	}
	c.disk = &disk{name: s.title, trace: h.trace, rng: newRNG(h.seed, "disk of "+s.title), onCrash: func() { h.needsRestart(c.process) }}
	c.process.start, c.process.kill = c.start, c.kill
	h.counters = append(h.counters, c)
	return c
}

func (c *counter) daemon() *edge.Counter {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open
}

func (c *counter) setDaemon(d *edge.Counter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = d
}

func (c *counter) offset() time.Duration { return time.Duration(c.clockOffset.Load()) }

// now is the counter's clock. A clock that was set has no monotonic reading.
func (c *counter) now() time.Time { return time.Now().Round(0).Add(c.offset()) }

func (c *counter) start() error {
	h := c.system
	random := func(of string) *seededReader { return newSeededReader(h.seed, c.name+" "+of, c.starts) }
	q, report, err := queue.Open(queue.Config{Path: filepath.Join(h.dir, c.name+".db"), Key: c.sealKey, Rand: random("queue"), Now: c.now, Logger: h.log})
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	if len(report.Damaged) > 0 || len(report.LostBodies) > 0 || report.SetAside != "" {
		return errors.Join(fmt.Errorf("%s: the queue was set aside: %+v", c.name, report), q.Close())
	}
	c.disk.restart()
	c.queue = q
	agent, err := secret.ParseAadhaar(customer) // the reader knows one finger
	if err != nil {
		return err
	}
	daemon, err := edge.New(faultyQueue{q, c.disk}, &fakeReader{keys: h.snapshot.keys, aadhaar: customer, place: c.place, offset: c.offset, captureCounts: map[int64]int{}}, edge.Config{
		Agent: "Fatima", AgentAadhaar: agent, Merchant: c.legal, TID: c.terminal.TID, MerchantID: string(c.merchant),
		Latitude: "18.5204", Longitude: "73.8567",
		Now: c.now, Rand: random("daemon"), Logger: h.log,
	})
	if err != nil {
		return err
	}
	line, err := edgeuplink.New(edgeuplink.Config{
		URL: "ws://uplink/uplink", Plain: true, TerminalID: string(c.terminal.ID), Audience: audience, Key: c.key, Version: "sim",
		DialContext: h.network.dialer(c.name, uplinkNames[:len(h.nodes)]...), OnChange: daemon.Notify, Now: c.now, Rand: random("line"), Logger: h.log,
		Addresses: func() ([]net.Addr, error) { return nil, nil },
	}, daemon)
	if err != nil {
		return err
	}
	daemon.SetLink(line)
	c.setDaemon(daemon)
	h.run(c.process, c.disk.failing, daemon.Run, line.Run, func(ctx context.Context) error { return c.watchScreen(ctx, daemon) })
	return nil
}

// watchScreen is the screen: whenever the counter reports a possible change, it shows
// the newest operations. What it showed as final must never be shown as anything else.
func (c *counter) watchScreen(ctx context.Context, daemon *edge.Counter) error {
	news, end := daemon.Subscribe()
	defer end()
	for {
		select {
		case <-news:
			time.Sleep(screenDelay)
			c.show(daemon)
		case <-ctx.Done():
			return nil
		}
	}
}

// screenDelay is how long a screen takes to read again.
const screenDelay = 400 * time.Millisecond

// shownAtOnce is how many operations a page shows.
const shownAtOnce = 12

func (c *counter) show(daemon *edge.Counter) {
	views, err := daemon.Recent("", shownAtOnce)
	if err != nil {
		return // the page says so
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, v := range views {
		if was, ok := c.states[v.ID]; ok && was != v.State {
			c.system.violation("%s: the screen showed operation %s as %s, and later as %s", c.name, v.ID, was, v.State)
		}
		if v.State.Final() {
			c.states[v.ID], c.lastShown[v.ID] = v.State, v.Verdict()
		}
	}
}

// kill is kill -9 of the counter's daemon.
func (c *counter) kill() error {
	c.setDaemon(nil)
	c.stopping.Store(true)
	c.disk.die()
	c.queue.Kill()
	c.system.network.disconnectPart(c.name)
	c.cancel()
	c.done.Wait()
	return nil
}

func (c *counter) stop() error {
	c.setDaemon(nil)
	c.stopping.Store(true)
	c.cancel()
	c.done.Wait()
	return c.queue.Close()
}
