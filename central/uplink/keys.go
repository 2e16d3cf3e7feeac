package uplink

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"sync"
	"time"

	"galla/central"
	"galla/central/duty"
)

// Limits of the keyring.
const (
	// maxKeys bounds the keys that are kept, not those that are read: some 150 bytes each.
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

// keyReader reads the terminals' keys into the keyring: at the start all of them, so
// that nobody has to be looked up who comes back, and then those of who was enrolled
// meanwhile, at any node. What could not be read is read the next time, from where it
// stopped: no terminal is left out, however long the database is away.
type keyReader struct {
	store duty.TerminalKeys
	keys  *keyring
	after central.TerminalID // the last id that was read; empty: none was
	began time.Time          // when the reading that is not at its end began; zero: none is
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
			// Who was enrolled since it began may have been passed by.
			r.after, r.began = newerThan(r.began.Add(-keysMargin)), time.Time{}
			return nil
		}
	}
}

// followKeys reads on every now and then.
func (s *Server) followKeys(ctx context.Context, r *keyReader, failed bool) {
	tick := time.NewTicker(keysEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		failed = s.readKeys(ctx, r, failed)
	}
}

// readKeys reads on once, and tells whether that failed: the first time, and when it
// is over, in the log.
func (s *Server) readKeys(ctx context.Context, r *keyReader, failed bool) bool {
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
