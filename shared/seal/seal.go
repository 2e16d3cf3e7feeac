// Package seal encrypts and authenticates stored values with AES-256-GCM, and reads and
// creates the files of its keys.
//
// A sealed value is version byte ‖ 12-byte random IV ‖ ciphertext ‖ tag. The additional
// data names the place of the value (bucket, key, schema version), so that it does not
// open in another place. With random IVs a key may seal up to 2^32 values.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"galla/shared/secret"
)

// KeySize is the size of every sealing key in bytes.
const KeySize = 32

const (
	version = 1
	ivSize  = 12
	tagSize = 16
)

// ErrOpen says that a sealed value is damaged, was moved, or was sealed under another
// key. It says no more on purpose.
var ErrOpen = errors.New("sealed value does not open: damaged, moved or under another key")

// Box seals and opens values under one key. It is safe for concurrent use if its
// randomness is.
type Box struct {
	aead cipher.AEAD
	rand io.Reader
}

// New makes a box. The key must have KeySize bytes.
func New(key secret.Key, rand io.Reader) (*Box, error) {
	raw := key.Reveal()
	if len(raw) != KeySize {
		return nil, fmt.Errorf("sealing key has %d bytes, want %d", len(raw), KeySize)
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return nil, fmt.Errorf("make cipher: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("make GCM: %w", err)
	}
	return &Box{aead: aead, rand: rand}, nil
}

// Seal encrypts plain for the place that the parts name together.
func (b *Box) Seal(plain []byte, place ...[]byte) ([]byte, error) {
	out := make([]byte, 1+ivSize, 1+ivSize+len(plain)+tagSize)
	out[0] = version
	if _, err := io.ReadFull(b.rand, out[1:]); err != nil {
		return nil, fmt.Errorf("draw IV: %w", err)
	}
	return b.aead.Seal(out, out[1:1+ivSize], plain, additional(place)), nil
}

// Open decrypts a value of Seal; the place must be the same. The only error is ErrOpen.
func (b *Box) Open(sealed []byte, place ...[]byte) ([]byte, error) {
	if len(sealed) < 1+ivSize+tagSize || sealed[0] != version {
		return nil, ErrOpen
	}
	plain, err := b.aead.Open(nil, sealed[1:1+ivSize], sealed[1+ivSize:], additional(place))
	if err != nil {
		return nil, ErrOpen
	}
	return plain, nil
}

// additional joins the parts with their lengths, so that ("ab","c") and ("a","bc")
// are different places.
func additional(place [][]byte) []byte {
	var out []byte
	for _, part := range place {
		out = binary.BigEndian.AppendUint32(out, uint32(len(part)))
		out = append(out, part...)
	}
	return out
}
