package uplink

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"galla/edge"
	"galla/shared/wire"
	"galla/shared/wsconn"
)

// Times of a connection; those of both ends are in package wsconn.
const (
	welcomeWait = 20 * time.Second // until the welcome begins: the central reads up to 1,000 operations
	leaveWait   = time.Second      // for the central to answer a close frame
	probeWait   = 10 * time.Second // for an echo after the network changed
	sendWait    = 2 * time.Second  // for Send, if the queue is full
)

// Times of a connection in use (Config.InUse): askAfter, answerWait and lookEvery together
// are below 8 s.
const (
	lookEvery  = 500 * time.Millisecond  // how often it is looked at
	askAfter   = 2500 * time.Millisecond // without a sign of life a ping is sent
	answerWait = 4 * time.Second         // for a sign of life after that ping
	// slowFactor gives a slow connection its own time: so many times what its last answer
	// took, if that is more than answerWait.
	slowFactor = 4
	// A ping waits behind a large message, such as the capture of a face: what was sent
	// beyond smallMessage gets its time at slowest.
	smallMessage = 16 << 10 // bytes
	slowest      = 2 << 10  // bytes a second
)

// queued limits the frames that wait for the writer: an enquiry for each unresolved
// operation after a welcome, and some more.
const queued = wire.MaxUnresolved + 64

// link is one websocket, from the upgrade to its end. It is never reused.
type link struct {
	client   *Client
	conn     *wsconn.Conn
	done     chan struct{} // the connection ends
	workers  sync.WaitGroup
	welcomed bool        // used by the reader only
	up       atomic.Bool // welcomed; before, the central reads what it has to answer

	once  sync.Once
	cause error // set before done is closed
}

func newLink(c *Client, ws *websocket.Conn) *link {
	l := &link{client: c, done: make(chan struct{})}
	l.conn = wsconn.New(ws, wsconn.Config{MaxMessage: wire.MaxFrame, CloseWait: leaveWait, Normal: queued, Fail: l.end})
	return l
}

// end ends the connection, with the close frame of its cause.
func (l *link) end(cause error) {
	l.once.Do(func() {
		l.cause = cause
		close(l.done)
		l.conn.End(closeFrame(cause))
	})
}

// closeFrame returns the code and reason of the close frame for a cause. Only what the
// central chose, or what is its fault or harmless, gets one.
func closeFrame(cause error) (code int, reason string) {
	var theirs *websocket.CloseError
	switch {
	case errors.As(cause, &theirs):
		return websocket.CloseNormalClosure, ""
	case errors.Is(cause, errStopped):
		return websocket.CloseGoingAway, "the counter's program stops"
	case errors.Is(cause, errProtocol):
		return websocket.CloseProtocolError, "a frame that the protocol does not allow"
	case errors.Is(cause, errReceiver), errors.Is(cause, errClockSet):
		return websocket.CloseNormalClosure, "the counter connects again"
	}
	return 0, ""
}

// run serves the connection. It calls the receiver from this goroutine only.
func (l *link) run(ctx context.Context) *failure {
	stop := context.AfterFunc(ctx, func() { l.end(errStopped) })
	defer stop()
	l.workers.Go(l.probeLoop)
	l.end(l.serve())
	if !l.peerClosed() {
		l.conn.Drain()
	}
	l.conn.EndRead()
	l.workers.Wait()
	t := failureFor(l.cause)
	if l.welcomed {
		l.client.detach()
		l.client.setOffline(t)
		_ = l.callReceiver("Disconnected", func() error { l.client.receiver.Disconnected(l.cause); return nil })
	}
	return t
}

// peerClosed reports whether the central sent a close frame: nothing comes after it.
func (l *link) peerClosed() bool {
	var theirs *websocket.CloseError
	return errors.As(l.cause, &theirs)
}

// serve sends the hello and receives frames until the connection ends.
func (l *link) serve() error {
	greeting, err := l.hello()
	if err != nil {
		return err
	}
	own, begun := l.client.cfg.Now(), time.Now()
	greeting.T, greeting.V, greeting.Terminal, greeting.Version = wire.THello, wire.Version, l.client.cfg.TerminalID, l.client.cfg.Version
	greeting.Clock = own.UnixMilli()
	hello, err := wire.Encode(greeting)
	if err != nil {
		return fmt.Errorf("%w: %w", errReceiver, err)
	}
	if err := l.enqueue(hello); err != nil {
		return err
	}
	f, err := l.readFrame(welcomeWait)
	if errors.Is(err, wsconn.ErrSilent) {
		return errNoWelcome
	}
	if err != nil {
		return err
	}
	if f.T != wire.TWelcome {
		return fmt.Errorf("%w: %s instead of a welcome", errProtocol, f.T)
	}
	l.welcome(f, own, time.Since(begun))
	if err := l.callReceiver("Welcome", func() error { return l.client.receiver.Welcome(f) }); err != nil {
		return err
	}
	for {
		if err := l.receive(); err != nil {
			return err
		}
	}
}

func (l *link) hello() (f wire.Frame, err error) {
	err = l.callReceiver("Hello", func() (err error) {
		f, err = l.client.receiver.Hello()
		return err
	})
	f.Unresolved = f.Unresolved[:min(len(f.Unresolved), wire.MaxUnresolved)] // the rest is asked for later
	return f, err
}

// welcome measures the clock's offset and reports the connection as online. The round
// trip is timed by the monotonic clock.
func (l *link) welcome(f wire.Frame, own time.Time, trip time.Duration) {
	c := l.client
	offset := time.UnixMilli(f.Clock).Sub(own.Add(trip / 2).Round(0))
	l.welcomed = true
	l.up.Store(true)
	l.conn.Established()
	c.setOnline(l, offset, clockCheck{own: own.Add(trip), at: time.Now()}, f.Window)
	c.log.Info("connected to the central", "offset", offset.Round(time.Millisecond),
		"roundTrip", trip.Round(time.Millisecond), "window", f.Window, "outcomes", len(f.Outcomes))
}

func (l *link) receive() error {
	f, err := l.readFrame(wsconn.Silence)
	if err != nil {
		return err
	}
	switch f.T {
	case wire.TAccepted, wire.TOutcome, wire.TUnseen, wire.TEvent:
	default:
		return fmt.Errorf("%w: %s from the central", errProtocol, f.T)
	}
	if err := l.callReceiver("Receive", func() error { return l.client.receiver.Receive(f) }); err != nil {
		return err
	}
	if f.T != wire.TEvent {
		return nil
	}
	seen, err := wire.Encode(wire.Frame{T: wire.TSeen, Cursor: f.Cursor})
	if err != nil {
		return fmt.Errorf("%w: %w", errProtocol, err)
	}
	return l.enqueue(seen)
}

// callReceiver calls the receiver. A panic there ends the connection, not the
// program.
func (l *link) callReceiver(name string, call func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			l.client.log.Error("a handler of uplink frames panicked", "call", name,
				"type", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
			err = fmt.Errorf("%w: %s panicked", errReceiver, name)
		}
	}()
	if err := call(); err != nil {
		return fmt.Errorf("%w: %w", errReceiver, err)
	}
	return nil
}

// enqueue sends a frame. If the queue is full, it waits for up to sendWait.
func (l *link) enqueue(data []byte) error {
	if l.conn.SendNormal(data) {
		return nil
	}
	timer := time.NewTimer(sendWait)
	defer timer.Stop()
	for {
		room := l.conn.Room()
		if l.conn.SendNormal(data) {
			return nil
		}
		select {
		case <-room:
		case <-l.done:
			return edge.ErrOffline
		case <-timer.C:
			l.end(errNoRoom)
			return edge.ErrOffline
		}
	}
}

// readFrame reads a frame, which must begin within wait.
func (l *link) readFrame(wait time.Duration) (wire.Frame, error) {
	data, err := l.conn.Read(wait)
	if errors.Is(err, wsconn.ErrBinary) || errors.Is(err, wsconn.ErrTooLarge) {
		return wire.Frame{}, fmt.Errorf("%w: %w", errProtocol, err)
	}
	if err != nil {
		return wire.Frame{}, err
	}
	f, err := wire.Decode(data)
	if err != nil {
		return wire.Frame{}, fmt.Errorf("%w: %w", errProtocol, err)
	}
	return f, nil
}

// probeLoop pings at intervals, sooner while the counter is in use, and after the network
// has changed, since the connection may be broken without notice. It also checks whether
// the clock was set.
func (l *link) probeLoop() {
	clock := time.NewTicker(wsconn.PingEvery)
	defer clock.Stop()
	var look <-chan time.Time // where nothing is in use, nothing is looked at
	if l.client.cfg.InUse != nil {
		ticker := time.NewTicker(lookEvery)
		defer ticker.Stop()
		look = ticker.C
	}
	var use useProbe
	var heard int64
	var echo <-chan time.Time // when the answer is due
	for {
		select {
		case <-l.done:
			return
		case <-clock.C:
			l.conn.Ping()
			_ = l.client.State()
		case now := <-look:
			ping, dead := use.look(now, l.conn.Arrived(), l.conn.Sent(), l.up.Load() && l.client.cfg.InUse())
			if dead {
				l.end(wsconn.ErrSilent)
			} else if ping {
				l.conn.Ping()
			}
		case <-l.client.wake:
			heard, echo = l.conn.Heard(), time.After(probeWait)
			l.conn.Ping()
		case <-echo:
			if l.conn.Heard() == heard {
				l.end(errNoEcho)
			}
		}
	}
}
