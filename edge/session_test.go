package edge

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/op"
	"galla/shared/wire"
)

func TestBanksAndSessionAreFetchedAndCached(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		h.c.banks = nil
		h.up()
		synctest.Wait()
		expires := time.Now().Add(20 * time.Hour).UTC()
		for range 2 {
			h.line.mu.Lock()
			f := h.line.frames[len(h.line.frames)-1]
			h.line.mu.Unlock()
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
		if _, ok := h.queue.cache[cacheBanks]; !ok {
			t.Error("the bank list is not cached")
		}
	})
}

func TestAChangedBankListIsFetchedAgain(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		h.c.banksAt = time.Now()
		h.up()
		synctest.Wait()
		h.line.mu.Lock()
		h.line.frames = nil
		h.line.mu.Unlock()
		h.receive(wire.Frame{T: wire.TEvent, Kind: wire.EventBanks, Cursor: 3})
		synctest.Wait()
		h.line.mu.Lock()
		session := h.line.frames[0].ID
		h.line.mu.Unlock()
		h.receive(wire.OutcomeFrame(session, op.Outcome{State: op.Succeeded, HTTP: 200, Reply: []byte(`{"statusCode":"00","data":{}}`)}))
		synctest.Wait()
		h.line.mu.Lock()
		defer h.line.mu.Unlock()
		if n := len(h.line.frames); n != 2 || h.line.frames[1].Route != op.Banks {
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
		queue := newShelf()
		h := open(t, queue)
		end := h.c.cfg.Now().Add(time.Hour)
		h.c.setSession(SessionState{Known: true, Active: true, Operator: "Fatima", By: AgentID, ExpiresAt: end})
		h.c.setSession(SessionState{Known: true, Active: true, ExpiresAt: end}) // the central's word
		defer h.stop()
		h.c.session = SessionState{}
		h.c.loadCache() // as a restart does
		var p *PrecludedError
		if err := h.c.precludedDraft(op.Withdrawal, Operator{ID: AgentID, Name: "Usha"}); err != nil && errors.As(err, &p) && p.Code == "session" {
			t.Errorf("Fatima, who was renamed, is asked again: %v", err)
		}
		if err := h.c.precludedDraft(op.Withdrawal, Operator{ID: "a1", Name: "Asha"}); !errors.As(err, &p) || p.Code != "session" {
			t.Errorf("Asha on Fatima's finger: %v", err)
		}
		if err := h.c.precludedDraft(op.Withdrawal, Operator{ID: "a1", Name: "Fatima"}); !errors.As(err, &p) || p.Code != "session" {
			t.Errorf("one who took Fatima's name, on Fatima's finger: %v", err)
		}
	})
}
