package door

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"time"

	"galla/central"
	"galla/central/duty"
	"galla/shared/secret"
)

// How many wrong secrets are taken, at all nodes together.
var (
	// guessing is of one client id from one network: ten a minute slow it down
	// (interface-decisions.md).
	guessing = duty.Rate{PerSecond: 10. / 60, Burst: 10}
	// strangersGuessing is of one client id from all networks together in which it
	// was given no token lately.
	strangersGuessing = duty.Rate{PerSecond: 1, Burst: 100}
	// networkGuessing is of one network, whatever ids it tries: a check of a secret
	// costs some 30 ms of a core, and invented ids are free.
	networkGuessing = duty.Rate{PerSecond: 5, Burst: 300}
)

const (
	// guessCounts is how many counts of a kind there are. Many ids share one, so
	// that a flood of invented ids has no place to fill.
	guessCounts = 1 << 16
	// knownFor is how long a network is a client's own after a token.
	knownFor = 90 * 24 * time.Hour
	// notedEvery is how seldom it is noted that a client gets tokens in a network.
	notedEvery = 24 * time.Hour
)

// guesses counts wrong secrets by the client's id and the caller's network, so that
// whoever knows an id, or guesses, keeps its program out of no network but his own.
// Where he has many, the count of all strangers bounds him, and where he invents ids,
// that of his network; neither counts for the networks in which the client was given
// tokens.
//
// The names of the counts are keyed hashes: nobody finds ids that share one, and
// clients that there are share them with those that are invented, in the same way.
type guesses struct {
	rates     duty.Rates
	directory central.Directory
	key       secret.Key
	now       func() time.Time
}

// newGuesses derives the key of the names from a key that all nodes have.
func newGuesses(rates duty.Rates, directory central.Directory, shared secret.Key) *guesses {
	mac := hmac.New(sha256.New, shared.Reveal())
	mac.Write([]byte("galla/door/guesses/v1"))
	return &guesses{rates, directory, secret.NewKey(mac.Sum(nil)), time.Now}
}

// try is a client id that is tried from a network.
type try struct {
	network string
	own     string    // the count of this network's wrong secrets for the id
	all     string    // the count of all strangers'
	any     string    // the count of the network's wrong secrets for all ids
	seen    time.Time // when the client was last given a token here; zero: never
}

// counted is a count that bounds a try.
type counted struct {
	name   string
	rate   duty.Rate
	always bool // also in one of the client's own networks
}

func (t try) counts() []counted {
	return []counted{{t.own, guessing, true}, {t.all, strangersGuessing, false}, {t.any, networkGuessing, false}}
}

// known tells whether this is one of the client's own networks.
func (t try) known(now time.Time) bool { return !t.seen.IsZero() && now.Sub(t.seen) < knownFor }

// of looks at a try. The same is done for every id that may be one.
func (g *guesses) of(ctx context.Context, client, network string) (try, error) {
	t := try{
		network: network, own: guessPrefix + g.count("network", client, network),
		all: strangersPrefix + g.count("strangers", client), any: anyPrefix + g.count("any", network),
	}
	if !mayBeID(client) {
		return t, nil
	}
	var err error
	t.seen, err = g.directory.ClientNetwork(ctx, client, network)
	return t, err
}

// count names the count of some texts.
func (g *guesses) count(texts ...string) string {
	mac := hmac.New(sha256.New, g.key.Reveal())
	for _, text := range texts {
		mac.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
		mac.Write([]byte(text))
	}
	return strconv.FormatUint(binary.BigEndian.Uint64(mac.Sum(nil))%guessCounts, 10)
}

// allow sees that there may be another try. The error is TooMany, or the
// database's.
func (g *guesses) allow(ctx context.Context, t try) error {
	now := g.now()
	var wait time.Duration
	for _, c := range t.counts() {
		w, err := g.rates.SpareRate(ctx, c.name, c.rate, now)
		if err != nil {
			return err
		}
		if c.always || !t.known(now) {
			wait = max(wait, w)
		}
	}
	if wait > 0 {
		return &central.Error{Fault: central.TooMany, Message: "Too many failed token requests of this client; try again later", RetryAfter: wait}
	}
	return nil
}

// note counts a failure.
func (g *guesses) note(ctx context.Context, t try) error {
	now := g.now()
	for _, c := range t.counts() {
		if !c.always && t.known(now) {
			continue
		}
		if _, _, err := g.rates.LeaseRate(ctx, c.name, c.rate, 1, now); err != nil {
			return err
		}
	}
	return nil
}

// admitted notes that a client is given a token, now and then.
func (g *guesses) admitted(ctx context.Context, client string, t try) error {
	now := g.now()
	if t.known(now) && now.Sub(t.seen) < notedEvery {
		return nil
	}
	return g.directory.NoteClientNetwork(ctx, client, t.network, now)
}
