package uplink

import (
	"context"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
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
)

// TestChurn opens, uses and breaks hundreds of connections over TCP, with
// operations and questions that outlive them, and looks at every frame: none
// may have anything of another terminal. The package's leak check sees what
// is left behind.
func TestChurn(t *testing.T) {
	const terminals, rounds = 24, 20
	h := newSystem(t, loopback(t), nil)
	stamp := func(c central.Principal, state op.State) central.Reply {
		return central.Reply{HTTP: 200, Body: fmt.Appendf(nil, `{"of":%q}`, c.Terminal), State: state}
	}
	h.handler.handle = func(ctx context.Context, c central.Request) central.Reply {
		c.OnAccepted(c.ID)
		pause(ctx, mathrand.N(5*time.Millisecond))
		return stamp(c.Principal, op.Succeeded)
	}
	h.handler.ask = func(ctx context.Context, p central.Principal, id op.ID) (central.Reply, bool, error) {
		pause(ctx, mathrand.N(2*time.Millisecond))
		return stamp(p, op.Failed), true, nil
	}
	var frames, foreign atomic.Int64
	var all sync.WaitGroup
	for i := range terminals {
		x := h.enrol()
		var cursor atomic.Int64
		own := &sync.Map{} // operations of this terminal
		programs := 1
		if i%4 == 0 {
			programs = 2 // with one key, they fight for the place
		}
		for range programs {
			all.Go(func() {
				for range rounds / programs {
					id := newID()
					own.Store(id, true)
					h.store.event(x.id, cursor.Add(1), id, op.Succeeded)
					h.notifier.Notify(central.TerminalTopic(x.id))
					h.roundOfChurn(x, own, &frames, &foreign)
				}
			})
		}
	}
	all.Wait()
	if foreign.Load() != 0 {
		t.Errorf("%d of %d frames were of another terminal", foreign.Load(), frames.Load())
	}
	if frames.Load() < terminals*rounds {
		t.Errorf("only %d frames were seen", frames.Load())
	}
	t.Logf("%d frames over %d connections, %d replaced", frames.Load(), terminals*rounds, h.server.Stats().Replaced)
}

// pause waits as long as a bank or a database might.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// roundOfChurn is one connection: hello, some work, and a break at any moment.
func (h *system) roundOfChurn(x terminal, own *sync.Map, frames, foreign *atomic.Int64) {
	ws, _, err := h.open(http.Header{"Authorization": {"Bearer " + x.token(claims())}})
	if err != nil {
		h.t.Errorf("connect: %v", err)
		return
	}
	var reader sync.WaitGroup
	enough, got := make(chan struct{}), mathrand.IntN(6)
	reader.Go(func() {
		defer close(enough)
		for {
			_, data, err := ws.ReadMessage()
			if err != nil {
				return
			}
			f, err := wire.Decode(data)
			if err != nil {
				h.t.Errorf("frame: %v", err)
				return
			}
			frames.Add(1)
			if f.ID != "" {
				if _, mine := own.Load(f.ID); !mine {
					foreign.Add(1)
				}
			}
			if got--; got == 0 {
				enough <- struct{}{}
			}
			if len(f.Reply) > 0 && !strings.Contains(string(f.Reply), string(x.id)) {
				foreign.Add(1)
			}
		}
	})
	send := func(f wire.Frame) {
		if data, err := wire.Encode(f); err == nil {
			_ = ws.WriteMessage(websocket.TextMessage, data)
		}
	}
	send(hello(x, 0))
	for range mathrand.IntN(6) {
		id := newID()
		own.Store(id, true)
		if mathrand.IntN(2) == 0 {
			send(withdraw(id))
		} else {
			send(wire.Frame{T: wire.TAsk, ID: id})
		}
	}
	select { // at any moment: in the middle of what comes, or of nothing
	case <-enough:
	case <-time.After(20 * time.Millisecond):
	}
	if mathrand.IntN(2) == 0 {
		_ = ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""), time.Now().Add(time.Second))
	}
	_ = ws.Close()
	for range enough {
	}
	reader.Wait()
}

// FuzzFrames sends the server whatever a terminal could send after its hello,
// one message a line. The server may answer or close; it must not panic, hang
// or touch another terminal's line.
func FuzzFrames(f *testing.F) {
	id := string(newID())
	for _, seed := range []string{
		`{"t":"op","id":"` + id + `","route":"POST /aeps/withdrawal","body":{"TxnAmount":5},"notAfter":9,"capturedAt":8}`,
		`{"t":"op","id":"` + id + `","route":"GET /operations/:id","body":{"id":"x","page":1.5,"deep":[]}}`,
		`{"t":"op","id":"` + id + `","route":"GET /operations/:id","body":"x"}`,
		`{"t":"ask","id":"` + id + `"}` + "\n" + `{"t":"ask","id":"` + id + `"}`,
		`{"t":"seen","cursor":1}` + "\n" + `{"t":"seen","cursor":9223372036854775807}`,
		`{"t":"hello","v":1,"terminal":"x"}`, `{"t":"shout"}`, "", "\n\n", "\xff", `{`,
		`{"t":"op","id":"` + id + `","route":"POST /aeps/withdrawal","body":{},"notAfter":-1}`,
		`{"t":"event","cursor":1,"kind":"banks"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		synctest.Test(t, func(t *testing.T) {
			h := newSystem(t, newPipeListener(), nil)
			x, witness := h.enrol(), h.enrol()
			h.store.event(x.id, 1, newID(), op.Succeeded)
			w, _ := h.greeted(witness, 0)
			l, _ := h.greeted(x, 0)
			for _, text := range strings.Split(string(data), "\n") {
				l.text(text)
			}
			_ = l.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""), time.Now().Add(time.Second))
			l.closed()
			synctest.Wait()
			if len(w.frames) != 0 || h.server.Census().Connected != 1 {
				t.Errorf("the witness got %d frames, %d are connected", len(w.frames), h.server.Census().Connected)
			}
		})
	})
}
