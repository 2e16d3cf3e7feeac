package gateway

import (
	"context"
	"testing"
	"time"

	"galla/central"
	"galla/central/keys"
	"galla/central/store"
)

// hookedStore is a store in which something happens at one of its calls.
type hookedStore struct {
	*store.DB
	at      string
	setHook func()
}

func (s *hookedStore) reached(call string) {
	if s.at == call {
		s.at = ""
		s.setHook()
	}
}

func (s *hookedStore) SpendIV(ctx context.Context, key central.KeyID, iv central.IV, until time.Time) error {
	s.reached("replay")
	return s.DB.SpendIV(ctx, key, iv, until)
}

func (s *hookedStore) LeaseKeyUses(ctx context.Context, key central.KeyID, n, bound int64) (int64, error) {
	uses, err := s.DB.LeaseKeyUses(ctx, key, n, bound)
	s.reached("uses")
	return uses, err
}

// TestAKeyRevokedOnTheWay: a message whose key is revoked while it waits, for its turn
// or for the database, does not reach the handler, and is answered like every unknown key's. One
// whose key was only sealed anew goes on.
func TestAKeyRevokedOnTheWay(t *testing.T) {
	revoke := func(h *system) error {
		_, err := h.keyStore.Revoke(context.Background(), apiKey1)
		return err
	}
	rewrap := func(h *system) error {
		_, err := h.keyStore.Rewrap(context.Background())
		return err
	}
	for name, c := range map[string]struct {
		at     string
		happen func(h *system) error
		serves bool
	}{
		"revoked while it waits for its turn":  {"turn", revoke, false},
		"revoked while the replay is written":  {"replay", revoke, false},
		"revoked after its uses are set aside": {"uses", revoke, false},
		"sealed anew":                          {"replay", rewrap, true},
		"nothing happens":                      {"replay", func(*system) error { return nil }, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := startGateway(t, nil)
			sealedAs(t, "before", h.do(t, h.seal(t, "GET", "/process/aeps/banks", "{}")), 200, "00")
			if c.at == "uses" {
				h.keys.current.Load().keys[keys.APIKeyHash(apiKey1)].uses.leased = 0
			}
			h.calls.Store(0)
			at := &hookedStore{DB: h.db, at: c.at}
			at.setHook = func() {
				if err := c.happen(h); err != nil {
					t.Error(err)
				}
			}
			h.store = at
			h.limits.shares[v1].pace = func(context.Context) error {
				at.reached("turn")
				return nil
			}
			m := h.seal(t, "POST", withdrawal, money)
			if c.at == "replay" { // a withdrawal is written by its own transaction
				m = h.seal(t, "GET", "/process/aeps/banks", "{}")
			}
			a := h.do(t, m)
			if at.at != "" {
				t.Fatal("nothing happened on the way")
			}
			if c.serves {
				sealedAs(t, name, a, 200, "00")
				return
			}
			refusedPlain(t, name, a)
			if h.calls.Load() != 0 || h.Counts().Refused[CauseClient] != 1 {
				t.Errorf("%d calls reached the handler; %+v", h.calls.Load(), h.Counts())
			}
			other := h.do(t, h.seal(t, "GET", "/process/aeps/banks", "{}"))
			refusedPlain(t, "the next one", other)
		})
	}
}
