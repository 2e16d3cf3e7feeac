package edge

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"galla/edge/api"
	"galla/shared/op"
	"galla/shared/wire"
)

func TestBanksAndSessionAreFetchedAndCached(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.c.banks = nil
		h.goOnline()
		synctest.Wait()
		expires := time.Now().Add(20 * time.Hour).UTC()
		for range 2 {
			h.link.mu.Lock()
			f := h.link.frames[len(h.link.frames)-1]
			h.link.mu.Unlock()
			reply := fmt.Sprintf(`{"statusCode":"00","data":{"authenticated":true,"tid":"GAL00101","expiresAt":%q}}`, expires.Format(time.RFC3339))
			if f.Route == op.Banks {
				reply = `{"statusCode":"00","message":"m","data":[{"iin":"607094","bankName":"State Bank of India"}]}`
			}
			h.receive(wire.OutcomeFrame(f.ID, op.Outcome{State: op.Succeeded, HTTP: 200, Reply: []byte(reply)}))
			synctest.Wait()
		}
		banks, _ := h.c.Banks()
		if len(banks) != 1 || banks[0].IIN != "607094" {
			t.Errorf("banks = %v", banks)
		}
		if s := h.c.Status().Session; !s.Active || s.ExpiresAt.Sub(expires).Abs() > time.Second {
			t.Errorf("session = %+v", s)
		}
		if _, ok := h.queue.cache[cacheReply+string(op.Banks)]; !ok {
			t.Error("the bank list is not cached")
		}
	})
}

func TestAChangedBankListIsFetchedAgain(t *testing.T) {
	withTestCounter(t, func(t *testing.T, h *testCounter) {
		h.c.banksAt = time.Now()
		h.goOnline()
		synctest.Wait()
		h.link.mu.Lock()
		h.link.frames = nil
		h.link.mu.Unlock()
		h.receive(wire.Frame{T: wire.TEvent, Kind: wire.EventBanks, Cursor: 3})
		synctest.Wait()
		h.link.mu.Lock()
		session := h.link.frames[0].ID
		h.link.mu.Unlock()
		h.receive(wire.OutcomeFrame(session, op.Outcome{State: op.Succeeded, HTTP: 200, Reply: []byte(`{"statusCode":"00","data":{}}`)}))
		synctest.Wait()
		h.link.mu.Lock()
		defer h.link.mu.Unlock()
		if n := len(h.link.frames); n != 2 || h.link.frames[1].Route != op.Banks {
			t.Errorf("%d calls after the bank list changed, want the session and then the list", n)
		}
	})
}

func jsonSession(expires time.Time) ([]byte, error) {
	return json.Marshal(SessionState{Known: true, Active: true, ExpiresAt: expires})
}

// TestTheNextOperatorGivesAFinger: the session keeps whose finger it was, over
// what the central says and over a restart, and stops another's transaction.
func TestTheNextOperatorGivesAFinger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := newMemoryQueue()
		h := open(t, queue)
		end := h.c.cfg.Now().Add(time.Hour)
		h.c.setSession(SessionState{Known: true, Active: true, User: "Fatima", UserID: AgentID, ExpiresAt: end})
		h.c.setSession(SessionState{Known: true, Active: true, ExpiresAt: end}) // the central's word
		defer h.stop()
		h.c.session = SessionState{}
		h.c.loadCache() // as a restart does
		route, _ := op.Find(op.Withdrawal)
		check := func(id, name string) error {
			return h.c.checkPreconditions(preparedRequest{Request: Request{Route: route.ID, User: name, UserID: id}, route: route, spec: api.SpecOf(route.ID)})
		}
		var p *PreconditionError
		if err := check(AgentID, "Usha"); err != nil && errors.As(err, &p) && p.Code == "session" {
			t.Errorf("Fatima, who was renamed, is asked again: %v", err)
		}
		if err := check("a1", "Asha"); !errors.As(err, &p) || p.Code != "session" {
			t.Errorf("Asha on Fatima's finger: %v", err)
		}
		if err := check("a1", "Fatima"); !errors.As(err, &p) || p.Code != "session" {
			t.Errorf("one who took Fatima's name, on Fatima's finger: %v", err)
		}
	})
}
