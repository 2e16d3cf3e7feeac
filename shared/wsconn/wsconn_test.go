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
)

// pair runs a test in virtual time with a Conn and the plain websocket of its peer.
func pair(t *testing.T, test func(t *testing.T, c *end, peer *websocket.Conn)) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		c := &end{done: make(chan struct{}), urgent: make(chan []byte, 8), normal: make(chan []byte, 8)}
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
		c.Conn = New(<-upgraded, limit, closeWait, c.done)
		test(t, c, peer)
		_ = peer.Close()
		_ = c.Close()
		_ = server.Close()
	})
}

// end is a Conn with what its owner has.
type end struct {
	*Conn
	done           chan struct{}
	urgent, normal chan []byte
	once           sync.Once
	err            error
	writer         sync.WaitGroup
}

func (e *end) fail(err error) {
	e.once.Do(func() {
		e.err = err
		close(e.done)
	})
}

// write starts the writer; after its loop it sends a close frame where there is a code.
func (e *end) write(code int, reason string) {
	e.writer.Go(func() {
		e.WriteLoop(e.urgent, e.normal, e.fail)
		if code != 0 {
			e.SendClose(code, reason, e.urgent)
		}
		_ = e.Close()
	})
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

// TestWriter: urgent messages go first, pings are answered and sent, and a peer that
// reads nothing ends the loop in time.
func TestWriter(t *testing.T) {
	pair(t, func(t *testing.T, c *end, peer *websocket.Conn) {
		c.normal <- []byte("normal")
		c.urgent <- []byte("urgent")
		var pings, pongs atomic.Int32
		peer.SetPingHandler(func(string) error { pings.Add(1); return nil })
		peer.SetPongHandler(func(s string) error {
			if s == "echo" {
				pongs.Add(1)
			}
			return nil
		})
		go func() { _, _ = c.Read(time.Hour) }()
		c.write(0, "")
		for _, want := range []string{"urgent", "normal"} {
			if _, got, err := peer.ReadMessage(); err != nil || string(got) != want {
				t.Errorf("the peer reads %q, %v; want %q", got, err, want)
			}
		}
		_ = peer.WriteControl(websocket.PingMessage, []byte("echo"), time.Now().Add(time.Second))
		go func() { _, _, _ = peer.ReadMessage() }()
		time.Sleep(3*PingEvery + time.Second)
		if pings.Load() != 3 || pongs.Load() != 1 {
			t.Errorf("%d pings and %d pongs", pings.Load(), pongs.Load())
		}
		c.fail(nil)
		c.writer.Wait()
	})
	pair(t, func(t *testing.T, c *end, _ *websocket.Conn) {
		c.urgent <- bytes.Repeat([]byte("x"), 3*chunk)
		begun := time.Now()
		c.write(0, "")
		c.writer.Wait()
		if !errors.Is(c.err, ErrStalled) || time.Since(begun) != WriteStall {
			t.Errorf("after %v: %v", time.Since(begun), c.err)
		}
	})
}

// TestClose: what is queued goes before the close frame, whose reason fits; the writer
// waits for the answer, but not for ever.
func TestClose(t *testing.T) {
	for _, answers := range []bool{true, false} {
		pair(t, func(t *testing.T, c *end, peer *websocket.Conn) {
			c.fail(nil)
			c.urgent <- []byte("last")
			begun := time.Now()
			c.write(4001, strings.Repeat("ä", 100))
			go func() {
				c.Drain()
				c.EndRead(c.writer.Wait)
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
		c.urgent <- bytes.Repeat([]byte("x"), 3*chunk)
		c.write(0, "")
		synctest.Wait()
		c.fail(nil)
		begun := time.Now()
		c.EndRead(c.writer.Wait)
		if took := time.Since(begun); took != closeWait {
			t.Errorf("the writer ended after %v", took)
		}
	})
}
