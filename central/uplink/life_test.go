package uplink

import (
	"context"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"galla/central"
	"galla/shared/op"
	"galla/shared/wire"
	"galla/shared/wsconn"
)

func TestPingsAndSilence(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		begun := time.Now()
		talking, _ := h.greeted(h.enrol(), 0)
		silent, _ := h.greeted(h.enrol(), 0)
		silent.mute.Store(true)
		silent.closed()
		if d := time.Since(begun); d < wsconn.Silence || d > wsconn.Silence+leaveWait {
			t.Errorf("silence was borne for %v", d)
		}
		time.Sleep(10*time.Minute - time.Since(begun))
		if h.server.Census().Connected != 1 {
			t.Error("a terminal that answers pings was cut off")
		}
		_ = talking.ws.Close()
		talking.closed()
		if n := len(talking.pings); n < 26 || n > 30 {
			t.Errorf("%d pings in ten minutes", n)
		}
		for i := 1; i < len(talking.pings); i++ {
			if d := talking.pings[i].Sub(talking.pings[i-1]); d < wsconn.PingEvery || d > wsconn.PingEvery+2*pingTurn {
				t.Errorf("ping %d came after %v", i, d)
			}
		}
		if n := len(silent.pings); n != 2 {
			t.Errorf("the silent terminal was pinged %d times", n)
		}
	})
}

// TestWhoPingsIsNotPinged: a counter pings by itself, and one ping of the two is enough.
func TestWhoPingsIsNotPinged(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		l, _ := h.greeted(h.enrol(), 0)
		time.Sleep(pingTurn / 2)
		for range 30 {
			l.write.Lock()
			_ = l.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second))
			l.write.Unlock()
			time.Sleep(wsconn.PingEvery)
		}
		_ = l.ws.Close()
		l.closed()
		if len(l.pings) > 0 {
			t.Errorf("it was pinged %d times", len(l.pings))
		}
	})
}

// TestIdleTerminals: idle terminals have one goroutine each, and are read together, once
// for each thousand and Poll.
func TestIdleTerminals(t *testing.T) {
	const terminals = 300
	bubble(t, nil, func(t *testing.T, h *system) {
		synctest.Wait()
		before := runtime.NumGoroutine()
		var enrolled []terminal
		for range terminals {
			enrolled = append(enrolled, h.enrol())
		}
		h.knowsAll()
		for _, x := range enrolled {
			h.greeted(x, 0)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := runtime.NumGoroutine() - before; n > 2*terminals { // one of each is the test's own
			t.Errorf("%d goroutines of %d idle terminals and their other ends", n, terminals)
		}
		count := func() (checked, read, recorded int) {
			h.store.mu.Lock()
			defer h.store.mu.Unlock()
			return h.store.checked, h.store.readEvents, h.store.recorded
		}
		checked, read, recorded := count()
		time.Sleep(10 * h.server.cfg.Poll)
		synctest.Wait()
		nowChecked, nowRead, nowRecorded := count()
		if n := nowChecked - checked; n > 10 {
			t.Errorf("the terminals were read by %d calls in ten polls", n)
		}
		if nowRead != read || nowRecorded != recorded {
			t.Errorf("idle terminals: %d reads of events, %d writes", nowRead-read, nowRecorded-recorded)
		}
	})
}

// TestPingsAreAnswered by one pong for the latest.
func TestPingsAreAnswered(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		l := h.connect(h.enrol(), true)
		pongs := make(chan string, 10)
		l.ws.SetPongHandler(func(s string) error { pongs <- s; return nil })
		go l.read()
		for _, p := range []string{"a", "b", "c"} {
			_ = l.ws.WriteControl(websocket.PingMessage, []byte(p), time.Now().Add(time.Second))
		}
		var got string
		for got != "c" {
			got = <-pongs
		}
	})
}

// TestSlowFrameIsNoSilence: a capture on a bad line may take longer than 45 s,
// as long as it moves.
func TestSlowFrameIsNoSilence(t *testing.T) {
	send := func(t *testing.T, every time.Duration) (lasted time.Duration, outcome bool) {
		bubble(t, nil, func(t *testing.T, h *system) {
			begun := time.Now()
			l, _ := h.greeted(h.enrol(), 0)
			w, err := l.ws.NextWriter(websocket.TextMessage)
			if err != nil {
				t.Fatal(err)
			}
			f := withdraw(newID())
			f.Body = []byte(`"` + strings.Repeat("x", 60<<10) + `"`)
			data, err := wire.Encode(f)
			if err != nil {
				t.Fatal(err)
			}
			var sender sync.WaitGroup
			defer sender.Wait()
			sender.Go(func() {
				for part := range slices.Chunk(data, 8<<10) {
					if _, err := w.Write(part); err != nil {
						return
					}
					time.Sleep(every)
				}
				_ = w.Close()
			})
			f, outcome = <-l.frames
			if outcome && f.T == wire.TAccepted {
				f, outcome = <-l.frames
			}
			lasted = time.Since(begun)
		})
		return lasted, outcome
	}
	if d, ok := send(t, 15*time.Second); !ok || d < 100*time.Second {
		t.Errorf("a slow frame: taken %t, after %v", ok, d)
	}
	if d, ok := send(t, 44*time.Second); ok || d > wsconn.FrameWait+wsconn.Silence+leaveWait {
		t.Errorf("a frame that never ends: taken %t, after %v", ok, d)
	}
}

// TestTerminalThatDoesNotRead is cut off, whatever it asks for.
func TestTerminalThatDoesNotRead(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		l := h.connect(h.enrol(), true)
		x := h.store.terminals[h.only()]
		var ran atomic.Int64
		h.handler.handle = func(_ context.Context, c central.Request) central.Reply {
			ran.Add(1)
			c.OnAccepted(c.ID)
			return central.Reply{HTTP: 200, Body: []byte(`{}`), State: op.Succeeded}
		}
		l.send(wire.Frame{T: wire.THello, V: wire.Version, Terminal: string(x.ID)})
		for range 10 * urgentQueue {
			data, _ := wire.Encode(withdraw(newID()))
			if l.ws.SetWriteDeadline(time.Now().Add(time.Minute)) != nil || l.ws.WriteMessage(websocket.TextMessage, data) != nil {
				break
			}
			synctest.Wait()
		}
		if n := ran.Load(); n < urgentQueue/2 || n > urgentQueue {
			t.Errorf("it was cut off after %d operations", n)
		}
		time.Sleep(wsconn.WriteStall + leaveWait)
		if n := h.server.Stats().Overrun; n != 1 || h.server.Census().Connected != 0 {
			t.Errorf("%d overruns, %d connected", n, h.server.Census().Connected)
		}
	})
}

// only is the one terminal that is connected.
func (h *system) only() central.TerminalID {
	synctest.Wait()
	h.server.mu.Lock()
	defer h.server.mu.Unlock()
	for id := range h.server.current {
		return id
	}
	return ""
}

func TestSecondConnectionEndsTheFirst(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		x := h.enrol()
		first, _ := h.greeted(x, 0)
		second, _ := h.greeted(x, 0)
		if code, words := first.closed(); code != wire.CloseReplaced || words != replaced {
			t.Errorf("the first was closed with %d %q", code, words)
		}
		second.send(withdraw(newID()))
		second.next(wire.TAccepted)
		second.next(wire.TOutcome)
		if h.server.Census().Connected != 1 || h.server.Stats().Replaced != 1 {
			t.Errorf("%d connected, %+v", h.server.Census().Connected, h.server.Stats())
		}
	})
}

func TestShutdown(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		polite, _ := h.greeted(h.enrol(), 0)
		deaf := h.connect(h.enrol(), true)
		idle, err := h.dialer.NetDialContext(t.Context(), "", "") // a socket that says nothing
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = idle.Close() }()
		working := make(chan struct{})
		h.handler.handle = func(ctx context.Context, _ central.Request) central.Reply {
			close(working)
			<-ctx.Done()
			return central.Reply{HTTP: 200, Body: []byte(`{}`), State: op.Sent}
		}
		polite.send(withdraw(newID()))
		<-working
		synctest.Wait()
		begun := time.Now()
		h.stop()
		if code, words := polite.closed(); code != websocket.CloseGoingAway || words != goingAway {
			t.Errorf("closed with %d %q", code, words)
		}
		if err := <-h.ended; err != nil {
			t.Errorf("Run = %v", err)
		}
		h.ended <- nil
		if d := time.Since(begun); d > h.server.cfg.Drain+shutdownWait {
			t.Errorf("the stop took %v", d)
		}
		_ = deaf.ws.Close()
		if err := h.server.Run(t.Context(), newPipeListener()); err == nil {
			t.Error("a server ran twice")
		}
	})
}

// TestDoorClosesFirst: a terminal that is told to connect again, and does so at once, does
// not come to a central that stops.
func TestDoorClosesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newPipeListener()
		h := newSystem(t, n, nil)
		l, _ := h.greeted(h.enrol(), 0)
		told := true
		n.closing = func() {
			h.server.mu.Lock()
			defer h.server.mu.Unlock()
			for x := range h.server.sessions {
				_, _, told = x.conn.Ended()
			}
		}
		h.stop()
		l.closed()
		synctest.Wait()
		if told {
			t.Error("the terminal was told to connect again before the door was closed")
		}
	})
}

func TestPanicsAreCaught(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newSystem(t, newPipeListener(), nil)
		defer func() { // what newHouse checks at its end is expected here
			if n := h.server.counts.panics.Swap(0); n != 3 {
				t.Errorf("%d panics were counted, want 3", n)
			}
		}()
		h.handler.handle = func(context.Context, central.Request) central.Reply { panic("body of a call") }
		h.handler.ask = func(context.Context, central.Principal, op.ID) (central.Reply, bool, error) {
			var none []string
			return central.Reply{}, none[len(none)] == "", nil
		}
		l, _ := h.greeted(h.enrol(), 0)
		l.send(withdraw(newID()))
		l.send(withdraw(newID()))
		synctest.Wait()
		if h.server.Census().Connected != 1 || h.server.UnderWay() != 0 {
			t.Errorf("%d connected, %d under way: an operation's panic is its own", h.server.Census().Connected, h.server.UnderWay())
		}
		l.send(wire.Frame{T: wire.TAsk, ID: newID()})
		l.closed()
		synctest.Wait()
		if h.server.Census().Connected != 0 {
			t.Error("a session with a broken asker went on")
		}
	})
}

// TestSharedWorkGoesOn: what works for many terminals at once survives a panic.
func TestSharedWorkGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newSystem(t, newPipeListener(), nil)
		defer func() {
			if n := h.server.counts.panics.Swap(0); n != 3 {
				t.Errorf("%d panics were counted, want 3", n)
			}
		}()
		x := h.enrol()
		breaks := func(call string) {
			h.store.mu.Lock()
			h.store.broken = call
			h.store.mu.Unlock()
		}
		breaks("CheckTerminals")
		if _, resp, err := h.open(http.Header{"Authorization": {"Bearer " + x.token(claims())}}); err == nil || resp.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("a terminal whose check panicked got %v", err)
		}
		breaks("RecordPresence")
		h.greeted(x, 0)
		synctest.Wait()
		if seen := h.store.presence(x.id); !seen.ConnectedAt.IsZero() {
			t.Errorf("recorded %+v", seen)
		}
		time.Sleep(feedRetry)
		synctest.Wait()
		if seen := h.store.presence(x.id); seen.ConnectedAt.IsZero() {
			t.Error("a hello whose recording panicked was never recorded")
		}
		breaks("CheckTerminals")
		h.server.watcher.look("")
		synctest.Wait()
		h.revoke(x)
		time.Sleep(feedRetry)
		synctest.Wait()
		if n := h.server.Census().Connected; n != 0 {
			t.Errorf("%d connected: nobody is watched since a panic", n)
		}
	})
}

// TestSockets bounds what has not even sent a header.
func TestSockets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newPipeListener()
		b := newLimitedListener(n, 2)
		go func() {
			for range 4 {
				_, _ = n.dial(t.Context(), "", "")
			}
			_ = n.Close()
		}()
		var held []net.Conn
		for {
			c, err := b.Accept()
			if err != nil {
				break
			}
			held = append(held, c)
			if len(held) == 2 {
				_ = held[0].Close()
				_ = held[0].Close() // gives one slot back, not two
			}
		}
		if len(held) != 3 {
			t.Errorf("%d sockets were held at a limit of 2 with one given back", len(held))
		}
	})
}
