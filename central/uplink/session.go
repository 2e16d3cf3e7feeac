package uplink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gorilla/websocket"

	"galla/central"
	"galla/shared/op"
	"galla/shared/wire"
)

// Times of a connection (uplink.md).
const (
	pingEvery = 20 * time.Second
	silence   = 45 * time.Second // nothing heard for so long: the link is dead
	helloWait = 10 * time.Second // for the hello to begin
	// frameWait bounds one frame on the way: a face capture of 180 KB takes
	// 90 s on a line of 16 kbit/s.
	frameWait = 3 * time.Minute
	// writeStall is how long a peer may take nothing of what is written.
	writeStall = 30 * time.Second
	// leaveWait is how long a peer may take to answer a close frame.
	leaveWait = 2 * time.Second
)

// Limits of a connection.
const (
	// urgentQueue holds accepted and outcome frames: two for each operation
	// that a window can have under way, with room for those that wait for the
	// writer. A terminal that lets it fill up does not read.
	urgentQueue = 64
	// patientQueue holds events and answers, whose senders wait for room.
	patientQueue = 8
	// chunk is written or read between two looks at the clock, in bytes.
	chunk = 4 << 10
	// maxWords is what fits a close frame, in bytes.
	maxWords = 123
)

const (
	closeReplaced = wire.CloseReplaced
	closeProtocol = wire.CloseProtocol
	closeNone     = 0 // no close frame: the connection is cut
)

// closing is an error that ends the connection with a close frame.
type closing struct {
	code  int
	words string
}

func (c *closing) Error() string { return c.words }

func violation(format string, args ...any) error {
	return &closing{closeProtocol, fmt.Sprintf(format, args...)}
}

// errSilent says that the peer was not heard for too long.
var errSilent = errors.New("the terminal was silent for too long")

// session is one connection of one terminal. It is made for the connection and
// never used again.
type session struct {
	server   *Server
	ws       *websocket.Conn
	terminal central.Terminal
	log      *slog.Logger

	ctx    context.Context // ends when the session does
	cancel context.CancelFunc
	helped sync.WaitGroup // writer, feeder, askers

	urgent  chan []byte   // a full one ends the session
	patient chan []byte   // senders wait
	pong    chan string   // the latest ping's payload
	gone    chan struct{} // the reader has ended

	// Of the reader only.
	deadline time.Time // when silence is too long
	greeted  bool      // from here any frame is a sign of life
	parted   bool      // the terminal took its leave

	feed feed
	asks asks

	mu       sync.Mutex
	underWay int           // operations without an outcome
	running  map[op.ID]int // op frames of the id that are worked on
	ended    bool          // code and words are set
	code     int
	words    string
	report   report
}

func newSession(s *Server, ws *websocket.Conn, t central.Terminal, remote string) *session {
	ctx, cancel := context.WithCancel(s.life)
	x := &session{
		server: s, ws: ws, terminal: t, log: s.log.With("terminal", t.ID, "remote", remote), ctx: ctx, cancel: cancel,
		urgent: make(chan []byte, urgentQueue), patient: make(chan []byte, patientQueue),
		pong: make(chan string, 1), gone: make(chan struct{}), running: map[op.ID]int{},
	}
	x.feed.news = make(chan struct{}, 1)
	ws.SetReadLimit(wire.MaxFrame)
	ws.SetPingHandler(x.pinged)
	ws.SetPongHandler(func(string) error { return x.alive() })
	ws.SetCloseHandler(func(int, string) error { return nil }) // the writer answers
	return x
}

// run serves the connection. When it returns, its goroutines have ended and
// the socket is closed.
func (x *session) run() {
	x.server.register(x)
	defer x.noteLeft()
	defer x.server.unregister(x)
	x.helped.Go(func() { x.guarded("writer", x.write) })

	x.guarded("reader", func() {
		err := x.converse()
		x.endFor(err)
		var own *closing
		if errors.As(err, &own) || err == nil {
			x.drain()
		}
	})
	x.end(closeNone, "the reader ended")
	close(x.gone)
	x.asks.close()
	stuck := time.AfterFunc(leaveWait, func() { _ = x.ws.Close() }) // a writer whose peer takes nothing
	defer stuck.Stop()
	x.helped.Wait()
}

// guarded runs one of the session's goroutines; one that panics takes the
// session with it, and nothing else.
func (x *session) guarded(name string, run func()) {
	defer x.server.caught(x.log, name, func() { x.end(closeNone, name+" panicked") })
	run()
}

// end ends the session, once: the writer sends what is queued and the close
// frame. Code closeNone cuts without a word.
func (x *session) end(code int, words string) {
	x.mu.Lock()
	first := !x.ended
	if first {
		x.ended, x.code, x.words = true, code, words
	}
	x.mu.Unlock()
	if !first {
		return
	}
	x.log.Info("terminal's connection ends", "code", code, "reason", words)
	x.cancel()
}

// endFor ends the session for what its reader met; nil: it was ended already.
func (x *session) endFor(err error) {
	var own *closing
	var theirs *websocket.CloseError
	switch {
	case err == nil:
	case errors.As(err, &own):
		x.end(own.code, own.words)
	case errors.As(err, &theirs):
		x.parted = theirs.Code == websocket.CloseNormalClosure || theirs.Code == websocket.CloseGoingAway
		x.end(websocket.CloseNormalClosure, fmt.Sprintf("the terminal left with code %d", theirs.Code))
	default:
		x.end(closeNone, err.Error())
	}
}

// pinged notes a ping for the writer; only the latest needs an answer.
func (x *session) pinged(payload string) error {
	select {
	case <-x.pong:
	default:
	}
	select {
	case x.pong <- payload:
	default:
	}
	return x.alive()
}

// alive notes a sign of life.
func (x *session) alive() error {
	if !x.greeted || x.ctx.Err() != nil {
		return nil
	}
	return x.listen(silence)
}

func (x *session) listen(d time.Duration) error {
	x.deadline = time.Now().Add(d)
	return x.ws.SetReadDeadline(x.deadline)
}

// next reads a frame. A frame may take frameWait, as long as it moves.
func (x *session) next(wait time.Duration) (wire.Frame, error) {
	if err := x.listen(wait); err != nil {
		return wire.Frame{}, err
	}
	kind, r, err := x.ws.NextReader()
	if err != nil {
		return wire.Frame{}, x.heard(err)
	}
	if kind != websocket.TextMessage {
		return wire.Frame{}, violation("a binary message; frames are text")
	}
	data, err := x.body(r)
	if err != nil {
		return wire.Frame{}, x.heard(err)
	}
	f, err := wire.Decode(data)
	if err != nil && f.T == wire.THello && f.V != wire.Version {
		return f, nil // its version tells more than what it lacks
	}
	if err != nil {
		return f, violation("%v", err)
	}
	return f, nil
}

func (x *session) body(r io.Reader) ([]byte, error) {
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
		if err := x.listen(silence); err != nil {
			return nil, err
		}
	}
}

// heard gives a read's error its meaning: the library hides time-outs.
func (x *session) heard(err error) error {
	var theirs *websocket.CloseError
	if !errors.As(err, &theirs) && !time.Now().Before(x.deadline) {
		return errSilent
	}
	if errors.Is(err, websocket.ErrReadLimit) {
		return &closing{websocket.CloseMessageTooBig, fmt.Sprintf("a frame of more than %d bytes", wire.MaxFrame)}
	}
	return err
}

// drain reads until the peer has taken the close frame and left: closing a
// socket with unread bytes would destroy the close frame on its way.
func (x *session) drain() {
	if x.listen(leaveWait) != nil {
		return
	}
	for {
		_, r, err := x.ws.NextReader()
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			return
		}
	}
}

// write is the session's only writer.
func (x *session) write() {
	defer func() { _ = x.ws.Close() }()
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for x.ctx.Err() == nil {
		if err := x.writeNext(ping.C); err != nil {
			x.end(closeNone, err.Error())
		}
	}
	x.takeLeave()
}

// writeNext waits for something to write, and writes it.
func (x *session) writeNext(ping <-chan time.Time) error {
	select {
	case <-x.ctx.Done():
		return nil
	case data := <-x.urgent:
		return x.send(data)
	case data := <-x.patient:
		// What was urgent before it was offered goes first: the welcome before
		// the first event.
		if err := x.flush(x.send); err != nil {
			return err
		}
		return x.send(data)
	case payload := <-x.pong:
		return x.ws.WriteControl(websocket.PongMessage, []byte(payload), time.Now().Add(writeStall))
	case <-ping:
		return x.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeStall))
	}
}

// flush writes the urgent frames that are ready.
func (x *session) flush(write func([]byte) error) error {
	for {
		select {
		case data := <-x.urgent:
			if err := write(data); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// send writes one frame; a peer on a slow line has time for it as long as it
// takes something.
func (x *session) send(data []byte) error {
	begun := time.Now()
	w, err := x.ws.NextWriter(websocket.TextMessage)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(data, chunk) {
		stall := time.Now().Add(writeStall)
		if end := begun.Add(frameWait); end.Before(stall) {
			stall = end
		}
		if err := x.ws.SetWriteDeadline(stall); err != nil {
			return err
		}
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("the terminal takes nothing: %w", err)
		}
	}
	return w.Close()
}

// takeLeave sends what is ready and the close frame, and gives the peer a
// moment to answer.
func (x *session) takeLeave() {
	x.mu.Lock()
	code, words := x.code, x.words
	x.mu.Unlock()
	if code == closeNone {
		return
	}
	deadline := time.Now().Add(leaveWait)
	if x.flush(func(data []byte) error {
		return errors.Join(x.ws.SetWriteDeadline(deadline), x.ws.WriteMessage(websocket.TextMessage, data))
	}) != nil {
		return
	}
	frame := websocket.FormatCloseMessage(code, clip(words))
	if x.ws.WriteControl(websocket.CloseMessage, frame, deadline) != nil {
		return
	}
	timer := time.NewTimer(leaveWait)
	defer timer.Stop()
	select {
	case <-x.gone:
	case <-timer.C:
	}
}

// clip cuts words to what a close frame holds, between two characters.
func clip(words string) string {
	words = strings.ToValidUTF8(words, "?")
	if len(words) <= maxWords {
		return words
	}
	end := maxWords
	for !utf8.RuneStart(words[end]) {
		end--
	}
	return words[:end]
}

// tell queues a frame that must not wait. A terminal that does not read what
// it asked for is cut off; it asks again later.
func (x *session) tell(f wire.Frame) {
	data, ok := x.encode(f)
	if !ok || x.ctx.Err() != nil {
		return // the connection is gone: the terminal asks
	}
	select {
	case x.urgent <- data:
	default:
		x.server.counts.overrun.Add(1)
		x.end(websocket.CloseTryAgainLater, tooSlow)
	}
}

// offer queues a frame and waits for room; false: the session ended.
func (x *session) offer(f wire.Frame) bool {
	data, ok := x.encode(f)
	if !ok {
		return true // it was logged, and the next one may do
	}
	select {
	case x.patient <- data:
		return true
	case <-x.ctx.Done():
		return false
	}
}

// encode writes a frame. A reply that fits no frame is replaced by 'Server
// error': the state is what counts.
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
	reply := x.server.dispatcher.Refusal(central.Refuse(central.Internal, "Server error"), string(f.ID))
	f.HTTP, f.Reply = reply.HTTP, reply.Body
	if data, err = wire.Encode(f); err != nil {
		return nil, false
	}
	return data, true
}

// underWay tells of a reply that the wait ended before the operation did.
func underWay(r central.Reply) bool {
	return r.State == op.Received || r.State == op.Dispatched
}

// outcomeOf is a reply as the edge takes it: a call that became no operation
// has failed or succeeded by its HTTP status, and one that is still under way
// is pending.
func outcomeOf(r central.Reply) op.Outcome {
	o := op.Outcome{State: r.State, HTTP: r.HTTP, Reply: r.Body}
	switch {
	case underWay(r):
		o.State = op.Pending
	case r.State == "" && r.HTTP >= 400:
		o.State = op.Failed
	case r.State == "":
		o.State = op.Succeeded
	}
	return o
}
