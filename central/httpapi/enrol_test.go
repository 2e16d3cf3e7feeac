package httpapi

import (
	"net/netip"
	"strconv"
	"sync"
	"testing"
	"time"

	"galla/central"
)

const (
	enrolKey  = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	goodCode  = `{"code":"` + rightCode + `","publicKey":"` + enrolKey + `","name":"Counter 1"}`
	wrongCode = `{"code":"` + otherCode + `","publicKey":"` + enrolKey + `","name":"Counter 1"}`
	rightCode = "ABCD"
	otherCode = "DCBA"
)

// TestWrongEnrolmentCodesAreLimited: ten wrong codes a minute and network, at two
// nodes together; right ones count for nothing, and other networks have their own.
func TestWrongEnrolmentCodesAreLimited(t *testing.T) {
	shared := fixedRates{rates(), time.Now()}
	share := func(c *Config, _ *central.Handler) {
		c.Rates, c.Trusted = shared, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	}
	nodes := []*system{startServer(t, share), startServer(t, share)}
	try := func(n int, body, from string) answer {
		return nodes[n].do(t, "POST", "/terminals/enrol", body, headerForwarded, from)
	}
	for range 15 {
		expect(t, try(0, goodCode, "203.0.113.1"), 201, "00")
	}
	for i := range 10 {
		expect(t, try(i%2, wrongCode, "203.0.113.1"), 401, "03")
	}
	for n := range nodes {
		for _, body := range []string{wrongCode, goodCode} {
			a := expect(t, try(n, body, "203.0.113.1"), 429, "07")
			if wait, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || wait < 1 || wait > 60 {
				t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
			}
		}
		expect(t, try(n, wrongCode, "203.0.113.2"), 401, "03")
	}
}

// TestEnrolmentCodesAtOnce: many at once are no more than one after the other.
func TestEnrolmentCodesAtOnce(t *testing.T) {
	h := startServer(t, func(c *Config, _ *central.Handler) { c.Rates = fixedRates{rates(), time.Now()} })
	var all sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	for range 60 {
		all.Go(func() {
			a := h.do(t, "POST", "/terminals/enrol", wrongCode)
			mu.Lock()
			defer mu.Unlock()
			statuses[a.status]++
		})
	}
	all.Wait()
	if statuses[401] != 10 || statuses[429] != 50 {
		t.Errorf("%v", statuses)
	}
}
