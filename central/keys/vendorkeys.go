package keys

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
	"galla/central/accounts"
	"galla/central/staff"
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

// VendorKeys creates vendors' keys, seals them under a master key, and opens them.
type VendorKeys struct {
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

// NewVendorKeys makes VendorKeys. The first master key seals, all of them open, so
// that a master key can be replaced while others are still in use.
func NewVendorKeys(store central.VendorKeys, masters []secret.Key, rand io.Reader) (*VendorKeys, error) {
	ring, err := seal.NewRing(masters, rand)
	if err != nil {
		return nil, fmt.Errorf("vendors' keys: %w", err)
	}
	return &VendorKeys{store: store, ring: ring, rand: rand}, nil
}

// APIKeyHash names an API key in the database.
func APIKeyHash(apiKey string) [32]byte {
	return sha256.Sum256([]byte("galla/gateway/api-key/v1\n" + apiKey))
}

// Add makes a key for a vendor. Errors are those of central.VendorKeys.
func (s *VendorKeys) Add(ctx context.Context, vendor central.VendorID) (Issued, error) {
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
func (s *VendorKeys) Put(ctx context.Context, k Issued) error {
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
		ID: k.ID, Vendor: k.Vendor, ClientHash: APIKeyHash(apiKey), Hint: apiKey[len(apiKey)-hintSize:],
		Sealed: sealed, CreatedAt: time.Now(),
	})
}

// VendorKey is a stored key with the master key that opens it.
type VendorKey struct {
	central.VendorKey
	// Master is the number of the master key that opens it; 1 seals new ones. 0: none
	// opens it, and the vendor's messages are refused.
	Master int
}

// ReplaceAfterUses is a quarter of the uses that random 96-bit nonces allow a key (NIST SP
// 800-38D, section 8.3).
const ReplaceAfterUses = 1 << 30

// Worn reports whether a key was used so often that it should be replaced.
func (k VendorKey) Worn() bool { return k.Uses >= ReplaceAfterUses }

// List returns a vendor's keys, oldest first, or all keys if vendor is empty; revoked ones
// are among them.
func (s *VendorKeys) List(ctx context.Context, vendor central.VendorID) ([]VendorKey, error) {
	list, err := s.store.VendorKeysOf(ctx, vendor)
	out := make([]VendorKey, len(list))
	for i, k := range list {
		_, n, _ := s.ring.Open(k.Sealed, []byte(sealContext), []byte(k.ID)) // 0 with an error
		out[i] = VendorKey{k, n}
	}
	return out, err
}

// Revoke revokes a key, named by its id or its API key.
func (s *VendorKeys) Revoke(ctx context.Context, named string) (central.KeyID, error) {
	err := s.store.RevokeVendorKey(ctx, central.KeyID(named), time.Now())
	if err == nil {
		return central.KeyID(named), nil
	}
	if !errors.Is(err, central.ErrNotFound) {
		return "", err
	}
	live, err := s.store.LiveVendorKeys(ctx)
	if err != nil {
		return "", err
	}
	hash := APIKeyHash(named)
	for _, k := range live {
		if k.ClientHash == hash {
			return k.ID, s.store.RevokeVendorKey(ctx, k.ID, time.Now())
		}
	}
	return "", fmt.Errorf("revoke a vendor's key: no live key has this id or API key: %w", central.ErrNotFound)
}

// End ends a vendor's key at a time; zero: now. Errors as of
// central.VendorKeys.EndVendorKey.
func (s *VendorKeys) End(ctx context.Context, vendor central.VendorID, id central.KeyID, ends time.Time) error {
	now := time.Now()
	if !ends.IsZero() {
		return s.store.EndVendorKey(ctx, vendor, id, now, ends)
	}
	if err := s.store.EndVendorKey(ctx, vendor, id, now, now); err != nil {
		return err
	}
	return s.store.RevokeVendorKey(ctx, id, now)
}

// Rewrap seals every live key under the first master key, and returns how many there
// are. Afterwards the other master keys are not needed.
func (s *VendorKeys) Rewrap(ctx context.Context) (int, error) {
	live, err := s.store.LiveVendorKeys(ctx)
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

// Open opens a stored key.
func (s *VendorKeys) Open(k central.VendorKey) (*envelope.Key, error) {
	raw, _, err := s.ring.Open(k.Sealed, []byte(sealContext), []byte(k.ID))
	if err != nil {
		return nil, fmt.Errorf("key %s of vendor %s: %w", k.ID, k.Vendor, err)
	}
	return envelope.New(secret.NewKey(raw))
}

// Audited makes people's changes of vendors' keys, in the console and by commands. Each is
// in the audit log before and after it is made.
type Audited struct {
	*VendorKeys
	log *staff.AuditLog
}

// NewAudited returns an Audited.
func NewAudited(keys *VendorKeys, log *staff.AuditLog) *Audited { return &Audited{keys, log} }

// Add makes a key for a vendor. Errors as of VendorKeys.Add.
func (a *Audited) Add(ctx context.Context, by staff.Actor, vendor central.VendorID) (issued Issued, err error) {
	err = a.log.RunAudited(ctx, by, staff.Change{What: "vendor.key.add", Subject: string(vendor)}, func(ctx context.Context) (err error) {
		issued, err = a.VendorKeys.Add(ctx, vendor)
		return err
	})
	return issued, err
}

// Revoke revokes a key of a vendor, or of any if vendor is empty, named by its id or its API
// key. The audit log has its id, never the API key.
func (a *Audited) Revoke(ctx context.Context, by staff.Actor, vendor central.VendorID, named string) (id central.KeyID, err error) {
	c := staff.Change{What: "vendor.key.revoke", Subject: string(vendor), Note: "a key that was named by its API key", Became: "revoked"}
	byID := uuid.Validate(named) == nil
	if byID {
		c.Note = "key " + named
	}
	err = a.log.RunAudited(ctx, by, c, func(ctx context.Context) (err error) {
		id, err = a.VendorKeys.Revoke(ctx, named)
		return err
	})
	if err == nil && !byID {
		c.Note = "it was key " + string(id)
		err = a.log.Record(ctx, by, c)
	}
	return id, err
}

// End ends a vendor's key at a time; zero: now. Errors as of VendorKeys.End.
func (a *Audited) End(ctx context.Context, by staff.Actor, vendor central.VendorID, id central.KeyID, ends time.Time) error {
	c := staff.Change{What: "vendor.key.end", Subject: string(vendor), Note: "key " + string(id), Became: "revoked"}
	if !ends.IsZero() {
		c.Became = accounts.EndText(ends)
	}
	return a.log.RunAudited(ctx, by, c, func(ctx context.Context) error { return a.VendorKeys.End(ctx, vendor, id, ends) })
}
