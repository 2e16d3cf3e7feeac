package httpapi

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"time"

	"galla/central"
	"galla/central/ratelimit"
	"galla/shared/secret"
)

// Rates of wrong secrets, at all nodes together (interface.md, section 5.1).
var (
	// clientNetworkRate is for one client id from one network.
	clientNetworkRate = ratelimit.Rate{PerSecond: 10. / 60, Burst: 10}
	// clientRate is for one client id from all networks together.
	clientRate = ratelimit.Rate{PerSecond: 1, Burst: 100}
	// networkRate is for one network, whatever ids it tries: a check of a secret
	// costs some 30 ms of a core, and invented ids are free.
	networkRate = ratelimit.Rate{PerSecond: 5, Burst: 300}
)

const (
	// attemptBuckets is the number of counters of a kind. Many ids share one, so
	// that a flood of invented ids can't fill the table.
	attemptBuckets = 1 << 16
	// knownNetworkTTL is how long a network belongs to a client after a token.
	knownNetworkTTL = 90 * 24 * time.Hour
	// knownNetworkRefresh is how often a client's network is recorded at most.
	knownNetworkRefresh = 24 * time.Hour
	// refusalDelay is when an attempt over the limit is answered, whether its
	// secret was checked all the same or not: a check takes some 30 ms.
	refusalDelay = 250 * time.Millisecond
)

// secretAttempts counts wrong secrets by client id and network, so that an attacker
// who knows or guesses an id blocks its program only in his own network. With many
// networks, the count of the id over all networks limits him; with invented ids,
// the count of his network. When one of these two is used up, a right secret is
// still accepted in networks in which its client got tokens before, ten attempts a
// minute. A wrong secret there gets the same reply as an invented id, after the
// same time.
//
// All ids are counted in the same way. The names of the counters are keyed hashes:
// nobody can find ids that share one, and real and invented ids share them alike.
type secretAttempts struct {
	rates     ratelimit.Buckets
	directory central.Directory
	key       secret.Key
	now       func() time.Time
	delay     time.Duration // refusalDelay, except in tests
}

// newSecretAttempts derives the key of the names from a key that all nodes share.
func newSecretAttempts(rates ratelimit.Buckets, directory central.Directory, shared secret.Key) *secretAttempts {
	mac := hmac.New(sha256.New, shared.Reveal())
	mac.Write([]byte("galla/httpapi/secret-attempts/v1"))
	return &secretAttempts{rates, directory, secret.NewKey(mac.Sum(nil)), time.Now, refusalDelay}
}

// secretAttempt is an attempt with a client id from a network.
type secretAttempt struct {
	network          string
	clientNetworkKey string    // counts wrong secrets for the id from this network
	delayedKey       string    // counts those that came while one of the next two was used up
	clientKey        string    // counts them for the id from all networks
	networkKey       string    // counts them for the network, whatever id
	lastToken        time.Time // when the client last got a token here; zero: never
}

// fromKnownNetwork reports whether the client got tokens in this network before.
func (t secretAttempt) fromKnownNetwork(now time.Time) bool {
	return !t.lastToken.IsZero() && now.Sub(t.lastToken) < knownNetworkTTL
}

// attempt describes an attempt. The work is the same for every valid id.
func (a *secretAttempts) attempt(ctx context.Context, client, network string) (secretAttempt, error) {
	t := secretAttempt{
		network: network, clientNetworkKey: secretPrefix + a.bucket("network", client, network), delayedKey: secretDelayedPrefix + a.bucket("late", client, network),
		clientKey: secretClientPrefix + a.bucket("client", client), networkKey: secretNetworkPrefix + a.bucket("network", network),
	}
	if !validClientID(client) {
		return t, nil
	}
	var err error
	t.lastToken, err = a.directory.ClientNetworkSeenAt(ctx, client, network)
	return t, err
}

// bucket returns the name of the counter for some texts.
func (a *secretAttempts) bucket(texts ...string) string {
	mac := hmac.New(sha256.New, a.key.Reveal())
	for _, text := range texts {
		mac.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
		mac.Write([]byte(text))
	}
	return strconv.FormatUint(binary.BigEndian.Uint64(mac.Sum(nil))%attemptBuckets, 10)
}

// attemptVerdict is what may happen with an attempt.
type attemptVerdict struct {
	refused     *central.Error // TooMany, also the reply to a wrong secret; nil: not limited
	checkSecret bool           // whether to check the secret
}

// verdict decides about an attempt. It reads all counters for every attempt.
func (a *secretAttempts) verdict(ctx context.Context, t secretAttempt) (c attemptVerdict, err error) {
	now := a.now()
	var own, late, all, any time.Duration // how long until the next attempt is allowed
	for _, count := range []struct {
		name string
		rate ratelimit.Rate
		wait *time.Duration
	}{{t.clientNetworkKey, clientNetworkRate, &own}, {t.delayedKey, clientNetworkRate, &late}, {t.clientKey, clientRate, &all}, {t.networkKey, networkRate, &any}} {
		if *count.wait, err = a.rates.RateTokenWait(ctx, count.name, count.rate, now); err != nil {
			return attemptVerdict{}, err
		}
	}
	wait := max(own, all, any)
	if wait == 0 {
		return attemptVerdict{checkSecret: true}, nil
	}
	c.refused = &central.Error{Fault: central.TooMany, Message: "Too many failed token requests of this client; try again later", RetryAfter: wait}
	c.checkSecret = own == 0 && late == 0 && t.fromKnownNetwork(now)
	return c, nil
}

// recordFailure counts a wrong secret that was checked. A delayed one counts nowhere
// else, since an invented id's would not.
func (a *secretAttempts) recordFailure(ctx context.Context, t secretAttempt, late bool) error {
	counts := map[string]ratelimit.Rate{t.clientNetworkKey: clientNetworkRate, t.clientKey: clientRate, t.networkKey: networkRate}
	if late {
		counts = map[string]ratelimit.Rate{t.delayedKey: clientNetworkRate}
	}
	for name, rate := range counts {
		if _, _, err := a.rates.TakeRateTokens(ctx, name, rate, 1, a.now()); err != nil {
			return err
		}
	}
	return nil
}

// recordSuccess records now and then that a client got a token in a network.
func (a *secretAttempts) recordSuccess(ctx context.Context, client string, t secretAttempt) error {
	now := a.now()
	if t.fromKnownNetwork(now) && now.Sub(t.lastToken) < knownNetworkRefresh {
		return nil
	}
	return a.directory.RecordClientNetwork(ctx, client, t.network, now)
}
