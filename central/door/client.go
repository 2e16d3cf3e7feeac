package door

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"galla/central"
)

// Bounds of what is remembered of clients.
const (
	// clientLife is how long what was read of a client is believed: a suspension,
	// or a new secret, counts at every node within that.
	clientLife = time.Second
	// clientIdle is after which a client that does not call is forgotten.
	clientIdle = time.Minute
	minClients = 1000 // remembered before idle ones are looked for
)

// bearer is who an access token stands for.
type bearer struct {
	principal  central.Principal
	credential central.Credential
}

// clients looks at every call whether the client that it comes from may still
// call. It reads each client once in clientLife, however many calls there are.
// Nothing is believed longer, also where the database can't be asked: calls need
// it anyway.
type clients struct {
	directory central.Directory
	now       func() time.Time

	mu    sync.Mutex
	known map[string]*lookedAt
	room  int
}

// lookedAt is a client as it was read.
type lookedAt struct {
	turn chan struct{} // of whoever reads; the others wait for what he finds
	seen time.Time     // when it was last asked for; under the lock of clients

	at     time.Time // when the reading began; under turn
	client central.Client
}

func newClients(directory central.Directory) *clients {
	return &clients{directory: directory, now: time.Now, known: map[string]*lookedAt{}, room: minClients}
}

// errOver says that a token was good once.
var errOver = fmt.Errorf("%w: its client was suspended, or given another secret, after it was issued", errToken)

// judge sees that a token's client is still what it was when the token was issued.
// errToken, or the database's error.
func (c *clients) judge(ctx context.Context, b bearer) error {
	x := c.of(b.credential.Client)
	select {
	case x.turn <- struct{}{}:
		defer func() { <-x.turn }()
	case <-ctx.Done():
		return fmt.Errorf("wait for a client: %w", ctx.Err())
	}
	if now := c.now(); x.at.IsZero() || now.Sub(x.at) >= clientLife || x.behind(b) {
		client, err := c.directory.Client(ctx, b.credential.Client)
		if err != nil && !errors.Is(err, central.ErrNotFound) {
			return orBusy(fmt.Errorf("read a client: %w", err))
		}
		x.at, x.client = now, client // without a record, one that holds nothing
	}
	if !x.holds(b) {
		return errOver
	}
	return nil
}

func (x *lookedAt) holds(b bearer) bool {
	return x.client.Holds(b.credential) && x.client.Principal == b.principal
}

// behind tells of a token that another node, or this one a moment ago, may have
// issued after the client was read. Generations only grow, and begin with what ends
// the tokens of before: those are refused without another look.
func (x *lookedAt) behind(b bearer) bool {
	return !x.holds(b) && b.credential.Generation >= x.client.Generation
}

// of gives the place of a client. Only who has a token of ours gets one.
func (c *clients) of(id string) *lookedAt {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	x, ok := c.known[id]
	if !ok {
		if len(c.known) >= c.room {
			for id, x := range c.known {
				if now.Sub(x.seen) > clientIdle {
					delete(c.known, id)
				}
			}
			c.room = max(minClients, 2*len(c.known))
		}
		x = &lookedAt{turn: make(chan struct{}, 1)}
		c.known[id] = x
	}
	x.seen = now
	return x
}
