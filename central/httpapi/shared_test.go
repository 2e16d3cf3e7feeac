package httpapi

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"galla/central/ratelimit"
)

// sharedNetwork is one in which merchant-lakshmi was given a token, and in which
// somebody else is who guesses ids.
const sharedNetwork = "203.0.113.1"

// shared starts a system where merchant-lakshmi was given a token in the shared network,
// and gives the counts of an id that is tried there.
func shared(t *testing.T, id string) (*system, secretAttempt) {
	t.Helper()
	h := behindProxy(t)
	if a := h.from(t, sharedNetwork, "merchant-lakshmi", clientSecret); a.status != 200 {
		t.Fatalf("to begin with: HTTP %d %s", a.status, a.body)
	}
	x, err := h.attempts.attempt(t.Context(), id, "network:"+sharedNetwork)
	if err != nil {
		t.Fatal(err)
	}
	return h, x
}

// use takes all that is left of a count, and tells how much it was.
func (h *system) use(t *testing.T, name string, rate ratelimit.Rate) int {
	t.Helper()
	left, _, err := h.attempts.rates.TakeRateTokens(t.Context(), name, rate, rate.Burst, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// shown is what a reply shows.
func shown(a answer) string {
	return fmt.Sprintf("HTTP %d %s %s", a.status, a.header.Get("Retry-After"), a.body)
}

// TestAlikeInASharedNetwork: whoever shares a client's network can't tell its id from an
// invented one, by no reply and by no count, whatever is used up before; all the while
// the right secret is taken there.
func TestAlikeInASharedNetwork(t *testing.T) {
	for name, before := range map[string]func(h *system, x secretAttempt){
		"nothing is used up":   nil,
		"what the network has": func(h *system, x secretAttempt) { h.use(t, x.networkKey, networkRate) },
		"what the id has":      func(h *system, x secretAttempt) { h.use(t, x.clientKey, clientRate) },
	} {
		t.Run(name, func(t *testing.T) {
			var invented []string
			for _, id := range []string{"merchant-nobody", "merchant-lakshmi", "merchant-off"} {
				h, x := shared(t, id)
				if before != nil {
					before(h, x)
				}
				var replies []string
				for range clientNetworkRate.Burst / 2 {
					replies = append(replies, shown(h.from(t, sharedNetwork, id, "wrong")))
				}
				if a := h.from(t, sharedNetwork, "merchant-lakshmi", clientSecret); a.status != 200 {
					t.Errorf("after %d wrong secrets of %s: HTTP %d %s", len(replies), id, a.status, a.body)
				}
				for range clientNetworkRate.Burst {
					replies = append(replies, shown(h.from(t, sharedNetwork, id, "wrong")))
				}
				replies = append(replies, fmt.Sprint(h.use(t, x.clientNetworkKey, clientNetworkRate), h.use(t, x.networkKey, networkRate), h.use(t, x.clientKey, clientRate), " are left"))
				if invented == nil {
					invented = replies
				}
				if !slices.Equal(replies, invented) {
					t.Errorf("%s gets %q; an invented id %q", id, replies, invented)
				}
				if a := h.from(t, sharedNetwork, id, clientSecret); a.status != 429 {
					t.Errorf("%s, after ten looks in a minute: HTTP %d %s", id, a.status, a.body)
				}
			}
		})
	}
}

// TestDelayedRefusalsTakeTheSameTime: whether a secret was looked at, could not be for
// the others in line, or was not to be, its refusal is the same and takes as long.
func TestDelayedRefusalsTakeTheSameTime(t *testing.T) {
	h, x := shared(t, "merchant-lakshmi")
	h.attempts.delay = 100 * time.Millisecond
	h.use(t, x.networkKey, networkRate)
	refused := func(what, id, secret string) string {
		t.Helper()
		began := time.Now()
		a := expect(t, h.from(t, sharedNetwork, id, secret), 429, "07")
		if took := time.Since(began); took < h.attempts.delay {
			t.Errorf("%s was answered after %v", what, took)
		}
		return shown(a)
	}
	invented := refused("an invented id", "merchant-nobody", "wrong")
	if got := refused("a wrong secret", "merchant-lakshmi", "wrong"); got != invented {
		t.Errorf("a wrong secret: %s; an invented id: %s", got, invented)
	}
	for range maxKnownChecks {
		h.secrets.known.slots <- struct{}{}
	}
	if got := refused("a right secret in a long line", "merchant-lakshmi", clientSecret); got != invented {
		t.Errorf("a right secret in a long line: %s; an invented id: %s", got, invented)
	}
}
