package uplink

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"galla/central/accounts"
	"galla/shared/wire"
)

// TestPresence: what a terminal said is noted at its hello, and how its connection
// ended; a leave that was taken is no fault.
func TestPresence(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		x := h.enrol()
		l := h.connect(x, false)
		said := hello(x, 0, newID(), newID())
		said.Version, said.Clock = "v1.2.3", time.Now().Add(2*time.Minute).UnixMilli()
		l.send(said)
		l.next(wire.TWelcome)
		synctest.Wait()
		want := accounts.Presence{ConnectedAt: time.UnixMilli(time.Now().UnixMilli()), Version: "v1.2.3", Unresolved: 2, ClockAhead: 2 * time.Minute}
		if got := h.store.presence(x.id); got != want {
			t.Errorf("noted %+v, want %+v", got, want)
		}
		time.Sleep(time.Second)
		_ = l.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(time.Second))
		l.closed()
		synctest.Wait()
		if got := h.store.presence(x.id); got.LeftAt.IsZero() || got.Fault != "" {
			t.Errorf("after a leave: %+v", got)
		}
	})
}

// TestPresenceIsRecordedLater: what the database could not take is recorded when it can,
// unless something newer was.
func TestPresenceIsRecordedLater(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *system) {
		fault := func(err error) {
			h.store.mu.Lock()
			defer h.store.mu.Unlock()
			h.store.fault = err
		}
		stays, leaves := h.enrol(), h.enrol()
		h.knowsAll()
		h.greeted(stays, 0)
		l, _ := h.greeted(leaves, 0)
		synctest.Wait()
		was := h.store.presence(stays.id)
		time.Sleep(time.Second)
		fault(errors.New("the disk is full"))
		h.server.presence.addCame(accounts.Connected{Terminal: stays.id, Presence: accounts.Presence{ConnectedAt: time.Now(), Version: "v2"}})
		_ = l.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(time.Second))
		l.closed()
		time.Sleep(2 * feedRetry)
		synctest.Wait()
		if got := h.store.presence(stays.id); got != was {
			t.Errorf("a full disk took %+v", got)
		}
		fault(nil)
		time.Sleep(feedRetry)
		synctest.Wait()
		if got := h.store.presence(stays.id); got.Version != "v2" {
			t.Errorf("the hello was lost: %+v", got)
		}
		if got := h.store.presence(leaves.id); got.LeftAt.IsZero() {
			t.Errorf("the end was lost: %+v", got)
		}
	})
}

func TestFaultsAreKept(t *testing.T) {
	for name, c := range map[string]struct {
		does  func(h *system, x terminal)
		fault string // a part; empty: none
		came  bool   // the hello was accepted
	}{
		"another protocol": {func(h *system, x terminal) {
			l := h.connect(x, false)
			f := hello(x, 0)
			f.V = wire.Version + 1
			l.send(f)
			l.closed()
		}, "uplink protocol", false},
		"a frame that is none": {func(h *system, x terminal) {
			l, _ := h.greeted(x, 0)
			l.text("{}")
			l.closed()
		}, "frame", true},
		"silence": {func(h *system, x terminal) {
			l, _ := h.greeted(x, 0)
			l.mute.Store(true)
			l.closed()
		}, "nothing was received", true},
		"connected elsewhere": {func(h *system, x terminal) {
			l, _ := h.greeted(x, 0)
			time.Sleep(time.Second)
			h.greeted(x, 0)
			l.closed()
		}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, h *system) {
				x := h.enrol()
				c.does(h, x)
				time.Sleep(leaveWait)
				synctest.Wait()
				got := h.store.presence(x.id)
				if c.fault == "" && got.Fault != "" || !strings.Contains(got.Fault, c.fault) || c.came != !got.ConnectedAt.IsZero() {
					t.Errorf("kept %+v", got)
				}
				if name == "connected elsewhere" && !got.LeftAt.IsZero() {
					t.Error("the end of the earlier connection counts as the later one's")
				}
			})
		})
	}
}

// TestNodeAnnouncesItself while it serves, and that it is gone when it stops, though
// the database fails in between.
func TestNodeAnnouncesItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newSystem(t, newPipeListener(), nil)
		synctest.Wait()
		h.store.mu.Lock()
		since := h.store.here
		h.store.mu.Unlock()
		if since.IsZero() || time.Since(since) > time.Second {
			t.Errorf("serves since %v, it is %v", since, time.Now())
		}
		h.store.setFault(errors.New("down"))
		time.Sleep(5 * accounts.NodeHeartbeat)
		h.store.setFault(nil)
		x := h.enrol()
		h.greeted(x, 0, newID())
		h.stop()
		time.Sleep(h.server.cfg.Drain + shutdownWait)
		synctest.Wait()
		h.store.mu.Lock()
		defer h.store.mu.Unlock()
		if !h.store.here.IsZero() {
			t.Error("a node that stopped still says that it is here")
		}
		if p := h.store.met[x.id]; p.Fault != "" {
			t.Errorf("the central's own stop is a fault of the terminal: %+v", p)
		}
	})
}
