package users

import (
	"crypto/rand"
	"strings"
	"testing"
)

func TestHash(t *testing.T) {
	phc, err := HashPIN(pin("2580"), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(phc, "$argon2id$v=19$m=65536,t=3,p=1$") {
		t.Errorf("the hash is %s", phc)
	}
	for digits, want := range map[string]bool{"2580": true, "2581": false, "": false} {
		if ok, err := VerifyPIN(phc, pin(digits)); ok != want || err != nil {
			t.Errorf("VerifyPIN(%q) = %v, %v", digits, ok, err)
		}
	}
	for _, bad := range []string{"", "x", "$argon2id$v=19$m=1$a$b", strings.Replace(phc, "t=3", "t=0", 1), strings.Replace(phc, "m=65536", "m=99999999", 1), strings.Replace(phc, "v=19", "v=16", 1)} {
		if ok, err := VerifyPIN(bad, pin("2580")); ok || err == nil {
			t.Errorf("VerifyPIN took the hash %q", bad)
		}
	}
}

// FuzzRead: a stored list that is taken has a working owner.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"version":1,"users":[{"id":"agent","name":"F","role":"owner","working":true}]}`))
	f.Fuzz(func(t *testing.T, value []byte) {
		if list, _, err := parse(value); err == nil && !hasOwner(list) {
			t.Error("nobody owns the counter")
		}
	})
}
