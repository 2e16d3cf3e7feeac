package daemon

import (
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"golang.org/x/crypto/argon2"

	"galla/shared/secret"
)

// Cost of the PIN's hash: argon2id with 64 MiB and three passes takes a good
// tenth of a second on a shop's PC. A PIN has few digits, so the hash must be
// slow; the lock after five tries does the rest.
const (
	pinMemory = 64 << 10 // KiB
	pinTime   = 3
	pinLanes  = 1
	pinSalt   = 16
	pinKey    = 32
)

// hashPIN makes the PHC text of a PIN.
func hashPIN(pin secret.OTP, rand io.Reader) (string, error) {
	salt := make([]byte, pinSalt)
	if _, err := io.ReadFull(rand, salt); err != nil {
		return "", fmt.Errorf("draw a salt: %w", err)
	}
	key := argon2.IDKey([]byte(pin.Reveal()), salt, pinTime, pinMemory, pinLanes, pinKey)
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, pinMemory, pinTime, pinLanes,
		b64.EncodeToString(salt), b64.EncodeToString(key)), nil
}

// verifyPIN compares a PIN with a PHC text.
func verifyPIN(hash string, pin secret.OTP) (bool, error) {
	var memory, passes uint32
	var lanes uint8
	var version int
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, fmt.Errorf("the PIN's hash is not argon2id; enrol the counter again")
	}
	if _, err := fmt.Sscanf(parts[2]+" "+parts[3], "v=%d m=%d,t=%d,p=%d", &version, &memory, &passes, &lanes); err != nil {
		return false, fmt.Errorf("the PIN's hash can't be read; enrol the counter again")
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	want, keyErr := base64.RawStdEncoding.DecodeString(parts[5])
	if saltErr != nil || keyErr != nil || len(want) == 0 || memory > 1<<20 || passes == 0 || passes > 100 || lanes == 0 {
		return false, fmt.Errorf("the PIN's hash can't be read; enrol the counter again")
	}
	got := argon2.IDKey([]byte(pin.Reveal()), salt, passes, memory, lanes, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}
