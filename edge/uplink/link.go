package uplink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"galla/edge"
	"galla/shared/op"
	"galla/shared/wire"
)

// Times of a line (uplink.md).
const (
	pingEvery   = 20 * time.Second
	silence     = 45 * time.Second // nothing heard for so long: the line is dead
	welcomeWait = 20 * time.Second // for the welcome to begin: the central looks up to 1,000 operations up
	frameWait   = 3 * time.Minute  // for one frame on the way, as long as it moves
	writeStall  = 30 * time.Second // for the peer to take something of what is written
	leaveWait   = time.Second      // for the peer to answer a close frame
	probeWait   = 10 * time.Second // for an echo after the network changed
	sendWait    = 2 * time.Second  // for Send, where the line is full
)

const (
	// queued bounds the frames that wait for the writer: a question for each
	// unresolved operation after a welcome, and some.
	queued = wire.MaxUnresolved + 64
	// chunk is written or read between two looks at the clock, in bytes.
	chunk = 4 << 10
)

// link is one websocket, from the upgrade to its end. It is never used again.
type link struct {
	client *Client
	ws     *websocket.Conn
	out    chan []byte
	pong   chan string   // the latest ping's payload
	done   chan struct{} // the line ends
	gone   chan struct{} // the reader has ended
	writer sync.WaitGroup
	heard  atomic.Int64 // signs of life so far

	once  sync.Once
	cause error // set before done is closed

	// Of the writer only: what had been heard when a probe was sent, and when
	// its echo is due.
	probed int64
	echo   <-chan time.Time

	// Of the reader only.
	welcomed bool
	deadline time.Time
}

func newLink(c *Client, ws *websocket.Conn) *link {
	l := &link{
		client: c, ws: ws, out: make(chan []byte, queued), pong: make(chan string, 1),
		done: make(chan struct{}), gone: make(chan struct{}),
	}
	ws.SetReadLimit(wire.MaxFrame)
	ws.SetPingHandler(l.pinged)
	ws.SetPongHandler(func(string) error { return l.alive() })
	ws.SetCloseHandler(func(int, string) error { return nil }) // the writer answers
	return l
}

// end ends the line, once.
func (l *link) end(cause error) {
	l.once.Do(func() {
		l.cause = cause
		close(l.done)
	})
}

// run serves the line. It calls the receiver from this goroutine only.
func (l *link) run(ctx context.Context) *trouble {
	stop := context.AfterFunc(ctx, func() { l.end(errStopped) })
	defer stop()
	// The writer closes the socket at the end, so it runs from the start.
	l.writer.Go(l.write)
	l.end(l.converse())
	if !l.left() {
		l.drain()
	}
	close(l.gone)
	stuck := time.AfterFunc(leaveWait, func() { _ = l.ws.Close() }) // a writer whose peer takes nothing
	l.writer.Wait()
	stuck.Stop()
	t := ended(l.cause)
	if l.welcomed {
		l.client.take()
		l.client.down(t)
		_ = l.safely("Lost", func() error { l.client.receiver.Lost(l.cause); return nil })
	}
	return t
}

// left tells whether the reader can't read any more.
func (l *link) left() bool {
	var theirs *websocket.CloseError
	return errors.As(l.cause, &theirs)
}

// converse greets the central and receives its frames until the line ends.
func (l *link) converse() error {
	cursor, unresolved, err := l.greeting()
	if err != nil {
		return err
	}
	own, begun := l.client.cfg.Now(), time.Now()
	hello, err := wire.Encode(wire.Frame{
		T: wire.THello, V: wire.Version, Terminal: l.client.cfg.TerminalID, Version: l.client.cfg.Version,
		Clock: own.UnixMilli(), Cursor: cursor, Unresolved: unresolved,
	})
	if err != nil {
		return fmt.Errorf("%w: %w", errReceiver, err)
	}
	if err := l.give(hello); err != nil {
		return err
	}
	f, err := l.next(welcomeWait)
	if errors.Is(err, errSilent) {
		return errNoWelcome
	}
	if err != nil {
		return err
	}
	if f.T != wire.TWelcome {
		return fmt.Errorf("%w: %s instead of a welcome", errNonsense, f.T)
	}
	l.welcome(f, own, time.Since(begun))
	if err := l.safely("Welcomed", func() error { return l.client.receiver.Welcomed(f) }); err != nil {
		return err
	}
	for {
		if err := l.receive(); err != nil {
			return err
		}
	}
}

// greeting asks the counter what the hello says.
func (l *link) greeting() (int64, []op.ID, error) {
	var cursor int64
	var unresolved []op.ID
	err := l.safely("Greet", func() (err error) {
		cursor, unresolved, err = l.client.receiver.Greet()
		return err
	})
	if len(unresolved) > wire.MaxUnresolved {
		unresolved = unresolved[:wire.MaxUnresolved] // the counter asks for the rest
	}
	return cursor, unresolved, err
}

// welcome measures the clock's offset and puts the line up. The round trip is
// timed by the clock that nobody sets.
func (l *link) welcome(f wire.Frame, own time.Time, trip time.Duration) {
	c := l.client
	offset := time.UnixMilli(f.Clock).Sub(own.Add(trip / 2).Round(0))
	l.welcomed = true
	c.up(l, offset, meter{own: own.Add(trip), at: time.Now()}, f.Window)
	c.log.Info("the line to the central is up", "offset", offset.Round(time.Millisecond),
		"roundTrip", trip.Round(time.Millisecond), "window", f.Window, "outcomes", len(f.Outcomes))
}

// receive takes one frame.
func (l *link) receive() error {
	f, err := l.next(silence)
	if err != nil {
		return err
	}
	switch f.T {
	case wire.TAccepted, wire.TOutcome, wire.TUnseen, wire.TEvent:
	default:
		return fmt.Errorf("%w: %s from the central", errNonsense, f.T)
	}
	if err := l.safely("Receive", func() error { return l.client.receiver.Receive(f) }); err != nil {
		return err
	}
	if f.T != wire.TEvent {
		return nil
	}
	seen, err := wire.Encode(wire.Frame{T: wire.TSeen, Cursor: f.Cursor})
	if err != nil {
		return fmt.Errorf("%w: %w", errNonsense, err)
	}
	return l.give(seen)
}

// safely calls the receiver. A panic there costs the line, not the program.
func (l *link) safely(name string, call func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			l.client.log.Error("the counter panicked while it was told something", "call", name,
				"type", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
			err = fmt.Errorf("%w: %s panicked", errReceiver, name)
		}
	}()
	if err := call(); err != nil {
		return fmt.Errorf("%w: %w", errReceiver, err)
	}
	return nil
}

// give queues a frame for the writer.
func (l *link) give(data []byte) error {
	select {
	case <-l.done:
		return edge.ErrDown
	default:
	}
	select {
	case l.out <- data:
		return nil
	default:
	}
	timer := time.NewTimer(sendWait)
	defer timer.Stop()
	select {
	case l.out <- data:
		return nil
	case <-l.done:
	case <-timer.C:
		l.end(errNoRoom)
	}
	return edge.ErrDown
}

// pinged notes a ping for the writer; only the latest needs an answer.
func (l *link) pinged(payload string) error {
	select {
	case <-l.pong:
	default:
	}
	select {
	case l.pong <- payload:
	default:
	}
	return l.alive()
}

// alive notes a sign of life.
func (l *link) alive() error {
	l.heard.Add(1)
	select {
	case <-l.done:
		return nil
	default:
	}
	if !l.welcomed {
		return nil
	}
	return l.listen(silence)
}

func (l *link) listen(d time.Duration) error {
	l.deadline = time.Now().Add(d)
	return l.ws.SetReadDeadline(l.deadline)
}

// next reads a frame. A frame may take frameWait, as long as it moves.
func (l *link) next(wait time.Duration) (wire.Frame, error) {
	if err := l.listen(wait); err != nil {
		return wire.Frame{}, err
	}
	kind, r, err := l.ws.NextReader()
	if err != nil {
		return wire.Frame{}, l.meaning(err)
	}
	if kind != websocket.TextMessage {
		return wire.Frame{}, fmt.Errorf("%w: a binary message", errNonsense)
	}
	data, err := l.body(r)
	if err != nil {
		return wire.Frame{}, l.meaning(err)
	}
	_ = l.alive()
	f, err := wire.Decode(data)
	if err != nil {
		return wire.Frame{}, fmt.Errorf("%w: %w", errNonsense, err)
	}
	return f, nil
}

func (l *link) body(r io.Reader) ([]byte, error) {
	begun := time.Now()
	var data []byte
	for {
		if time.Since(begun) > frameWait {
			return nil, fmt.Errorf("a frame took longer than %v", frameWait)
		}
		data = slices.Grow(data, min(chunk, 512+len(data)))
		n, err := r.Read(data[len(data):min(cap(data), len(data)+chunk)])
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if err := l.listen(silence); err != nil {
			return nil, err
		}
	}
}

// meaning gives a read's error its meaning: the library hides time-outs.
func (l *link) meaning(err error) error {
	var theirs *websocket.CloseError
	switch {
	case errors.As(err, &theirs):
		return err
	case errors.Is(err, websocket.ErrReadLimit):
		return fmt.Errorf("%w: more than %d bytes", errNonsense, wire.MaxFrame)
	case !time.Now().Before(l.deadline):
		return errSilent
	}
	return err
}
