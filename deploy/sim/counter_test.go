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

// shop is what enrolment left at a counter, the same in every story.
type shop struct {
	title    string
	merchant central.MerchantID
	legal    string
	public   ed25519.PublicKey
	key      ed25519.PrivateKey
	sealKey  secret.Key
	terminal central.Terminal
}

// counter is one shop's daemon.
type counter struct {
	*part
	shop
	house *house
	place int
	disk  *disk
	skew  atomic.Int64 // the counter's clock minus the true time
	queue *queue.Queue

	mu     sync.Mutex
	open   *edge.Counter          // nil while the daemon is dead
	shown  map[op.ID]edge.Verdict // the last final verdict that a screen showed
	states map[op.ID]op.State     // of those
}

func (h *house) addCounter(place int, s shop) *counter {
	c := &counter{
		part: newPart(s.title), shop: s, house: h, place: place,
		shown: map[op.ID]edge.Verdict{}, states: map[op.ID]op.State{},
	}
	c.disk = &disk{name: s.title, tape: h.tape, luck: newChance(h.seed, "disk of "+s.title), died: func() { h.report(c.part) }}
	c.part.start, c.part.kill = c.start, c.kill
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

func (c *counter) offset() time.Duration { return time.Duration(c.skew.Load()) }

// now is the counter's clock. A clock that is set has no monotonic reading.
func (c *counter) now() time.Time { return time.Now().Round(0).Add(c.offset()) }

func (c *counter) start() error {
	h := c.house
	random := func(of string) *entropy { return newEntropy(h.seed, c.name+" "+of, c.lives) }
	q, report, err := queue.Open(queue.Config{Path: filepath.Join(h.dir, c.name+".db"), Key: c.sealKey, Rand: random("queue"), Now: c.now, Logger: h.log})
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	if len(report.Damaged) > 0 || len(report.NoBody) > 0 || report.SetAside != "" {
		return errors.Join(fmt.Errorf("%s: the queue was set aside: %+v", c.name, report), q.Close())
	}
	c.disk.boot()
	c.queue = q
	agent, err := secret.ParseAadhaar(customer) // the glass knows one finger
	if err != nil {
		return err
	}
	daemon, err := edge.New(drawer{q, c.disk}, &glass{keys: h.base.keys, aadhaar: customer, place: c.place, offset: c.offset, used: map[int64]int{}}, edge.Config{
		Agent: "Fatima", AgentAadhaar: agent, Merchant: c.legal, TID: c.terminal.TID, MerchantID: string(c.merchant),
		Latitude: "18.5204", Longitude: "73.8567",
		Now: c.now, Rand: random("daemon"), Logger: h.log,
	})
	if err != nil {
		return err
	}
	line, err := edgeuplink.New(edgeuplink.Config{
		URL: "ws://uplink/uplink", Plain: true, TerminalID: string(c.terminal.ID), Audience: audience, Key: c.key, Version: "sim",
		DialContext: h.network.dialer(c.name, uplinkNames[:len(h.offices)]...), OnChange: daemon.Changed, Now: c.now, Rand: random("line"), Logger: h.log,
		Addresses: func() ([]net.Addr, error) { return nil, nil },
	}, daemon)
	if err != nil {
		return err
	}
	daemon.Attach(line)
	c.setDaemon(daemon)
	h.run(c.part, c.disk.failing, daemon.Run, line.Run, func(ctx context.Context) error { return c.look(ctx, daemon) })
	return nil
}

// look is the screen: whenever the counter says that something may have
// changed, it shows the newest operations. What it showed as final may never be
// shown as anything else.
func (c *counter) look(ctx context.Context, daemon *edge.Counter) error {
	news, end := daemon.Watch()
	defer end()
	for {
		select {
		case <-news:
			time.Sleep(eyelid)
			c.show(daemon)
		case <-ctx.Done():
			return nil
		}
	}
}

// eyelid is how long a screen takes to look again.
const eyelid = 400 * time.Millisecond

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
			c.house.complain("%s: the screen showed operation %s as %s, and later as %s", c.name, v.ID, was, v.State)
		}
		if v.State.Final() {
			c.states[v.ID], c.shown[v.ID] = v.State, v.Verdict()
		}
	}
}

// kill is kill -9 of the counter's daemon.
func (c *counter) kill() error {
	c.setDaemon(nil)
	c.ending.Store(true)
	c.disk.die()
	c.queue.Abandon()
	c.house.network.sever(c.name)
	c.cancel()
	c.done.Wait()
	return nil
}

func (c *counter) stop() error {
	c.setDaemon(nil)
	c.ending.Store(true)
	c.cancel()
	c.done.Wait()
	return c.queue.Close()
}
