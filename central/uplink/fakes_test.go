package uplink

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"galla/central"
	"galla/central/accounts"
	"galla/shared/op"
	"galla/shared/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memoryStore is a store in memory.
type memoryStore struct {
	mu         sync.Mutex
	terminals  map[central.TerminalID]central.Terminal
	spent      map[string]time.Time
	events     map[central.TerminalID][]central.Event
	operations map[op.ID]central.Operation
	saw        map[central.TerminalID]int
	met        map[central.TerminalID]accounts.Presence
	here       time.Time // since when the node serves; zero: it does not
	forgotten  map[central.TerminalID][]int64
	asked      int   // for a terminal
	fault      error // of every call
}

func (m *memoryStore) lookups() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked
}

func newMemoryStore() *memoryStore {
	return &memoryStore{
		terminals: map[central.TerminalID]central.Terminal{}, spent: map[string]time.Time{},
		events: map[central.TerminalID][]central.Event{}, operations: map[op.ID]central.Operation{},
		saw: map[central.TerminalID]int{}, met: map[central.TerminalID]accounts.Presence{}, forgotten: map[central.TerminalID][]int64{},
	}
}

func (m *memoryStore) Terminal(_ context.Context, id central.TerminalID) (central.Terminal, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	t, ok := m.terminals[id]
	if !ok {
		return t, errors.Join(m.fault, central.ErrNotFound)
	}
	return t, m.fault
}

func (m *memoryStore) TerminalKeys(_ context.Context, after central.TerminalID, limit int) (list []accounts.TerminalKey, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, t := range m.terminals {
		if id > after && t.RevokedAt.IsZero() {
			list = append(list, accounts.TerminalKey{ID: id, PublicKey: t.PublicKey})
		}
	}
	slices.SortFunc(list, func(a, b accounts.TerminalKey) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return list[:min(limit, len(list))], m.fault
}

func (m *memoryStore) TerminalConnected(_ context.Context, id central.TerminalID, p accounts.Presence) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.saw[id]++
	m.met[id] = p
	return m.fault
}

func (m *memoryStore) TerminalDisconnected(_ context.Context, id central.TerminalID, connected, at time.Time, fault string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.met[id]
	if p.ConnectedAt.Equal(connected) {
		p.LeftAt = at
	}
	if fault != "" {
		p.Fault, p.FaultAt = fault, at
	}
	m.met[id] = p
	return m.fault
}

func (m *memoryStore) NodeAlive(_ context.Context, since, _ time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.here = since
	return m.fault
}

func (m *memoryStore) NodeStopped(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.here = time.Time{}
	return m.fault
}

// presence gives what is noted of a terminal.
func (m *memoryStore) presence(id central.TerminalID) accounts.Presence {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.met[id]
}

func (m *memoryStore) SpendToken(_ context.Context, id string, expires time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.spent[id]; known {
		return central.ErrTaken
	}
	m.spent[id] = expires
	return m.fault
}

func (m *memoryStore) EventsAfter(_ context.Context, t central.TerminalID, cursor int64, limit int) ([]central.Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []central.Event
	for _, e := range m.events[t] {
		if e.Cursor > cursor && len(out) < limit {
			out = append(out, e)
		}
	}
	return out, m.fault
}

func (m *memoryStore) AcknowledgeEvents(_ context.Context, t central.TerminalID, cursor int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fault != nil {
		return m.fault
	}
	m.forgotten[t] = append(m.forgotten[t], cursor)
	m.events[t] = slices.DeleteFunc(m.events[t], func(e central.Event) bool { return e.Cursor <= cursor })
	return nil
}

func (m *memoryStore) Operation(_ context.Context, id op.ID) (central.Operation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o, ok := m.operations[id]
	if !ok {
		return o, central.ErrNotFound
	}
	return o, m.fault
}

func (m *memoryStore) ByIdentity(_ context.Context, caller, identity string) (central.Operation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, o := range m.operations {
		if o.Caller == caller && o.Identity == identity {
			return o, m.fault
		}
	}
	return central.Operation{}, errors.Join(m.fault, central.ErrNotFound)
}

func (m *memoryStore) setFault(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fault = err
}

// event appends an outcome event of an operation in the given state.
func (m *memoryStore) event(t central.TerminalID, cursor int64, id op.ID, state op.State) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.operations[id] = operationRecord(t, id, state)
	m.events[t] = append(m.events[t], central.Event{Cursor: cursor, Terminal: t, Kind: string(wire.EventOutcome), Operation: id})
}

func (m *memoryStore) left(t central.TerminalID) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.events[t])
}

func operationRecord(t central.TerminalID, id op.ID, state op.State) central.Operation {
	return central.Operation{
		ID: id, Identity: string(id), Caller: "terminal:" + string(t), Terminal: t, State: state,
		HTTP: 200, Reply: fmt.Appendf(nil, `{"of":%q}`, t),
	}
}

// fakeHandler is a scripted handler.
type fakeHandler struct {
	handle func(ctx context.Context, c central.Request) central.Reply
	ask    func(ctx context.Context, p central.Principal, id op.ID) (central.Reply, bool, error)
}

func (d *fakeHandler) Handle(ctx context.Context, c central.Request) central.Reply {
	if d.handle != nil {
		return d.handle(ctx, c)
	}
	if c.OnAccepted != nil {
		c.OnAccepted(c.ID)
	}
	return d.CurrentReply(operationRecord(c.Principal.Terminal, c.ID, op.Succeeded))
}

func (d *fakeHandler) FindOrTombstone(ctx context.Context, p central.Principal, id op.ID) (central.Reply, bool, error) {
	if d.ask != nil {
		return d.ask(ctx, p, id)
	}
	return central.Reply{}, false, nil
}

func (d *fakeHandler) CurrentReply(o central.Operation) central.Reply {
	return central.Reply{HTTP: o.HTTP, Body: o.Reply, State: o.State}
}

func (d *fakeHandler) ErrorReply(err error, _ string) central.Reply {
	e := central.AsError(err)
	row := map[central.Fault]struct {
		http int
		code string
	}{
		central.Unauthenticated: {401, "03"}, central.AccessDenied: {403, "01"}, central.NoRoute: {404, "04"},
		central.NoMethod: {405, "04"}, central.Invalid: {400, "02"}, central.TooMany: {429, "07"}, central.Internal: {500, "500"},
	}[e.Fault]
	return central.Reply{HTTP: row.http, Body: fmt.Appendf(nil, `{"statusCode":%q,"message":%q}`, row.code, e.Message)}
}

// pipeListener is a listener whose connections are pipes in memory.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (n *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

func (n *pipeListener) Close() error   { n.once.Do(func() { close(n.closed) }); return nil }
func (n *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

func (n *pipeListener) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case n.conns <- there:
		return here, nil
	case <-n.closed:
		return nil, errors.New("nobody listens")
	}
}

// system is a server that runs, with what is around it.
type system struct {
	t        *testing.T
	store    *memoryStore
	handler  *fakeHandler
	notifier *central.Notifier
	server   *Server
	url      string
	dialer   websocket.Dialer
	stop     context.CancelFunc
	ended    chan error
}

const audience = "galla-central"

func newSystem(t *testing.T, l net.Listener, change func(*Config)) *system {
	t.Helper()
	return newSystemOver(t, newMemoryStore(), l, change)
}

func newSystemOver(t *testing.T, store *memoryStore, l net.Listener, change func(*Config)) *system {
	t.Helper()
	h := &system{t: t, store: store, handler: &fakeHandler{}, notifier: central.NewNotifier(), ended: make(chan error, 1)}
	cfg := Config{Audience: audience, Rand: rand.Reader, Logger: logger()}
	if change != nil {
		change(&cfg)
	}
	var err error
	if h.server, err = New(h.handler, h.store, h.notifier, cfg); err != nil {
		t.Fatal(err)
	}
	h.url = "ws://" + l.Addr().String() + Path
	if n, ok := l.(*pipeListener); ok {
		h.url = "ws://central" + Path
		h.dialer.NetDialContext = n.dial
	}
	ctx, stop := context.WithCancel(context.Background())
	h.stop = stop
	go func() { h.ended <- h.server.Run(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-h.ended; err != nil {
			t.Errorf("Run = %v", err)
		}
		if n := h.server.Stats().Panics; n != 0 {
			t.Errorf("%d goroutines panicked", n)
		}
	})
	for h.server.reserveConnection() != nil { // until Run has begun
		time.Sleep(time.Millisecond)
	}
	h.server.releaseConnection()
	return h
}

func logger() *slog.Logger {
	if os.Getenv("GALLA_TEST_LOG") != "" {
		return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return slog.New(slog.NewTextHandler(io.Discard, nil))
}

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
