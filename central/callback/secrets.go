package callback

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"galla/central"
	"galla/central/duty"
	"galla/shared/seal"
	"galla/shared/secret"
)

// secretPlace is where sealed secrets belong: the table, and the secret's id
// with it.
const secretPlace = "callback_secrets/v1"

// rewrapPage is how many secrets are read at one time to be sealed anew.
const rewrapPage = 200

// Safe makes the secrets of callbacks, seals them under a master key, and opens
// them.
type Safe struct {
	store duty.CallbackSecrets
	boxes []*seal.Box // the first seals, all open
	rand  io.Reader
}

// Minted is a new secret, shown once: only its sealed form is kept.
type Minted struct {
	ID     duty.SecretID
	Secret secret.Token // whsec_…
}

// NewSafe makes a safe. The first master key seals, all of them open, so that a
// master key can be replaced while others are still in use.
func NewSafe(store duty.CallbackSecrets, masters []secret.Key, rand io.Reader) (*Safe, error) {
	if len(masters) == 0 {
		return nil, errors.New("a master key is needed to seal callback secrets")
	}
	s := &Safe{store: store, rand: rand}
	for i, master := range masters {
		box, err := seal.New(master, rand)
		if err != nil {
			return nil, fmt.Errorf("master key %d of callback secrets: %w", i+1, err)
		}
		s.boxes = append(s.boxes, box)
	}
	return s, nil
}

// Mint makes a secret for a merchant. Errors: those of duty.CallbackSecrets.
func (s *Safe) Mint(ctx context.Context, m central.MerchantID) (Minted, error) {
	id, err := uuid.NewV7FromReader(s.rand)
	if err != nil {
		return Minted{}, fmt.Errorf("draw a secret's id: %w", err)
	}
	raw := make([]byte, secretSize)
	if _, err := io.ReadFull(s.rand, raw); err != nil {
		return Minted{}, fmt.Errorf("draw a callback secret: %w", err)
	}
	x := duty.CallbackSecret{ID: duty.SecretID(id.String()), Merchant: m, CreatedAt: time.Now()}
	if x.Sealed, err = s.boxes[0].Seal(raw, []byte(secretPlace), []byte(x.ID)); err != nil {
		return Minted{}, fmt.Errorf("seal a callback secret: %w", err)
	}
	if err := s.store.AddSecret(ctx, x); err != nil {
		return Minted{}, err
	}
	return Minted{ID: x.ID, Secret: formatSecret(secret.NewKey(raw))}, nil
}

// Rewrap seals every live secret under the first master key, and tells how many
// there are. Afterwards the other master keys are not needed.
func (s *Safe) Rewrap(ctx context.Context) (int, error) {
	var wrong []error
	done := 0
	for after := duty.SecretID(""); ; {
		page, err := s.store.LiveSecrets(ctx, after, rewrapPage)
		if err != nil {
			return done, errors.Join(append(wrong, err)...)
		}
		for _, x := range page {
			after = x.ID
			if err := s.reseal(ctx, x); err != nil {
				wrong = append(wrong, fmt.Errorf("callback secret %s of merchant %s: %w", x.ID, x.Merchant, err))
				continue
			}
			done++
		}
		if len(page) < rewrapPage {
			return done, errors.Join(wrong...)
		}
	}
}

func (s *Safe) reseal(ctx context.Context, x duty.CallbackSecret) error {
	key, err := s.open(x)
	if err != nil {
		return err
	}
	sealed, err := s.boxes[0].Seal(key.Reveal(), []byte(secretPlace), []byte(x.ID))
	if err != nil {
		return err
	}
	return s.store.ResealSecret(ctx, x.ID, x.Sealed, sealed)
}

// open makes a stored secret ready to sign.
func (s *Safe) open(x duty.CallbackSecret) (secret.Key, error) {
	for _, box := range s.boxes {
		if raw, err := box.Open(bytes.Clone(x.Sealed), []byte(secretPlace), []byte(x.ID)); err == nil {
			return secret.NewKey(raw), nil
		}
	}
	return secret.Key{}, fmt.Errorf("callback secret %s: none of the %d master keys opens it: give the one it was sealed under, too", x.ID, len(s.boxes))
}
