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
	"galla/central/cache"
	"galla/central/keys"
	"galla/shared/envelope"
	"galla/shared/secret"
)

const (
	// maxUses is the limit of a key with random 96-bit IVs (NIST SP 800-38D §8.3).
	maxUses = 1 << 32
	// leaseSize is how many uses a node reserves at once: one write for two
	// thousand messages, and as many lost at most when it stops.
	leaseSize = 4096
)

// vendorKey is a live key, opened.
type vendorKey struct {
	id     central.KeyID
	vendor central.VendorID
	key    *envelope.Key
	endsAt time.Time // the planned end; zero: none
	uses   *useCounter
	usedAt atomic.Int64 // Unix milliseconds; 0: not since the last flush
}

// keyCache holds the live keys, opened.
type keyCache struct {
	store  central.VendorKeys
	opener *keys.VendorKeys
	watch  *cache.Watch
	log    *slog.Logger
	now    func() time.Time
	dummy  *vendorKey

	current    atomic.Pointer[keyList]
	refreshing chan struct{} // held by the caller that reads the list

	// The last read that failed; guarded by refreshing.
	failedAt  time.Time
	lastError error
}

// keyList is one version of the list of keys.
type keyList struct {
	revision int64 // known before the list was read
	keys     map[[32]byte]*vendorKey
	sealed   map[central.KeyID]string // the sealed form of each opened key
	unopened int                      // live keys that no master key opens
}

func newKeyCache(store central.VendorKeys, opener *keys.VendorKeys, watch *cache.Watch, rand io.Reader, log *slog.Logger) (*keyCache, error) {
	var unknown [envelope.KeySize]byte
	if _, err := io.ReadFull(rand, unknown[:]); err != nil {
		return nil, fmt.Errorf("draw the key that unknown clients are checked with: %w", err)
	}
	key, err := envelope.New(secret.NewKey(unknown[:]))
	if err != nil {
		return nil, err
	}
	return &keyCache{store: store, opener: opener, watch: watch, log: log, now: time.Now, dummy: &vendorKey{key: key}, refreshing: make(chan struct{}, 1)}, nil
}

// find returns the key of an API key. An unknown client gets the dummy, after the
// same work.
func (c *keyCache) find(ctx context.Context, clientID string) (k *vendorKey, known bool, err error) {
	list, err := c.latest(ctx)
	if err != nil {
		return nil, false, err
	}
	k, known = list.keys[keys.APIKeyHash(clientID)]
	if known && !k.endsAt.IsZero() && !c.now().Before(k.endsAt) {
		known = false
	}
	if !known {
		k = c.dummy
	}
	return k, known, nil
}

// latest returns the keys as they were within the last second (cache.Watch). If the list
// has changed, one caller reads it, and the others wait for its result.
func (c *keyCache) latest(ctx context.Context) (*keyList, error) {
	asked := time.Now()
	revisions, err := c.watch.Current(ctx)
	if err != nil {
		return nil, err
	}
	if e := c.current.Load(); e != nil && e.revision >= revisions.VendorKeys {
		return e, nil
	}
	select {
	case c.refreshing <- struct{}{}:
		defer func() { <-c.refreshing }()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the list of vendors' keys: %w", ctx.Err())
	}
	e, now := c.current.Load(), time.Now()
	if e != nil && e.revision >= revisions.VendorKeys {
		return e, nil // another caller has read it meanwhile
	}
	if c.lastError != nil && c.failedAt.After(asked) {
		return nil, c.lastError // this caller asked before another one's read that failed
	}
	list, err := c.store.LiveVendorKeys(ctx)
	if err != nil {
		if ctx.Err() == nil { // the other callers' contexts have not ended
			c.failedAt, c.lastError = now, err
		}
		return nil, err
	}
	c.lastError = nil
	fresh := c.openKeys(list, revisions.VendorKeys, e)
	c.current.Store(fresh)
	return fresh, nil
}

// openKeys opens the keys of a list; unchanged ones that are open keep their
// counters.
func (c *keyCache) openKeys(list []central.VendorKey, revision int64, old *keyList) *keyList {
	e := &keyList{revision: revision, keys: map[[32]byte]*vendorKey{}, sealed: map[central.KeyID]string{}}
	for _, record := range list {
		if old != nil && old.sealed[record.ID] == string(record.Sealed) && old.keys[record.ClientHash].endsAt.Equal(record.EndsAt) {
			e.keys[record.ClientHash], e.sealed[record.ID] = old.keys[record.ClientHash], string(record.Sealed)
			continue
		}
		key, err := c.opener.Open(record)
		if err != nil {
			c.log.Error("a vendor's key can't be opened: its messages are refused", "key", record.ID, "vendor", record.Vendor, "error", err)
			e.unopened++
			continue
		}
		k := &vendorKey{id: record.ID, vendor: record.Vendor, key: key, endsAt: record.EndsAt, uses: &useCounter{id: record.ID, uses: record.Uses}}
		if old != nil {
			if known, ok := old.keys[record.ClientHash]; ok {
				k.uses = known.uses
				k.usedAt.Store(known.usedAt.Load())
			}
		}
		e.keys[record.ClientHash], e.sealed[record.ID] = k, string(record.Sealed)
	}
	return e
}

// flushUsage writes when keys were last used.
func (c *keyCache) flushUsage(ctx context.Context) {
	e := c.current.Load()
	if e == nil {
		return
	}
	seen := map[central.KeyID]time.Time{}
	for _, k := range e.keys {
		if at := k.usedAt.Swap(0); at > 0 {
			seen[k.id] = time.UnixMilli(at)
		}
	}
	if len(seen) == 0 {
		return
	}
	if err := c.store.RecordVendorKeyUse(ctx, seen); err != nil {
		c.log.Warn("the last use of vendors' keys can't be recorded", "keys", len(seen), "error", err)
	}
}

// stats returns how many keys are open, how many of them should be replaced, and
// how many no master key opens.
func (c *keyCache) stats() (open, worn, shut int) {
	e := c.current.Load()
	if e == nil {
		return 0, 0, 0
	}
	for _, k := range e.keys {
		if k.uses.nearLimit() {
			worn++
		}
	}
	return len(e.keys), worn, e.unopened
}

// useCounter counts a key's uses, reserved in advance.
type useCounter struct {
	id     central.KeyID
	mu     sync.Mutex
	leased int64 // reserved and not used
	uses   int64 // as last read from the database
}

func (c *useCounter) nearLimit() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.uses >= keys.ReplaceAfterUses
}

// consume counts n uses. central.ErrState: there are none left.
func (c *useCounter) consume(ctx context.Context, store central.VendorKeys, n int64, log *slog.Logger) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leased >= n {
		c.leased -= n
		return nil
	}
	uses, err := store.LeaseKeyUses(ctx, c.id, leaseSize, maxUses)
	if err != nil {
		return err
	}
	if uses >= keys.ReplaceAfterUses {
		log.Warn("a vendor's key has been used so often that it should be replaced", "key", c.id, "uses", uses, "bound", int64(maxUses))
	}
	c.uses = uses
	c.leased += leaseSize - n
	return nil
}
