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
	// strangersGuessing is of one client id from all networks together.
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
	// lateReply is when a try is answered for which there is no place any more, whether
	// its secret was looked at all the same or not: that takes some 30 ms.
	lateReply = 250 * time.Millisecond
)

// guesses counts wrong secrets by the client's id and the caller's network, so that
// whoever knows an id, or guesses, keeps its program out of no network but his own.
// Where he has many, the count of all networks bounds him, and where he invents ids,
// that of his network. When one of these two is used up, a right secret is still taken
// in the networks in which its client was given tokens, ten tries a minute; a wrong one
// is told there what an invented id is told, at the same moment.
//
// Everything is counted alike for every id. The names of the counts are keyed hashes:
// nobody finds ids that share one, and clients that there are share them with those
// that are invented, in the same way.
type guesses struct {
	rates     duty.Rates
	directory central.Directory
	key       secret.Key
	now       func() time.Time
	late      time.Duration // lateReply, but in tests
}

// newGuesses derives the key of the names from a key that all nodes have.
func newGuesses(rates duty.Rates, directory central.Directory, shared secret.Key) *guesses {
	mac := hmac.New(sha256.New, shared.Reveal())
	mac.Write([]byte("galla/door/guesses/v1"))
	return &guesses{rates, directory, secret.NewKey(mac.Sum(nil)), time.Now, lateReply}
}

// try is a client id that is tried from a network.
type try struct {
	network string
	own     string    // the count of this network's wrong secrets for the id
	late    string    // of those that came while one of the next two was used up
	all     string    // the count of all networks' for the id
	any     string    // the count of the network's for all ids
	seen    time.Time // when the client was last given a token here; zero: never
}

// known tells whether this is one of the client's own networks.
func (t try) known(now time.Time) bool { return !t.seen.IsZero() && now.Sub(t.seen) < knownFor }

// of looks at a try. The same is done for every id that may be one.
func (g *guesses) of(ctx context.Context, client, network string) (try, error) {
	t := try{
		network: network, own: guessPrefix + g.count("network", client, network), late: latePrefix + g.count("late", client, network),
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

// chance is what a try may come to.
type chance struct {
	refused *central.Error // TooMany, what a wrong secret is told; nil: that it is wrong
	looks   bool           // the secret is looked at
}

// chance looks what a try may come to. All counts are read for every try.
func (g *guesses) chance(ctx context.Context, t try) (c chance, err error) {
	now := g.now()
	var own, late, all, any time.Duration // until there is a place again
	for _, count := range []struct {
		name string
		rate duty.Rate
		wait *time.Duration
	}{{t.own, guessing, &own}, {t.late, guessing, &late}, {t.all, strangersGuessing, &all}, {t.any, networkGuessing, &any}} {
		if *count.wait, err = g.rates.SpareRate(ctx, count.name, count.rate, now); err != nil {
			return chance{}, err
		}
	}
	wait := max(own, all, any)
	if wait == 0 {
		return chance{looks: true}, nil
	}
	c.refused = &central.Error{Fault: central.TooMany, Message: "Too many failed token requests of this client; try again later", RetryAfter: wait}
	c.looks = own == 0 && late == 0 && t.known(now)
	return c, nil
}

// note counts a wrong secret that was looked at. One that came late counts nowhere
// else, where an invented id's would not.
func (g *guesses) note(ctx context.Context, t try, late bool) error {
	counts := map[string]duty.Rate{t.own: guessing, t.all: strangersGuessing, t.any: networkGuessing}
	if late {
		counts = map[string]duty.Rate{t.late: guessing}
	}
	for name, rate := range counts {
		if _, _, err := g.rates.LeaseRate(ctx, name, rate, 1, g.now()); err != nil {
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
