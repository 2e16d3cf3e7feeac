package wsconn

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
)

const (
	limit     = 64 << 10
	closeWait = 2 * time.Second
	queueSize = 8
)

// pair runs a test in virtual time with a Conn and the plain websocket of its peer.
func pair(t *testing.T, test func(t *testing.T, c *end, peer *websocket.Conn)) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		c := &end{}
		upgraded := make(chan *websocket.Conn, 1)
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
			if err != nil {
				t.Error(err)
			}
			upgraded <- ws
		})}
		listener := &oneConn{conn: near, closed: make(chan struct{})}
		go func() { _ = server.Serve(listener) }()
		dialer := websocket.Dialer{NetDialContext: func(context.Context, string, string) (net.Conn, error) { return far, nil }}
		peer, _, err := dialer.Dial("ws://peer/", nil)
		if err != nil {
			t.Fatal(err)
		}
		c.Conn = New(<-upgraded, Config{MaxMessage: limit, CloseWait: closeWait, Urgent: queueSize, Normal: queueSize, Fail: c.fail})
		test(t, c, peer)
		c.End(0, "")
		_ = peer.Close()
		_ = c.Close()
		_ = server.Close()
	})
}

// end is a Conn with what its owner has.
type end struct {
	*Conn
	err atomic.Pointer[error] // of a write
}

func (e *end) fail(err error) {
	e.err.CompareAndSwap(nil, &err)
	e.End(0, "")
}

type oneConn struct {
	conn   net.Conn
	once   sync.Once
	closed chan struct{}
}

func (l *oneConn) Accept() (c net.Conn, err error) {
	l.once.Do(func() { c = l.conn })
	if c != nil {
		return c, nil
	}
	<-l.closed
	return nil, net.ErrClosed
}

func (l *oneConn) Close() error   { close(l.closed); return nil }
func (l *oneConn) Addr() net.Addr { return &net.TCPAddr{} }

func TestMessages(t *testing.T) {
	pair(t, func(t *testing.T, c *end, peer *websocket.Conn) {
		long := bytes.Repeat([]byte("x"), limit)
		go func() {
			_ = peer.WriteMessage(websocket.TextMessage, []byte("a"))
			_ = peer.WriteMessage(websocket.TextMessage, long)
			_ = peer.WriteMessage(websocket.TextMessage, append(long, 'x'))
		}()
		for _, want := range [][]byte{[]byte("a"), long} {
			if got, err := c.Read(time.Second); err != nil || !bytes.Equal(got, want) {
				t.Errorf("read %d bytes of %d: %v", len(got), len(want), err)
			}
		}
		if c.Heard() != 2 {
			t.Errorf("%d signs of life of two messages", c.Heard())
		}
		go func() { _, _, _ = peer.ReadMessage() }() // the library reports the message's size
		if _, err := c.Read(time.Second); !errors.Is(err, ErrTooLarge) {
			t.Errorf("a message over the limit: %v", err)
		}
	})
	pair(t, func(t *testing.T, c *end, peer *websocket.Conn) {
		go func() { _ = peer.WriteMessage(websocket.BinaryMessage, []byte("a")) }()
		if _, err := c.Read(time.Second); !errors.Is(err, ErrBinary) {
			t.Errorf("a binary message: %v", err)
		}
	})
}

// TestSilence: a peer that says nothing is given up in time; its pings count once it
// has introduced itself.
func TestSilence(t *testing.T) {
	for name, c := range map[string]struct {
		established bool
		want        time.Duration
	}{"before it introduced itself": {false, 10 * time.Second}, "later": {true, 80*time.Second + Silence}} {
		t.Run(name, func(t *testing.T) {
			pair(t, func(t *testing.T, e *end, peer *websocket.Conn) {
				go func() { _, _, _ = peer.ReadMessage() }() // takes the pongs
				go func() {
					for range 4 {
						time.Sleep(20 * time.Second)
						_ = peer.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second))
					}
				}()
				wait := 10 * time.Second
				if c.established {
					e.Established()
					wait = Silence
				}
				begun := time.Now()
				if _, err := e.Read(wait); !errors.Is(err, ErrSilent) || time.Since(begun) != c.want {
					t.Errorf("given up after %v, want %v: %v", time.Since(begun), c.want, err)
				}
				if c.established && e.Heard() != 4 {
					t.Errorf("%d signs of life of four pings", e.Heard())
				}
				_ = e.Close()
				time.Sleep(2 * time.Minute) // until the pings are over
			})
		})
	}
}

// TestSlowMessage: a message may take long while bytes come, and not for ever.
func TestSlowMessage(t *testing.T) {
	for _, parts := range []int{4, 10} {
		pair(t, func(t *testing.T, c *end, peer *websocket.Conn) {
			go func() {
				w, _ := peer.NextWriter(websocket.TextMessage)
				for range parts {
					_, _ = w.Write(bytes.Repeat([]byte("x"), chunk))
					time.Sleep(40 * time.Second)
				}
				_ = w.Close()
			}()
			data, err := c.Read(time.Minute)
			if fits := time.Duration(parts)*40*time.Second < FrameWait; fits != (err == nil) || fits && len(data) != parts*chunk {
				t.Errorf("%d parts: %d bytes, %v", parts, len(data), err)
			}
			_ = c.Close()
			time.Sleep(10 * time.Minute)
		})
	}
}

// TestWriter: urgent messages go first, and pings are sent and answered.
func TestWriter(t *testing.T) {
	pair(t, func(t *testing.T, c *end, peer *websocket.Conn) {
		c.SendNormal([]byte("being written")) // net.Pipe has no buffer
		synctest.Wait()
		c.SendNormal([]byte("normal"))
		c.SendUrgent([]byte("urgent"))
		var pings, pongs atomic.Int32
		peer.SetPingHandler(func(string) error { pings.Add(1); return nil })
		peer.SetPongHandler(func(s string) error {
			if s == "echo" {
				pongs.Add(1)
			}
			return nil
		})
		go func() { _, _ = c.Read(time.Hour) }()
		for _, want := range []string{"being written", "urgent", "normal"} {
			if _, got, err := peer.ReadMessage(); err != nil || string(got) != want {
				t.Errorf("the peer reads %q, %v; want %q", got, err, want)
			}
		}
		go func() { _, _, _ = peer.ReadMessage() }()
		_ = peer.WriteControl(websocket.PingMessage, []byte("echo"), time.Now().Add(time.Second))
		for range 3 {
			c.Ping()
			synctest.Wait()
		}
		if pings.Load() != 3 || pongs.Load() != 1 {
			t.Errorf("%d pings and %d pongs", pings.Load(), pongs.Load())
		}
	})
}

// TestIdleHasNoWriter: what an idle connection does not need ends.
func TestIdleHasNoWriter(t *testing.T) {
	pair(t, func(t *testing.T, c *end, peer *websocket.Conn) {
		for range 2 {
			c.SendUrgent([]byte("a"))
			c.SendNormal([]byte("b"))
			for range 2 {
				_, _, _ = peer.ReadMessage()
			}
			synctest.Wait()
			c.mu.Lock()
			if c.writing || c.urgent != nil || c.normal != nil {
				t.Errorf("an idle connection has a writer: %t, and queues of %d and %d", c.writing, cap(c.urgent), cap(c.normal))
			}
			c.mu.Unlock()
			c.writer.Wait()
		}
	})
}

// TestFullQueue: who sends learns that there is no room, and when there is.
func TestFullQueue(t *testing.T) {
	pair(t, func(t *testing.T, c *end, peer *websocket.Conn) {
		for _, send := range []func([]byte) bool{c.SendNormal, c.SendUrgent} {
			sent := 0
			for send([]byte("a")) {
				sent++
				synctest.Wait()
			}
			if sent < queueSize || sent > queueSize+1 { // one may be in the writer's hands
				t.Errorf("%d messages fit a queue of %d", sent, queueSize)
			}
		}
		room := c.Room()
		select {
		case <-room:
			t.Error("there is room in a full queue")
		default:
		}
		for range queueSize + 2 {
			_, _, _ = peer.ReadMessage()
		}
		<-room
		if !c.SendNormal([]byte("a")) {
			t.Error("no room in a queue that was written")
		}
		room = c.Room()
		c.End(0, "")
		<-room
		<-c.Room()
		if c.SendNormal(nil) || c.SendUrgent(nil) {
			t.Error("a connection that has ended takes messages")
		}
	})
}

// TestStalledPeer: a peer that reads nothing is given up in time.
func TestStalledPeer(t *testing.T) {
	pair(t, func(t *testing.T, c *end, _ *websocket.Conn) {
		begun := time.Now()
		c.SendUrgent(bytes.Repeat([]byte("x"), 3*chunk))
		c.writer.Wait()
		if err := c.err.Load(); err == nil || !errors.Is(*err, ErrStalled) || time.Since(begun) != WriteStall {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
	})
}

// TestPanic of the writer: the socket is closed.
func TestPanic(t *testing.T) {
	pair(t, func(t *testing.T, c *end, peer *websocket.Conn) {
		caught := make(chan any, 1)
		c.cfg.Guard = func(run func()) {
			defer func() { caught <- recover() }()
			run()
		}
		c.cfg.Fail = func(error) { panic("fail") }
		_ = peer.NetConn().Close()
		c.SendUrgent([]byte("x"))
		if v := <-caught; v != "fail" {
			t.Errorf("caught %v", v)
		}
		if _, err := c.Read(time.Hour); err == nil || errors.Is(err, ErrSilent) {
			t.Errorf("the socket is open: %v", err)
		}
	})
}

// TestClose: what is queued goes before the close frame, whose reason fits; the writer
// waits for the answer, but not for ever.
func TestClose(t *testing.T) {
	for _, answers := range []bool{true, false} {
		pair(t, func(t *testing.T, c *end, peer *websocket.Conn) {
			begun := time.Now()
			c.SendUrgent([]byte("last"))
			c.SendNormal([]byte("too late"))
			first, second := c.End(4001, strings.Repeat("ä", 100)), c.End(4002, "")
			if code, reason, ended := c.Ended(); !first || second || code != 4001 || reason == "" || !ended {
				t.Errorf("%t %t, ended with %d %q", first, second, code, reason)
			}
			go func() {
				c.Drain()
				c.EndRead()
			}()
			if !answers {
				peer.SetCloseHandler(func(int, string) error { return nil })
			}
			if _, got, err := peer.ReadMessage(); err != nil || string(got) != "last" {
				t.Errorf("the peer reads %q, %v", got, err)
			}
			var left *websocket.CloseError
			if _, _, err := peer.ReadMessage(); !errors.As(err, &left) || left.Code != 4001 || left.Text != strings.Repeat("ä", 61) {
				t.Errorf("the close frame: %v", err)
			}
			c.writer.Wait()
			if took := time.Since(begun); answers && took != 0 || !answers && took != closeWait {
				t.Errorf("closing took %v; answers: %v", took, answers)
			}
		})
	}
	if got := clipReason("a\xffb"); got != "a?b" {
		t.Errorf("invalid text is cut to %q", got)
	}
}

// TestStuckWriter: the socket is closed under a writer whose peer reads nothing.
func TestStuckWriter(t *testing.T) {
	pair(t, func(t *testing.T, c *end, _ *websocket.Conn) {
		c.SendUrgent(bytes.Repeat([]byte("x"), 3*chunk))
		synctest.Wait()
		c.End(0, "")
		begun := time.Now()
		c.EndRead()
		if took := time.Since(begun); took != closeWait {
			t.Errorf("the writer ended after %v", took)
		}
	})
}
