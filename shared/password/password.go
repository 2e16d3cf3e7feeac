// Package password keeps what people know: argon2id hashes of PINs and
// passwords as PHC text, and how long somebody waits who was wrong too often.
//
// It promises that a hash is slow to guess at, that one which was damaged takes
// no machine, and that an error quotes neither the hash nor what was typed. It
// keeps nothing itself: hashes and counts are its callers'.
//
//	what was typed ──► Hash ──► PHC text ──► the caller's storage
//	what was typed, PHC text ──► Verify ──► right or wrong ──► Wait(failures)
package password

import (
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"

	"galla/shared/secret"
)

// Sizes of a new hash, in bytes.
const (
	saltSize = 16
	keySize  = 32
)

// Cost is what a hash costs whoever makes one.
type Cost struct {
	Memory uint32 // KiB
	Passes uint32
	Lanes  uint8
}

// Full takes a good tenth of a second on a shop's PC. What people remember has
// little to guess at, so the hash must be slow; the waits do the rest.
func Full() Cost { return Cost{Memory: 64 << 10, Passes: 3, Lanes: 1} }

// Bounds of a hash that is believed: a damaged cost must not take the machine.
const (
	maxMemory = 1 << 20 // KiB
	maxPasses = 100
	maxKey    = 64
)

// ErrHash says that a stored hash can't be read.
var ErrHash = errors.New("the stored hash can't be read")

// Hash makes the argon2id hash of what was typed as PHC text, with a salt drawn
// from rand.
func Hash(typed secret.Token, rand io.Reader, c Cost) (string, error) {
	salt := make([]byte, saltSize)
	if _, err := io.ReadFull(rand, salt); err != nil {
		return "", fmt.Errorf("draw a salt: %w", err)
	}
	key := argon2.IDKey([]byte(typed.Reveal()), salt, c.Passes, c.Memory, c.Lanes, keySize)
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.Memory, c.Passes, c.Lanes,
		b64.EncodeToString(salt), b64.EncodeToString(key)), nil
}

// Verify compares what was typed with the PHC text that Hash made, now or under
// other costs. ErrHash.
func Verify(phc string, typed secret.Token) (bool, error) {
	var memory, passes uint32
	var lanes uint8
	var version int
	parts := strings.Split(phc, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" {
		return false, ErrHash
	}
	if _, err := fmt.Sscanf(parts[2]+" "+parts[3], "v=%d m=%d,t=%d,p=%d", &version, &memory, &passes, &lanes); err != nil || version != argon2.Version {
		return false, ErrHash
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	want, keyErr := base64.RawStdEncoding.DecodeString(parts[5])
	if saltErr != nil || keyErr != nil || len(want) == 0 || len(want) > maxKey || memory > maxMemory ||
		passes == 0 || passes > maxPasses || lanes == 0 {
		return false, ErrHash
	}
	got := argon2.IDKey([]byte(typed.Reveal()), salt, passes, memory, lanes, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}

// Tries is how many wrong ones are looked at before there is a wait; each
// further one doubles it, from FirstWait up to LongestWait.
const (
	Tries       = 5
	FirstWait   = 30 * time.Second
	LongestWait = 15 * time.Minute
)

// Wait is how long nothing is looked at after so many wrong ones in a row.
func Wait(failures int) time.Duration {
	over := failures - Tries
	if over < 0 {
		return 0
	}
	return min(FirstWait<<min(over, 5), LongestWait)
}
