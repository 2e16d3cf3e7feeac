package door

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/central/duty"
)

// standing is rates whose time stands, so that nothing fills up again during a
// test, however long it takes.
type standing struct {
	duty.Rates
	at time.Time
}

func (s standing) LeaseRate(ctx context.Context, name string, rate duty.Rate, want int, _ time.Time) (int, time.Duration, error) {
	return s.Rates.LeaseRate(ctx, name, rate, want, s.at)
}

func (s standing) SpareRate(ctx context.Context, name string, rate duty.Rate, _ time.Time) (time.Duration, error) {
	return s.Rates.SpareRate(ctx, name, rate, s.at)
}

// behindProxy opens a house behind a proxy that is believed.
func behindProxy(t *testing.T) *house {
	t.Helper()
	h := open(t, func(c *Config, _ *central.Dispatcher) {
		c.Rates = standing{rates(t), time.Now()}
		c.Trusted = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	h.guesses.late = 0
	return h
}

// from tries a secret from an address.
func (h *house) from(t *testing.T, address, id, password string) answer {
	t.Helper()
	return h.grant(t, form("grant_type", "client_credentials", "client_id", id, "client_secret", password),
		"X-Forwarded-For", address, "X-Request-Id", "of-the-test")
}

// TestStrangersKeepNoProgramOut: whoever knows a client's id keeps nobody waiting
// but himself. Where he has many networks, he is bounded, and the program goes on
// from those in which it was given tokens.
func TestStrangersKeepNoProgramOut(t *testing.T) {
	h := behindProxy(t)
	const id, own, other = "merchant-lakshmi", "198.51.100.7", "198.51.100.8"
	expectToken := func(what, address string) {
		t.Helper()
		if a := h.from(t, address, id, password); a.status != http.StatusOK {
			t.Fatalf("%s: HTTP %d %s", what, a.status, a.body)
		}
	}
	expectToken("to begin with", own)
	for n := range guessing.Burst {
		expect(t, h.from(t, "203.0.113.1", id, "wrong"), 401, "03")
		if n%3 == 0 { // an address of IPv6 has no count of its own: its /64 has
			expect(t, h.from(t, fmt.Sprintf("2001:db8::%d", n+1), id, "wrong"), 401, "03")
		}
	}
	expect(t, h.from(t, "203.0.113.1", id, "wrong"), 429, "07")
	expect(t, h.from(t, "203.0.113.1", id, password), 429, "07")
	expect(t, h.from(t, "203.0.113.9, 203.0.113.1", id, password), 429, "07") // what he writes himself counts for nothing
	expectToken("one stranger used up his tries", own)
	expectToken("in a network where it never was", other)

	taken := guessing.Burst + (guessing.Burst+2)/3
	for n := 0; ; n++ {
		if n > 2*strangersGuessing.Burst {
			t.Fatalf("%d wrong secrets of one client were taken", taken)
		}
		a := h.from(t, fmt.Sprintf("203.0.113.%d", 10+n), id, "wrong")
		if a.status == http.StatusTooManyRequests {
			break
		}
		expect(t, a, 401, "03")
		taken++
	}
	if taken != strangersGuessing.Burst {
		t.Errorf("strangers had %d tries in all, want %d", taken, strangersGuessing.Burst)
	}
	expect(t, h.from(t, "192.0.2.1", id, password), 429, "07")
	expectToken("many strangers used up theirs", own)
	expectToken("many strangers used up theirs, in the other network", other)
	for range guessing.Burst { // which are looked at, and told nothing of
		expect(t, h.from(t, own, id, "wrong"), 429, "07")
	}
	expect(t, h.from(t, own, id, password), 429, "07")
	expectToken("its own tries are used up, in the other network", other)
	if a := h.from(t, "203.0.113.1", "agg-galla", password); a.status != http.StatusOK {
		t.Errorf("another client waits with it: %s", a.body)
	}
}

// TestInventedIDsKeepNobodyOut: a network that tries one id after the other is
// bounded, and a client goes on in its own network, that one included.
func TestInventedIDsKeepNobodyOut(t *testing.T) {
	h := behindProxy(t)
	const id, address = "merchant-lakshmi", "203.0.113.1"
	if a := h.from(t, address, id, password); a.status != http.StatusOK {
		t.Fatalf("to begin with: HTTP %d %s", a.status, a.body)
	}
	for n := range networkGuessing.Burst {
		expect(t, h.from(t, address, fmt.Sprint("invented-", n), "wrong"), 401, "03")
	}
	expect(t, h.from(t, address, "invented-more", "wrong"), 429, "07")
	expect(t, h.from(t, address, "agg-galla", password), 429, "07")
	for _, address := range []string{address, "198.51.100.7"} {
		if a := h.from(t, address, id, password); a.status != http.StatusOK {
			t.Errorf("the client from %s: HTTP %d %s", address, a.status, a.body)
		}
	}
}

// plainHeader is a reply's header without what each reply has of its own.
func plainHeader(a answer) http.Header {
	h := a.header.Clone()
	h.Del("Date")
	return h
}

// TestKnownAndInventedIDsAreAlike: over all tries until nothing is taken any more,
// reply by reply, a client that there is, one that is switched off and an invented
// one can't be told apart, nor by what is asked of the database.
func TestKnownAndInventedIDsAreAlike(t *testing.T) {
	type sequence struct {
		id      string
		replies []answer
		looks   int
	}
	var all []sequence
	for _, id := range []string{"merchant-nobody", "merchant-lakshmi", "merchant-off", "vendor-gone"} {
		h := behindProxy(t)
		s := sequence{id: id}
		for network := range strangersGuessing.Burst/guessing.Burst + 2 {
			for range guessing.Burst + 2 {
				s.replies = append(s.replies, h.from(t, fmt.Sprintf("203.0.113.%d", network), id, "wrong"))
			}
		}
		s.looks = h.parties.looks
		all = append(all, s)
	}
	invented := all[0]
	statuses := map[int]int{}
	for _, a := range invented.replies {
		statuses[a.status]++
	}
	if want := map[int]int{401: strangersGuessing.Burst, 429: 44}; !maps.Equal(statuses, want) {
		t.Errorf("an invented id has the statuses %v, want %v", statuses, want)
	}
	for _, known := range all[1:] {
		for i, a := range known.replies {
			b := invented.replies[i]
			if a.status != b.status || string(a.body) != string(b.body) || fmt.Sprint(plainHeader(a)) != fmt.Sprint(plainHeader(b)) {
				t.Errorf("try %d of %s: HTTP %d %v %s; of an invented id: %d %v %s", i+1, known.id, a.status, plainHeader(a), a.body, b.status, plainHeader(b), b.body)
				break
			}
		}
		if known.looks != invented.looks {
			t.Errorf("%s: the database was asked %d times, for an invented id %d times", known.id, known.looks, invented.looks)
		}
	}
}

// TestIDsShareCounts: a client that there is shares its count with invented ids, as
// those do among each other; and without the key nobody knows which.
func TestIDsShareCounts(t *testing.T) {
	h := behindProxy(t)
	const id, address = "merchant-lakshmi", "203.0.113.1"
	of := func(g *guesses, id string) string {
		t.Helper()
		x, err := g.of(t.Context(), id, "network:"+address)
		if err != nil {
			t.Fatal(err)
		}
		return x.own
	}
	want := of(h.guesses, id)
	twin := ""
	for n := 0; twin == "" && n < 100*guessCounts; n++ {
		if invented := fmt.Sprint("invented-", n); of(h.guesses, invented) == want {
			twin = invented
		}
	}
	if twin == "" {
		t.Fatal("no invented id shares the client's count")
	}
	for range guessing.Burst {
		expect(t, h.from(t, address, twin, "wrong"), 401, "03")
	}
	expect(t, h.from(t, address, id, "wrong"), 429, "07")
	expect(t, h.from(t, "203.0.113.2", id, "wrong"), 401, "03")
	other := newGuesses(h.cfg.Rates, h.parties, seed(9))
	if of(other, id) == want || strings.Contains(want, id) {
		t.Errorf("the count %s needs no key", want)
	}
	if again := newGuesses(h.cfg.Rates, h.parties, seed(1)); of(again, id) != want {
		t.Error("two nodes of one key count apart")
	}
}
