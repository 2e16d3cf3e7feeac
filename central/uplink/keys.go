package uplink

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"sync"
	"time"

	"galla/central"
	"galla/central/accounts"
)

// Limits of the keyring.
const (
	// maxKeys limits the keys in memory: some 150 bytes each.
	maxKeys = 200_000
	// keysPage is how many are read at once.
	keysPage = 1000
	// keysEvery is how soon a terminal that was enrolled at another node is known
	// here without a lookup.
	keysEvery = 5 * time.Second
	// keysMargin is how far nodes' clocks may differ; new terminals' ids are
	// ordered by them.
	keysMargin = 2 * time.Minute
)

// keyring has the terminals' public keys, to check tokens without the database.
// Revoked terminals are known to the database only.
type keyring struct {
	mu   sync.RWMutex
	keys map[central.TerminalID]ed25519.PublicKey
}

func newKeyring() *keyring { return &keyring{keys: map[central.TerminalID]ed25519.PublicKey{}} }

func (k *keyring) get(id central.TerminalID) (ed25519.PublicKey, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	key, ok := k.keys[id]
	return key, ok
}

// put adds a key; if the keyring is full, it replaces any other.
func (k *keyring) put(id central.TerminalID, key ed25519.PublicKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, known := k.keys[id]; known || len(key) != ed25519.PublicKeySize {
		return
	}
	if len(k.keys) >= maxKeys {
		for other := range k.keys {
			delete(k.keys, other)
			break
		}
	}
	k.keys[id] = key
}

func (k *keyring) drop(id central.TerminalID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.keys, id)
}

// Why a key is not looked up.
var (
	errUnknownLimit = errors.New("too many invalid tokens from this network")
	errLookupLimit  = errors.New("too many unknown terminals connect at the same time")
)

// lookupKey returns a terminal's key. One that is not in the keyring is looked up and
// counted for the network; paid reports that. A *denial: there is no such terminal.
func (s *Server) lookupKey(ctx context.Context, network string, id central.TerminalID) (key ed25519.PublicKey, paid bool, err error) {
	if key, ok := s.keys.get(id); ok {
		return key, false, nil
	}
	if s.unknownTokens.Take(network) > 0 {
		return nil, false, errUnknownLimit
	}
	if s.lookups.Take("") > 0 {
		s.unknownTokens.GiveBack(network)
		return nil, false, errLookupLimit
	}
	ctx, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	t, err := s.store.Terminal(ctx, id)
	if errors.Is(err, central.ErrNotFound) {
		return nil, true, &denial{reason: "no such terminal: " + string(id)}
	}
	if err == nil && len(t.PublicKey) != ed25519.PublicKeySize {
		err = fmt.Errorf("the key of terminal %s has %d bytes", id, len(t.PublicKey))
	}
	return t.PublicKey, true, err
}

// keyReader reads the terminals' keys into the keyring: all of them at the start, and
// then those of newly enrolled terminals, at any node. After an error it continues
// where it stopped, so no terminal is missed.
type keyReader struct {
	store accounts.TerminalKeyStore
	keys  *keyring
	after central.TerminalID // the last id that was read; empty: none
	began time.Time          // when the pass in progress began; zero: none
}

// read reads on to the newest terminal.
func (r *keyReader) read(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	if r.began.IsZero() {
		r.began = time.Now()
	}
	for {
		page, err := r.store.TerminalKeys(ctx, r.after, keysPage)
		if err != nil {
			return err
		}
		for _, k := range page {
			r.keys.put(k.ID, k.PublicKey)
			r.after = k.ID
		}
		if len(page) < keysPage {
			// Terminals that were enrolled since the pass began may have been missed.
			r.after, r.began = newerThan(r.began.Add(-keysMargin)), time.Time{}
			return nil
		}
	}
}

// pollKeys reads on at intervals.
func (s *Server) pollKeys(ctx context.Context, r *keyReader, failed bool) {
	tick := time.NewTicker(keysEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		failed = s.refreshKeys(ctx, r, failed)
	}
}

// refreshKeys reads on once and reports whether that failed. It logs the first
// failure and the recovery.
func (s *Server) refreshKeys(ctx context.Context, r *keyReader, failed bool) bool {
	err := r.read(ctx)
	switch {
	case err != nil && !failed && ctx.Err() == nil:
		s.log.Error("the terminals' keys can't be read; new ones are looked up one by one until they can", "error", err)
	case err == nil && failed:
		s.log.Info("the terminals' keys are read again")
	}
	return err != nil
}

// newerThan is below every id that was made after a moment (UUIDv7).
func newerThan(at time.Time) central.TerminalID {
	text := fmt.Sprintf("%012x", max(0, at.UnixMilli()))
	return central.TerminalID(text[:8] + "-" + text[8:])
}
