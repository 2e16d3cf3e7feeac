package uplink

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"galla/central"
	"galla/shared/op"
	"galla/shared/wire"
)

// bubble runs a test with a system in virtual time.
func bubble(t *testing.T, change func(*Config), test func(t *testing.T, h *system)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newSystem(t, newPipeListener(), change)) })
}

func TestWelcome(t *testing.T) {
	bubble(t, func(c *Config) { c.Window = 5 }, func(t *testing.T, h *system) {
		x, other := h.enrol(), h.enrol()
		ids := []op.ID{newID(), newID(), newID(), newID(), newID(), newID()}
		for i, s := range []op.State{op.Succeeded, op.Pending, op.Received, op.Sent} {
			h.store.operations[ids[i]] = operationRecord(x.id, ids[i], s)
		}
		h.store.operations[ids[4]] = operationRecord(other.id, ids[4], op.Succeeded)
		tombstone := operationRecord(x.id, ids[5], op.Refused)
		tombstone.Tombstone = true
		h.store.operations[ids[5]] = tombstone

		l, w := h.greeted(x, 0, slices.Concat(ids, ids, []op.ID{newID()})...)
		if w.Window != 5 || w.Clock != time.Now().UnixMilli() {
			t.Errorf("window %d, clock %d; want 5 and %d", w.Window, w.Clock, time.Now().UnixMilli())
		}
		if len(w.Outcomes) != 2 || w.Outcomes[0].ID != ids[0] || w.Outcomes[0].State != op.Succeeded ||
			w.Outcomes[1].ID != ids[1] || w.Outcomes[1].State != op.Pending {
			t.Errorf("outcomes %v; want the succeeded and the pending one of this terminal, once", w.Outcomes)
		}
		synctest.Wait()
		if h.store.saw[x.id] != 1 || h.server.Census().Connected != 1 {
			t.Errorf("the hello was noted %d times, %d are connected", h.store.saw[x.id], h.server.Census().Connected)
		}
		_ = l.ws.Close()
	})
}

// TestWelcomeTellsTheShop: what receipts say beside the name; a shop that can't be read
// leaves the terminal with what it knows.
func TestWelcomeTellsTheShop(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want *wire.Shop
	}{
		"known":      {nil, &wire.Shop{Address: "12 Laxmi Road, Pune", Phone: "9800000001"}},
		"unreadable": {errors.New("no database"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			read := func(_ context.Context, id central.MerchantID) (central.Merchant, error) {
				return central.Merchant{ID: id, Address: "12 Laxmi Road, Pune", Mobile: "9800000001"}, c.err
			}
			bubble(t, func(cfg *Config) { cfg.Merchant = read }, func(t *testing.T, h *system) {
				l, w := h.greeted(h.enrol(), 0)
				if (w.Shop == nil) != (c.want == nil) || w.Shop != nil && *w.Shop != *c.want {
					t.Errorf("the shop is %+v, want %+v", w.Shop, c.want)
				}
				_ = l.ws.Close()
			})
		})
	}
}

func TestWelcomeFitsAFrame(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		x := h.enrol()
		var ids []op.ID
		for range wire.MaxUnresolved {
			o := operationRecord(x.id, newID(), op.Succeeded)
			o.Reply = []byte(`"` + strings.Repeat("r", 4096) + `"`)
			h.store.operations[o.ID] = o
			ids = append(ids, o.ID)
		}
		_, w := h.greeted(x, 0, ids...)
		if n := len(w.Outcomes); n < 100 || n >= wire.MaxUnresolved {
			t.Errorf("%d outcomes; want what fits, and the rest left to be asked for", n)
		}
	})
}

func TestHelloRefused(t *testing.T) {
	tests := []struct {
		name, text string
		code       int
		words      string
	}{
		{"another frame", `{"t":"ask","id":"019bd3a0-0000-7000-8000-000000000001"}`, wire.CloseProtocol, "must be hello"},
		{"a newer version", `{"t":"hello","v":2,"terminal":"TERMINAL"}`, wire.CloseVersion, "protocol 2, the central 1"},
		{"a newer version with other fields", `{"t":"hello","v":2}`, wire.CloseVersion, "protocol 2, the central 1"},
		{"another terminal", `{"t":"hello","v":1,"terminal":"x"}`, wire.CloseProtocol, "another terminal"},
		{"no terminal", `{"t":"hello","v":1}`, wire.CloseProtocol, "needs terminal"},
		{"an id that is none", `{"t":"hello","v":1,"terminal":"TERMINAL","unresolved":["1"]}`, wire.CloseProtocol, "UUIDv7"},
		{"a negative cursor", `{"t":"hello","v":1,"terminal":"TERMINAL","cursor":-1}`, wire.CloseProtocol, "cursor"},
		{"no JSON", `hello`, wire.CloseProtocol, "not the JSON object"},
		{"nothing", ``, wire.CloseProtocol, "not the JSON object"},
		{"too large", `{"pad":"` + strings.Repeat("x", wire.MaxFrame) + `"}`, websocket.CloseMessageTooBig, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, h *system) {
				x := h.enrol()
				l := h.connect(x, false)
				go l.text(strings.ReplaceAll(tt.text, "TERMINAL", string(x.id)))
				if code, words := l.closed(); code != tt.code || !strings.Contains(words, tt.words) {
					t.Errorf("closed with %d %q, want %d %q", code, words, tt.code, tt.words)
				}
			})
		})
	}
}

func TestHelloMustComeSoon(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		begun := time.Now()
		l := h.connect(h.enrol(), false)
		var pings sync.WaitGroup
		defer pings.Wait()
		pings.Go(func() { // they are no hello
			for l.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second)) == nil {
				time.Sleep(time.Second)
			}
		})
		l.closed()
		if d := time.Since(begun); d < helloWait || d > helloWait+leaveWait {
			t.Errorf("a connection without hello lasted %v", d)
		}
	})
}

func TestProtocolViolations(t *testing.T) {
	id := newID()
	tests := []struct {
		name  string
		frame wire.Frame
		words string
	}{
		{"hello again", wire.Frame{T: wire.THello, V: 1, Terminal: "x"}, "type hello"},
		{"the central's frame", wire.Frame{T: wire.TUnseen, ID: id}, "type unseen"},
		{"seen of an event that was not sent", wire.Frame{T: wire.TSeen, Cursor: 9}, "seen 9"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, h *system) {
				l, _ := h.greeted(h.enrol(), 7)
				l.send(tt.frame)
				if code, words := l.closed(); code != wire.CloseProtocol || !strings.Contains(words, tt.words) {
					t.Errorf("closed with %d %q, want %d %q", code, words, wire.CloseProtocol, tt.words)
				}
			})
		})
	}
	t.Run("binary", func(t *testing.T) {
		bubble(t, nil, func(t *testing.T, h *system) {
			l, _ := h.greeted(h.enrol(), 0)
			_ = l.ws.WriteMessage(websocket.BinaryMessage, []byte(`{"t":"seen","cursor":1}`))
			if code, _ := l.closed(); code != wire.CloseProtocol {
				t.Errorf("closed with %d", code)
			}
		})
	})
}

func TestOperation(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		x := h.enrol()
		calls := make(chan central.Request, 1)
		release := make(chan struct{})
		h.handler.handle = func(_ context.Context, c central.Request) central.Reply {
			c.OnAccepted(c.ID)
			calls <- c
			<-release
			return central.Reply{HTTP: 200, Body: []byte(`{"statusCode":"00"}`), State: op.Succeeded}
		}
		l, _ := h.greeted(x, 0)
		f := withdraw(newID())
		f.NotAfter, f.CapturedAt = 90_000, 5_000
		l.send(f)
		if got := l.next(wire.TAccepted); got.ID != f.ID {
			t.Errorf("accepted %s, want %s", got.ID, f.ID)
		}
		c := <-calls
		want := central.Principal{Role: op.Merchant, Merchant: central.MerchantID("m-" + string(x.id)), Terminal: x.id}
		if c.Principal != want || c.Route.ID != op.Withdrawal || c.ID != f.ID || c.Identity != string(f.ID) ||
			c.RequestID != string(f.ID) || string(c.Body) != string(f.Body) || c.NotAfter.UnixMilli() != 90_000 || c.CapturedAt.UnixMilli() != 5_000 {
			t.Errorf("the handler was called with %+v", c)
		}
		if n := h.server.UnderWay(); n != 1 {
			t.Errorf("%d under way, want 1", n)
		}
		close(release)
		if got := l.next(wire.TOutcome); got.ID != f.ID || got.State != op.Succeeded || got.HTTP != 200 || string(got.Reply) != `{"statusCode":"00"}` {
			t.Errorf("outcome %+v", got)
		}
		synctest.Wait()
		if n := h.server.UnderWay(); n != 0 {
			t.Errorf("%d under way, want none", n)
		}
	})
}

func TestReplyBecomesOutcome(t *testing.T) {
	tests := []struct {
		name  string
		reply central.Reply
		state op.State
		http  int
	}{
		{"an enquiry's answer", central.Reply{HTTP: 200, Body: []byte(`{}`)}, op.Succeeded, 200},
		{"refused before it became an operation", central.Reply{HTTP: 400, Body: []byte(`{}`)}, op.Failed, 400},
		{"refused", central.Reply{HTTP: 502, Body: []byte(`{}`), State: op.Refused}, op.Refused, 502},
		{"pending", central.Reply{HTTP: 200, Body: []byte(`{}`), State: op.Pending}, op.Pending, 200},
		{"no body", central.Reply{HTTP: 200, State: op.Succeeded}, op.Succeeded, 500},
		{"no JSON", central.Reply{HTTP: 200, Body: []byte(`{`), State: op.Succeeded}, op.Succeeded, 500},
		{"a reply over a frame", central.Reply{HTTP: 200, Body: []byte(`"` + strings.Repeat("x", wire.MaxFrame) + `"`), State: op.Reversed}, op.Reversed, 500},
	}
	bubble(t, nil, func(t *testing.T, h *system) {
		l, _ := h.greeted(h.enrol(), 0)
		for _, tt := range tests {
			h.handler.handle = func(context.Context, central.Request) central.Reply { return tt.reply }
			l.send(withdraw(newID()))
			if f := l.next(wire.TOutcome); f.State != tt.state || f.HTTP != tt.http {
				t.Errorf("%s: outcome %s, HTTP %d; want %s, %d", tt.name, f.State, f.HTTP, tt.state, tt.http)
			}
		}
	})
}

func TestRoutesOfTheUplink(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		calls := make(chan central.Request, 1)
		h.handler.handle = func(_ context.Context, c central.Request) central.Reply {
			calls <- c
			return central.Reply{HTTP: 200, Body: []byte(`{}`)}
		}
		l, _ := h.greeted(h.enrol(), 0)
		for _, route := range []op.RouteID{"POST /aeps/deposit", op.MintTerminal, op.EnrolTerminal} {
			l.send(wire.Frame{T: wire.TOp, ID: newID(), Route: route, Body: []byte(`{}`)})
			if f := l.next(wire.TOutcome); f.State != op.Failed || f.HTTP != 404 {
				t.Errorf("%s: outcome %s, HTTP %d", route, f.State, f.HTTP)
			}
		}
		l.send(wire.Frame{T: wire.TOp, ID: newID(), Route: op.OperationState, Body: []byte(`{"id":"some","page":2,"deep":{"x":1}}`)})
		l.next(wire.TOutcome)
		c := <-calls
		if c.Params["id"] != "some" || len(c.Params) != 1 || c.Query["page"] != "2" || len(c.Query) != 1 || c.Body != nil {
			t.Errorf("params %v, query %v, body %s", c.Params, c.Query, c.Body)
		}
	})
}

func TestWindow(t *testing.T) {
	bubble(t, func(c *Config) { c.Window = 3 }, func(t *testing.T, h *system) {
		next := make(chan struct{})
		h.handler.handle = func(_ context.Context, c central.Request) central.Reply {
			<-next
			return central.Reply{HTTP: 200, Body: []byte(`{}`), State: op.Succeeded}
		}
		defer close(next)
		l, _ := h.greeted(h.enrol(), 0)
		for range 3 {
			l.send(withdraw(newID()))
		}
		next <- struct{}{}
		l.next(wire.TOutcome)
		l.send(withdraw(newID())) // the outcome freed the window
		l.send(withdraw(newID()))
		if code, words := l.closed(); code != wire.CloseProtocol || !strings.Contains(words, "more than 3") {
			t.Errorf("closed with %d %q", code, words)
		}
	})
}

func TestOperationsOfAllAreBounded(t *testing.T) {
	bubble(t, func(c *Config) { c.MaxOperations = 1 }, func(t *testing.T, h *system) {
		next := make(chan struct{})
		h.handler.handle = func(context.Context, central.Request) central.Reply {
			<-next
			return central.Reply{HTTP: 200, Body: []byte(`{}`), State: op.Succeeded}
		}
		defer close(next)
		a, _ := h.greeted(h.enrol(), 0)
		b, _ := h.greeted(h.enrol(), 0)
		a.send(withdraw(newID()))
		synctest.Wait()
		b.send(withdraw(newID()))
		if f := b.next(wire.TOutcome); f.State != op.Failed || f.HTTP != 429 {
			t.Errorf("outcome %s, HTTP %d; want failed, 429", f.State, f.HTTP)
		}
	})
}

// TestOperationOutlivesItsConnection: the work goes on, its outcome is for
// whoever asks.
func TestOperationOutlivesItsConnection(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		x := h.enrol()
		release, ended := make(chan struct{}), make(chan error, 1)
		h.handler.handle = func(ctx context.Context, c central.Request) central.Reply {
			c.OnAccepted(c.ID)
			<-release
			ended <- ctx.Err()
			return central.Reply{HTTP: 200, Body: []byte(`{}`), State: op.Succeeded}
		}
		l, _ := h.greeted(x, 0)
		l.send(withdraw(newID()))
		l.next(wire.TAccepted)
		_ = l.ws.Close()
		l.closed()
		again, _ := h.greeted(x, 0)
		synctest.Wait()
		close(release)
		if err := <-ended; err != nil {
			t.Errorf("the operation's context ended with its connection: %v", err)
		}
		synctest.Wait()
		select {
		case f := <-again.frames:
			t.Errorf("the next connection got %v", f)
		default:
		}
	})
}

// TestALateOutcomeOverATroubledStore: a terminal that shows an operation as
// pending waits for the end and asks at most once, so that the session must go
// on looking when the store fails it. Found by the explored model.
func TestALateOutcomeOverATroubledStore(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		x, id := h.enrol(), newID()
		h.handler.handle = func(ctx context.Context, _ central.Request) central.Reply {
			<-ctx.Done()
			return h.handler.CurrentReply(operationRecord(x.id, id, op.Sent))
		}
		looks := 0
		h.handler.ask = func(context.Context, central.Principal, op.ID) (central.Reply, bool, error) {
			looks++
			if looks < 3 {
				return central.Reply{}, false, errors.New("the primary is being promoted")
			}
			return h.handler.CurrentReply(operationRecord(x.id, id, op.Succeeded)), true, nil
		}
		l, _ := h.greeted(x, 0)
		l.send(withdraw(id))
		for _, want := range []op.State{op.Pending, op.Succeeded} {
			if f := l.next(wire.TOutcome); f.State != want {
				t.Errorf("outcome %s, want %s", f.State, want)
			}
		}
		looks = 0
		l.send(wire.Frame{T: wire.TAsk, ID: id})
		if f := l.next(wire.TOutcome); f.State != op.Succeeded || looks != 3 {
			t.Errorf("outcome %s after %d looks, want %s after 3", f.State, looks, op.Succeeded)
		}
	})
}

// TestAQuestionDoesNotOvertakeItsOperation: an ask that comes right behind its op
// frame is not answered before that operation is recorded, since the answer would
// make the central refuse it for ever.
func TestAQuestionDoesNotOvertakeItsOperation(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		recorded := make(chan struct{})
		h.handler.handle = func(_ context.Context, c central.Request) central.Reply {
			<-recorded
			c.OnAccepted(c.ID)
			return h.handler.CurrentReply(operationRecord(c.Principal.Terminal, c.ID, op.Succeeded))
		}
		asked := 0
		h.handler.ask = func(context.Context, central.Principal, op.ID) (central.Reply, bool, error) {
			asked++
			return central.Reply{}, false, nil
		}
		l, _ := h.greeted(h.enrol(), 0)
		f := withdraw(newID())
		l.send(f)
		l.send(wire.Frame{T: wire.TAsk, ID: f.ID})
		synctest.Wait()
		if asked != 0 {
			t.Error("the store was asked for an operation that is being recorded")
		}
		close(recorded)
		l.next(wire.TAccepted)
		if got := l.next(wire.TOutcome); got.ID != f.ID || got.State != op.Succeeded {
			t.Errorf("outcome %+v", got)
		}
		l.send(wire.Frame{T: wire.TAsk, ID: f.ID}) // a later question is one
		l.next(wire.TUnseen)
	})
}

// TestLateOutcome: what is in progress when the wait ends is sent as
// pending, and its end when it comes, since no event will tell it.
func TestLateOutcome(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		h.handler.handle = func(ctx context.Context, c central.Request) central.Reply {
			<-ctx.Done()
			return central.Reply{HTTP: 200, Body: []byte(`{"message":"Transaction pending"}`), State: op.Sent}
		}
		begun := time.Now()
		h.handler.ask = func(ctx context.Context, _ central.Principal, _ op.ID) (central.Reply, bool, error) {
			state := op.Sent
			if time.Since(begun) > 80*time.Second {
				state = op.Failed
			} else {
				<-ctx.Done()
			}
			return central.Reply{HTTP: 200, Body: []byte(`{}`), State: state}, true, nil
		}
		l, _ := h.greeted(h.enrol(), 0)
		l.send(withdraw(newID()))
		if f := l.next(wire.TOutcome); f.State != op.Pending {
			t.Errorf("first outcome %s, want pending", f.State)
		}
		if d := time.Since(begun); d != 30*time.Second {
			t.Errorf("the wait took %v", d)
		}
		if f := l.next(wire.TOutcome); f.State != op.Failed {
			t.Errorf("second outcome %s, want failed", f.State)
		}
	})
}
