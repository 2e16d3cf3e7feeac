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

// weather is what the network does to connections. Chances are of 1000.
type weather struct {
	refuse   int           // a dial is refused
	cut      int           // a write ends the connection, before or after it arrived
	silence  int           // a write arrives nowhere, and nothing after it, in silence
	late     int           // what is sent breaks for its sender, and arrives many seconds later all the same
	twice    int           // a frame of the uplink arrives twice
	swapped  int           // a frame of the uplink arrives after the next one
	short    int           // a frame of the uplink loses its end, and the line goes on
	lies     int           // a request to the bank goes through the hands of the middleman
	maxDelay time.Duration // before a write arrives
}

// ether joins the parts of one story, in memory.
type ether struct {
	seed uint64
	tape *tape

	mu        sync.Mutex
	weather   weather
	listeners map[string]*listener
	conns     map[*conn]struct{}
	dialled   map[string]uint64 // so far, by both names
	heard     []*recording      // of uplink connections, the latest last
}

// recording is what a counter said on one connection.
type recording struct{ bytes []byte }

// Bounds of the recordings that are kept to be played again.
const (
	maxRecordings = 8
	maxRecording  = 64 << 10
)

func newEther(seed uint64, t *tape) *ether {
	return &ether{seed: seed, tape: t, listeners: map[string]*listener{}, conns: map[*conn]struct{}{}, dialled: map[string]uint64{}}
}

func (n *ether) now() weather {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.weather
}

func (n *ether) setWeather(w weather) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.weather = w
}

// errRefused is what a dial meets where nobody listens.
var errRefused = &net.OpError{Op: "dial", Net: "mem", Err: errors.New("connection refused")}

type listener struct {
	network *ether
	name    string
	accept  chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

// listen opens a name; a name that is open is taken over.
func (n *ether) listen(name string) *listener {
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

// dialer gives the dial function of one part; all its connections end when the
// part crashes. Of several names each dial takes one, as a balancer does.
func (n *ether) dialer(from string, to ...string) dial {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		n.mu.Lock()
		n.dialled[from+" "+to[0]]++
		ordinal := n.dialled[from+" "+to[0]]
		w := n.weather
		n.mu.Unlock()
		luck := newChance(n.seed, from+" "+to[0], ordinal)
		name := to[luck.below(len(to))]
		refused := luck.of1000(w.refuse)
		if name == nameNetwork && luck.of1000(w.lies) {
			name = nameMiddleman
		}
		// A way of its own length, so that hardly two things happen in one moment.
		time.Sleep(luck.between(20*time.Microsecond, time.Millisecond))
		n.mu.Lock()
		l := n.listeners[name]
		n.mu.Unlock()
		if l == nil || refused {
			return nil, errRefused
		}
		return n.join(ctx, from, l, luck, ordinal)
	}
}

// join makes a connection to a listener.
func (n *ether) join(ctx context.Context, from string, l *listener, luck *chance, ordinal uint64) (net.Conn, error) {
	near, far := net.Pipe()
	a := &conn{Conn: near, network: n, ends: [2]string{from, l.name}, other: far, sender: true, luck: luck}
	b := &conn{Conn: far, network: n, ends: [2]string{from, l.name}, other: near, luck: newChance(n.seed, l.name+" answers "+from, ordinal)}
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

// sever ends every connection of a part, as its death does.
func (n *ether) sever(part string) {
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
		_ = c.breakOff()
	}
}

// cut ends the connections of a part that goes on living.
func (n *ether) cut(part string) {
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

// replay says again to a listener what a counter once said to it or to
// another: the nth newest recording. It reports whether there was one.
func (n *ether) replay(nth int, to string) bool {
	n.mu.Lock()
	l := n.listeners[to]
	if l == nil || len(n.heard) == 0 {
		n.mu.Unlock()
		return false
	}
	said := bytes.Clone(n.heard[len(n.heard)-1-nth%len(n.heard)].bytes)
	n.dialled["replay"]++
	ordinal := n.dialled["replay"]
	n.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c, err := n.join(ctx, "replay", l, newChance(n.seed, "replay", ordinal), ordinal)
	if err != nil {
		return false
	}
	defer func() { _ = c.(*conn).breakOff() }()
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

// record keeps what a counter says, to be played again.
func (n *ether) record(c *conn, p []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if c.said == nil {
		c.said = &recording{}
		if len(n.heard) == maxRecordings {
			n.heard = n.heard[1:]
		}
		n.heard = append(n.heard, c.said)
	}
	if len(c.said.bytes) < maxRecording {
		c.said.bytes = append(c.said.bytes, p...)
	}
}

// conn is one end of a connection, at the mercy of the weather.
type conn struct {
	net.Conn
	network *ether
	ends    [2]string
	other   net.Conn
	sender  bool // the end that dialled
	uplink  bool
	luck    *chance
	said    *recording // of a counter; nil before its first word

	mu     sync.Mutex
	wrote  bool
	silent bool
	held   *bytes.Buffer // what arrives late; nil: nothing is held up
	passed []byte        // a frame that the next one overtakes
}

// Times of a late request: its sender meets the break soon, and it arrives
// while the bank may still start it, or after that.
const (
	lateBreak = 300 * time.Millisecond
	lateMin   = 3 * time.Second
	lateMax   = 20 * time.Second
	lateRest  = 2 * time.Second // for the reply, which nobody reads
)

// lateness is the chance that a write is held up: what a counter says once it
// has been let in, and what the bank is asked.
func (c *conn) lateness(w weather, first bool) int {
	switch {
	case c.ends[1] == nameNetwork:
		return w.late
	case c.uplink && !first:
		return w.late / 5
	}
	return 0
}

// hold keeps a write back, if the connection is late or becomes it; begun: with
// this write.
func (c *conn) hold(p []byte, become bool) (late, begun bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held == nil && !become {
		return false, false
	}
	begun = c.held == nil
	if begun {
		c.held = &bytes.Buffer{}
		go c.deliverLate(c.luck.between(lateMin, lateMax))
	}
	c.held.Write(p)
	return true, begun
}

func (c *conn) deliverLate(after time.Duration) {
	time.Sleep(lateBreak)
	_ = c.Conn.SetReadDeadline(time.Now()) // the sender meets a broken connection
	time.Sleep(after)
	c.mu.Lock()
	request := bytes.Clone(c.held.Bytes())
	c.mu.Unlock()
	_ = c.Conn.SetWriteDeadline(time.Now().Add(lateRest))
	_, _ = c.Conn.Write(request)
	_ = c.Conn.SetReadDeadline(time.Now().Add(lateRest))
	_, _ = io.Copy(io.Discard, c.Conn)
	_ = c.breakOff()
}

func (c *conn) Write(p []byte) (int, error) {
	w := c.network.now()
	c.mu.Lock()
	silent, first := c.silent, !c.wrote
	c.wrote = true
	c.mu.Unlock()
	if silent {
		return len(p), nil // it looks well from here
	}
	if late, begun := c.hold(p, c.sender && c.luck.of1000(c.lateness(w, first))); late {
		c.network.tape.count("requests delivered late", begun && !c.uplink)
		c.network.tape.count("frames delivered late", begun && c.uplink)
		return len(p), nil
	}
	time.Sleep(c.luck.between(10*time.Microsecond, 200*time.Microsecond+w.maxDelay))
	switch {
	case c.luck.of1000(w.silence):
		c.mu.Lock()
		c.silent = true
		c.mu.Unlock()
		c.network.tape.count("peers fallen silent", true)
		return len(p), nil
	case c.luck.of1000(w.cut):
		n := 0
		if len(p) > 1 && c.luck.of1000(500) { // a part of it, or all, arrived
			n, _ = c.Conn.Write(p[:c.luck.below(len(p)+1)])
		}
		_ = c.Close()
		c.network.tape.count("cuts", true)
		return n, io.ErrClosedPipe
	}
	if !c.uplink || first { // what comes first is the handshake
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

// writeFrame writes what the websocket's ends write in one piece: one frame.
func (c *conn) writeFrame(w weather, p []byte) (int, error) {
	c.mu.Lock()
	passed := c.passed
	c.passed = nil
	if passed == nil && c.luck.of1000(w.swapped) {
		c.passed = bytes.Clone(p)
		c.mu.Unlock()
		c.network.tape.count("frames swapped", true)
		return len(p), nil
	}
	c.mu.Unlock()
	out := p
	switch {
	case c.luck.of1000(w.twice):
		out = append(bytes.Clone(p), p...)
		c.network.tape.count("frames doubled", true)
	case c.luck.of1000(w.short):
		out = p[:c.luck.below(len(p))]
		c.network.tape.count("frames cut short", true)
	}
	if _, err := c.Conn.Write(append(bytes.Clone(out), passed...)); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (c *conn) Close() error {
	c.mu.Lock()
	late := c.held != nil
	c.mu.Unlock()
	if late {
		return nil // what was sent is on its way
	}
	return c.breakOff()
}

func (c *conn) breakOff() error {
	c.network.mu.Lock()
	delete(c.network.conns, c)
	c.network.mu.Unlock()
	return errors.Join(c.Conn.Close(), c.other.Close())
}
