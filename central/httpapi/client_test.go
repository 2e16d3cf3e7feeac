package httpapi

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/shared/op"
)

// TestClientsAreCheckedAtEveryRequest: what happened to a client counts within a
// second, and however many calls there are, it is read once in that time.
func TestClientsAreCheckedAtEveryRequest(t *testing.T) {
	p := newFakeDirectory()
	now := time.Now()
	c := newClientCache(p)
	c.now = func() time.Time { return now }
	lakshmi := bearer{central.Principal{Role: op.Merchant, Merchant: m1}, central.Credential{Client: "merchant-lakshmi"}}
	judge := func(what string, b bearer, want error) {
		t.Helper()
		if err := c.check(t.Context(), b); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	for range 100 {
		judge("live", lakshmi, nil)
	}
	if p.looks != 1 {
		t.Errorf("it was read %d times in a moment", p.looks)
	}
	suspend := func(active bool) func(*central.Client) {
		return func(x *central.Client) {
			x.Active = active
			if !active {
				x.Generation++
			}
		}
	}
	p.change("merchant-lakshmi", suspend(false))
	now = now.Add(clientTTL)
	judge("suspended a second ago", lakshmi, errToken)
	looks := p.looks
	p.change("merchant-lakshmi", suspend(true))
	for range 100 {
		judge("let in again, with a token of before", lakshmi, errToken)
	}
	if p.looks != looks {
		t.Errorf("a token that is over had it read %d times", p.looks-looks)
	}
	lakshmi.credential.Generation++
	judge("let in again, with a new token, at once", lakshmi, nil)
	now = now.Add(clientTTL)
	judge("let in again, with a new token", lakshmi, nil)
	p.change("merchant-lakshmi", func(x *central.Client) { x.Generation++ })
	now = now.Add(clientTTL)
	judge("with another secret", lakshmi, errToken)
	judge("of another party", bearer{central.Principal{Role: op.Merchant, Merchant: m4}, central.Credential{Client: "agg-galla"}}, errToken)
	judge("of nobody", bearer{lakshmi.principal, central.Credential{Client: "nobody"}}, errToken)

	p.broken = errors.New("disk on fire")
	now = now.Add(clientTTL)
	if err := c.check(t.Context(), lakshmi); err == nil || errors.Is(err, errToken) {
		t.Errorf("it can't be read: %v", err)
	}
	p.broken = central.ErrBusy
	var refusal *central.Error
	if err := c.check(t.Context(), lakshmi); !errors.As(err, &refusal) || refusal.Fault != central.TooMany {
		t.Errorf("the store is busy: %v", err)
	}
}

// TestClientsAreForgotten: what is remembered has a bound.
func TestClientsAreForgotten(t *testing.T) {
	now := time.Now()
	c := newClientCache(newFakeDirectory())
	c.now = func() time.Time { return now }
	var wg sync.WaitGroup
	for i := range minClients {
		wg.Go(func() {
			_ = c.check(t.Context(), bearer{credential: central.Credential{Client: fmt.Sprint("client-", i)}})
		})
	}
	wg.Wait()
	now = now.Add(clientIdle + time.Second)
	_ = c.check(t.Context(), bearer{credential: central.Credential{Client: "one more"}})
	if len(c.entries) != 1 {
		t.Errorf("%d clients are remembered", len(c.entries))
	}
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
