package httpapi

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
	"galla/central/ratelimit"
)

// fixedRates is rates whose time stands, so that nothing fills up again during a
// test, however long it takes.
type fixedRates struct {
	ratelimit.Buckets
	at time.Time
}

func (s fixedRates) TakeRateTokens(ctx context.Context, name string, rate ratelimit.Rate, want int, _ time.Time) (int, time.Duration, error) {
	return s.Buckets.TakeRateTokens(ctx, name, rate, want, s.at)
}

func (s fixedRates) RateTokenWait(ctx context.Context, name string, rate ratelimit.Rate, _ time.Time) (time.Duration, error) {
	return s.Buckets.RateTokenWait(ctx, name, rate, s.at)
}

// behindProxy starts a system behind a trusted proxy.
func behindProxy(t *testing.T) *system {
	t.Helper()
	h := startServer(t, func(c *Config, _ *central.Handler) {
		c.Rates = fixedRates{rates(), time.Now()}
		c.Trusted = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	h.attempts.delay = 0
	return h
}

// from tries a secret from an address.
func (h *system) from(t *testing.T, address, id, clientSecret string) answer {
	t.Helper()
	return h.grant(t, form("grant_type", "client_credentials", "client_id", id, "client_secret", clientSecret),
		"X-Forwarded-For", address, "X-Request-Id", "of-the-test")
}

// TestFailuresElsewhereDoNotLockAClient: whoever knows a client's id keeps nobody waiting
// but himself. Where he has many networks, he is bounded, and the program goes on
// from those in which it was given tokens.
func TestFailuresElsewhereDoNotLockAClient(t *testing.T) {
	h := behindProxy(t)
	const id, own, other = "merchant-lakshmi", "198.51.100.7", "198.51.100.8"
	expectToken := func(what, address string) {
		t.Helper()
		if a := h.from(t, address, id, clientSecret); a.status != http.StatusOK {
			t.Fatalf("%s: HTTP %d %s", what, a.status, a.body)
		}
	}
	expectToken("to begin with", own)
	for n := range clientNetworkRate.Burst {
		expect(t, h.from(t, "203.0.113.1", id, "wrong"), 401, "03")
		if n%3 == 0 { // an address of IPv6 has no count of its own: its /64 has
			expect(t, h.from(t, fmt.Sprintf("2001:db8::%d", n+1), id, "wrong"), 401, "03")
		}
	}
	expect(t, h.from(t, "203.0.113.1", id, "wrong"), 429, "07")
	expect(t, h.from(t, "203.0.113.1", id, clientSecret), 429, "07")
	expect(t, h.from(t, "203.0.113.9, 203.0.113.1", id, clientSecret), 429, "07") // what he writes himself counts for nothing
	expectToken("one unknown caller used up his attempts", own)
	expectToken("in a network where it never was", other)

	taken := clientNetworkRate.Burst + (clientNetworkRate.Burst+2)/3
	for n := 0; ; n++ {
		if n > 2*clientRate.Burst {
			t.Fatalf("%d wrong secrets of one client were taken", taken)
		}
		a := h.from(t, fmt.Sprintf("203.0.113.%d", 10+n), id, "wrong")
		if a.status == http.StatusTooManyRequests {
			break
		}
		expect(t, a, 401, "03")
		taken++
	}
	if taken != clientRate.Burst {
		t.Errorf("unknown callers had %d attempts in all, want %d", taken, clientRate.Burst)
	}
	expect(t, h.from(t, "192.0.2.1", id, clientSecret), 429, "07")
	expectToken("many unknown callers used up theirs", own)
	expectToken("many unknown callers used up theirs, in the other network", other)
	for range clientNetworkRate.Burst { // which are checked, with the same reply
		expect(t, h.from(t, own, id, "wrong"), 429, "07")
	}
	expect(t, h.from(t, own, id, clientSecret), 429, "07")
	expectToken("its own tries are used up, in the other network", other)
	if a := h.from(t, "203.0.113.1", "agg-galla", clientSecret); a.status != http.StatusOK {
		t.Errorf("another client waits with it: %s", a.body)
	}
}

// TestInventedIDsDoNotLockAnybody: a network that tries one id after the other is
// bounded, and a client goes on in its own network, that one included.
func TestInventedIDsDoNotLockAnybody(t *testing.T) {
	h := behindProxy(t)
	const id, address = "merchant-lakshmi", "203.0.113.1"
	if a := h.from(t, address, id, clientSecret); a.status != http.StatusOK {
		t.Fatalf("to begin with: HTTP %d %s", a.status, a.body)
	}
	for n := range networkRate.Burst {
		expect(t, h.from(t, address, fmt.Sprint("invented-", n), "wrong"), 401, "03")
	}
	expect(t, h.from(t, address, "invented-more", "wrong"), 429, "07")
	expect(t, h.from(t, address, "agg-galla", clientSecret), 429, "07")
	for _, address := range []string{address, "198.51.100.7"} {
		if a := h.from(t, address, id, clientSecret); a.status != http.StatusOK {
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

// TestKnownAndInventedIDsAnswerAlike: over all tries until nothing is taken any more,
// reply by reply, a client that there is, one that is switched off and an invented
// one get the same reply, nor by what is asked of the database.
func TestKnownAndInventedIDsAnswerAlike(t *testing.T) {
	type sequence struct {
		id      string
		replies []answer
		looks   int
	}
	var all []sequence
	for _, id := range []string{"merchant-nobody", "merchant-lakshmi", "merchant-off", "vendor-gone"} {
		h := behindProxy(t)
		s := sequence{id: id}
		for network := range clientRate.Burst/clientNetworkRate.Burst + 2 {
			for range clientNetworkRate.Burst + 2 {
				s.replies = append(s.replies, h.from(t, fmt.Sprintf("203.0.113.%d", network), id, "wrong"))
			}
		}
		s.looks = h.directory.looks
		all = append(all, s)
	}
	invented := all[0]
	statuses := map[int]int{}
	for _, a := range invented.replies {
		statuses[a.status]++
	}
	if want := map[int]int{401: clientRate.Burst, 429: 44}; !maps.Equal(statuses, want) {
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

// TestIDsShareBuckets: a client that there is shares its count with invented ids, as
// those do among each other; and without the key nobody knows which.
func TestIDsShareBuckets(t *testing.T) {
	h := behindProxy(t)
	const id, address = "merchant-lakshmi", "203.0.113.1"
	of := func(g *secretAttempts, id string) string {
		t.Helper()
		x, err := g.attempt(t.Context(), id, "network:"+address)
		if err != nil {
			t.Fatal(err)
		}
		return x.clientNetworkKey
	}
	want := of(h.attempts, id)
	twin := ""
	for n := 0; twin == "" && n < 100*attemptBuckets; n++ {
		if invented := fmt.Sprint("invented-", n); of(h.attempts, invented) == want {
			twin = invented
		}
	}
	if twin == "" {
		t.Fatal("no invented id shares the client's count")
	}
	for range clientNetworkRate.Burst {
		expect(t, h.from(t, address, twin, "wrong"), 401, "03")
	}
	expect(t, h.from(t, address, id, "wrong"), 429, "07")
	expect(t, h.from(t, "203.0.113.2", id, "wrong"), 401, "03")
	other := newSecretAttempts(h.cfg.Rates, h.directory, seed(9))
	if of(other, id) == want || strings.Contains(want, id) {
		t.Errorf("the count %s needs no key", want)
	}
	if again := newSecretAttempts(h.cfg.Rates, h.directory, seed(1)); of(again, id) != want {
		t.Error("two nodes of one key count apart")
	}
}
