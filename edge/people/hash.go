package people

import (
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/crypto/argon2"

	"galla/shared/secret"
)

// Sizes of a hash, in bytes.
const (
	pinSalt = 16
	pinKey  = 32
)

// cost is what a hash costs whoever makes one.
type cost struct {
	memory, passes uint32 // KiB
	lanes          uint8
}

// fullCost takes a good tenth of a second on a shop's PC. A PIN has few digits,
// so the hash must be slow; the lock after five tries does the rest.
func fullCost() cost { return cost{memory: 64 << 10, passes: 3, lanes: 1} }

// Bounds of a hash that is believed: a damaged cost must not take the machine.
const (
	maxPINMemory = 1 << 20 // KiB
	maxPINTime   = 100
	maxPINKey    = 64
)

var errHash = errors.New("the PIN's hash can't be read; set the PIN anew (galla-edge pin, for an owner)")

// HashPIN makes the argon2id hash of a PIN as PHC text, with a salt drawn from
// rand.
func HashPIN(pin secret.OTP, rand io.Reader) (string, error) {
	return hash(pin, rand, fullCost())
}

func hash(pin secret.OTP, rand io.Reader, c cost) (string, error) {
	salt := make([]byte, pinSalt)
	if _, err := io.ReadFull(rand, salt); err != nil {
		return "", fmt.Errorf("draw a salt: %w", err)
	}
	key := argon2.IDKey([]byte(pin.Reveal()), salt, c.passes, c.memory, c.lanes, pinKey)
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.memory, c.passes, c.lanes,
		b64.EncodeToString(salt), b64.EncodeToString(key)), nil
}

// VerifyPIN compares a PIN with the PHC text that HashPIN made, now or under other
// costs. It fails where the hash can't be read.
func VerifyPIN(phc string, pin secret.OTP) (bool, error) {
	var memory, passes uint32
	var lanes uint8
	var version int
	parts := strings.Split(phc, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" {
		return false, errHash
	}
	if _, err := fmt.Sscanf(parts[2]+" "+parts[3], "v=%d m=%d,t=%d,p=%d", &version, &memory, &passes, &lanes); err != nil || version != argon2.Version {
		return false, errHash
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	want, keyErr := base64.RawStdEncoding.DecodeString(parts[5])
	if saltErr != nil || keyErr != nil || len(want) == 0 || len(want) > maxPINKey || memory > maxPINMemory ||
		passes == 0 || passes > maxPINTime || lanes == 0 {
		return false, errHash
	}
	got := argon2.IDKey([]byte(pin.Reveal()), salt, passes, memory, lanes, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}
