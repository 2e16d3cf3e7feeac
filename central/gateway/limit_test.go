package gateway

import (
	"sync"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"galla/central/httpapi"
	"galla/shared/envelope"
)

func TestLimits(t *testing.T) {
	h := startGateway(t, func(cfg *Config, _ *httpapi.Config) { cfg.Rate, cfg.Burst = 1, 3 })
	replayed := h.seal(t, "GET", "/process/aeps/banks", "{}")
	sealedAs(t, "first", h.do(t, replayed), 200, "00")
	for range 5 { // replays are nobody's doing, and cost the vendor nothing
		refusedPlain(t, "replay", h.do(t, replayed))
	}
	for range 2 {
		sealedAs(t, "within the burst", h.do(t, h.seal(t, "GET", "/process/aeps/banks", "{}")), 200, "00")
	}
	m := h.seal(t, "POST", withdrawal, money)
	a := h.do(t, m)
	sealedAs(t, "over the rate", a, 429, "07")
	if a.header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
	}
	// The other vendor is not concerned.
	other, err := envelope.New(counting(0x40))
	must(t, err)
	sealedAs(t, "another vendor", h.do(t, sealed(t, other, apiKey2, "GET", "/process/aeps/banks", newID(), "{}", time.Now())), 200, "00")
	if h.Counts().Limited != 1 {
		t.Errorf("%d limited", h.Counts().Limited)
	}
}

func TestUnderWayIsBounded(t *testing.T) {
	h := startGateway(t, func(cfg *Config, _ *httpapi.Config) { cfg.UnderWay = 2 })
	hold := make(chan struct{})
	h.bank.hold.Store(&hold)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() { sealedAs(t, "held", h.do(t, h.seal(t, "POST", withdrawal, money)), 200, "00") })
	}
	eventually(t, "two calls are under way", func() bool { return h.bank.sent.Load() == 2 })
	sealedAs(t, "the third", h.do(t, h.seal(t, "GET", "/process/aeps/banks", "{}")), 429, "07")
	other, err := envelope.New(counting(0x40))
	must(t, err)
	sealedAs(t, "another vendor", h.do(t, sealed(t, other, apiKey2, "GET", "/process/aeps/banks", newID(), "{}", time.Now())), 200, "00")
	close(hold)
	all.Wait()
	sealedAs(t, "afterwards", h.do(t, h.seal(t, "GET", "/process/aeps/banks", "{}")), 200, "00")
}

// TestUnknownCallersAreLimited: what is not authentic is counted by address.
func TestUnknownCallersAreLimited(t *testing.T) {
	h := startGateway(t, func(_ *Config, cfg *httpapi.Config) {
		cfg.UnknownRate, cfg.UnknownBurst = float64(rate.Every(time.Hour)), 2
	})
	sealedAs(t, "authentic", h.do(t, h.seal(t, "GET", "/process/aeps/banks", "{}")), 200, "00")
	bad := h.seal(t, "GET", "/process/aeps/banks", "{}").with("X-Tag", "")
	refusedPlain(t, "first", h.do(t, bad))
	refusedPlain(t, "second", h.do(t, bad))
	if a := h.do(t, bad); a.status != 429 || a.plain != nil || a.code() != "07" || a.header.Get("Retry-After") == "" {
		t.Errorf("third: HTTP %d %s", a.status, a.body)
	}
}
