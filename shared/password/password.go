// Package password hashes PINs, passwords and client secrets with argon2id (PHC text), and computes how
// long to wait after wrong attempts.
//
// It promises that a hash is slow to guess, that a damaged hash can't use up the
// machine, and that an error quotes neither the hash nor what was typed. The callers
// store hashes and counts.
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

// Cost is the cost of a hash.
type Cost struct {
	Memory uint32 // KiB
	Passes uint32
	Lanes  uint8
}

// DefaultCost takes a good tenth of a second on a shop's PC. PINs and passwords are
// easy to guess, so the hash must be slow; the waits do the rest.
func DefaultCost() Cost { return Cost{Memory: 64 << 10, Passes: 3, Lanes: 1} }

// Limits of a stored hash, so that a damaged record can't use up the machine.
const (
	maxMemory = 256 << 10 // KiB
	maxPasses = 16
	maxLanes  = 4
	minSalt   = 8
	maxSalt   = 64
	minKey    = 16
	maxKey    = 64
)

// ErrHash says that a stored hash can't be read. It does not quote it.
var ErrHash = errors.New("the stored hash is no argon2id hash in PHC text, or its cost is out of range")

// phc is an argon2id hash in PHC format: $argon2id$v=19$m=…,t=…,p=…$salt$key.
type phc struct {
	cost      Cost
	salt, key []byte
}

func (h phc) derive(typed secret.Token, size int) []byte {
	return argon2.IDKey([]byte(typed.Reveal()), h.salt, h.cost.Passes, h.cost.Memory, h.cost.Lanes, uint32(size))
}

func (h phc) String() string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.cost.Memory, h.cost.Passes, h.cost.Lanes,
		b64.EncodeToString(h.salt), b64.EncodeToString(h.key))
}

// parse reads a stored hash; it accepts only what String writes.
func parse(text string) (h phc, err error) {
	parts := strings.Split(text, "$")
	if len(parts) != 6 {
		return phc{}, ErrHash
	}
	c := &h.cost
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.Memory, &c.Passes, &c.Lanes); err != nil {
		return phc{}, ErrHash
	}
	var errSalt, errKey error
	h.salt, errSalt = base64.RawStdEncoding.DecodeString(parts[4])
	h.key, errKey = base64.RawStdEncoding.DecodeString(parts[5])
	if errSalt != nil || errKey != nil || h.String() != text {
		return phc{}, ErrHash
	}
	if c.Passes < 1 || c.Passes > maxPasses || c.Lanes < 1 || c.Lanes > maxLanes || c.Memory < 8*uint32(c.Lanes) || c.Memory > maxMemory ||
		len(h.salt) < minSalt || len(h.salt) > maxSalt || len(h.key) < minKey || len(h.key) > maxKey {
		return phc{}, ErrHash
	}
	return h, nil
}

// Hash returns the argon2id hash of what was typed as PHC text, with a salt from rand.
func Hash(typed secret.Token, rand io.Reader, c Cost) (string, error) {
	h := phc{cost: c, salt: make([]byte, saltSize)}
	if _, err := io.ReadFull(rand, h.salt); err != nil {
		return "", fmt.Errorf("draw a salt: %w", err)
	}
	h.key = h.derive(typed, keySize)
	return h.String(), nil
}

// Unmatchable returns a text as of Hash whose key is drawn, too: nothing matches it, and
// Verify takes as long as with a hash of the same cost. It stands for the hash of a name
// that does not exist.
func Unmatchable(rand io.Reader, c Cost) (string, error) {
	raw := make([]byte, saltSize+keySize)
	if _, err := io.ReadFull(rand, raw); err != nil {
		return "", fmt.Errorf("draw a hash: %w", err)
	}
	return phc{cost: c, salt: raw[:saltSize], key: raw[saltSize:]}.String(), nil
}

// Verify compares what was typed with a PHC text of Hash, under whatever cost it was
// made. A wrong one takes as long as the right one. The error is ErrHash.
func Verify(text string, typed secret.Token) (bool, error) {
	h, err := parse(text)
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(h.derive(typed, len(h.key)), h.key) == 1, nil
}

// Weaker reports whether a PHC text was made under a lower cost, so that whoever has just proved
// to know what was typed hashes it anew. It is false for a text that can't be read.
func Weaker(text string, c Cost) bool {
	h, err := parse(text)
	return err == nil && (h.cost.Memory < c.Memory || h.cost.Passes < c.Passes)
}

// FreeAttempts is how many wrong attempts are allowed without a wait; each further one
// doubles the wait, from FirstWait up to LongestWait.
const (
	FreeAttempts = 5
	FirstWait    = 30 * time.Second
	LongestWait  = 15 * time.Minute
)

// Wait is how long to wait after so many wrong attempts in a row.
func Wait(failures int) time.Duration {
	over := failures - FreeAttempts
	if over < 0 {
		return 0
	}
	return min(FirstWait<<min(over, 5), LongestWait)
}
