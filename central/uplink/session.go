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
	terminal central.TerminalID
	merchant central.MerchantID
	remote   string

	ctx     context.Context // ends when the session does
	cancel  context.CancelFunc
	workers sync.WaitGroup // feeder, askers

	peerClosed bool // the terminal sent a close frame; used by the reader only

	feed  eventFeed
	asks  asks
	quiet quietTime

	mu       sync.Mutex
	closing  bool          // no more workers start
	underWay int           // operations without an outcome
	running  map[op.ID]int // op frames in progress, by id
	hello    helloReport
}

func newSession(s *Server, ws *websocket.Conn, t central.TerminalID, m central.MerchantID, remote string) *session {
	x := &session{server: s, terminal: t, merchant: m, remote: remote}
	x.ctx, x.cancel = context.WithCancel(s.baseCtx)
	x.conn = wsconn.New(ws, wsconn.Config{
		MaxMessage: wire.MaxFrame, CloseWait: leaveWait, Urgent: urgentQueue, Normal: normalQueue,
		Fail:  func(err error) { x.end(closeNone, err.Error()) },
		Guard: func(run func()) { x.runGuarded("writer", run) },
	})
	return x
}

// log returns a logger that names the terminal. An idle connection keeps none.
func (x *session) log() *slog.Logger {
	return x.server.log.With("terminal", x.terminal, "remote", x.remote)
}

// greet serves the connection until the terminal has introduced itself. The rest is for a
// goroutine of its own: this one's stack has grown, and an idle connection would keep it.
func (x *session) greet() {
	x.server.register(x)
	greeted := false
	x.runGuarded("greeter", func() {
		err := x.readHello()
		if greeted = err == nil; !greeted {
			x.endAfter(x.unlessEnded(err))
		}
	})
	if greeted {
		go x.serve()
		return
	}
	x.finish()
}

// serve reads the terminal's frames until the session ends.
func (x *session) serve() {
	defer x.finish()
	x.runGuarded("reader", func() { x.endAfter(x.readLoop()) })
}

// endAfter ends the session with an error of its reader, and takes what the terminal still
// sends. nil: it was ended already.
func (x *session) endAfter(err error) {
	x.endWith(err)
	var own *closeError
	if err == nil || errors.As(err, &own) {
		x.conn.Drain()
	}
}

// finish is the end of the reader. When it returns, the session's goroutines have ended
// and the socket is closed.
func (x *session) finish() {
	defer x.server.releaseConnection()
	defer x.recordLeft()
	defer x.server.unregister(x)
	x.end(closeNone, "the reader ended")
	x.mu.Lock()
	x.closing = true
	x.mu.Unlock()
	x.conn.EndRead()
	x.workers.Wait()
}

// startWorker starts a goroutine that ends with the session; false: the session is ending.
func (x *session) startWorker(name string, run func()) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closing {
		return false
	}
	x.workers.Go(func() { x.runGuarded(name, run) })
	return true
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
	if !x.conn.End(code, words) {
		return
	}
	x.log().Info("terminal's connection ends", "code", code, "reason", words)
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

// readMessage reads a message, which must begin within wait.
func (x *session) readMessage(wait time.Duration) ([]byte, error) {
	data, err := x.conn.Read(wait)
	switch {
	case errors.Is(err, wsconn.ErrBinary):
		return nil, protocolError("%v", err)
	case errors.Is(err, wsconn.ErrTooLarge):
		return nil, &closeError{websocket.CloseMessageTooBig, fmt.Sprintf("a frame of more than %d bytes", wire.MaxFrame)}
	}
	return data, err
}

func decodeFrame(data []byte) (wire.Frame, error) {
	f, err := wire.Decode(data)
	if err != nil && f.T == wire.THello && f.V != wire.Version {
		return f, nil // its version matters more than missing fields
	}
	if err != nil {
		return f, protocolError("%v", err)
	}
	return f, nil
}

// queueUrgent queues a frame that must not wait. A terminal that does not read is
// disconnected; it asks again later.
func (x *session) queueUrgent(f wire.Frame) {
	data, ok := x.encode(f)
	if !ok || x.ctx.Err() != nil || x.conn.SendUrgent(data) {
		return // if the connection is closed, the terminal asks
	}
	if _, _, ended := x.conn.Ended(); !ended {
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
	for {
		room := x.conn.Room()
		if x.conn.SendNormal(data) {
			return true
		}
		select {
		case <-room:
		case <-x.ctx.Done():
			return false
		}
		if x.ctx.Err() != nil {
			return false
		}
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
	x.log().Error("a frame can't be written", "frame", string(f.T), "operation", f.ID, "error", err)
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
