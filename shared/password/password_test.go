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
	phc, err := Hash(secret.NewToken("2580"), rand.Reader, Full())
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
	for _, bad := range []string{"", "x", "$argon2id$v=19$m=1$a$b", strings.Replace(phc, "t=3", "t=0", 1), strings.Replace(phc, "m=65536", "m=99999999", 1), strings.Replace(phc, "v=19", "v=16", 1)} {
		if ok, err := Verify(bad, secret.NewToken("2580")); ok || !errors.Is(err, ErrHash) {
			t.Errorf("Verify took the hash %q", bad)
		}
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

// FuzzVerify: whatever stands where a hash should, it opens nothing by accident
// and costs bounded work.
func FuzzVerify(f *testing.F) {
	f.Add("$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$AAAA")
	f.Add("$argon2id$v=19$m=,t=,p=$$")
	f.Fuzz(func(t *testing.T, phc string) {
		// Costs beyond the tests' own are refused or slow, not wrong.
		if !strings.Contains(phc, "m=8,t=1,p=1") {
			return
		}
		if ok, err := Verify(phc, secret.NewToken("2580")); ok && err != nil {
			t.Errorf("Verify = %v, %v", ok, err)
		}
	})
}
