package door

import (
	"testing"
	"time"

	"galla/central"
	"galla/shared/op"
	"galla/shared/secret"
)

// BenchmarkVerify is the cost of believing a token, which every call pays.
func BenchmarkVerify(b *testing.B) {
	k := newTestTokens(b, seed(1))
	token, err := k.sign(central.Credential{Client: "c"}, central.Principal{Role: op.Merchant, Merchant: m1}, time.Now())
	if err != nil {
		b.Fatal(err)
	}
	text := token.Reveal()
	for b.Loop() {
		if _, err := k.verify(text); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSecret is the cost of checking a client's secret.
func BenchmarkSecret(b *testing.B) {
	h := phc{memory: hashMemory, passes: hashPasses, lanes: hashLanes, salt: make([]byte, hashSalt), sum: make([]byte, hashSize)}
	for b.Loop() {
		h.matches(secret.NewKey([]byte("wrong")))
	}
}

// BenchmarkCall is a whole call over a real connection, with a desk that costs
// nothing.
func BenchmarkCall(b *testing.B) {
	h := open(b, func(c *Config, _ *central.Dispatcher) { c.Rate = 1e9 })
	bearer := h.lakshmi(b)
	b.ResetTimer()
	for b.Loop() {
		if a := h.do(b, "GET", "/aeps/authStatus", "", "Authorization", bearer); a.status != 200 {
			b.Fatalf("%s", a.body)
		}
	}
}
