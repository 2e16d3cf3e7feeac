package gateway

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"galla/central"
	"galla/shared/envelope"
	"galla/shared/seal"
	"galla/shared/secret"
)

// keyPlace is where sealed keys belong: the table, and the key's id with it.
const keyPlace = "vendor_keys/v1"

// apiKeySize is the randomness of an API key, in bytes.
const apiKeySize = 20

// hintSize is how many characters at the end of an API key are kept.
const hintSize = 4

// Safe keeps vendors' keys: it makes them, seals them under a master key, and
// opens them.
type Safe struct {
	store central.VendorKeys
	boxes []*seal.Box // the first seals, all open
	rand  io.Reader
}

// Issued is a new key, shown once: only its sealed form is kept.
type Issued struct {
	ID     central.KeyID
	Vendor central.VendorID
	APIKey secret.Token
	Key    secret.Key // 32 bytes
}

// NewSafe makes a safe. The first master key seals, all of them open, so that a
// master key can be replaced while others are still in use.
func NewSafe(store central.VendorKeys, masters []secret.Key, rand io.Reader) (*Safe, error) {
	if len(masters) == 0 {
		return nil, errors.New("a master key is needed to seal vendors' keys")
	}
	s := &Safe{store: store, rand: rand}
	for i, master := range masters {
		box, err := seal.New(master, rand)
		if err != nil {
			return nil, fmt.Errorf("master key %d of vendors' keys: %w", i+1, err)
		}
		s.boxes = append(s.boxes, box)
	}
	return s, nil
}

// clientHash names an API key in the database.
func clientHash(apiKey string) [32]byte {
	return sha256.Sum256([]byte("galla/gateway/api-key/v1\n" + apiKey))
}

// Add makes a key for a vendor. Errors: those of central.VendorKeys.
func (s *Safe) Add(ctx context.Context, vendor central.VendorID) (Issued, error) {
	id, err := uuid.NewV7FromReader(s.rand)
	if err != nil {
		return Issued{}, fmt.Errorf("draw a key id: %w", err)
	}
	var apiKey [apiKeySize]byte
	var key [envelope.KeySize]byte
	if _, err := io.ReadFull(s.rand, apiKey[:]); err != nil {
		return Issued{}, fmt.Errorf("draw an API key: %w", err)
	}
	if _, err := io.ReadFull(s.rand, key[:]); err != nil {
		return Issued{}, fmt.Errorf("draw a vendor's key: %w", err)
	}
	text := "vk_" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(apiKey[:]))
	issued := Issued{ID: central.KeyID(id.String()), Vendor: vendor, APIKey: secret.NewToken(text), Key: secret.NewKey(key[:])}
	return issued, s.Put(ctx, issued)
}

// Put records a key that was made elsewhere, such as a sandbox's.
func (s *Safe) Put(ctx context.Context, k Issued) error {
	if _, err := envelope.New(k.Key); err != nil {
		return fmt.Errorf("record key %s: %w", k.ID, err)
	}
	apiKey := k.APIKey.Reveal()
	if len(apiKey) <= 2*hintSize || len(apiKey) > envelope.MaxClientID {
		return fmt.Errorf("record key %s: an API key has more than %d and at most %d characters", k.ID, 2*hintSize, envelope.MaxClientID)
	}
	sealed, err := s.boxes[0].Seal(k.Key.Reveal(), []byte(keyPlace), []byte(k.ID))
	if err != nil {
		return fmt.Errorf("seal key %s: %w", k.ID, err)
	}
	return s.store.AddVendorKey(ctx, central.VendorKey{
		ID: k.ID, Vendor: k.Vendor, ClientHash: clientHash(apiKey), Hint: apiKey[len(apiKey)-hintSize:],
		Sealed: sealed, CreatedAt: time.Now(),
	})
}

// List gives a vendor's keys, or everybody's where it is empty.
func (s *Safe) List(ctx context.Context, vendor central.VendorID) ([]central.VendorKey, error) {
	return s.store.VendorKeysOf(ctx, vendor)
}

// Revoke ends a key, which is named by its id or its API key.
func (s *Safe) Revoke(ctx context.Context, named string) (central.KeyID, error) {
	err := s.store.RevokeVendorKey(ctx, central.KeyID(named), time.Now())
	if err == nil {
		return central.KeyID(named), nil
	}
	if !errors.Is(err, central.ErrNotFound) {
		return "", err
	}
	live, _, err := s.store.LiveVendorKeys(ctx)
	if err != nil {
		return "", err
	}
	hash := clientHash(named)
	for _, k := range live {
		if k.ClientHash == hash {
			return k.ID, s.store.RevokeVendorKey(ctx, k.ID, time.Now())
		}
	}
	return "", fmt.Errorf("revoke a vendor's key: no live key has this id or API key: %w", central.ErrNotFound)
}

// Rewrap seals every live key under the first master key, and tells how many
// there are. Afterwards the other master keys are not needed.
func (s *Safe) Rewrap(ctx context.Context) (int, error) {
	live, _, err := s.store.LiveVendorKeys(ctx)
	if err != nil {
		return 0, err
	}
	var wrong []error
	done := 0
	for _, k := range live {
		raw, err := s.reveal(k)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		sealed, err := s.boxes[0].Seal(raw, []byte(keyPlace), []byte(k.ID))
		if err == nil {
			err = s.store.ResealVendorKey(ctx, k.ID, k.Sealed, sealed)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("key %s of vendor %s: %w", k.ID, k.Vendor, err))
			continue
		}
		done++
	}
	return done, errors.Join(wrong...)
}

// open makes a stored key ready for use.
func (s *Safe) open(k central.VendorKey) (*envelope.Key, error) {
	raw, err := s.reveal(k)
	if err != nil {
		return nil, err
	}
	return envelope.New(secret.NewKey(raw))
}

// Master tells by which of the master keys a key is sealed: 1 is the one that
// seals new keys, and 0 none of them.
func (s *Safe) Master(k central.VendorKey) int {
	_, n := s.unseal(k)
	return n
}

// unseal gives a key's bytes and the number of the master key that opens it; 0:
// none does.
func (s *Safe) unseal(k central.VendorKey) ([]byte, int) {
	for i, box := range s.boxes {
		if raw, err := box.Open(bytes.Clone(k.Sealed), []byte(keyPlace), []byte(k.ID)); err == nil {
			return raw, i + 1
		}
	}
	return nil, 0
}

func (s *Safe) reveal(k central.VendorKey) ([]byte, error) {
	if raw, n := s.unseal(k); n > 0 {
		return raw, nil
	}
	return nil, fmt.Errorf("key %s of vendor %s: none of the %d master keys opens it: give the one it was sealed under, too", k.ID, k.Vendor, len(s.boxes))
}
