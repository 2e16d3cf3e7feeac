package store

import (
	"context"
	"fmt"
	"time"

	"galla/central"
	"galla/central/webhook"
)

const secretColumns = `id, merchant, vendor, sealed, created_at, ends_at, revoked_at`

func scanSecret(row row, x *webhook.Secret) error {
	return row.Scan(&x.ID, &x.Receiver.Merchant, &x.Receiver.Vendor, &x.Sealed, &x.CreatedAt, &x.EndsAt, &x.RevokedAt)
}

// AddSecret implements webhook.SecretStore. It locks the receiver's row, so that of two
// additions each sees the other.
func (s Webhooks) AddSecret(ctx context.Context, x webhook.Secret, formerEnds time.Time) error {
	return s.task("record a callback secret of %s", x.Receiver).change(ctx, func(c conn) error {
		if err := lockReceiver(c, x.Receiver); err != nil {
			return err
		}
		// Secrets that have ended as planned are revoked now: they count no longer.
		if _, err := c.exec(`UPDATE callback_secrets SET revoked_at = ends_at WHERE receiver = $1 AND revoked_at IS NULL AND ends_at <= $2`,
			x.Receiver.String(), x.CreatedAt); err != nil {
			return err
		}
		var live int
		if err := c.one(`SELECT count(*) FROM callback_secrets WHERE receiver = $1 AND revoked_at IS NULL`, []any{x.Receiver.String()}, &live); err != nil {
			return err
		}
		if live >= webhook.MaxSecrets {
			return fmt.Errorf("it has %d live secrets, the most that are allowed: end one first: %w", live, central.ErrState)
		}
		if !formerEnds.IsZero() {
			if _, err := c.exec(`UPDATE callback_secrets SET ends_at = $1 WHERE receiver = $2 AND revoked_at IS NULL AND (ends_at IS NULL OR ends_at > $1)`,
				formerEnds, x.Receiver.String()); err != nil {
				return err
			}
		}
		_, err := c.exec(`INSERT INTO callback_secrets (id, merchant, vendor, sealed, created_at) VALUES ($1, $2, $3, $4, $5)`,
			x.ID, orNull(x.Receiver.Merchant), orNull(x.Receiver.Vendor), x.Sealed, x.CreatedAt)
		return err
	})
}

func lockReceiver(c conn, r webhook.Receiver) error {
	if r.Vendor != "" {
		return lockVendor(c, r.Vendor)
	}
	return c.requireRow(central.ErrNotFound, `SELECT 1 FROM merchants WHERE id = $1`+c.dialect.forUpdate, r.Merchant)
}

// ListSecrets implements webhook.SecretStore, at most 1000.
func (s Webhooks) ListSecrets(ctx context.Context, r webhook.Receiver) ([]webhook.Secret, error) {
	return listRows(ctx, s.task("list the callback secrets of %s", r), scanSecret,
		`SELECT `+secretColumns+` FROM callback_secrets WHERE receiver = $1 ORDER BY created_at, id LIMIT $2`, r.String(), maxRows)
}

// LiveSecrets implements webhook.SecretStore, at most 1000 at a time.
func (s Webhooks) LiveSecrets(ctx context.Context, after webhook.SecretID, limit int) ([]webhook.Secret, error) {
	return listRows(ctx, s.task("list live callback secrets"), scanSecret,
		`SELECT `+secretColumns+` FROM callback_secrets WHERE revoked_at IS NULL AND id > $1 ORDER BY id LIMIT $2`,
		after, clampLimit(limit))
}

// EndSecret implements webhook.SecretStore.
func (s Webhooks) EndSecret(ctx context.Context, r webhook.Receiver, id webhook.SecretID, at, ends time.Time) error {
	return s.task("plan the end of callback secret %s", id).change(ctx, func(c conn) error {
		if err := c.requireRow(central.ErrNotFound, `SELECT 1 FROM callback_secrets WHERE id = $1 AND receiver = $2`, id, r.String()); err != nil {
			return err
		}
		return c.changeRow(central.ErrState, `UPDATE callback_secrets SET ends_at = $1 WHERE id = $2 AND revoked_at IS NULL AND (ends_at IS NULL OR ends_at > $3)`,
			ends, id, at)
	})
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
