package uplink

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/gorilla/websocket"

	"galla/central"
	"galla/shared/op"
	"galla/shared/wire"
)

// terminal is an enrolled counter.
type terminal struct {
	id  central.TerminalID
	key ed25519.PrivateKey
}

func (h *system) enrol() terminal {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		h.t.Fatal(err)
	}
	t := terminal{id: central.TerminalID(newID()), key: private}
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	h.store.terminals[t.id] = central.Terminal{ID: t.id, Merchant: central.MerchantID("m-" + string(t.id)), PublicKey: public}
	return t
}

func newID() op.ID { return op.ID(uuid.Must(uuid.NewV7()).String()) }

// claims are those of a good token.
func claims() jwt.RegisteredClaims {
	now := time.Now()
	return jwt.RegisteredClaims{
		Audience: jwt.ClaimStrings{audience}, ID: uuid.NewString(),
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(time.Minute)),
	}
}

func (t terminal) token(c jwt.Claims) string {
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, c)
	token.Header["kid"] = string(t.id)
	text, err := token.SignedString(t.key)
	if err != nil {
		panic(err)
	}
	return text
}

func (h *system) open(header http.Header) (*websocket.Conn, *http.Response, error) {
	return h.dialer.Dial(h.url, header)
}

// testConn is a terminal's end of a connection.
type testConn struct {
	t      *testing.T
	ws     *websocket.Conn
	frames chan wire.Frame
	end    error // set when frames is closed
	pings  []time.Time
	mute   atomic.Bool // pings are not answered
	write  sync.Mutex
}

// connect opens a connection; its frames are read and kept, unless deaf.
func (h *system) connect(t terminal, deaf bool) *testConn {
	h.t.Helper()
	ws, _, err := h.open(http.Header{"Authorization": {"Bearer " + t.token(claims())}})
	if err != nil {
		h.t.Fatalf("connect: %v", err)
	}
	l := &testConn{t: h.t, ws: ws, frames: make(chan wire.Frame, 10_000)}
	h.t.Cleanup(func() { _ = ws.Close() })
	if !deaf {
		go l.read()
	}
	return l
}

func (l *testConn) read() {
	defer close(l.frames)
	pong := l.ws.PingHandler()
	l.ws.SetPingHandler(func(s string) error {
		l.pings = append(l.pings, time.Now())
		if l.mute.Load() {
			return nil
		}
		l.write.Lock()
		defer l.write.Unlock()
		return pong(s)
	})
	for {
		_, data, err := l.ws.ReadMessage()
		if err != nil {
			l.end = err
			return
		}
		f, err := wire.Decode(data)
		if err != nil {
			l.t.Errorf("the central sent %.200s: %v", data, err)
		}
		l.frames <- f
	}
}

func (l *testConn) send(f wire.Frame) {
	l.t.Helper()
	data, err := wire.Encode(f)
	if err != nil {
		l.t.Fatal(err)
	}
	l.text(string(data))
}

// text sends a message; that the central has gone away is for the test to see
// in what it reads.
func (l *testConn) text(s string) {
	l.write.Lock()
	defer l.write.Unlock()
	_ = l.ws.WriteMessage(websocket.TextMessage, []byte(s))
}

// next gives the next frame, of the given type.
func (l *testConn) next(want wire.Type) wire.Frame {
	l.t.Helper()
	f, ok := <-l.frames
	if !ok {
		l.t.Fatalf("the connection ended (%v) where a frame %s should come", l.end, want)
	}
	if f.T != want {
		l.t.Fatalf("got %v, want a frame %s", f, want)
	}
	return f
}

// closed waits for the end of the connection and gives its close code.
func (l *testConn) closed() (int, string) {
	l.t.Helper()
	for range l.frames {
	}
	var c *websocket.CloseError
	if !errors.As(l.end, &c) {
		return 0, fmt.Sprint(l.end)
	}
	return c.Code, c.Text
}

func hello(t terminal, cursor int64, unresolved ...op.ID) wire.Frame {
	return wire.Frame{T: wire.THello, V: wire.Version, Terminal: string(t.id), Version: "test", Clock: 1, Cursor: cursor, Unresolved: unresolved}
}

// greeted connects and says hello.
func (h *system) greeted(t terminal, cursor int64, unresolved ...op.ID) (*testConn, wire.Frame) {
	h.t.Helper()
	l := h.connect(t, false)
	l.send(hello(t, cursor, unresolved...))
	return l, l.next(wire.TWelcome)
}

func withdraw(id op.ID) wire.Frame {
	return wire.Frame{T: wire.TOp, ID: id, Route: op.Withdrawal, Body: []byte(`{"TxnAmount":500}`)}
}
