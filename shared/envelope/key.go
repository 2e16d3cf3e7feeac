package envelope

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"log/slog"
	"sync"

	"galla/shared/secret"
)

// Sizes in bytes.
const (
	KeySize = 32 // of a vendor's encryption key (AES-256)
	IVSize  = 12 // of an IV, the size that GCM is made for
	TagSize = 16 // of a GCM tag, never truncated
)

// checksumLabel derives the checksum's key from the encryption key, so that no key
// serves two algorithms.
const checksumLabel = "galla/gateway/checksum/v1"

// ErrKey says that a text is no vendor key. It never quotes the text.
var ErrKey = errors.New("a vendor key is 32 bytes, written as 64 hex characters or 44 base64 characters")

// ParseKey reads a vendor's key as it was issued: 64 hex characters, or 44 characters
// of padded base64 in the standard alphabet. The only error is ErrKey.
func ParseKey(text string) (secret.Key, error) {
	var raw []byte
	var err error
	switch len(text) {
	case hex.EncodedLen(KeySize):
		raw, err = hex.DecodeString(text)
	case base64.StdEncoding.EncodedLen(KeySize):
		raw = make([]byte, base64.StdEncoding.DecodedLen(len(text)))
		n, ok := decodeTo(raw, []byte(text))
		if raw = raw[:n]; !ok {
			return secret.Key{}, ErrKey
		}
	}
	if err != nil || len(raw) != KeySize {
		return secret.Key{}, ErrKey
	}
	return secret.NewKey(raw), nil
}

// Key is a vendor's key with its cipher and the checksum's key. It is safe for
// concurrent use, and prints as a mask.
type Key struct {
	aead cipher.AEAD
	macs *sync.Pool // of *checksum
}

// New prepares a vendor's key, which must have KeySize bytes.
func New(key secret.Key) (*Key, error) {
	raw := key.Reveal()
	if len(raw) != KeySize {
		return nil, fmt.Errorf("make vendor key: it has %d bytes, want %d", len(raw), KeySize)
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return nil, fmt.Errorf("make cipher of vendor key: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("make GCM of vendor key: %w", err)
	}
	derive := hmac.New(sha256.New, raw)
	derive.Write([]byte(checksumLabel))
	checksumKey := derive.Sum(nil)
	return &Key{aead: aead, macs: &sync.Pool{New: func() any {
		return &checksum{mac: hmac.New(sha256.New, checksumKey)}
	}}}, nil
}

const masked = "[vendor key]"

func (k *Key) String() string               { return masked }
func (k *Key) GoString() string             { return masked }
func (k *Key) Format(f fmt.State, _ rune)   { _, _ = io.WriteString(f, masked) }
func (k *Key) MarshalText() ([]byte, error) { return []byte(masked), nil }
func (k *Key) LogValue() slog.Value         { return slog.StringValue(masked) }

// checksum is one HMAC in progress, with the room that a message takes.
type checksum struct {
	mac    hash.Hash
	lines  []byte // what is before the payload
	sum    [sha256.Size]byte
	text   [2 * sha256.Size]byte
	sealed []byte // a ciphertext on its way to base64; never a plaintext
}

// hexOf returns the lower-case hex of the HMAC over the lines and the payload, valid until
// the next call.
func (c *checksum) hexOf(payload []byte) []byte {
	c.mac.Reset()
	c.mac.Write(c.lines)
	c.mac.Write(payload)
	hex.Encode(c.text[:], c.mac.Sum(c.sum[:0]))
	return c.text[:]
}

// is compares the checksum with a given one, in constant time.
func (c *checksum) is(given string, payload []byte) bool {
	return hmac.Equal(c.hexOf(payload), []byte(given))
}
