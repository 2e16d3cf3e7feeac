package httpapi

import (
	"crypto/sha256"
	"sync"
	"time"
)

// maxVerified is how many tokens each of the two halves remembers: both full use some
// ten megabytes.
const maxVerified = 20_000

// verifiedTokens remembers tokens whose signature was verified, by their digest, until
// they expire. Only the token itself is judged by it: whether its client may still call
// is asked at every request. It is safe for concurrent use.
type verifiedTokens struct {
	mu                sync.Mutex
	current, previous map[[sha256.Size]byte]verifiedToken
}

// verifiedToken is the caller that a token names, and until when.
type verifiedToken struct {
	bearer  bearer
	expires time.Time
}

// find returns the caller of a token that was verified before and is still valid.
func (v *verifiedTokens) find(digest [sha256.Size]byte, now time.Time) (bearer, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	t, ok := v.current[digest]
	if !ok {
		if t, ok = v.previous[digest]; ok {
			v.put(digest, t)
		}
	}
	if !ok || !now.Before(t.expires) {
		return bearer{}, false
	}
	return t.bearer, true
}

// add remembers a verified token.
func (v *verifiedTokens) add(digest [sha256.Size]byte, t verifiedToken) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.put(digest, t)
}

// put remembers a token. If there are too many, those that were not used lately go.
func (v *verifiedTokens) put(digest [sha256.Size]byte, t verifiedToken) {
	if len(v.current) >= maxVerified {
		v.previous, v.current = v.current, nil
	}
	if v.current == nil {
		v.current = map[[sha256.Size]byte]verifiedToken{}
	}
	v.current[digest] = t
}
