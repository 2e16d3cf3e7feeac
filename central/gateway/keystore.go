package gateway

import (
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

// sealContext binds sealed keys to their table, together with the key's id.
const sealContext = "vendor_keys/v1"

// apiKeySize is the randomness of an API key, in bytes.
const apiKeySize = 20

// hintSize is how many last characters of an API key are stored in plain.
const hintSize = 4

// KeyStore creates vendors' keys, seals them under a master key, and opens them.
type KeyStore struct {
	store central.VendorKeys
	ring  *seal.Ring
	rand  io.Reader
}

// Issued is a new key. It is shown once: only its sealed form is stored.
type Issued struct {
	ID     central.KeyID
	Vendor central.VendorID
	APIKey secret.Token
	Key    secret.Key // 32 bytes
}

// NewKeyStore makes a KeyStore. The first master key seals, all of them open, so
// that a master key can be replaced while others are still in use.
func NewKeyStore(store central.VendorKeys, masters []secret.Key, rand io.Reader) (*KeyStore, error) {
	ring, err := seal.NewRing(masters, rand)
	if err != nil {
		return nil, fmt.Errorf("vendors' keys: %w", err)
	}
	return &KeyStore{store: store, ring: ring, rand: rand}, nil
}

// apiKeyHash names an API key in the database.
func apiKeyHash(apiKey string) [32]byte {
	return sha256.Sum256([]byte("galla/gateway/api-key/v1\n" + apiKey))
}

// Add makes a key for a vendor. Errors are those of central.VendorKeys.
func (s *KeyStore) Add(ctx context.Context, vendor central.VendorID) (Issued, error) {
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

// Put stores a key that was made elsewhere, such as a sandbox's.
func (s *KeyStore) Put(ctx context.Context, k Issued) error {
	if _, err := envelope.New(k.Key); err != nil {
		return fmt.Errorf("record key %s: %w", k.ID, err)
	}
	apiKey := k.APIKey.Reveal()
	if len(apiKey) <= 2*hintSize || len(apiKey) > envelope.MaxClientID {
		return fmt.Errorf("record key %s: an API key has more than %d and at most %d characters", k.ID, 2*hintSize, envelope.MaxClientID)
	}
	sealed, err := s.ring.Seal(k.Key.Reveal(), []byte(sealContext), []byte(k.ID))
	if err != nil {
		return fmt.Errorf("seal key %s: %w", k.ID, err)
	}
	return s.store.AddVendorKey(ctx, central.VendorKey{
		ID: k.ID, Vendor: k.Vendor, ClientHash: apiKeyHash(apiKey), Hint: apiKey[len(apiKey)-hintSize:],
		Sealed: sealed, CreatedAt: time.Now(),
	})
}

// List returns a vendor's keys, or all keys if vendor is empty.
func (s *KeyStore) List(ctx context.Context, vendor central.VendorID) ([]central.VendorKey, error) {
	return s.store.VendorKeysOf(ctx, vendor)
}

// Revoke revokes a key, named by its id or its API key.
func (s *KeyStore) Revoke(ctx context.Context, named string) (central.KeyID, error) {
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
	hash := apiKeyHash(named)
	for _, k := range live {
		if k.ClientHash == hash {
			return k.ID, s.store.RevokeVendorKey(ctx, k.ID, time.Now())
		}
	}
	return "", fmt.Errorf("revoke a vendor's key: no live key has this id or API key: %w", central.ErrNotFound)
}

// Rewrap seals every live key under the first master key, and returns how many there
// are. Afterwards the other master keys are not needed.
func (s *KeyStore) Rewrap(ctx context.Context) (int, error) {
	live, _, err := s.store.LiveVendorKeys(ctx)
	if err != nil {
		return 0, err
	}
	var wrong []error
	done := 0
	for _, k := range live {
		sealed, err := s.ring.Reseal(k.Sealed, []byte(sealContext), []byte(k.ID))
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

// open opens a stored key.
func (s *KeyStore) open(k central.VendorKey) (*envelope.Key, error) {
	raw, _, err := s.ring.Open(k.Sealed, []byte(sealContext), []byte(k.ID))
	if err != nil {
		return nil, fmt.Errorf("key %s of vendor %s: %w", k.ID, k.Vendor, err)
	}
	return envelope.New(secret.NewKey(raw))
}

// MasterNumber is the number of the master key that sealed a key: 1 is the one that
// seals new keys, and 0 none of them.
func (s *KeyStore) MasterNumber(k central.VendorKey) int {
	_, n, _ := s.ring.Open(k.Sealed, []byte(sealContext), []byte(k.ID)) // 0 with an error
	return n
}
