package store

import (
	"context"
	"fmt"

	"galla/central"
	"galla/central/duty"
)

// TerminalKeys implements duty.TerminalKeys.
func (s *DB) TerminalKeys(ctx context.Context, after central.TerminalID, limit int) (list []duty.TerminalKey, err error) {
	err = s.read(ctx, func(c conn) error {
		list = nil
		return c.each(`SELECT id, public_key FROM terminals WHERE id > $1 AND revoked_at IS NULL ORDER BY id LIMIT $2`, []any{string(after), limit}, func(row row) error {
			var k duty.TerminalKey
			err := row.Scan(&k.ID, &k.PublicKey)
			list = append(list, k)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list the terminals' keys: %w", err)
	}
	return list, nil
}
