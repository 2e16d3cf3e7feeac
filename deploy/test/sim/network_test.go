package sim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// netFaults is what the network does to connections. Chances are of 1000.
type netFaults struct {
	refuse            int           // a dial is refused
	cut               int           // a write ends the connection, before or after it arrived
	silence           int           // a write arrives nowhere, and nothing after it, without an error
	deliverLate       int           // a write fails for its sender, and arrives many seconds later all the same
	duplicate         int           // a frame of the uplink arrives twice
	reorder           int           // a frame of the uplink arrives after the next one
	truncate          int           // a frame of the uplink is truncated, and the connection continues
	throughFaultyBank int           // a request to the bank passes through the faulty proxy
	maxDelay          time.Duration // before a write arrives
}

// memNetwork connects the parts of one story, in memory.
type memNetwork struct {
	seed  uint64
	trace *trace

	mu         sync.Mutex
	faults     netFaults
	listeners  map[string]*listener
	conns      map[*conn]struct{}
	dialCount  map[string]uint64 // so far, by both names
	recordings []*recording      // of uplink connections, the latest last
}

// recording is what a counter sent on one connection.
type recording struct{ bytes []byte }

// Bounds of the recordings that are kept for replay.
const (
	maxRecordings = 8
	maxRecording  = 64 << 10
)

func newMemNetwork(seed uint64, t *trace) *memNetwork {
	return &memNetwork{seed: seed, trace: t, listeners: map[string]*listener{}, conns: map[*conn]struct{}{}, dialCount: map[string]uint64{}}
}

func (n *memNetwork) now() netFaults {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.faults
}

func (n *memNetwork) setFaults(w netFaults) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.faults = w
}

// errRefused is the error of a dial to a name that nobody listens on.
var errRefused = &net.OpError{Op: "dial", Net: "mem", Err: errors.New("connection refused")}

type listener struct {
	network *memNetwork
	name    string
	accept  chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

// listen opens a name; a name that is open is taken over.
func (n *memNetwork) listen(name string) *listener {
	l := &listener{network: n, name: name, accept: make(chan net.Conn), closed: make(chan struct{})}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.listeners[name] = l
	return l
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accept:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

type address string

func (a address) Network() string { return "mem" }
func (a address) String() string  { return string(a) }

func (l *listener) Addr() net.Addr { return address(l.name) }

// dial is a function that dials for one part.
type dial = func(ctx context.Context, network, addr string) (net.Conn, error)

// dialer gives the dial function of one part; all its connections end when the part
// crashes. Of several names each dial takes one, as a load balancer does.
func (n *memNetwork) dialer(from string, to ...string) dial {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		n.mu.Lock()
		n.dialCount[from+" "+to[0]]++
		ordinal := n.dialCount[from+" "+to[0]]
		w := n.faults
		n.mu.Unlock()
		luck := newRNG(n.seed, from+" "+to[0], ordinal)
		name := to[luck.below(len(to))]
		refused := luck.perMille(w.refuse)
		if name == nameNetwork && luck.perMille(w.throughFaultyBank) {
			name = nameFaultyBank
		}
		// A delay of its own, so that two things rarely happen in one moment.
		time.Sleep(luck.between(20*time.Microsecond, time.Millisecond))
		n.mu.Lock()
		l := n.listeners[name]
		n.mu.Unlock()
		if l == nil || refused {
			return nil, errRefused
		}
		return n.connect(ctx, from, l, luck, ordinal)
	}
}

// connect makes a connection to a listener.
func (n *memNetwork) connect(ctx context.Context, from string, l *listener, luck *rng, ordinal uint64) (net.Conn, error) {
	near, far := net.Pipe()
	a := &conn{Conn: near, network: n, ends: [2]string{from, l.name}, other: far, sender: true, rng: luck}
	b := &conn{Conn: far, network: n, ends: [2]string{from, l.name}, other: near, rng: newRNG(n.seed, l.name+" answers "+from, ordinal)}
	a.uplink, b.uplink = isUplink(l.name), isUplink(l.name)
	select {
	case l.accept <- b:
	case <-l.closed:
		return nil, errRefused
	case <-ctx.Done():
		return nil, fmt.Errorf("dial %s: %w", l.name, ctx.Err())
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns[a], n.conns[b] = struct{}{}, struct{}{}
	return a, nil
}

// disconnectPart ends every connection of a part, as the end of its process does.
func (n *memNetwork) disconnectPart(part string) {
	n.mu.Lock()
	var gone []*conn
	for c := range n.conns {
		if c.ends[0] == part || c.ends[1] == part {
			gone = append(gone, c)
		}
	}
	if l := n.listeners[part]; l != nil {
		delete(n.listeners, part)
		_ = l.Close()
	}
	n.mu.Unlock()
	for _, c := range gone {
		_ = c.reset()
	}
}

// cutConns ends the connections of a part that keeps running.
func (n *memNetwork) cutConns(part string) {
	n.mu.Lock()
	var gone []*conn
	for c := range n.conns {
		if c.ends[0] == part {
			gone = append(gone, c)
		}
	}
	n.mu.Unlock()
	for _, c := range gone {
		_ = c.Close()
	}
}

// replay sends to a listener again what a counter once sent to it or to another: the
// nth newest recording. It reports whether there was one.
func (n *memNetwork) replay(nth int, to string) bool {
	n.mu.Lock()
	l := n.listeners[to]
	if l == nil || len(n.recordings) == 0 {
		n.mu.Unlock()
		return false
	}
	said := bytes.Clone(n.recordings[len(n.recordings)-1-nth%len(n.recordings)].bytes)
	n.dialCount["replay"]++
	ordinal := n.dialCount["replay"]
	n.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c, err := n.connect(ctx, "replay", l, newRNG(n.seed, "replay", ordinal), ordinal)
	if err != nil {
		return false
	}
	defer func() { _ = c.(*conn).reset() }()
	_ = c.SetDeadline(time.Now().Add(lateRest))
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		_, _ = io.Copy(io.Discard, c)
	}()
	_, _ = c.(*conn).Conn.Write(said)
	<-heard
	return true
}

// record keeps what a counter sends, for replay.
func (n *memNetwork) record(c *conn, p []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if c.recorded == nil {
		c.recorded = &recording{}
		if len(n.recordings) == maxRecordings {
			n.recordings = n.recordings[1:]
		}
		n.recordings = append(n.recordings, c.recorded)
	}
	if len(c.recorded.bytes) < maxRecording {
		c.recorded.bytes = append(c.recorded.bytes, p...)
	}
}

// conn is one end of a connection, subject to the network's faults.
type conn struct {
	net.Conn
	network  *memNetwork
	ends     [2]string
	other    net.Conn
	sender   bool // the end that dialled
	uplink   bool
	rng      *rng
	recorded *recording // of a counter; nil before its first byte

	mu        sync.Mutex
	wrote     bool
	silent    bool
	delayed   *bytes.Buffer // what arrives late; nil: nothing is delayed
	overtaken []byte        // a frame that the next one overtakes
}

// Times of a late request: its sender sees the error soon, and it arrives while the
// bank may still execute it, or after that.
const (
	lateBreak = 300 * time.Millisecond
	lateMin   = 3 * time.Second
	lateMax   = 20 * time.Second
	lateRest  = 2 * time.Second // for the reply, which nobody reads
)

// delayChance is the chance that a write is delayed: a counter's frames after its
// admission, and requests to the bank.
func (c *conn) delayChance(w netFaults, first bool) int {
	switch {
	case c.ends[1] == nameNetwork:
		return w.deliverLate
	case c.uplink && !first:
		return w.deliverLate / 5
	}
	return 0
}

// delay holds a write back, if the connection is late or becomes late; begun: with this
// write.
func (c *conn) delay(p []byte, become bool) (late, begun bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.delayed == nil && !become {
		return false, false
	}
	begun = c.delayed == nil
	if begun {
		c.delayed = &bytes.Buffer{}
		go c.deliverLate(c.rng.between(lateMin, lateMax))
	}
	c.delayed.Write(p)
	return true, begun
}

func (c *conn) deliverLate(after time.Duration) {
	time.Sleep(lateBreak)
	_ = c.Conn.SetReadDeadline(time.Now()) // the sender sees a broken connection
	time.Sleep(after)
	c.mu.Lock()
	request := bytes.Clone(c.delayed.Bytes())
	c.mu.Unlock()
	_ = c.Conn.SetWriteDeadline(time.Now().Add(lateRest))
	_, _ = c.Conn.Write(request)
	_ = c.Conn.SetReadDeadline(time.Now().Add(lateRest))
	_, _ = io.Copy(io.Discard, c.Conn)
	_ = c.reset()
}

func (c *conn) Write(p []byte) (int, error) {
	w := c.network.now()
	c.mu.Lock()
	silent, first := c.silent, !c.wrote
	c.wrote = true
	c.mu.Unlock()
	// A central writes a request in one piece.
	kept := !first && c.sender && c.ends[1] == nameNetwork && c.ends[0] != nameFaultyBank
	c.network.trace.countEvent("requests on kept connections", kept)
	if silent {
		return len(p), nil // it looks sent from here
	}
	if late, begun := c.delay(p, c.sender && c.rng.perMille(c.delayChance(w, first))); late {
		c.network.trace.countEvent("requests delivered late", begun && !c.uplink)
		c.network.trace.countEvent("frames delivered late", begun && c.uplink)
		return len(p), nil
	}
	time.Sleep(c.rng.between(10*time.Microsecond, 200*time.Microsecond+w.maxDelay))
	switch {
	case c.rng.perMille(w.silence):
		c.mu.Lock()
		c.silent = true
		c.mu.Unlock()
		c.network.trace.countEvent("peers fallen silent", true)
		return len(p), nil
	case c.rng.perMille(w.cut):
		n := 0
		if len(p) > 1 && c.rng.perMille(500) { // a part of it, or all, arrived
			n, _ = c.Conn.Write(p[:c.rng.below(len(p)+1)])
		}
		_ = c.Close()
		c.network.trace.countEvent("cuts", true)
		c.network.trace.countEvent("cuts of kept connections", kept)
		return n, io.ErrClosedPipe
	}
	if !c.uplink || first { // the handshake comes first
		if c.uplink && c.sender {
			c.network.record(c, p)
		}
		return c.Conn.Write(p)
	}
	if c.sender {
		c.network.record(c, p)
	}
	return c.writeFrame(w, p)
}

// writeFrame writes what the websocket writes at once: one frame.
func (c *conn) writeFrame(w netFaults, p []byte) (int, error) {
	c.mu.Lock()
	passed := c.overtaken
	c.overtaken = nil
	if passed == nil && c.rng.perMille(w.reorder) {
		c.overtaken = bytes.Clone(p)
		c.mu.Unlock()
		c.network.trace.countEvent("frames swapped", true)
		return len(p), nil
	}
	c.mu.Unlock()
	out := p
	switch {
	case c.rng.perMille(w.duplicate):
		out = append(bytes.Clone(p), p...)
		c.network.trace.countEvent("frames doubled", true)
	case c.rng.perMille(w.truncate):
		out = p[:c.rng.below(len(p))]
		c.network.trace.countEvent("frames cut short", true)
	}
	if _, err := c.Conn.Write(append(bytes.Clone(out), passed...)); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (c *conn) Close() error {
	c.mu.Lock()
	late := c.delayed != nil
	c.mu.Unlock()
	if late {
		return nil // what was sent is on its way
	}
	return c.reset()
}

func (c *conn) reset() error {
	c.network.mu.Lock()
	delete(c.network.conns, c)
	c.network.mu.Unlock()
	return errors.Join(c.Conn.Close(), c.other.Close())
}
