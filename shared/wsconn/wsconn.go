package wsconn

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/gorilla/websocket"
)

// Times of a connection (uplink.md, section 6).
const (
	// PingEvery is the interval of pings.
	PingEvery = 20 * time.Second
	// Silence is after how long without a sign of life the connection is dead.
	Silence = 45 * time.Second
	// FrameWait limits one message: a face capture of 180 KB takes 90 s at 16 kbit/s.
	FrameWait = 3 * time.Minute
	// WriteStall is how long a write may make no progress.
	WriteStall = 30 * time.Second
)

const (
	// chunk is how much is read or written before the deadline is extended, in bytes.
	chunk = 4 << 10
	// maxReason is the longest reason of a close frame, in bytes.
	maxReason = 123
)

// Errors of Read and WriteLoop. Others are the library's: *websocket.CloseError is the
// peer's close frame.
var (
	ErrSilent   = errors.New("nothing was received for too long")
	ErrBinary   = errors.New("a binary message; frames are text")
	ErrTooLarge = errors.New("a frame is too large")
	ErrStalled  = errors.New("the other end reads nothing")
)

// Conn is one websocket, from the upgrade to its end.
type Conn struct {
	ws         *websocket.Conn
	closeWait  time.Duration
	done       <-chan struct{}
	pong       chan string   // the payload of the latest ping
	readerDone chan struct{} // closed by EndRead
	heard      atomic.Int64  // signs of life so far

	// Used by the reader only.
	established bool
	deadline    time.Time
}

// New wraps a websocket. A message has at most maxMessage bytes. closeWait is how long
// the peer may take to answer a close frame. The caller closes done to end the
// connection.
func New(ws *websocket.Conn, maxMessage int64, closeWait time.Duration, done <-chan struct{}) *Conn {
	c := &Conn{ws: ws, closeWait: closeWait, done: done, pong: make(chan string, 1), readerDone: make(chan struct{})}
	ws.SetReadLimit(maxMessage)
	ws.SetPingHandler(c.handlePing)
	ws.SetPongHandler(func(string) error { return c.markAlive() })
	ws.SetCloseHandler(func(int, string) error { return nil }) // SendClose answers
	return c
}

// Established says that the peer has introduced itself: from here on a ping or pong is
// a sign of life, too. Only the reader may call it.
func (c *Conn) Established() { c.established = true }

// Heard counts the messages, pings and pongs that came so far.
func (c *Conn) Heard() int64 { return c.heard.Load() }

// Close closes the socket without a close frame; its reader and writer end.
func (c *Conn) Close() error { return c.ws.Close() }

// handlePing passes a ping to the writer; only the latest needs an answer.
func (c *Conn) handlePing(payload string) error {
	select {
	case <-c.pong:
	default:
	}
	select {
	case c.pong <- payload:
	default:
	}
	return c.markAlive()
}

func (c *Conn) markAlive() error {
	c.heard.Add(1)
	select {
	case <-c.done:
		return nil
	default:
	}
	if !c.established {
		return nil
	}
	return c.extendDeadline(Silence)
}

func (c *Conn) extendDeadline(d time.Duration) error {
	c.deadline = time.Now().Add(d)
	return c.ws.SetReadDeadline(c.deadline)
}

// Read reads one message. It must begin within wait, and may take up to FrameWait as
// long as bytes come.
func (c *Conn) Read(wait time.Duration) ([]byte, error) {
	if err := c.extendDeadline(wait); err != nil {
		return nil, err
	}
	kind, r, err := c.ws.NextReader()
	if err != nil {
		return nil, c.readError(err)
	}
	if kind != websocket.TextMessage {
		return nil, ErrBinary
	}
	data, err := c.readAll(r)
	if err != nil {
		return nil, c.readError(err)
	}
	c.heard.Add(1)
	return data, nil
}

func (c *Conn) readAll(r io.Reader) ([]byte, error) {
	begun := time.Now()
	var data []byte
	for {
		if time.Since(begun) > FrameWait {
			return nil, fmt.Errorf("a frame took longer than %v", FrameWait)
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
		if err := c.extendDeadline(Silence); err != nil {
			return nil, err
		}
	}
}

// readError explains a read's error: the library hides time-outs.
func (c *Conn) readError(err error) error {
	var theirs *websocket.CloseError
	switch {
	case errors.As(err, &theirs):
		return err
	case errors.Is(err, websocket.ErrReadLimit):
		return ErrTooLarge
	case !time.Now().Before(c.deadline):
		return ErrSilent
	}
	return err
}

// Drain reads until the peer has read the close frame and closed: closing a socket
// with unread bytes would destroy the close frame on its way.
func (c *Conn) Drain() {
	if c.extendDeadline(c.closeWait) != nil {
		return
	}
	for {
		_, r, err := c.ws.NextReader()
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			return
		}
	}
}

// EndRead says that nothing is read any more, and waits for the writer. After closeWait
// it closes the socket, for a writer whose peer reads nothing.
func (c *Conn) EndRead(waitForWriter func()) {
	close(c.readerDone)
	stuck := time.AfterFunc(c.closeWait, func() { _ = c.ws.Close() })
	defer stuck.Stop()
	waitForWriter()
}

// WriteLoop writes the queued messages, answers pings and sends pings, until done is
// closed. Urgent messages go before normal ones; normal may be nil. An error goes to
// fail, which has to close done.
func (c *Conn) WriteLoop(urgent, normal <-chan []byte, fail func(error)) {
	ping := time.NewTicker(PingEvery)
	defer ping.Stop()
	for {
		select {
		case <-c.done:
			return
		default:
		}
		if err := c.writeNext(urgent, normal, ping.C); err != nil {
			fail(err)
		}
	}
}

func (c *Conn) writeNext(urgent, normal <-chan []byte, ping <-chan time.Time) error {
	select {
	case <-c.done:
		return nil
	case data := <-urgent:
		return c.write(data)
	case data := <-normal:
		if err := flush(urgent, c.write); err != nil {
			return err
		}
		return c.write(data)
	case payload := <-c.pong:
		return c.ws.WriteControl(websocket.PongMessage, []byte(payload), time.Now().Add(WriteStall))
	case <-ping:
		return c.Ping()
	}
}

// Ping sends a ping. Any goroutine may call it.
func (c *Conn) Ping() error {
	return c.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(WriteStall))
}

func flush(queue <-chan []byte, write func([]byte) error) error {
	for {
		select {
		case data := <-queue:
			if err := write(data); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// write writes one message; on a slow connection it may take long, as long as it makes
// progress.
func (c *Conn) write(data []byte) error {
	begun := time.Now()
	w, err := c.ws.NextWriter(websocket.TextMessage)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(data, chunk) {
		stall := time.Now().Add(WriteStall)
		if end := begun.Add(FrameWait); end.Before(stall) {
			stall = end
		}
		if err := c.ws.SetWriteDeadline(stall); err != nil {
			return err
		}
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("%w: %w", ErrStalled, err)
		}
	}
	return w.Close()
}

// SendClose sends the messages that are still queued and a close frame, and waits a
// moment for the peer's answer, which the reader gets. The writer calls it after
// WriteLoop; queue may be nil. A reason that is too long is cut.
func (c *Conn) SendClose(code int, reason string, queue <-chan []byte) {
	deadline := time.Now().Add(c.closeWait)
	if flush(queue, func(data []byte) error {
		return errors.Join(c.ws.SetWriteDeadline(deadline), c.ws.WriteMessage(websocket.TextMessage, data))
	}) != nil {
		return
	}
	if c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, clipReason(reason)), deadline) != nil {
		return
	}
	timer := time.NewTimer(c.closeWait)
	defer timer.Stop()
	select {
	case <-c.readerDone:
	case <-timer.C:
	}
}

// clipReason cuts a reason to the length of a close frame, between two characters.
func clipReason(reason string) string {
	reason = strings.ToValidUTF8(reason, "?")
	if len(reason) <= maxReason {
		return reason
	}
	end := maxReason
	for !utf8.RuneStart(reason[end]) {
		end--
	}
	return reason[:end]
}
