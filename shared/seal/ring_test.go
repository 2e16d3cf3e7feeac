package seal_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"testing"

	"galla/shared/seal"
	"galla/shared/secret"
)

// TestRing: values of a former key open while the ring has it, and after Reseal without
// it; a value opens in its own place only.
func TestRing(t *testing.T) {
	former, first := secret.NewKey(bytes.Repeat([]byte{1}, seal.KeySize)), secret.NewKey(bytes.Repeat([]byte{2}, seal.KeySize))
	ring := func(keys ...secret.Key) *seal.Ring {
		r, err := seal.NewRing(keys, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	place := []byte("table")
	old, err := ring(former).Seal([]byte("plain"), place)
	if err != nil {
		t.Fatal(err)
	}
	both := ring(first, former)
	if plain, n, err := both.Open(old, place); err != nil || n != 2 || string(plain) != "plain" {
		t.Errorf("under the former key: %q, %d, %v", plain, n, err)
	}
	if _, n, err := both.Open(old, []byte("other")); !errors.Is(err, seal.ErrOpen) || n != 0 {
		t.Errorf("in another place: %d, %v", n, err)
	}
	fresh, err := both.Reseal(old, place)
	if err != nil {
		t.Fatal(err)
	}
	if plain, n, err := ring(first).Open(fresh, place); err != nil || n != 1 || string(plain) != "plain" {
		t.Errorf("sealed again: %q, %d, %v", plain, n, err)
	}
	if _, err := ring(first).Reseal(old, place); !errors.Is(err, seal.ErrOpen) {
		t.Errorf("without the former key: %v", err)
	}
	if _, err := seal.NewRing(nil, rand.Reader); err == nil {
		t.Error("a ring without keys")
	}
	if _, err := seal.NewRing([]secret.Key{first, secret.NewKey([]byte("short"))}, rand.Reader); err == nil {
		t.Error("a ring with a short key")
	}
}
