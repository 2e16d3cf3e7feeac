package store

import (
	"context"
	"fmt"
	"time"

	"galla/central"
	"galla/central/webhook"
)

const secretColumns = `id, merchant, sealed, created_at, revoked_at`

func scanSecret(row row, x *webhook.Secret) error {
	return row.Scan(&x.ID, &x.Merchant, &x.Sealed, &x.CreatedAt, &x.RevokedAt)
}

// AddSecret implements webhook.SecretStore. It locks the merchant's row, so that of two
// additions each sees the other.
func (s Webhooks) AddSecret(ctx context.Context, x webhook.Secret) error {
	return s.task("record a callback secret of merchant %s", x.Merchant).change(ctx, func(c conn) error {
		if err := c.requireRow(central.ErrNotFound, `SELECT 1 FROM merchants WHERE id = $1`+c.dialect.forUpdate, x.Merchant); err != nil {
			return err
		}
		var live int
		if err := c.one(`SELECT count(*) FROM callback_secrets WHERE merchant = $1 AND revoked_at IS NULL`, []any{x.Merchant}, &live); err != nil {
			return err
		}
		if live >= webhook.MaxSecrets {
			return fmt.Errorf("the merchant has %d live secrets, the most that are allowed: revoke one first: %w", live, central.ErrState)
		}
		_, err := c.exec(`INSERT INTO callback_secrets (id, merchant, sealed, created_at) VALUES ($1, $2, $3, $4)`,
			x.ID, x.Merchant, x.Sealed, x.CreatedAt)
		return err
	})
}

// ListSecrets implements webhook.SecretStore, at most 1000.
func (s Webhooks) ListSecrets(ctx context.Context, m central.MerchantID) ([]webhook.Secret, error) {
	return listRows(ctx, s.task("list the callback secrets of merchant %s", m), scanSecret,
		`SELECT `+secretColumns+` FROM callback_secrets WHERE merchant = $1 ORDER BY created_at, id LIMIT $2`, m, maxRows)
}

// LiveSecrets implements webhook.SecretStore, at most 1000 at a time.
func (s Webhooks) LiveSecrets(ctx context.Context, after webhook.SecretID, limit int) ([]webhook.Secret, error) {
	return listRows(ctx, s.task("list live callback secrets"), scanSecret,
		`SELECT `+secretColumns+` FROM callback_secrets WHERE revoked_at IS NULL AND id > $1 ORDER BY id LIMIT $2`,
		after, clampLimit(limit))
}

// RevokeSecret implements webhook.SecretStore. The first time is kept.
func (s Webhooks) RevokeSecret(ctx context.Context, id webhook.SecretID, at time.Time) error {
	return s.task("revoke callback secret %s", id).changeRow(ctx, central.ErrNotFound,
		`UPDATE callback_secrets SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2`, at, id)
}

// ResealSecret implements webhook.SecretStore.
func (s Webhooks) ResealSecret(ctx context.Context, id webhook.SecretID, was, is []byte) error {
	return s.task("seal callback secret %s again", id).changeRow(ctx, central.ErrState,
		`UPDATE callback_secrets SET sealed = $1 WHERE id = $2 AND sealed = $3`, is, id, was)
}
