package uplink

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"galla/central"
	"galla/central/payments"
	"galla/shared/op"
	"galla/shared/wire"
)

func TestEvents(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		x := h.enrol()
		for i := range 5 {
			h.store.event(x.id, int64(10*(i+1)), newID(), op.Succeeded)
		}
		l, _ := h.greeted(x, 20) // 10 and 20 are applied
		for _, cursor := range []int64{30, 40, 50} {
			f := l.next(wire.TEvent)
			if f.Cursor != cursor || f.Kind != wire.EventOutcome || f.State != op.Succeeded || f.HTTP != 200 || f.ID == "" {
				t.Errorf("event %d %s of %s %s, want %d", f.Cursor, f.Kind, f.ID, f.State, cursor)
			}
		}
		synctest.Wait()
		if n := h.store.left(x.id); n != 3 {
			t.Errorf("%d events are kept; the hello's cursor says that two were applied", n)
		}
		l.send(wire.Frame{T: wire.TSeen, Cursor: 40})
		synctest.Wait()
		if n := h.store.left(x.id); n != 1 {
			t.Errorf("%d events are kept after seen 40", n)
		}

		h.store.event(x.id, 60, newID(), op.Reversed)
		begun := time.Now()
		h.notifier.Notify(central.TerminalTopic(x.id))
		if f := l.next(wire.TEvent); f.Cursor != 60 || f.State != op.Reversed || time.Since(begun) != 0 {
			t.Errorf("after the notification: event %d, %v later", f.Cursor, time.Since(begun))
		}
		h.store.event(x.id, 70, newID(), op.Failed) // and nobody rings
		if f := l.next(wire.TEvent); f.Cursor != 70 || time.Since(begun) > 30*time.Second {
			t.Errorf("by the poll: event %d, %v later", f.Cursor, time.Since(begun))
		}

		h.store.mu.Lock()
		h.store.events[x.id] = append(h.store.events[x.id], central.Event{Cursor: 80, Terminal: x.id, Kind: string(wire.EventBanks)})
		h.store.mu.Unlock()
		h.notifier.Notify(central.TerminalTopic(x.id))
		if f := l.next(wire.TEvent); f.Cursor != 80 || f.Kind != wire.EventBanks {
			t.Errorf("event %d %s", f.Cursor, f.Kind)
		}

		// What was not seen comes again, in order.
		_ = l.ws.Close()
		l.closed()
		again, _ := h.greeted(x, 50)
		for _, cursor := range []int64{60, 70, 80} {
			if f := again.next(wire.TEvent); f.Cursor != cursor {
				t.Errorf("again: event %d, want %d", f.Cursor, cursor)
			}
		}
	})
}

// TestEventWindow: what a terminal does not apply does not pile up on its line.
func TestEventWindow(t *testing.T) {
	const total = 3*eventWindow + 5
	bubble(t, nil, func(t *testing.T, h *system) {
		x := h.enrol()
		for i := range int64(total) {
			h.store.event(x.id, i+1, newID(), op.Succeeded)
		}
		l, _ := h.greeted(x, 0)
		for i := range int64(total) {
			f := l.next(wire.TEvent)
			if f.Cursor != i+1 {
				t.Fatalf("event %d, want %d", f.Cursor, i+1)
			}
			if f.Cursor%eventWindow == 0 {
				synctest.Wait()
				if n := len(l.frames); n != 0 {
					t.Fatalf("%d more events came before any was seen", n)
				}
				l.send(wire.Frame{T: wire.TSeen, Cursor: f.Cursor})
			}
		}
		l.send(wire.Frame{T: wire.TSeen, Cursor: total})
		synctest.Wait()
		if n := h.store.left(x.id); n != 0 {
			t.Errorf("%d events are kept", n)
		}
		if !slices.IsSorted(h.store.forgotten[x.id]) {
			t.Errorf("forgotten %v", h.store.forgotten[x.id])
		}
	})
}

func TestEventsSurviveTheStoresFaults(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		x := h.enrol()
		l, _ := h.greeted(x, 0)
		synctest.Wait()
		h.store.setFault(central.ErrBusy)
		h.store.event(x.id, 1, newID(), op.Succeeded)
		h.notifier.Notify(central.TerminalTopic(x.id))
		time.Sleep(time.Minute)
		h.store.setFault(nil)
		if f := l.next(wire.TEvent); f.Cursor != 1 {
			t.Errorf("event %d", f.Cursor)
		}
		h.store.setFault(central.ErrBusy)
		l.send(wire.Frame{T: wire.TSeen, Cursor: 1})
		time.Sleep(time.Minute)
		h.store.setFault(nil)
		time.Sleep(feedRetry)
		synctest.Wait()
		if n := h.store.left(x.id); n != 0 {
			t.Errorf("%d events are kept", n)
		}
		// An event without its operation is skipped; another's is not sent.
		h.store.event(x.id, 2, newID(), op.Succeeded)
		h.store.mu.Lock()
		delete(h.store.operations, h.store.events[x.id][0].Operation)
		h.store.mu.Unlock()
		h.store.event(x.id, 3, newID(), op.Succeeded)
		h.notifier.Notify(central.TerminalTopic(x.id))
		if f := l.next(wire.TEvent); f.Cursor != 3 {
			t.Errorf("event %d, want 3", f.Cursor)
		}
		h.store.event(x.id, 4, newID(), op.Succeeded)
		h.store.mu.Lock()
		id := h.store.events[x.id][len(h.store.events[x.id])-1].Operation
		h.store.operations[id] = operationRecord("another", id, op.Succeeded)
		h.store.mu.Unlock()
		h.notifier.Notify(central.TerminalTopic(x.id))
		time.Sleep(time.Minute)
		if len(l.frames) != 0 {
			t.Errorf("another terminal's operation was sent: %v", <-l.frames)
		}
	})
}

func TestRevokedWhileConnected(t *testing.T) {
	for _, tt := range []struct {
		name   string
		revoke func(h *system, x terminal)
		within time.Duration
	}{
		{"by a notification", func(h *system, x terminal) { h.revoke(x) }, 0},
		{"by the poll", func(h *system, x terminal) {
			h.store.mu.Lock()
			delete(h.store.terminals, x.id)
			h.store.mu.Unlock()
		}, 30 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, h *system) {
				x := h.enrol()
				l, _ := h.greeted(x, 0)
				synctest.Wait()
				begun := time.Now()
				tt.revoke(h, x)
				if code, words := l.closed(); code != wire.CloseRevoked || words != revoked || time.Since(begun) > tt.within {
					t.Errorf("closed with %d %q after %v", code, words, time.Since(begun))
				}
			})
		})
	}
	t.Run("between upgrade and hello", func(t *testing.T) {
		bubble(t, nil, func(t *testing.T, h *system) {
			x := h.enrol()
			l := h.connect(x, false)
			h.revoke(x)
			l.send(hello(x, 0))
			if code, _ := l.closed(); code != wire.CloseRevoked {
				t.Errorf("closed with %d", code)
			}
		})
	})
}

func TestAsk(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		x := h.enrol()
		seen, unseen, faulty := newID(), newID(), newID()
		h.handler.ask = func(_ context.Context, p central.Principal, id op.ID) (central.Reply, bool, error) {
			if p.Terminal != x.id || p.Role != op.Merchant {
				t.Errorf("asked by %+v", p)
			}
			switch id {
			case seen:
				return central.Reply{HTTP: 200, Body: []byte(`{}`), State: op.Reversed}, true, nil
			case faulty:
				return central.Reply{}, false, errors.New("disk on fire")
			}
			return central.Reply{}, false, nil
		}
		l, _ := h.greeted(x, 0)
		l.send(wire.Frame{T: wire.TAsk, ID: seen})
		if f := l.next(wire.TOutcome); f.ID != seen || f.State != op.Reversed {
			t.Errorf("outcome %s of %s", f.State, f.ID)
		}
		l.send(wire.Frame{T: wire.TAsk, ID: faulty})
		l.send(wire.Frame{T: wire.TAsk, ID: unseen})
		if f := l.next(wire.TUnseen); f.ID != unseen {
			t.Errorf("unseen %s", f.ID)
		}
		synctest.Wait()
		if len(l.frames) != 0 {
			t.Errorf("an error was answered with %v", <-l.frames)
		}
		l.send(wire.Frame{T: wire.TAsk, ID: seen}) // again, as often as it likes
		l.next(wire.TOutcome)
	})
}

func TestAsksAreBounded(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		var now, most, all atomic.Int64
		release := make(chan struct{})
		h.handler.ask = func(ctx context.Context, _ central.Principal, _ op.ID) (central.Reply, bool, error) {
			all.Add(1)
			most.Store(max(most.Load(), now.Add(1)))
			<-release
			now.Add(-1)
			return central.Reply{}, false, nil
		}
		l, _ := h.greeted(h.enrol(), 0)
		twice := newID()
		for range 3 {
			l.send(wire.Frame{T: wire.TAsk, ID: twice})
		}
		for range wire.MaxUnresolved + 50 {
			l.send(wire.Frame{T: wire.TAsk, ID: newID()})
		}
		synctest.Wait()
		close(release)
		for range wire.MaxUnresolved {
			l.next(wire.TUnseen)
		}
		synctest.Wait()
		if most.Load() > maxAskers || all.Load() != wire.MaxUnresolved {
			t.Errorf("%d questions, %d at one time; want %d and at most %d", all.Load(), most.Load(), wire.MaxUnresolved, maxAskers)
		}
	})
}

// TestRefusalIsTheLastWord: a refusal that left no record is sent only when its
// id can never run. A copy of the frame may have been let in.
func TestRefusalIsTheLastWord(t *testing.T) {
	refusal := central.Reply{HTTP: 500, Body: []byte(`{"statusCode":"500"}`)}
	done := central.Reply{HTTP: 200, Body: []byte(`{}`), State: op.Succeeded}
	for _, tt := range []struct {
		name  string
		route op.RouteID
		reply central.Reply
		known central.Reply
		seen  bool
		fault error
		asked int
		want  op.State // empty: nothing is sent
	}{
		{"new", op.Withdrawal, refusal, central.Reply{}, false, nil, 1, op.Failed},
		{"a record that changes", op.BeneficiaryAdd, refusal, central.Reply{}, false, nil, 1, op.Failed},
		{"a copy was let in", op.Withdrawal, refusal, done, true, nil, 1, op.Succeeded},
		{"nobody knows", op.Withdrawal, refusal, central.Reply{}, false, errors.New("disk on fire"), 1, ""},
		{"an enquiry moves nothing", op.Balance, refusal, done, true, nil, 0, op.Failed},
		{"one that is recorded", op.Withdrawal, central.Reply{HTTP: 502, Body: []byte(`{}`), State: op.Refused}, done, true, nil, 0, op.Refused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, h *system) {
				asked := 0
				h.handler.handle = func(context.Context, central.Request) central.Reply { return tt.reply }
				h.handler.ask = func(context.Context, central.Principal, op.ID) (central.Reply, bool, error) {
					asked++
					return tt.known, tt.seen, tt.fault
				}
				l, _ := h.greeted(h.enrol(), 0)
				id := newID()
				l.send(wire.Frame{T: wire.TOp, ID: id, Route: tt.route, Body: []byte(`{}`)})
				if tt.want != "" {
					if f := l.next(wire.TOutcome); f.ID != id || f.State != tt.want {
						t.Errorf("outcome %s of %s, want %s", f.State, f.ID, tt.want)
					}
				}
				synctest.Wait()
				if len(l.frames) != 0 || asked != tt.asked {
					t.Errorf("%d more frames, asked %d times and not %d", len(l.frames), asked, tt.asked)
				}
			})
		})
	}
}

// TestReceivedIsNotPending: an operation of which nothing was sent may still end
// as refused, which pending never does; its outcome is sent when it has one.
func TestReceivedIsNotPending(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		begun := time.Now()
		h.handler.handle = func(ctx context.Context, _ central.Request) central.Reply {
			<-ctx.Done()
			return central.Reply{HTTP: 200, Body: []byte(`{}`), State: op.Received}
		}
		h.handler.ask = func(ctx context.Context, _ central.Principal, _ op.ID) (central.Reply, bool, error) {
			if time.Since(begun) > 80*time.Second {
				return central.Reply{HTTP: 502, Body: []byte(`{}`), State: op.Refused}, true, nil
			}
			<-ctx.Done()
			return central.Reply{HTTP: 200, Body: []byte(`{}`), State: op.Received}, true, nil
		}
		l, _ := h.greeted(h.enrol(), 0)
		l.send(withdraw(newID()))
		if f := l.next(wire.TOutcome); f.State != op.Refused {
			t.Errorf("the first outcome is %s, want refused", f.State)
		}
	})
}

// TestPendingIsFollowed: a terminal that heard 'pending' asks no more, so that
// an error of the store must not end the looking.
func TestPendingIsFollowed(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		h.handler.handle = func(ctx context.Context, _ central.Request) central.Reply {
			<-ctx.Done()
			return central.Reply{HTTP: 200, Body: []byte(`{}`), State: op.Sent}
		}
		asked := 0
		h.handler.ask = func(context.Context, central.Principal, op.ID) (central.Reply, bool, error) {
			if asked++; asked < 4 {
				return central.Reply{}, false, errors.New("disk on fire")
			}
			return central.Reply{HTTP: 200, Body: []byte(`{}`), State: op.Succeeded}, true, nil
		}
		l, _ := h.greeted(h.enrol(), 0)
		l.send(withdraw(newID()))
		for _, want := range []op.State{op.Pending, op.Succeeded} {
			if f := l.next(wire.TOutcome); f.State != want {
				t.Errorf("outcome %s, want %s", f.State, want)
			}
		}
	})
}

// TestPaymentEvents: a payment is sent as it is recorded now, to each terminal of the shop.
func TestPaymentEvents(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		first, second := h.enrol(), h.enrol()
		id, gone := newID(), newID()
		at := time.UnixMilli(1_795_000_000_000)
		p := payments.Payment{
			ReceivedPayment: central.ReceivedPayment{ID: "AXI1", RRN: "633000000042", Payee: "shop@galla", TR: "o-1", Amount: 1250, At: at, PayerName: "R••••h", PayerVPA: "ra••@okbank"},
			Operation:       id, Order: "Order 1", Match: payments.MatchOrder, RecordedAt: at.Add(time.Second),
		}
		h.store.mu.Lock()
		h.store.payments[id] = p
		for _, x := range []central.TerminalID{first.id, second.id} {
			h.store.events[x] = []central.Event{
				{Cursor: 1, Terminal: x, Kind: string(wire.EventPayment), Operation: gone}, // skipped
				{Cursor: 2, Terminal: x, Kind: string(wire.EventPayment), Operation: id},
			}
		}
		h.store.mu.Unlock()
		want := wire.Payment{ID: "AXI1", RRN: "633000000042", VPA: "shop@galla", Order: "Order 1", Amount: 1250, Match: "order", PayerName: "R••••h", PayerVPA: "ra••@okbank", PaidAt: at.UnixMilli(), RecordedAt: at.UnixMilli() + 1000}
		read := func(l *testConn) {
			t.Helper()
			f := l.next(wire.TEvent)
			got, err := wire.DecodePayment(f.Data)
			if err != nil || f.Kind != wire.EventPayment || f.ID != id || f.Cursor != 2 || got != want {
				t.Errorf("event %d %s of %s: %+v, %v", f.Cursor, f.Kind, f.ID, got, err)
			}
		}
		l, _ := h.greeted(first, 0)
		read(l)
		p.Refund = &central.PaymentRefund{ID: "AXI2", RRN: "633000000043", At: at.Add(time.Hour)}
		h.store.mu.Lock()
		h.store.payments[id] = p
		h.store.mu.Unlock()
		want.ReturnedAt = at.Add(time.Hour).UnixMilli()
		l, _ = h.greeted(second, 0)
		read(l)
	})
}
