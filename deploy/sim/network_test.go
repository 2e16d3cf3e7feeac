package sim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// weather is what the network does to connections. Chances are of 1000.
type weather struct {
	refuse   int           // a dial is refused
	cut      int           // a write ends the connection, before or after it arrived
	silence  int           // a write arrives nowhere, and nothing after it, in silence
	late     int           // a request breaks for its sender, and arrives many seconds later all the same
	maxDelay time.Duration // before a write arrives
}

// network joins the parts of one story, in memory.
type network struct {
	mu        sync.Mutex
	rand      *rand.Rand
	weather   weather
	listeners map[string]*listener
	conns     map[*conn]struct{}
}

func newNetwork(r *rand.Rand) *network {
	return &network{rand: r, listeners: map[string]*listener{}, conns: map[*conn]struct{}{}}
}

// chance draws from the story's randomness.
func (n *network) chance(of1000 int) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.rand.IntN(1000) < of1000
}

func (n *network) delay() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.weather.maxDelay == 0 {
		return 0
	}
	return time.Duration(n.rand.Int64N(int64(n.weather.maxDelay)))
}

func (n *network) now() weather {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.weather
}

func (n *network) setWeather(w weather) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.weather = w
}

// errRefused is what a dial meets where nobody listens.
var errRefused = &net.OpError{Op: "dial", Net: "mem", Err: errors.New("connection refused")}

type listener struct {
	network *network
	name    string
	accept  chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

// listen opens a name; a name that is open is taken over.
func (n *network) listen(name string) *listener {
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

// dialer gives the dial function of one part; all its connections end when the
// part crashes.
func (n *network) dialer(from, to string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		n.mu.Lock()
		l := n.listeners[to]
		n.mu.Unlock()
		if l == nil || n.chance(n.now().refuse) {
			return nil, errRefused
		}
		near, far := net.Pipe()
		a := &conn{Conn: near, network: n, ends: [2]string{from, to}, other: far, sender: true}
		b := &conn{Conn: far, network: n, ends: [2]string{from, to}, other: near}
		select {
		case l.accept <- b:
		case <-l.closed:
			return nil, errRefused
		case <-ctx.Done():
			return nil, fmt.Errorf("dial %s: %w", to, ctx.Err())
		}
		n.mu.Lock()
		n.conns[a], n.conns[b] = struct{}{}, struct{}{}
		n.mu.Unlock()
		return a, nil
	}
}

// sever ends every connection of a part, as its death does.
func (n *network) sever(part string) {
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

// conn is one end of a connection, at the mercy of the weather.
type conn struct {
	net.Conn
	network *network
	ends    [2]string
	other   net.Conn
	sender  bool // the end that dialled

	mu     sync.Mutex
	silent bool
	held   *bytes.Buffer // what arrives late; nil: nothing is held up
}

// Times of a late request: its sender meets the break soon, and it arrives
// while the bank may still start it, or after that.
const (
	lateBreak = 300 * time.Millisecond
	lateMin   = 3 * time.Second
	lateMax   = 20 * time.Second
	lateRest  = 2 * time.Second // for the reply, which nobody reads
)

// hold keeps a write back, if the connection is late or becomes it.
func (c *conn) hold(p []byte, become bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held == nil && !become {
		return false
	}
	if c.held == nil {
		c.held = &bytes.Buffer{}
		go c.deliverLate(lateMin + time.Duration(c.network.draw(int(lateMax-lateMin))))
	}
	c.held.Write(p)
	return true
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
	silent := c.silent
	c.mu.Unlock()
	if silent {
		return len(p), nil // it looks well from here
	}
	if c.hold(p, c.ends[1] == nameNetwork && c.sender && c.network.chance(w.late)) {
		return len(p), nil
	}
	if d := c.network.delay(); d > 0 {
		time.Sleep(d)
	}
	switch {
	case c.network.chance(w.silence):
		c.mu.Lock()
		c.silent = true
		c.mu.Unlock()
		return len(p), nil
	case c.network.chance(w.cut):
		n := 0
		if len(p) > 1 && c.network.chance(500) { // a part of it, or all, arrived
			n, _ = c.Conn.Write(p[:c.network.draw(len(p)+1)])
		}
		_ = c.Close()
		return n, io.ErrClosedPipe
	}
	return c.Conn.Write(p)
}

func (n *network) draw(below int) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.rand.IntN(below)
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

// cut ends the connections of a part that goes on living.
func (n *network) cut(part string) {
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
