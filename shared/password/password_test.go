package password

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"galla/shared/secret"
)

func TestHash(t *testing.T) {
	phc, err := Hash(secret.NewToken("2580"), rand.Reader, DefaultCost())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(phc, "$argon2id$v=19$m=65536,t=3,p=1$") {
		t.Errorf("the hash is %s", phc)
	}
	for typed, want := range map[string]bool{"2580": true, "2581": false, "": false} {
		if ok, err := Verify(phc, secret.NewToken(typed)); ok != want || err != nil {
			t.Errorf("Verify(%q) = %v, %v", typed, ok, err)
		}
	}
	if _, err := Hash(secret.NewToken("2580"), strings.NewReader(""), DefaultCost()); err == nil {
		t.Error("a hash without salt")
	}
	for _, bad := range []string{
		"", "x", "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ", strings.Replace(phc, "argon2id", "argon2i", 1), strings.Replace(phc, "v=19", "v=16", 1),
		strings.Replace(phc, "m=65536", "m=99999999", 1), strings.Replace(phc, "m=65536", "m=065536", 1), strings.Replace(phc, "m=65536", "m=4", 1),
		strings.Replace(phc, "t=3", "t=0", 1), strings.Replace(phc, "t=3", "t=900", 1), strings.Replace(phc, "p=1", "p=256", 1), strings.Replace(phc, "p=1", "p=9", 1),
		phc + "=", phc + "$", phc[:60], "$argon2id$v=19$m=64,t=1,p=1$$", "$argon2id$v=19$m=64,t=1,p=1$YQ$YQ",
	} {
		if ok, err := Verify(bad, secret.NewToken("2580")); ok || !errors.Is(err, ErrHash) {
			t.Errorf("Verify took the hash %q", bad)
		}
	}
}

// TestUnmatchable: nothing matches, at the cost of a real hash, and two differ.
func TestUnmatchable(t *testing.T) {
	cost := Cost{Memory: 64, Passes: 1, Lanes: 1}
	one, err := Unmatchable(rand.Reader, cost)
	if err != nil || !strings.HasPrefix(one, "$argon2id$v=19$m=64,t=1,p=1$") {
		t.Fatal(one, err)
	}
	if ok, err := Verify(one, secret.NewToken("")); ok || err != nil {
		t.Errorf("Verify = %v, %v", ok, err)
	}
	if other, err := Unmatchable(rand.Reader, cost); err != nil || other == one {
		t.Errorf("twice %s, %v", one, err)
	}
	if _, err := Unmatchable(strings.NewReader(""), cost); err == nil {
		t.Error("a hash without randomness")
	}
}

func TestWait(t *testing.T) {
	for failures, want := range map[int]time.Duration{
		0: 0, 4: 0, 5: 30 * time.Second, 6: time.Minute, 9: 8 * time.Minute, 10: 15 * time.Minute, 1_000_000: 15 * time.Minute,
	} {
		if got := Wait(failures); got != want {
			t.Errorf("after %d: %v, want %v", failures, got, want)
		}
	}
}

// FuzzParse: a hash that is accepted is written in one way, and costs bounded work.
func FuzzParse(f *testing.F) {
	f.Add("$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$c2FsdHNhbHRzYWx0c2FsdA")
	f.Add("$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$AAAA")
	f.Add("$argon2id$v=19$m=,t=,p=$$")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := parse(text)
		if err == nil && (h.String() != text || h.cost.Memory > maxMemory || h.cost.Passes > maxPasses || h.cost.Lanes > maxLanes) {
			t.Fatalf("accepted %q", text)
		}
	})
}
