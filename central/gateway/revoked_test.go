package gateway

import (
	"context"
	"testing"
	"time"

	"galla/central"
	"galla/central/store"
)

// interrupted is a store in which something happens at one of its calls.
type interrupted struct {
	*store.DB
	at   string
	meet func()
}

func (s *interrupted) reached(call string) {
	if s.at == call {
		s.at = ""
		s.meet()
	}
}

func (s *interrupted) SpendIV(ctx context.Context, key central.KeyID, iv central.IV, now, until time.Time) error {
	s.reached("replay")
	return s.DB.SpendIV(ctx, key, iv, now, until)
}

func (s *interrupted) LeaseUses(ctx context.Context, key central.KeyID, n, bound int64) (int64, error) {
	uses, err := s.DB.LeaseUses(ctx, key, n, bound)
	s.reached("uses")
	return uses, err
}

// TestAKeyRevokedOnTheWay: a message whose key is revoked while it waits, for its turn
// or for the database, is not dispatched, and answered like every unknown key's. One
// whose key was only sealed anew goes on.
func TestAKeyRevokedOnTheWay(t *testing.T) {
	revoke := func(h *house) error {
		_, err := h.safe.Revoke(context.Background(), apiKey1)
		return err
	}
	rewrap := func(h *house) error {
		_, err := h.safe.Rewrap(context.Background())
		return err
	}
	for name, c := range map[string]struct {
		at     string
		happen func(h *house) error
		serves bool
	}{
		"revoked while it waits for its turn":  {"turn", revoke, false},
		"revoked while the replay is written":  {"replay", revoke, false},
		"revoked after its uses are set aside": {"uses", revoke, false},
		"sealed anew":                          {"replay", rewrap, true},
		"nothing happens":                      {"replay", func(*house) error { return nil }, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, nil)
			sealedAs(t, "before", h.do(t, h.seal(t, "GET", "/process/aeps/banks", "{}")), 200, "00")
			if c.at == "uses" {
				h.ring.current.Load().keys[clientHash(apiKey1)].meter.left = 0
			}
			h.calls.Store(0)
			at := &interrupted{DB: h.db, at: c.at}
			at.meet = func() {
				if err := c.happen(h); err != nil {
					t.Error(err)
				}
				// What was read of the keys is a ringLife old.
				e := *h.ring.current.Load()
				e.read = e.read.Add(-ringLife)
				h.ring.current.Store(&e)
			}
			h.store = at
			h.vendors.by[v1].lane.now = func() time.Time {
				at.reached("turn")
				return time.Now()
			}
			a := h.do(t, h.seal(t, "POST", withdrawal, money))
			if at.at != "" {
				t.Fatal("nothing happened on the way")
			}
			if c.serves {
				sealedAs(t, name, a, 200, "00")
				return
			}
			refusedPlain(t, name, a)
			if h.calls.Load() != 0 || h.Counts().Refused[CauseClient] != 1 {
				t.Errorf("%d calls were dispatched; %+v", h.calls.Load(), h.Counts())
			}
			other := h.do(t, h.seal(t, "GET", "/process/aeps/banks", "{}"))
			refusedPlain(t, "the next one", other)
		})
	}
}
