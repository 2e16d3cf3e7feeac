package gateway

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"galla/central"
	"galla/shared/envelope"
	"galla/shared/secret"
)

const (
	// ringLife is how long the keys in memory are taken for the database's. A
	// key that is added or revoked elsewhere counts after that.
	ringLife = time.Second

	// maxUses is what random 96-bit IVs allow a key (NIST SP 800-38D §8.3).
	maxUses = 1 << 32
	// wornUses is when a key should be replaced.
	wornUses = 1 << 30
	// leaseSize is how many uses a node sets aside at once: one write for two
	// thousand messages, and as many lost at most when it stops.
	leaseSize = 4096
)

// vendorKey is a live key, open.
type vendorKey struct {
	id     central.KeyID
	vendor central.VendorID
	key    *envelope.Key
	meter  *meter
	used   atomic.Int64 // Unix milliseconds; 0: not since the last flush
}

// ring holds the live keys open.
type ring struct {
	store central.VendorKeys
	safe  *Safe
	log   *slog.Logger
	dummy *vendorKey

	current atomic.Pointer[edition]
	turn    chan struct{} // of who reads the list

	// The last look that failed, under turn.
	tried  time.Time
	failed error
}

// edition is one state of the list of keys.
type edition struct {
	number int64
	read   time.Time // when it was last found to be the newest
	keys   map[[32]byte]*vendorKey
	sealed map[central.KeyID]string // of which the keys were opened
	shut   int                      // live keys that no master key opens
}

func newRing(store central.VendorKeys, safe *Safe, rand io.Reader, log *slog.Logger) (*ring, error) {
	var nobodys [envelope.KeySize]byte
	if _, err := io.ReadFull(rand, nobodys[:]); err != nil {
		return nil, fmt.Errorf("draw the key that unknown clients are checked with: %w", err)
	}
	key, err := envelope.New(secret.NewKey(nobodys[:]))
	if err != nil {
		return nil, err
	}
	return &ring{store: store, safe: safe, log: log, dummy: &vendorKey{key: key}, turn: make(chan struct{}, 1)}, nil
}

// find gives the key of an API key. Whoever is unknown gets the dummy, after
// the same work.
func (r *ring) find(ctx context.Context, clientID string) (k *vendorKey, known bool, err error) {
	list, err := r.newest(ctx)
	if err != nil {
		return nil, false, err
	}
	if k, known = list.keys[clientHash(clientID)]; !known {
		k = r.dummy
	}
	return k, known, nil
}

// newest gives the keys, at most ringLife behind the database: one caller looks,
// and the others wait for what he finds. Nothing older serves anybody, since a key
// may have been revoked.
func (r *ring) newest(ctx context.Context) (*edition, error) {
	asked := time.Now()
	if e := r.current.Load(); e != nil && asked.Sub(e.read) < ringLife {
		return e, nil
	}
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the list of vendors' keys: %w", ctx.Err())
	}
	e, now := r.current.Load(), time.Now()
	if e != nil && now.Sub(e.read) < ringLife {
		return e, nil // somebody else has looked meanwhile
	}
	if r.failed != nil && r.tried.After(asked) {
		return nil, r.failed // so does whoever asked before somebody else's look that failed
	}
	fresh, err := r.look(ctx, e, now)
	if err != nil {
		if ctx.Err() == nil { // the others' calls have not ended
			r.tried, r.failed = now, err
		}
		return nil, err
	}
	r.failed = nil
	r.current.Store(fresh)
	return fresh, nil
}

func (r *ring) look(ctx context.Context, old *edition, now time.Time) (*edition, error) {
	if old != nil {
		number, err := r.store.VendorKeysEdition(ctx)
		if err != nil {
			return nil, err
		}
		if number == old.number {
			return &edition{number: number, read: now, keys: old.keys, sealed: old.sealed, shut: old.shut}, nil
		}
	}
	list, number, err := r.store.LiveVendorKeys(ctx)
	if err != nil {
		return nil, err
	}
	return r.open(list, number, now, old), nil
}

// open opens the keys of a list; those that are open and unchanged stay as they
// are, with their meters.
func (r *ring) open(list []central.VendorKey, number int64, now time.Time, old *edition) *edition {
	e := &edition{number: number, read: now, keys: map[[32]byte]*vendorKey{}, sealed: map[central.KeyID]string{}}
	for _, record := range list {
		if old != nil && old.sealed[record.ID] == string(record.Sealed) {
			e.keys[record.ClientHash], e.sealed[record.ID] = old.keys[record.ClientHash], string(record.Sealed)
			continue
		}
		key, err := r.safe.open(record)
		if err != nil {
			r.log.Error("a vendor's key can't be opened: its messages are refused", "key", record.ID, "vendor", record.Vendor, "error", err)
			e.shut++
			continue
		}
		k := &vendorKey{id: record.ID, vendor: record.Vendor, key: key, meter: &meter{id: record.ID, uses: record.Uses}}
		if old != nil {
			if known, ok := old.keys[record.ClientHash]; ok {
				k.meter = known.meter
				k.used.Store(known.used.Load())
			}
		}
		e.keys[record.ClientHash], e.sealed[record.ID] = k, string(record.Sealed)
	}
	return e
}

// flush writes when keys were last used.
func (r *ring) flush(ctx context.Context) {
	e := r.current.Load()
	if e == nil {
		return
	}
	seen := map[central.KeyID]time.Time{}
	for _, k := range e.keys {
		if at := k.used.Swap(0); at > 0 {
			seen[k.id] = time.UnixMilli(at)
		}
	}
	if len(seen) == 0 {
		return
	}
	if err := r.store.SawVendorKeys(ctx, seen); err != nil {
		r.log.Warn("when vendors' keys were last used is not noted", "keys", len(seen), "error", err)
	}
}

// state tells how many keys are open, how many of them are worn, and how many
// no master key opens.
func (r *ring) state() (keys, worn, shut int) {
	e := r.current.Load()
	if e == nil {
		return 0, 0, 0
	}
	for _, k := range e.keys {
		if k.meter.worn() {
			worn++
		}
	}
	return len(e.keys), worn, e.shut
}

// meter counts a key's uses ahead.
type meter struct {
	id   central.KeyID
	mu   sync.Mutex
	left int64 // set aside and not used
	uses int64 // by the database's last word
}

func (m *meter) worn() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.uses >= wornUses
}

// take counts n uses. central.ErrState: there are no more.
func (m *meter) take(ctx context.Context, store central.VendorKeys, n int64, log *slog.Logger) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left >= n {
		m.left -= n
		return nil
	}
	uses, err := store.LeaseUses(ctx, m.id, leaseSize, maxUses)
	if err != nil {
		return err
	}
	if uses >= wornUses {
		log.Warn("a vendor's key has been used so often that it should be replaced", "key", m.id, "uses", uses, "bound", int64(maxUses))
	}
	m.uses = uses
	m.left += leaseSize - n
	return nil
}
