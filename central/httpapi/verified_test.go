package httpapi

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"galla/central"
	"galla/shared/op"
)

// TestASignatureIsVerifiedOnce: a token that was seen before costs nothing, and is refused
// as soon as one that was not; a changed token is another one.
func TestASignatureIsVerifiedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTestTokens(t, seed(1))
		p := central.Principal{Role: op.Merchant, Merchant: m1}
		token, err := k.sign(central.Credential{Client: "c", Generation: 2}, p, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		text := []byte(token.Reveal())
		first, err := k.verify(text)
		if err != nil || first.principal != p {
			t.Fatalf("%+v, %v", first, err)
		}
		if n := testing.AllocsPerRun(100, func() {
			if again, err := k.verify(text); err != nil || again != first {
				t.Errorf("again: %+v, %v", again, err)
			}
		}); n > 0 {
			t.Errorf("a token that was verified costs %v allocations", n)
		}
		other := append([]byte{}, text...)
		other[len(other)-5] ^= 1
		if _, err := k.verify(other); !errors.Is(err, errToken) {
			t.Errorf("a changed token: %v", err)
		}
		fresh := newTestTokens(t, seed(1))
		for _, wait := range []time.Duration{k.life + clockLeeway - time.Millisecond, 2 * time.Millisecond} {
			time.Sleep(wait)
			_, known := k.verify(text)
			_, parsed, unknown := fresh.parse(string(text))
			if (known == nil) != (unknown == nil) {
				t.Errorf("until %v, a known token: %v; an unknown one: %v", parsed, known, unknown)
			}
		}
		if _, err := k.verify(text); !errors.Is(err, errToken) {
			t.Errorf("after its end: %v", err)
		}
	})
}

// TestVerifiedTokensAreBounded, and what is in use stays.
func TestVerifiedTokensAreBounded(t *testing.T) {
	var v verifiedTokens
	now := time.Now()
	digest := func(n int) [sha256.Size]byte {
		return sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(n)))
	}
	v.add(digest(-1), verifiedToken{expires: now.Add(time.Minute)})
	for n := range 5 * maxVerified {
		v.add(digest(n), verifiedToken{expires: now.Add(time.Minute)})
		if _, ok := v.find(digest(-1), now); !ok {
			t.Fatalf("the token in use is forgotten after %d others", n)
		}
	}
	if n := len(v.current) + len(v.previous); n > 2*maxVerified {
		t.Errorf("%d tokens are remembered", n)
	}
}
