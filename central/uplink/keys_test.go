package uplink

import (
	"context"
	"crypto/ed25519"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"galla/central"
	"galla/central/accounts"
)

// enrolNow enrols a terminal whose id is of this moment, also in a bubble whose time
// stands before that of another one.
func (h *system) enrolNow() terminal {
	x := h.enrol()
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	record := h.store.terminals[x.id]
	delete(h.store.terminals, x.id)
	record.ID = newerThan(time.Now()) + x.id[13:]
	h.store.terminals[record.ID] = record
	x.id = record.ID
	return x
}

// knowsAll has the server know the keys of all who are enrolled.
func (h *system) knowsAll() {
	h.t.Helper()
	if err := (&keyReader{store: h.store, keys: h.server.keys}).read(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
}

// brokenKeys gives every second page only.
type brokenKeys struct {
	*memoryStore
	pages int
}

func (b *brokenKeys) TerminalKeys(ctx context.Context, after central.TerminalID, limit int) ([]accounts.TerminalKey, error) {
	if b.pages++; b.pages%2 == 0 {
		return nil, errors.New("the database is away")
	}
	return b.memoryStore.TerminalKeys(ctx, after, limit)
}

// TestKeysAreReadOn: a reading that is broken off goes on where it stopped, so that it
// comes to an end though no attempt reads all; and from then on what is new is read,
// and nothing else.
func TestKeysAreReadOn(t *testing.T) {
	store := &brokenKeys{memoryStore: newMemoryStore()}
	const pages = 5
	for range pages * keysPage {
		id := central.TerminalID(newID())
		store.terminals[id] = central.Terminal{ID: id, PublicKey: make([]byte, ed25519.PublicKeySize)}
	}
	r := &keyReader{store: store, keys: newKeyring()}
	for n := range pages {
		if err := r.read(t.Context()); err == nil {
			t.Fatalf("attempt %d read all", n+1)
		}
		if want := (n + 1) * keysPage; len(r.keys.keys) != want {
			t.Fatalf("attempt %d: %d keys, want %d", n+1, len(r.keys.keys), want)
		}
	}
	if err := r.read(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := newerThan(time.Now().Add(-keysMargin - time.Hour)); r.after < want || !r.began.IsZero() {
		t.Errorf("it goes on from %q", r.after)
	}
}

// TestKeysAreReadInTheEnd: however long the database was away, and whether it was at
// the start, each terminal that was enrolled before or meanwhile is known when it is
// back, and gets in though its network may look nobody up.
func TestKeysAreReadInTheEnd(t *testing.T) {
	away := errors.New("the database is away")
	for name, atStart := range map[string]bool{"away from the start": true, "away later": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newMemoryStore()
				early := (&system{t: t, store: store}).enrolNow()
				if atStart {
					store.setFault(away)
				}
				time.Sleep(time.Hour) // the terminal is an old one
				h := newSystemOver(t, store, newPipeListener(), func(c *Config) { c.UnknownPerSecond, c.UnknownBurst = 0.0001, 1 })
				defer h.stop()
				store.setFault(away)
				_, _, _ = h.open(bearer("x")) // uses up the limit of unknown callers
				time.Sleep(time.Minute)
				meanwhile := h.enrolNow() // at another node
				time.Sleep(10 * keysMargin)
				late := h.enrolNow()
				store.setFault(nil)
				time.Sleep(keysEvery + time.Millisecond)
				synctest.Wait()
				for what, x := range map[string]terminal{"enrolled before the start": early, "enrolled meanwhile": meanwhile, "enrolled at last": late} {
					ws, resp, err := h.open(bearer(x.token(claims())))
					if err != nil {
						t.Errorf("a terminal %s: %v %v", what, err, resp)
						continue
					}
					_ = ws.Close()
				}
				synctest.Wait()
			})
		})
	}
}
