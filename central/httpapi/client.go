package httpapi

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"galla/central"
)

// Limits of the cache of clients.
const (
	// clientTTL is how long a cached client is used: a suspension or a new secret
	// takes effect at every node within that time.
	clientTTL = time.Second
	// clientIdle is after how long without requests a client is forgotten.
	clientIdle = time.Minute
	minClients = 1000 // cached before idle ones are removed
)

// bearer is the caller that an access token names.
type bearer struct {
	principal  central.Principal
	credential central.Credential
}

// clientCache checks for every request whether its client may still call. It reads
// each client once in clientTTL, however many requests there are. An older entry is
// never used, even if the database fails: requests need the database anyway.
type clientCache struct {
	directory central.Directory
	now       func() time.Time

	mu      sync.Mutex
	entries map[string]*cachedClient
	sweepAt int
}

// cachedClient is a client as it was read.
type cachedClient struct {
	reading chan struct{} // held by the reader; the others wait for its result
	usedAt  time.Time     // when it was last used; guarded by the lock of clients

	readAt time.Time // when the read began; guarded by reading
	client central.Client
}

func newClientCache(directory central.Directory) *clientCache {
	return &clientCache{directory: directory, now: time.Now, entries: map[string]*cachedClient{}, sweepAt: minClients}
}

// errClientChanged says that a token was valid before.
var errClientChanged = fmt.Errorf("%w: its client was suspended, or given another secret, after it was issued", errToken)

// check checks that a token's client has not changed since the token was issued.
// The error is errToken, or the database's.
func (c *clientCache) check(ctx context.Context, b bearer) error {
	x := c.entry(b.credential.Client)
	select {
	case x.reading <- struct{}{}:
		defer func() { <-x.reading }()
	case <-ctx.Done():
		return fmt.Errorf("wait for a client: %w", ctx.Err())
	}
	if now := c.now(); x.readAt.IsZero() || now.Sub(x.readAt) >= clientTTL || x.outdatedFor(b) {
		client, err := c.directory.Client(ctx, b.credential.Client)
		if err != nil && !errors.Is(err, central.ErrNotFound) {
			return busyError(fmt.Errorf("read a client: %w", err))
		}
		x.readAt, x.client = now, client // without a record: the zero client
	}
	if !x.holds(b) {
		return errClientChanged
	}
	return nil
}

func (x *cachedClient) holds(b bearer) bool {
	return x.client.Accepts(b.credential) && x.client.Principal == b.principal
}

// outdatedFor reports whether a token may have been issued after the client was
// read, by another node or by this one a moment ago. Generations only grow, so
// older tokens are refused without another read.
func (x *cachedClient) outdatedFor(b bearer) bool {
	return !x.holds(b) && b.credential.Generation >= x.client.Generation
}

// entry returns a client's entry. Only clients with a token of ours get one.
func (c *clientCache) entry(id string) *cachedClient {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	x, ok := c.entries[id]
	if !ok {
		if len(c.entries) >= c.sweepAt {
			for id, x := range c.entries {
				if now.Sub(x.usedAt) > clientIdle {
					delete(c.entries, id)
				}
			}
			c.sweepAt = max(minClients, 2*len(c.entries))
		}
		x = &cachedClient{reading: make(chan struct{}, 1)}
		c.entries[id] = x
	}
	x.usedAt = now
	return x
}
