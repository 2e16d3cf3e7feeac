package store

import (
	"context"
	"fmt"
	"time"

	"galla/central"
	"galla/central/duty"
)

var _ duty.CallbackSecrets = (*DB)(nil)

const secretColumns = `id, merchant, sealed, created_at, revoked_at`

func (c conn) secrets(statement string, args ...any) (list []duty.CallbackSecret, err error) {
	err = c.each(statement, args, func(row row) error {
		var x duty.CallbackSecret
		err := row.Scan(&x.ID, &x.Merchant, &x.Sealed, moment{&x.CreatedAt}, moment{&x.RevokedAt})
		list = append(list, x)
		return err
	})
	return list, err
}

// AddSecret implements duty.CallbackSecrets. Additions of one merchant wait for
// each other on its row, so that no two of them can both be the second.
func (s *DB) AddSecret(ctx context.Context, x duty.CallbackSecret) error {
	err := s.write(ctx, func(c conn) error {
		known, err := c.exists(`SELECT 1 FROM merchants WHERE id = $1`+c.dialect.hold, string(x.Merchant))
		if err != nil {
			return err
		}
		if !known {
			return central.ErrNotFound
		}
		var live int
		if err := c.one(`SELECT count(*) FROM callback_secrets WHERE merchant = $1 AND revoked_at IS NULL`, []any{string(x.Merchant)}, &live); err != nil {
			return err
		}
		if live >= duty.MaxCallbackSecrets {
			return fmt.Errorf("the merchant has %d live secrets, which is all it may have: revoke one first: %w", live, central.ErrState)
		}
		_, err = c.exec(`INSERT INTO callback_secrets (id, merchant, sealed, created_at) VALUES ($1, $2, $3, $4)`,
			string(x.ID), string(x.Merchant), x.Sealed, ms(x.CreatedAt))
		return err
	})
	if err != nil {
		return fmt.Errorf("record a callback secret of merchant %s: %w", x.Merchant, err)
	}
	return nil
}

// SecretsOf implements duty.CallbackSecrets; at most 1000.
func (s *DB) SecretsOf(ctx context.Context, m central.MerchantID) (list []duty.CallbackSecret, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		list, err = c.secrets(`SELECT `+secretColumns+` FROM callback_secrets WHERE merchant = $1 ORDER BY created_at, id LIMIT $2`,
			string(m), int64(maxRows))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the callback secrets of merchant %s: %w", m, err)
	}
	return list, nil
}

// LiveSecrets implements duty.CallbackSecrets; at most 1000 at a time.
func (s *DB) LiveSecrets(ctx context.Context, after duty.SecretID, limit int) (list []duty.CallbackSecret, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		list, err = c.secrets(`SELECT `+secretColumns+` FROM callback_secrets WHERE revoked_at IS NULL AND id > $1 ORDER BY id LIMIT $2`,
			string(after), bounded(limit))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list live callback secrets: %w", err)
	}
	return list, nil
}

// RevokeSecret implements duty.CallbackSecrets. The first moment stays.
func (s *DB) RevokeSecret(ctx context.Context, id duty.SecretID, at time.Time) error {
	err := s.write(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE callback_secrets SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2`, ms(at), string(id))
		if err == nil && changed == 0 {
			err = central.ErrNotFound
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("revoke callback secret %s: %w", id, err)
	}
	return nil
}

// ResealSecret implements duty.CallbackSecrets.
func (s *DB) ResealSecret(ctx context.Context, id duty.SecretID, was, is []byte) error {
	err := s.write(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE callback_secrets SET sealed = $1 WHERE id = $2 AND sealed = $3`, is, string(id), was)
		if err == nil && changed == 0 {
			err = central.ErrState
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("seal callback secret %s anew: %w", id, err)
	}
	return nil
}
