package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"galla/shared/seal"
	"galla/shared/secret"
)

// secretPurpose binds a sealed secret to its table; the secret's id is bound, too.
const secretPurpose = "callback_secrets/v1"

// rewrapBatch is how many secrets Rewrap reads at one time.
const rewrapBatch = 200

// Vault creates the secrets of callbacks, seals them under a master key, and opens them.
type Vault struct {
	store SecretStore
	ring  *seal.Ring
	rand  io.Reader
}

// NewSecret is a new secret, shown once: only its sealed form is stored.
type NewSecret struct {
	ID     SecretID
	Secret secret.Token // whsec_…
}

// NewVault returns a vault. The first master key seals and all of them open, so that a
// master key can be replaced.
func NewVault(store SecretStore, masters []secret.Key, rand io.Reader) (*Vault, error) {
	ring, err := seal.NewRing(masters, rand)
	if err != nil {
		return nil, fmt.Errorf("callback secrets: %w", err)
	}
	return &Vault{store: store, ring: ring, rand: rand}, nil
}

// Mint creates a secret for a receiver, whose other one ends at formerEnds; zero: as it was
// planned. Errors are those of SecretStore.AddSecret.
func (s *Vault) Mint(ctx context.Context, r Receiver, formerEnds time.Time) (NewSecret, error) {
	id, err := uuid.NewV7FromReader(s.rand)
	if err != nil {
		return NewSecret{}, fmt.Errorf("draw a secret's id: %w", err)
	}
	raw := make([]byte, secretSize)
	if _, err := io.ReadFull(s.rand, raw); err != nil {
		return NewSecret{}, fmt.Errorf("draw a callback secret: %w", err)
	}
	x := Secret{ID: SecretID(id.String()), Receiver: r, CreatedAt: time.Now()}
	if x.Sealed, err = s.ring.Seal(raw, []byte(secretPurpose), []byte(x.ID)); err != nil {
		return NewSecret{}, fmt.Errorf("seal a callback secret: %w", err)
	}
	if err := s.store.AddSecret(ctx, x, formerEnds); err != nil {
		return NewSecret{}, err
	}
	return NewSecret{ID: x.ID, Secret: formatSecret(secret.NewKey(raw))}, nil
}

// End ends a receiver's secret at a time; zero: now. Errors are those of
// SecretStore.EndSecret.
func (s *Vault) End(ctx context.Context, r Receiver, id SecretID, ends time.Time) error {
	now := time.Now()
	if !ends.IsZero() {
		return s.store.EndSecret(ctx, r, id, now, ends)
	}
	if err := s.store.EndSecret(ctx, r, id, now, now); err != nil {
		return err
	}
	return s.store.RevokeSecret(ctx, id, now)
}

// Rewrap seals every live secret under the first master key, and returns their number.
// Afterwards the other master keys are not needed for them.
func (s *Vault) Rewrap(ctx context.Context) (int, error) {
	var wrong []error
	done := 0
	for after := SecretID(""); ; {
		page, err := s.store.LiveSecrets(ctx, after, rewrapBatch)
		if err != nil {
			return done, errors.Join(append(wrong, err)...)
		}
		for _, x := range page {
			after = x.ID
			if err := s.reseal(ctx, x); err != nil {
				wrong = append(wrong, fmt.Errorf("callback secret %s of %s: %w", x.ID, x.Receiver, err))
				continue
			}
			done++
		}
		if len(page) < rewrapBatch {
			return done, errors.Join(wrong...)
		}
	}
}

func (s *Vault) reseal(ctx context.Context, x Secret) error {
	sealed, err := s.ring.Reseal(x.Sealed, []byte(secretPurpose), []byte(x.ID))
	if err != nil {
		return err
	}
	return s.store.ResealSecret(ctx, x.ID, x.Sealed, sealed)
}

// open opens a stored secret.
func (s *Vault) open(x Secret) (secret.Key, error) {
	raw, _, err := s.ring.Open(x.Sealed, []byte(secretPurpose), []byte(x.ID))
	if err != nil {
		return secret.Key{}, fmt.Errorf("callback secret %s: %w", x.ID, err)
	}
	return secret.NewKey(raw), nil
}
