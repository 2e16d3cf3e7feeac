package httpapi

import (
	"context"
	"errors"
	"testing"
	"time"

	"galla/central"
	"galla/shared/op"
)

// TestClientsAreCheckedAtEveryRequest: what happened to a client counts at once, and an
// older token is refused without asking the database.
func TestClientsAreCheckedAtEveryRequest(t *testing.T) {
	p := newFakeDirectory()
	memory := &fakeMemory{fakeDirectory: p, clients: map[string]central.Client{}}
	s := &Server{clients: memory}
	lakshmi := bearer{principal: central.Principal{Role: op.Merchant, Merchant: m1}, credential: central.Credential{Client: "merchant-lakshmi"}}
	judge := func(what string, b bearer, want error) {
		t.Helper()
		if err := s.checkClient(t.Context(), b); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	suspend := func(active bool) func(*central.Client) {
		return func(x *central.Client) {
			x.Active = active
			if !active {
				x.Generation++
			}
		}
	}
	judge("live", lakshmi, nil)
	p.change("merchant-lakshmi", suspend(false))
	judge("suspended, which is not known yet", lakshmi, nil)
	memory.forget()
	judge("suspended", lakshmi, errToken)
	p.change("merchant-lakshmi", suspend(true))
	looks := p.looks
	for range 100 {
		judge("let in again, with a token of before", lakshmi, errToken)
	}
	if p.looks != looks {
		t.Errorf("a token that is over had it read %d times", p.looks-looks)
	}
	lakshmi.credential.Generation++
	judge("let in again, with a new token, at once", lakshmi, nil)
	p.change("merchant-lakshmi", func(x *central.Client) { x.Generation++ })
	memory.forget()
	judge("with another secret", lakshmi, errToken)
	judge("of another party", bearer{principal: central.Principal{Role: op.Merchant, Merchant: m4}, credential: central.Credential{Client: "agg-galla"}}, errToken)
	judge("of nobody", bearer{principal: lakshmi.principal, credential: central.Credential{Client: "nobody"}}, errToken)

	p.broken = errors.New("disk on fire")
	memory.forget()
	if err := s.checkClient(t.Context(), lakshmi); err == nil || errors.Is(err, errToken) {
		t.Errorf("it can't be read: %v", err)
	}
	p.broken = central.ErrBusy
	var refusal *central.Error
	if err := s.checkClient(t.Context(), lakshmi); !errors.As(err, &refusal) || refusal.Fault != central.TooMany {
		t.Errorf("the store is busy: %v", err)
	}
}

// fakeMemory keeps clients until it forgets them.
type fakeMemory struct {
	*fakeDirectory
	clients map[string]central.Client
}

func (m *fakeMemory) forget() { clear(m.clients) }

func (m *fakeMemory) Client(ctx context.Context, id string) (central.Client, error) {
	if c, ok := m.clients[id]; ok {
		return c, nil
	}
	return m.FreshClient(ctx, id)
}

func (m *fakeMemory) FreshClient(ctx context.Context, id string) (central.Client, error) {
	c, err := m.fakeDirectory.Client(ctx, id)
	if err == nil {
		m.clients[id] = c
	}
	return c, err
}

// TestASuspendedClientsTokenIsRefused, over HTTP, with the challenge of a token that
// is not valid.
func TestASuspendedClientsTokenIsRefused(t *testing.T) {
	h := startServer(t, nil)
	token := h.merchantToken(t)
	if a := h.do(t, "GET", "/terminals", "", "Authorization", token); a.status != 200 {
		t.Fatalf("to begin with: HTTP %d %s", a.status, a.body)
	}
	h.directory.change("merchant-lakshmi", func(x *central.Client) { x.Active, x.Generation = false, x.Generation+1 })
	a := h.do(t, "GET", "/terminals", "", "Authorization", token)
	for ends := time.Now().Add(30 * time.Second); a.status != 401 && time.Now().Before(ends); {
		a = h.do(t, "GET", "/terminals", "", "Authorization", token)
	}
	expect(t, a, 401, "03")
	if got := a.header.Get("WWW-Authenticate"); got != challengeBadToken {
		t.Errorf("WWW-Authenticate is %q", got)
	}
}
