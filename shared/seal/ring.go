package seal

import (
	"errors"
	"fmt"
	"io"

	"galla/shared/secret"
)

// Ring seals under its first key and opens under any of its keys, so that a key can be
// replaced while values under the former one exist. It is as safe for concurrent use as a
// Box.
type Ring struct {
	boxes []*Box
}

// NewRing makes a ring of one key or more.
func NewRing(keys []secret.Key, rand io.Reader) (*Ring, error) {
	if len(keys) == 0 {
		return nil, errors.New("a master key is needed")
	}
	r := &Ring{}
	for i, key := range keys {
		box, err := New(key, rand)
		if err != nil {
			return nil, fmt.Errorf("master key %d: %w", i+1, err)
		}
		r.boxes = append(r.boxes, box)
	}
	return r, nil
}

// Seal encrypts plain for a place under the first key.
func (r *Ring) Seal(plain []byte, place ...[]byte) ([]byte, error) {
	return r.boxes[0].Seal(plain, place...)
}

// Open decrypts a value of Seal, and returns the number of its key, from 1. The error
// wraps ErrOpen: no key opens it.
func (r *Ring) Open(sealed []byte, place ...[]byte) (plain []byte, key int, err error) {
	for i, box := range r.boxes {
		if plain, err := box.Open(sealed, place...); err == nil {
			return plain, i + 1, nil
		}
	}
	return nil, 0, fmt.Errorf("none of the %d master keys opens it, add the key that it was sealed under: %w", len(r.boxes), ErrOpen)
}

// Reseal opens a value and seals it under the first key for the same place.
func (r *Ring) Reseal(sealed []byte, place ...[]byte) ([]byte, error) {
	plain, _, err := r.Open(sealed, place...)
	if err != nil {
		return nil, err
	}
	return r.Seal(plain, place...)
}
