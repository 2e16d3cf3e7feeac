package uplink

import (
	"crypto/ed25519"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/central"
)

// unknownTokens are those of people who are no terminal: made by themselves,
// under invented names and under a terminal's.
func unknownTokens(h *system, known terminal) []string {
	self := (&system{t: h.t, store: newMemoryStore()}).enrol()
	forged := self
	forged.id = known.id
	expired := claims()
	expired.ExpiresAt.Time, expired.IssuedAt.Time = expired.ExpiresAt.Add(-time.Hour), expired.IssuedAt.Add(-time.Hour)
	return []string{self.token(claims()), self.token(expired), forged.token(claims()), forged.token(expired), "a.b.c", ""}
}

func bearer(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

// TestUnknownTokensLockNobodyOut: tokens that prove nothing take none of the upgrades
// that are let in, and cost the database a bounded number of questions; terminals
// of the same network get in all the while, at no unknown caller's expense.
func TestUnknownTokensLockNobodyOut(t *testing.T) {
	h := newSystem(t, loopback(t), func(c *Config) {
		c.LookupsPerSecond, c.LookupBurst, c.UnknownPerSecond, c.UnknownBurst = 0.001, 40, 0.001, 20
	})
	terminals := []terminal{h.enrol(), h.enrol(), h.enrol()}
	h.knowsAll()
	statuses := map[int]int{}
	for round := range 50 {
		for _, token := range unknownTokens(h, terminals[0]) {
			ws, resp, err := h.open(bearer(token))
			if err == nil {
				_ = ws.Close()
				t.Fatal("an unknown caller got in")
			}
			statuses[resp.StatusCode]++
			if resp.StatusCode == 503 && resp.Header.Get("Retry-After") == "" {
				t.Error("a refused network gets no Retry-After")
			}
		}
		if round%10 == 0 {
			for i, x := range terminals {
				ws, resp, err := h.open(bearer(x.token(claims())))
				if err != nil {
					t.Fatalf("round %d: terminal %d was kept out: %v %v", round, i, err, resp)
				}
				_ = ws.Close()
			}
		}
	}
	if statuses[401] != 20 || statuses[503] != 280 {
		t.Errorf("unknown callers were answered %v", statuses)
	}
	if asked := h.store.lookups(); asked > 20+15 { // those of unknown callers, and one of each terminal that came in
		t.Errorf("the database was asked %d times", asked)
	}
	if s := h.server.Stats(); s.Admitted != 15 || s.Unknown != 280 {
		t.Errorf("%+v", s)
	}
}

// TestAnotherNetworkHasItsOwn: a caller from elsewhere gets the 401.
func TestAnotherNetworkHasItsOwn(t *testing.T) {
	h := newSystem(t, loopback(t), func(c *Config) {
		c.UnknownPerSecond, c.UnknownBurst = 0.001, 1
		c.Network = func(r *http.Request) string { return r.Header.Get("X-Test-Network") }
	})
	for i, want := range []int{401, 503, 503} {
		for _, network := range []string{"a", "b"} {
			header := bearer("x")
			header.Set("X-Test-Network", network)
			if _, resp, _ := h.open(header); resp == nil || resp.StatusCode != want {
				t.Errorf("network %s, %d: %v, want HTTP %d", network, i, resp, want)
			}
		}
	}
}

// TestNewTerminalInABadNetwork: a terminal that was enrolled a moment ago, maybe
// at another node, is known within seconds though its network may look nobody up.
func TestNewTerminalInABadNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newSystem(t, newPipeListener(), func(c *Config) { c.UnknownPerSecond, c.UnknownBurst = 0.001, 1 })
		defer h.stop()
		for range 3 {
			_, _, _ = h.open(bearer("x"))
		}
		x := h.enrol()
		if _, resp, _ := h.open(bearer(x.token(claims()))); resp == nil || resp.StatusCode != 503 {
			t.Fatalf("%v", resp)
		}
		time.Sleep(keysEvery + time.Millisecond)
		synctest.Wait()
		ws, resp, err := h.open(bearer(x.token(claims())))
		if err != nil {
			t.Fatalf("%v %v", err, resp)
		}
		_ = ws.Close()
		synctest.Wait()
	})
}

// TestAttemptsOfOneTerminalAreLimited is slowed down by itself.
func TestAttemptsOfOneTerminalAreLimited(t *testing.T) {
	h := newSystem(t, loopback(t), nil)
	x, y := h.enrol(), h.enrol()
	refused := 0
	for range attemptBurst + 5 {
		ws, resp, err := h.open(bearer(x.token(claims())))
		if err == nil {
			_ = ws.Close()
		} else if refused++; resp == nil || resp.StatusCode != 503 {
			t.Fatalf("%v %v", err, resp)
		}
	}
	if refused == 0 {
		t.Errorf("a terminal connected %d times at once", attemptBurst+5)
	}
	ws, _, err := h.open(bearer(y.token(claims())))
	if err != nil {
		t.Fatal(err)
	}
	_ = ws.Close()
}

// TestAnExpiredTokenLocksNobodyOut: a token that has ended, or is meant for another
// central, is refused as often as it is shown, and its terminal gets in.
func TestAnExpiredTokenLocksNobodyOut(t *testing.T) {
	h := newSystem(t, loopback(t), nil)
	x := h.enrol()
	old, foreign := claims(), claims()
	old.IssuedAt.Time, old.ExpiresAt.Time = old.IssuedAt.Add(-time.Hour), old.ExpiresAt.Add(-time.Hour)
	foreign.Audience = []string{"another"}
	for _, token := range []string{x.token(old), x.token(foreign)} {
		for range attemptBurst + 5 {
			if _, resp, err := h.open(bearer(token)); err == nil || resp == nil || resp.StatusCode != 401 {
				t.Fatalf("%v %v", err, resp)
			}
		}
	}
	ws, resp, err := h.open(bearer(x.token(claims())))
	if err != nil {
		t.Fatalf("the terminal itself: %v %v", err, resp)
	}
	_ = ws.Close()
}

// TestAWrongClockIsNoUnknownToken: a terminal learns the time though its network has
// used up the limit of unknown callers.
func TestAWrongClockIsNoUnknownToken(t *testing.T) {
	h := newSystem(t, loopback(t), func(c *Config) { c.UnknownPerSecond, c.UnknownBurst = 0.001, 1 })
	x := h.enrol()
	h.knowsAll()
	for range 3 {
		_, _, _ = h.open(bearer("x"))
	}
	c := claims()
	c.IssuedAt.Time, c.ExpiresAt.Time = c.IssuedAt.Add(-time.Hour), c.ExpiresAt.Add(-time.Hour)
	_, resp, _ := h.open(bearer(x.token(c)))
	if resp == nil || resp.StatusCode != 401 || resp.Header.Get("Date") == "" {
		t.Errorf("%v", resp)
	}
}

func TestKeyring(t *testing.T) {
	k := newKeyring()
	x := (&system{t: t, store: newMemoryStore()}).enrol()
	k.put(x.id, []byte("short"))
	if _, ok := k.get(x.id); ok {
		t.Error("a key of five bytes was kept")
	}
	for i := range maxKeys + 10 {
		k.put(central.TerminalID(fmt.Sprint(i)), x.key.Public().(ed25519.PublicKey))
	}
	if len(k.keys) != maxKeys {
		t.Errorf("%d keys", len(k.keys))
	}
	at := time.UnixMilli(1_767_225_600_123)
	if id := string(newerThan(at)); !strings.HasPrefix(id, "019b7") || len(id) != 13 {
		t.Errorf("%q", id)
	}
}
