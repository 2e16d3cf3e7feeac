package uplink

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"galla/central"
	"galla/shared/op"
	"galla/shared/wire"
	"galla/shared/wsconn"
)

// Times of a connection; those of both ends are in package wsconn.
const (
	helloWait = 10 * time.Second // for the hello to begin
	// leaveWait is how long a peer may take to answer a close frame.
	leaveWait = 2 * time.Second
)

// Limits of a connection.
const (
	// urgentQueue holds accepted and outcome frames: two for each operation that a
	// window can have in progress, and some more. If it fills up, the terminal
	// does not read.
	urgentQueue = 64
	// normalQueue holds events and answers, whose senders wait for space.
	normalQueue = 8
)

const (
	closeReplaced = wire.CloseReplaced
	closeProtocol = wire.CloseProtocol
	closeNone     = 0 // no close frame: the connection is cut
)

// closeError is an error that ends the connection with a close frame.
type closeError struct {
	code   int
	reason string
}

func (c *closeError) Error() string { return c.reason }

func protocolError(format string, args ...any) error {
	return &closeError{closeProtocol, fmt.Sprintf(format, args...)}
}

// session is one connection of one terminal. It is never reused.
type session struct {
	server   *Server
	conn     *wsconn.Conn
	terminal central.Terminal
	log      *slog.Logger

	ctx     context.Context // ends when the session does
	cancel  context.CancelFunc
	workers sync.WaitGroup // writer, feeder, askers

	urgent chan []byte // if it is full, the session ends
	normal chan []byte // senders wait

	peerClosed bool // the terminal sent a close frame; used by the reader only

	feed eventFeed
	asks asks

	mu       sync.Mutex
	underWay int           // operations without an outcome
	running  map[op.ID]int // op frames in progress, by id
	ended    bool          // code and words are set
	code     int
	reason   string
	hello    helloReport
}

func newSession(s *Server, ws *websocket.Conn, t central.Terminal, remote string) *session {
	ctx, cancel := context.WithCancel(s.baseCtx)
	x := &session{
		server: s, conn: wsconn.New(ws, wire.MaxFrame, leaveWait, ctx.Done()), terminal: t, log: s.log.With("terminal", t.ID, "remote", remote),
		ctx: ctx, cancel: cancel, urgent: make(chan []byte, urgentQueue), normal: make(chan []byte, normalQueue), running: map[op.ID]int{},
	}
	x.feed.changed = make(chan struct{}, 1)
	return x
}

// run serves the connection. When it returns, its goroutines have ended and the
// socket is closed.
func (x *session) run() {
	x.server.register(x)
	defer x.storeDisconnected()
	defer x.server.unregister(x)
	x.workers.Go(func() { x.runGuarded("writer", x.writeLoop) })

	x.runGuarded("reader", func() {
		err := x.readLoop()
		x.endWith(err)
		var own *closeError
		if errors.As(err, &own) || err == nil {
			x.conn.Drain()
		}
	})
	x.end(closeNone, "the reader ended")
	x.asks.close()
	x.conn.EndRead(x.workers.Wait)
}

// runGuarded runs one of the session's goroutines. A panic there ends the session
// only.
func (x *session) runGuarded(name string, run func()) {
	defer x.server.recoverPanic(x.log, name, func() { x.end(closeNone, name+" panicked") })
	run()
}

// end ends the session, once: the writer sends what is queued and the close frame.
// Code closeNone closes without a close frame.
func (x *session) end(code int, words string) {
	x.mu.Lock()
	first := !x.ended
	if first {
		x.ended, x.code, x.reason = true, code, words
	}
	x.mu.Unlock()
	if !first {
		return
	}
	x.log.Info("terminal's connection ends", "code", code, "reason", words)
	x.cancel()
}

// endWith ends the session with the reader's error; nil: it was ended already.
func (x *session) endWith(err error) {
	var own *closeError
	var theirs *websocket.CloseError
	switch {
	case err == nil:
	case errors.As(err, &own):
		x.end(own.code, own.reason)
	case errors.As(err, &theirs):
		x.peerClosed = theirs.Code == websocket.CloseNormalClosure || theirs.Code == websocket.CloseGoingAway
		x.end(websocket.CloseNormalClosure, fmt.Sprintf("the terminal left with code %d", theirs.Code))
	default:
		x.end(closeNone, err.Error())
	}
}

// readFrame reads a frame, which must begin within wait.
func (x *session) readFrame(wait time.Duration) (wire.Frame, error) {
	data, err := x.conn.Read(wait)
	switch {
	case errors.Is(err, wsconn.ErrBinary):
		return wire.Frame{}, protocolError("%v", err)
	case errors.Is(err, wsconn.ErrTooLarge):
		return wire.Frame{}, &closeError{websocket.CloseMessageTooBig, fmt.Sprintf("a frame of more than %d bytes", wire.MaxFrame)}
	case err != nil:
		return wire.Frame{}, err
	}
	f, err := wire.Decode(data)
	if err != nil && f.T == wire.THello && f.V != wire.Version {
		return f, nil // its version matters more than missing fields
	}
	if err != nil {
		return f, protocolError("%v", err)
	}
	return f, nil
}

// writeLoop is the session's only writer.
func (x *session) writeLoop() {
	defer func() { _ = x.conn.Close() }()
	x.conn.WriteLoop(x.urgent, x.normal, func(err error) { x.end(closeNone, err.Error()) })
	x.mu.Lock()
	code, reason := x.code, x.reason
	x.mu.Unlock()
	if code != closeNone {
		x.conn.SendClose(code, reason, x.urgent)
	}
}

// queueUrgent queues a frame that must not wait. A terminal that does not read is
// disconnected; it asks again later.
func (x *session) queueUrgent(f wire.Frame) {
	data, ok := x.encode(f)
	if !ok || x.ctx.Err() != nil {
		return // the connection is closed: the terminal asks
	}
	select {
	case x.urgent <- data:
	default:
		x.server.counts.overrun.Add(1)
		x.end(websocket.CloseTryAgainLater, tooSlow)
	}
}

// queue queues a frame and waits for space; false: the session ended.
func (x *session) queue(f wire.Frame) bool {
	data, ok := x.encode(f)
	if !ok {
		return true // it was logged, and the next one may do
	}
	select {
	case x.normal <- data:
		return true
	case <-x.ctx.Done():
		return false
	}
}

// encode writes a frame. A reply that fits no frame is replaced by 'Server error':
// the state is what matters.
func (x *session) encode(f wire.Frame) ([]byte, bool) {
	data, err := wire.Encode(f)
	if err == nil && f.State != "" && (len(f.Reply) == 0 || f.HTTP < 100 || f.HTTP > 599) {
		err = fmt.Errorf("HTTP %d with a body of %d bytes is no reply", f.HTTP, len(f.Reply))
	}
	if err == nil {
		return data, true
	}
	x.log.Error("a frame can't be written", "frame", string(f.T), "operation", f.ID, "error", err)
	if f.State == "" {
		return nil, false
	}
	reply := x.server.handler.ErrorReply(central.NewError(central.Internal, "Server error"), string(f.ID))
	f.HTTP, f.Reply = reply.HTTP, reply.Body
	if data, err = wire.Encode(f); err != nil {
		return nil, false
	}
	return data, true
}

// isUnderWay reports whether the wait ended before the operation did.
func isUnderWay(r central.Reply) bool {
	return r.State == op.Received || r.State == op.Sent
}

// outcomeOf is a reply as the edge uses it: a request that created no operation has
// failed or succeeded by its HTTP status, and one that is in progress is pending.
func outcomeOf(r central.Reply) op.Outcome {
	o := op.Outcome{State: r.State, HTTP: r.HTTP, Reply: r.Body}
	switch {
	case isUnderWay(r):
		o.State = op.Pending
	case r.State == "" && r.HTTP >= 400:
		o.State = op.Failed
	case r.State == "":
		o.State = op.Succeeded
	}
	return o
}
