package store

import (
	"context"
	"fmt"
	"math"
	"time"

	"galla/central"
	"galla/central/duty"
	"galla/central/parties"
)

var (
	_ duty.Presences    = (*DB)(nil)
	_ parties.Terminals = (*DB)(nil)
)

// Met implements duty.Presences; the node is this one. An older moment than the
// one at which the terminal was last seen does not change that.
func (s *DB) Met(ctx context.Context, id central.TerminalID, p duty.Presence) error {
	err := s.write(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE terminals SET seen_at = CASE WHEN seen_at >= $1 THEN seen_at ELSE $1 END, connected_at = $1,
				node = $2, version = $3, unresolved = $4, ahead = $5, left_at = NULL WHERE id = $6`,
			ms(p.ConnectedAt), c.node, p.Version, int64(p.Unresolved), p.Ahead.Milliseconds(), string(id))
		if err == nil && changed == 0 {
			err = central.ErrNotFound
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("note the hello of terminal %s: %w", id, err)
	}
	return nil
}

// Left implements duty.Presences.
func (s *DB) Left(ctx context.Context, id central.TerminalID, connected, at time.Time, fault string) error {
	err := s.write(ctx, func(c conn) error {
		if _, err := c.exec(`UPDATE terminals SET left_at = $1 WHERE id = $2 AND node = $3 AND connected_at = $4`,
			ms(at), string(id), c.node, ms(connected)); err != nil || fault == "" {
			return err
		}
		_, err := c.exec(`UPDATE terminals SET fault = $1, fault_at = $2 WHERE id = $3`, fault, ms(at), string(id))
		return err
	})
	if err != nil {
		return fmt.Errorf("note that terminal %s left: %w", id, err)
	}
	return nil
}

// NodeHere implements duty.Presences.
func (s *DB) NodeHere(ctx context.Context, since, at time.Time) error {
	err := s.write(ctx, func(c conn) error {
		_, err := c.exec(`INSERT INTO uplink_nodes (node, since, seen_at) VALUES ($1, $2, $3)
			ON CONFLICT (node) DO UPDATE SET since = excluded.since, seen_at = excluded.seen_at`, c.node, ms(since), ms(at))
		return err
	})
	if err != nil {
		return fmt.Errorf("note that this node serves terminals: %w", err)
	}
	return nil
}

// NodeGone implements duty.Presences.
func (s *DB) NodeGone(ctx context.Context) error {
	err := s.write(ctx, func(c conn) error {
		_, err := c.exec(`DELETE FROM uplink_nodes WHERE node = $1`, c.node)
		return err
	})
	if err != nil {
		return fmt.Errorf("note that this node stops: %w", err)
	}
	return nil
}

// nowColumns are the columns of a terminal t with its connection, in the order in
// which scanNow takes them; onlineNow tells whether it is connected, where $1 is
// the moment since which its node must have been heard.
const (
	nowColumns = `t.id, t.merchant, t.name, t.tid, t.public_key, t.client, t.created_at, t.revoked_at, t.seen_at,
	t.node, t.connected_at, t.version, t.unresolved, t.ahead, t.left_at, t.fault, t.fault_at,
	(SELECT m.legal_name FROM merchants m WHERE m.id = t.merchant)`
	onlineNow = `CAST(CASE WHEN t.revoked_at IS NULL AND t.left_at IS NULL AND EXISTS (
		SELECT 1 FROM uplink_nodes n WHERE n.node = t.node AND n.seen_at >= $1 AND n.since <= t.connected_at) THEN 1 ELSE 0 END AS BIGINT)`
)

func scanNow(row row) (t parties.Terminal, err error) {
	var unresolved, ahead int64
	err = row.Scan(truth{&t.Online}, &t.ID, &t.Merchant, &t.Name, &t.TID, &t.PublicKey, optional[string]{&t.Client}, moment{&t.CreatedAt}, moment{&t.RevokedAt}, moment{&t.SeenAt},
		optional[string]{&t.Node}, moment{&t.ConnectedAt}, &t.Version, &unresolved, &ahead, moment{&t.LeftAt}, &t.Fault, moment{&t.FaultAt}, &t.MerchantName)
	t.Unresolved, t.Ahead = int(unresolved), time.Duration(ahead)*time.Millisecond
	return t, err
}

// TerminalsBy implements parties.Terminals, at most 1000.
func (s *DB) TerminalsBy(ctx context.Context, f parties.TerminalFilter) (list []parties.Terminal, err error) {
	err = s.read(ctx, func(c conn) error {
		list = nil
		if f.Client != "" || f.Merchant != "" {
			return c.terminalsOfParty(f, &list)
		}
		return c.terminals(&list, `SELECT `+onlineNow+`, `+nowColumns+` FROM terminals t WHERE t.id > $2
			AND CASE $3 WHEN '' THEN 1 WHEN 'revoked' THEN CASE WHEN t.revoked_at IS NULL THEN 0 ELSE 1 END
				WHEN 'online' THEN `+onlineNow+` ELSE CASE WHEN t.revoked_at IS NULL THEN 1 - `+onlineNow+` ELSE 0 END END = 1
			ORDER BY t.id LIMIT $4`,
			ms(f.Alive), string(f.After), string(f.State), bounded(f.Limit))
	})
	if err != nil {
		return nil, fmt.Errorf("list terminals: %w", err)
	}
	return list, nil
}

// terminals adds the terminals of a statement that scanNow reads.
func (c conn) terminals(list *[]parties.Terminal, statement string, args ...any) error {
	return c.each(statement, args, func(row row) error {
		t, err := scanNow(row)
		*list = append(*list, t)
		return err
	})
}

// terminalsOfParty adds a client's or a merchant's terminals: the live ones first, and
// the newest first of both kinds, each by an index that is read from its end.
func (c conn) terminalsOfParty(f parties.TerminalFilter, list *[]parties.Terminal) error {
	at, id := int64(math.MaxInt64), "" // behind which they begin: the newest one
	if f.After != "" {
		id = string(f.After)
		if err := c.one(`SELECT created_at FROM terminals WHERE id = $1`, []any{id}, &at); err != nil {
			return err
		}
	}
	if f.State != parties.RevokedTerminal && !f.AfterRevoked {
		args := []any{ms(f.Alive), f.Client, at, id, string(f.State), bounded(f.Limit)}
		statement := `SELECT ` + onlineNow + `, ` + nowColumns + ` FROM terminals t WHERE t.client = $2 AND (t.created_at, t.id) < ($3, $4)
			AND t.revoked_at IS NULL AND CASE $5 WHEN 'online' THEN ` + onlineNow + ` WHEN 'offline' THEN 1 - ` + onlineNow + ` ELSE 1 END = 1
			ORDER BY t.created_at DESC, t.id DESC LIMIT $6`
		if f.Client == "" {
			args[1] = string(f.Merchant)
			statement = `SELECT ` + onlineNow + `, ` + nowColumns + ` FROM terminals t WHERE t.merchant = $2 AND (t.created_at, t.id) < ($3, $4)
			AND t.revoked_at IS NULL AND CASE $5 WHEN 'online' THEN ` + onlineNow + ` WHEN 'offline' THEN 1 - ` + onlineNow + ` ELSE 1 END = 1
			ORDER BY t.created_at DESC, t.id DESC LIMIT $6`
		}
		if err := c.terminals(list, statement, args...); err != nil {
			return err
		}
		at, id = math.MaxInt64, ""
	}
	left := bounded(f.Limit) - len(*list)
	if left == 0 || f.State == parties.OnlineTerminal || f.State == parties.OfflineTerminal {
		return nil
	}
	if f.Client != "" {
		return c.terminals(list, `SELECT `+onlineNow+`, `+nowColumns+` FROM terminals t WHERE t.client = $2 AND (t.created_at, t.id) < ($3, $4)
			AND t.revoked_at IS NOT NULL ORDER BY t.created_at DESC, t.id DESC LIMIT $5`, ms(f.Alive), f.Client, at, id, left)
	}
	return c.terminals(list, `SELECT `+onlineNow+`, `+nowColumns+` FROM terminals t WHERE t.merchant = $2 AND (t.created_at, t.id) < ($3, $4)
			AND t.revoked_at IS NOT NULL ORDER BY t.created_at DESC, t.id DESC LIMIT $5`, ms(f.Alive), string(f.Merchant), at, id, left)
}

// TerminalCount implements parties.Terminals.
func (s *DB) TerminalCount(ctx context.Context, f parties.TerminalFilter) (n parties.TerminalCount, err error) {
	err = s.read(ctx, func(c conn) error {
		var all int
		statement, of := `SELECT count(*), count(t.revoked_at) FROM terminals t WHERE t.client = $1`, f.Client
		if of == "" {
			statement, of = `SELECT count(*), count(t.revoked_at) FROM terminals t WHERE t.merchant = $1`, string(f.Merchant)
		}
		err := c.one(statement, []any{of}, &all, &n.Revoked)
		n.Live = all - n.Revoked
		return err
	})
	if err != nil {
		return parties.TerminalCount{}, fmt.Errorf("count terminals: %w", err)
	}
	return n, nil
}

// TerminalNow implements parties.Terminals.
func (s *DB) TerminalNow(ctx context.Context, id central.TerminalID, alive time.Time) (t parties.Terminal, err error) {
	err = s.read(ctx, func(c conn) error {
		found := central.ErrNotFound
		err := c.each(`SELECT `+onlineNow+`, `+nowColumns+` FROM terminals t WHERE t.id = $2`, []any{ms(alive), string(id)}, func(row row) error {
			found = nil
			var err error
			t, err = scanNow(row)
			return err
		})
		if err == nil {
			err = found
		}
		return err
	})
	if err != nil {
		return parties.Terminal{}, fmt.Errorf("read terminal %s: %w", id, err)
	}
	return t, nil
}
