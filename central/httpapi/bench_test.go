package httpapi

import (
	"crypto/rand"
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
		if _, err := k.verify([]byte(text)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSecret is the cost of checking a client's secret.
func BenchmarkSecret(b *testing.B) {
	c, err := newSecretChecker(rand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := c.check(secret.NewKey([]byte("wrong")), ""); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCall is a whole call over a real connection, with an executor that costs
// nothing.
func BenchmarkCall(b *testing.B) {
	h := startServer(b, func(c *Config, _ *central.Handler) { c.Rate = 1e9 })
	bearer := h.merchantToken(b)
	b.ResetTimer()
	for b.Loop() {
		if a := h.do(b, "GET", "/aeps/authStatus", "", "Authorization", bearer); a.status != 200 {
			b.Fatalf("%s", a.body)
		}
	}
}
