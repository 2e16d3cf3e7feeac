package httpapi

import (
	"cmp"
	"context"
	"io"
	"time"

	"galla/central"
	"galla/shared/password"
	"galla/shared/secret"
)

// secretCost is argon2id with 19 MiB, two passes, one lane, the least that OWASP's
// password storage guide recommends, and some 30 ms of one core.
func secretCost() password.Cost { return password.Cost{Memory: 19 * 1024, Passes: 2, Lanes: 1} }

// HashSecret makes the argon2id hash of a client's secret in PHC text, for
// central.Client.SecretHash. The salt is drawn from rand.
func HashSecret(s secret.Key, rand io.Reader) (string, error) {
	return password.Hash(secret.NewToken(string(s.Reveal())), rand, secretCost())
}

// Limits of checking secrets: each check uses 19 MiB, so few run at a time, and a
// few more wait; the rest gets 429. Requests from a client's own networks
// have slots of their own, which unknown callers can't take.
const (
	maxKnownChecks = 2
	maxChecks      = 4
	maxCheckWaits  = 128
	checkWait      = 10 * time.Second
	checkRetryTime = 2 * time.Second
)

// secretChecker checks secrets, a few at a time. An unknown client costs the same
// work as a known one.
type secretChecker struct {
	dummy          string // the hash that an unknown client has
	unknown, known checkQueue
}

// checkQueue runs a few checks at a time; a few more wait.
type checkQueue struct{ slots, waiting chan struct{} }

func newCheckQueue(slots int) checkQueue {
	return checkQueue{make(chan struct{}, slots), make(chan struct{}, maxCheckWaits)}
}

func newSecretChecker(rand io.Reader) (*secretChecker, error) {
	dummy, err := password.Unmatchable(rand, secretCost())
	return &secretChecker{dummy: dummy, unknown: newCheckQueue(maxChecks), known: newCheckQueue(maxKnownChecks)}, err
}

// acquire waits at most most for a slot; release gives it back. The error is TooMany.
func (l checkQueue) acquire(ctx context.Context, most time.Duration) error {
	busy := &central.Error{Fault: central.TooMany, Message: "Too many token requests; try again later", RetryAfter: checkRetryTime}
	select {
	case l.waiting <- struct{}{}:
		defer func() { <-l.waiting }()
	default:
		return busy
	}
	select {
	case l.slots <- struct{}{}:
		return nil
	default:
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	select {
	case l.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return busy
	}
}

func (l checkQueue) release() { <-l.slots }

// check compares a secret with a stored hash; with an empty hash, it does the same
// work and returns false. The caller holds a slot.
func (c *secretChecker) check(s secret.Key, stored string) (bool, error) {
	ok, err := password.Verify(cmp.Or(stored, c.dummy), secret.NewToken(string(s.Reveal())))
	return ok && stored != "", err
}

// checkClient returns the generation of the client's live secret that was offered; nil:
// none was. A wrong secret costs two comparisons, whether the client has two secrets or
// one, or does not exist.
func (c *secretChecker) checkClient(s secret.Key, client central.Client, at time.Time) (*int64, error) {
	if ok, err := c.check(s, client.SecretHash); err != nil || ok {
		return &client.Generation, err
	}
	former := client.Former
	if !former.Live(at) {
		former.Hash = ""
	}
	ok, err := c.check(s, former.Hash)
	if err != nil || !ok {
		return nil, err
	}
	return &former.Generation, nil
}
