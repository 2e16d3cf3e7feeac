package wsconn

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// Times of a connection (uplink.md, section 6).
const (
	// PingEvery is after how long without a sign of life an end sends a ping.
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
)

// Errors of Read and of the writer. Others are the library's: *websocket.CloseError is the
// peer's close frame.
var (
	ErrSilent   = errors.New("nothing was received for too long")
	ErrBinary   = errors.New("a binary message; frames are text")
	ErrTooLarge = errors.New("a frame is too large")
	ErrStalled  = errors.New("the other end reads nothing")
)

// Config sets up a Conn. All fields but Guard are required.
type Config struct {
	// MaxMessage limits a message that is read, in bytes.
	MaxMessage int64
	// CloseWait is how long the peer may take to answer a close frame.
	CloseWait time.Duration
	// Urgent and Normal are how many messages may wait for the writer.
	Urgent, Normal int
	// Fail gets the error of a write. It has to call End. It is called by the writer.
	Fail func(error)
	// Guard, if set, runs the writer, to catch its panics.
	Guard func(run func())
}

// Conn is one websocket, from the upgrade to its end. One goroutine reads; the other
// methods may be called by any.
type Conn struct {
	ws     *websocket.Conn
	cfg    Config
	heard  atomic.Int64 // signs of life so far
	parts  atomic.Int64 // parts of messages that came so far
	sent   atomic.Int64 // bytes of messages given to the socket
	writer sync.WaitGroup

	// Used by the reader only.
	established bool
	deadline    time.Time

	mu         sync.Mutex
	urgent     [][]byte
	normal     [][]byte
	room       chan struct{} // closed when a message was taken from a queue; nil: nobody waits
	pong       []byte        // the payload of the latest ping
	pongDue    bool
	pingDue    bool
	writing    bool // a writer runs
	ended      bool
	readEnded  bool
	readerDone chan struct{} // closed by EndRead; nil: nobody waits
	code       int           // of the close frame; 0: none
	reason     string
}

// New wraps a websocket.
func New(ws *websocket.Conn, cfg Config) *Conn {
	c := &Conn{ws: ws, cfg: cfg}
	ws.SetReadLimit(cfg.MaxMessage)
	ws.SetPingHandler(c.handlePing)
	ws.SetPongHandler(func(string) error { return c.markAlive() })
	ws.SetCloseHandler(func(int, string) error { return nil }) // the writer answers
	return c
}

// Established says that the peer has introduced itself: from here on a ping or pong is
// a sign of life, too. Only the reader may call it.
func (c *Conn) Established() { c.established = true }

// Heard counts the messages, pings and pongs that came so far.
func (c *Conn) Heard() int64 { return c.heard.Load() }

// Arrived counts them and the parts of messages: it grows while a large one comes.
func (c *Conn) Arrived() int64 { return c.heard.Load() + c.parts.Load() }

// Sent is how many bytes of messages were given to the socket so far. They may still be
// on their way.
func (c *Conn) Sent() int64 { return c.sent.Load() }

// Close closes the socket without a close frame; its reader and writer end.
func (c *Conn) Close() error { return c.ws.Close() }

// handlePing leaves the answer to the writer; only the latest ping needs one.
func (c *Conn) handlePing(payload string) error {
	c.mu.Lock()
	if !c.ended {
		c.pong, c.pongDue = []byte(payload), true
		c.startWriter()
	}
	c.mu.Unlock()
	return c.markAlive()
}

func (c *Conn) markAlive() error {
	c.heard.Add(1)
	c.mu.Lock()
	ended := c.ended
	c.mu.Unlock()
	if ended || !c.established {
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
		c.parts.Add(1)
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
	if c.extendDeadline(c.cfg.CloseWait) != nil {
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
