package uplink

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"sync"
	"time"

	"galla/central"
)

// Limits of the keyring.
const (
	// maxKeys bounds the keys that are kept: some 150 bytes each.
	maxKeys = 200_000
	// keysPage is how many are read at once.
	keysPage = 1000
	// keysEvery is how soon a terminal that was enrolled at another node is known
	// here without being asked for.
	keysEvery = 5 * time.Second
	// keysMargin is how far nodes' clocks may differ, by which new terminals' ids
	// are ordered.
	keysMargin = 2 * time.Minute
)

// keyring has the public keys of the terminals, so that whether a token is a
// terminal's is known without the database. Which terminals were revoked, only
// the database knows.
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

// put keeps a key; where there is no room, it takes that of any other.
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
	errStrangers = errors.New("too many tokens of this network prove nothing")
	errLookups   = errors.New("too many terminals that are not known yet connect at the same moment")
)

// keyOf gives a terminal's key. One that the keyring does not have is looked up at
// the network's expense: paid tells so. A *denial: there is no such terminal.
func (s *Server) keyOf(ctx context.Context, network string, id central.TerminalID) (key ed25519.PublicKey, paid bool, err error) {
	if key, ok := s.keys.get(id); ok {
		return key, false, nil
	}
	if s.strangers.Take(network) > 0 {
		return nil, false, errStrangers
	}
	if s.lookups.Take("") > 0 {
		s.strangers.GiveBack(network)
		return nil, false, errLookups
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

// readKeys reads all keys, so that after a start nobody has to be looked up who
// comes back.
func (s *Server) readKeys(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	if err := s.keysAfter(ctx, ""); err != nil {
		s.log.Error("the terminals' keys can't be read; they are looked up one by one", "error", err)
	}
}

// followKeys reads the keys of those who were enrolled meanwhile, at any node.
func (s *Server) followKeys(ctx context.Context) {
	tick := time.NewTicker(keysEvery)
	defer tick.Stop()
	failed := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := s.keysAfter(ctx, newerThan(time.Now().Add(-keysMargin)))
		if err != nil && !failed && ctx.Err() == nil {
			s.log.Warn("new terminals' keys can't be read at the moment", "error", err)
		}
		failed = err != nil
	}
}

func (s *Server) keysAfter(ctx context.Context, after central.TerminalID) error {
	for read := 0; read < maxKeys; read += keysPage {
		page, err := s.store.TerminalKeys(ctx, after, keysPage)
		if err != nil {
			return err
		}
		for _, k := range page {
			s.keys.put(k.ID, k.PublicKey)
		}
		if len(page) < keysPage {
			return nil
		}
		after = page[len(page)-1].ID
	}
	return nil
}

// newerThan is below every id that was made after a moment (UUIDv7).
func newerThan(at time.Time) central.TerminalID {
	text := fmt.Sprintf("%012x", max(0, at.UnixMilli()))
	return central.TerminalID(text[:8] + "-" + text[8:])
}
