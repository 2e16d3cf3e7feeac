package door

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"

	"galla/central"
	"galla/shared/secret"
)

// Cost of a new hash: argon2id with 19 MiB, two passes, one lane, which is the
// least that the password storage guides of the trade recommend, and some
// 30 ms of one core.
const (
	hashMemory = 19 * 1024 // KiB
	hashPasses = 2
	hashLanes  = 1
	hashSalt   = 16 // bytes
	hashSize   = 32 // bytes
)

// Bounds of a stored hash, so that a damaged record can't take the machine.
const (
	maxMemory = 64 * 1024 // KiB
	maxPasses = 8
	maxLanes  = 4
	minSalt   = 8
	maxSalt   = 64
	minHash   = 16
	maxHash   = 64
)

// HashSecret makes the argon2id hash of a client's secret in PHC text, for
// central.Client.SecretHash. The salt is drawn from rand.
func HashSecret(s secret.Key, rand io.Reader) (string, error) {
	salt := make([]byte, hashSalt)
	if _, err := io.ReadFull(rand, salt); err != nil {
		return "", fmt.Errorf("draw a salt: %w", err)
	}
	h := phc{memory: hashMemory, passes: hashPasses, lanes: hashLanes, salt: salt}
	h.sum = h.of(s, hashSize)
	return h.String(), nil
}

// phc is an argon2id hash: $argon2id$v=19$m=…,t=…,p=…$salt$sum.
type phc struct {
	memory, passes uint32
	lanes          uint8
	salt, sum      []byte
}

func (h phc) of(s secret.Key, size int) []byte {
	return argon2.IDKey(s.Reveal(), h.salt, h.passes, h.memory, h.lanes, uint32(size))
}

// matches takes as long for a wrong secret as for the right one.
func (h phc) matches(s secret.Key) bool {
	return subtle.ConstantTimeCompare(h.of(s, len(h.sum)), h.sum) == 1
}

func (h phc) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.memory, h.passes, h.lanes,
		base64.RawStdEncoding.EncodeToString(h.salt), base64.RawStdEncoding.EncodeToString(h.sum))
}

// errHash says that a stored hash is damaged. It does not quote it.
var errHash = errors.New("stored secret hash is no argon2id hash in PHC text, or its cost is out of bounds")

// parsePHC reads a stored hash; only what String writes is accepted.
func parsePHC(text string) (phc, error) {
	parts := strings.Split(text, "$")
	if len(parts) != 6 {
		return phc{}, errHash
	}
	var h phc
	if n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.memory, &h.passes, &h.lanes); n != 3 || err != nil {
		return phc{}, errHash
	}
	var errSalt, errSum error
	h.salt, errSalt = base64.RawStdEncoding.DecodeString(parts[4])
	h.sum, errSum = base64.RawStdEncoding.DecodeString(parts[5])
	if errSalt != nil || errSum != nil || h.String() != text {
		return phc{}, errHash
	}
	if h.passes < 1 || h.passes > maxPasses || h.lanes < 1 || h.lanes > maxLanes || h.memory < 8*uint32(h.lanes) || h.memory > maxMemory ||
		len(h.salt) < minSalt || len(h.salt) > maxSalt || len(h.sum) < minHash || len(h.sum) > maxHash {
		return phc{}, errHash
	}
	return h, nil
}

// Bounds of checking secrets: each check holds 19 MiB, so few run at a time,
// and a flood of them waits in a short line or is told to come back. Who comes from
// a client's own network has a lane where no stranger stands before him.
const (
	maxOwnChecks   = 2
	maxChecks      = 4
	maxCheckWaits  = 128
	checkWait      = 10 * time.Second
	checkRetryTime = 2 * time.Second
)

// checker checks secrets, a few at a time. An unknown client costs the same
// work as a known one.
type checker struct {
	dummy          phc
	strangers, own lane
}

// lane lets a few in at a time, and a few more wait.
type lane struct{ slots, line chan struct{} }

func newLane(slots int) lane {
	return lane{make(chan struct{}, slots), make(chan struct{}, maxCheckWaits)}
}

func newChecker(rand io.Reader) (*checker, error) {
	text, err := HashSecret(secret.NewKey([]byte("nobody's")), rand)
	if err != nil {
		return nil, err
	}
	dummy, err := parsePHC(text)
	if err != nil {
		return nil, err
	}
	return &checker{dummy: dummy, strangers: newLane(maxChecks), own: newLane(maxOwnChecks)}, nil
}

// enter waits for a slot, so long at most; leave gives it back. The error is TooMany.
func (l lane) enter(ctx context.Context, most time.Duration) error {
	busy := &central.Error{Fault: central.TooMany, Message: "Too many token requests; try again later", RetryAfter: checkRetryTime}
	select {
	case l.line <- struct{}{}:
		defer func() { <-l.line }()
	default:
		return busy
	}
	select {
	case l.slots <- struct{}{}:
		return nil
	default:
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	select {
	case l.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return busy
	}
}

func (l lane) leave() { <-l.slots }

// check compares a secret with a stored hash; with an empty one, it does the
// work and says no. The caller has entered.
func (c *checker) check(s secret.Key, stored string) (ok bool, err error) {
	h := c.dummy
	if stored != "" {
		if h, err = parsePHC(stored); err != nil {
			return false, err
		}
	}
	return h.matches(s) && stored != "", nil
}
