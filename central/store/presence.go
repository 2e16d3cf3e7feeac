package store

import (
	"context"
	"math"
	"time"

	"galla/central"
	"galla/central/accounts"
)

// TerminalConnected implements accounts.PresenceStore, for this node. A time before the one
// at which the terminal was last seen does not change that one.
func (s Terminals) TerminalConnected(ctx context.Context, id central.TerminalID, p accounts.Presence) error {
	return s.task("record the connection of terminal %s", id).changeRow(ctx, central.ErrNotFound,
		`UPDATE terminals SET seen_at = CASE WHEN seen_at >= $1 THEN seen_at ELSE $1 END, connected_at = $1,
			node = $2, version = $3, unresolved = $4, clock_ahead = $5, disconnected_at = NULL WHERE id = $6`,
		p.ConnectedAt, s.node, p.Version, p.Unresolved, p.ClockAhead.Milliseconds(), id)
}

// TerminalDisconnected implements accounts.PresenceStore.
func (s Terminals) TerminalDisconnected(ctx context.Context, id central.TerminalID, connected, at time.Time, fault string) error {
	return s.task("record the disconnection of terminal %s", id).change(ctx, func(c conn) error {
		if _, err := c.exec(`UPDATE terminals SET disconnected_at = $1 WHERE id = $2 AND node = $3 AND connected_at = $4`,
			at, id, c.node, connected); err != nil || fault == "" {
			return err
		}
		_, err := c.exec(`UPDATE terminals SET fault = $1, fault_at = $2 WHERE id = $3`, fault, at, id)
		return err
	})
}

// NodeAlive implements accounts.PresenceStore.
func (s Terminals) NodeAlive(ctx context.Context, since, at time.Time) error {
	return s.task("record that this node serves terminals").exec(ctx, `INSERT INTO uplink_nodes (node, since, seen_at) VALUES ($1, $2, $3)
		ON CONFLICT (node) DO UPDATE SET since = excluded.since, seen_at = excluded.seen_at`, s.node, since, at)
}

// NodeStopped implements accounts.PresenceStore.
func (s Terminals) NodeStopped(ctx context.Context) error {
	return s.task("record that this node stops").exec(ctx, `DELETE FROM uplink_nodes WHERE node = $1`, s.node)
}

// terminalStatusColumns are the columns of a terminal t with its connection, in the order of
// scanTerminalStatus. isOnline tells whether it is connected; $1 is the time since which
// its node must have sent a heartbeat.
const (
	terminalStatusColumns = `t.id, t.merchant, t.name, t.tid, t.public_key, t.client, t.created_at, t.revoked_at, t.seen_at,
	t.node, t.connected_at, t.version, t.unresolved, t.clock_ahead, t.disconnected_at, t.fault, t.fault_at,
	(SELECT m.legal_name FROM merchants m WHERE m.id = t.merchant)`
	isOnline = `CAST(CASE WHEN t.revoked_at IS NULL AND t.disconnected_at IS NULL AND EXISTS (
		SELECT 1 FROM uplink_nodes n WHERE n.node = t.node AND n.seen_at >= $1 AND n.since <= t.connected_at) THEN 1 ELSE 0 END AS BIGINT)`
)

func scanTerminalStatus(row row, t *accounts.Terminal) error {
	var ahead int64
	err := row.Scan(&t.Online, &t.ID, &t.Merchant, &t.Name, &t.TID, &t.PublicKey, &t.Client, &t.CreatedAt, &t.RevokedAt, &t.SeenAt,
		&t.Node, &t.ConnectedAt, &t.Version, &t.Unresolved, &ahead, &t.LeftAt, &t.Fault, &t.FaultAt, &t.MerchantName)
	t.ClockAhead = time.Duration(ahead) * time.Millisecond
	return err
}

// TerminalsBy implements accounts.Terminals, at most 1000.
func (s Terminals) TerminalsBy(ctx context.Context, f accounts.TerminalFilter) ([]accounts.Terminal, error) {
	return query(ctx, s.task("list terminals"), func(c conn) ([]accounts.Terminal, error) {
		if f.Client != "" || f.Merchant != "" {
			return terminalsOfParty(c, f)
		}
		return allRows(c, scanTerminalStatus, `SELECT `+isOnline+`, `+terminalStatusColumns+` FROM terminals t WHERE t.id > $2
			AND CASE $3 WHEN '' THEN 1 WHEN 'revoked' THEN CASE WHEN t.revoked_at IS NULL THEN 0 ELSE 1 END
				WHEN 'online' THEN `+isOnline+` ELSE CASE WHEN t.revoked_at IS NULL THEN 1 - `+isOnline+` ELSE 0 END END = 1
			ORDER BY t.id LIMIT $4`,
			f.AliveSince, f.After, f.State, clampLimit(f.Limit))
	})
}

// terminalsOfParty lists the terminals of a client or a merchant: the live ones first, and
// the newest first of both kinds, each by an index that is read from its end.
func terminalsOfParty(c conn, f accounts.TerminalFilter) (list []accounts.Terminal, err error) {
	at, id := int64(math.MaxInt64), "" // before the newest one
	if f.After != "" {
		id = string(f.After)
		if err := c.one(`SELECT created_at FROM terminals WHERE id = $1`, []any{id}, &at); err != nil {
			return nil, err
		}
	}
	if f.State != accounts.RevokedTerminal && !f.AfterRevoked {
		if list, err = liveTerminalsOfParty(c, f, at, id); err != nil {
			return nil, err
		}
		at, id = math.MaxInt64, ""
	}
	left := clampLimit(f.Limit) - len(list)
	if left == 0 || f.State == accounts.OnlineTerminal || f.State == accounts.OfflineTerminal {
		return list, nil
	}
	var revoked []accounts.Terminal
	if f.Client != "" {
		revoked, err = allRows(c, scanTerminalStatus, `SELECT `+isOnline+`, `+terminalStatusColumns+` FROM terminals t WHERE t.client = $2 AND (t.created_at, t.id) < ($3, $4)
			AND t.revoked_at IS NOT NULL ORDER BY t.created_at DESC, t.id DESC LIMIT $5`, f.AliveSince, f.Client, at, id, left)
	} else {
		revoked, err = allRows(c, scanTerminalStatus, `SELECT `+isOnline+`, `+terminalStatusColumns+` FROM terminals t WHERE t.merchant = $2 AND (t.created_at, t.id) < ($3, $4)
			AND t.revoked_at IS NOT NULL ORDER BY t.created_at DESC, t.id DESC LIMIT $5`, f.AliveSince, f.Merchant, at, id, left)
	}
	return append(list, revoked...), err
}

func liveTerminalsOfParty(c conn, f accounts.TerminalFilter, at int64, id string) ([]accounts.Terminal, error) {
	if f.Client != "" {
		return allRows(c, scanTerminalStatus, `SELECT `+isOnline+`, `+terminalStatusColumns+` FROM terminals t WHERE t.client = $2 AND (t.created_at, t.id) < ($3, $4)
			AND t.revoked_at IS NULL AND CASE $5 WHEN 'online' THEN `+isOnline+` WHEN 'offline' THEN 1 - `+isOnline+` ELSE 1 END = 1
			ORDER BY t.created_at DESC, t.id DESC LIMIT $6`, f.AliveSince, f.Client, at, id, f.State, clampLimit(f.Limit))
	}
	return allRows(c, scanTerminalStatus, `SELECT `+isOnline+`, `+terminalStatusColumns+` FROM terminals t WHERE t.merchant = $2 AND (t.created_at, t.id) < ($3, $4)
		AND t.revoked_at IS NULL AND CASE $5 WHEN 'online' THEN `+isOnline+` WHEN 'offline' THEN 1 - `+isOnline+` ELSE 1 END = 1
		ORDER BY t.created_at DESC, t.id DESC LIMIT $6`, f.AliveSince, f.Merchant, at, id, f.State, clampLimit(f.Limit))
}

// TerminalCount implements accounts.Terminals.
func (s Terminals) TerminalCount(ctx context.Context, f accounts.TerminalFilter) (accounts.TerminalCount, error) {
	return query(ctx, s.task("count terminals"), func(c conn) (n accounts.TerminalCount, err error) {
		var total int
		if f.Client != "" {
			err = c.one(`SELECT count(*), count(t.revoked_at) FROM terminals t WHERE t.client = $1`, []any{f.Client}, &total, &n.Revoked)
		} else {
			err = c.one(`SELECT count(*), count(t.revoked_at) FROM terminals t WHERE t.merchant = $1`, []any{f.Merchant}, &total, &n.Revoked)
		}
		n.Live = total - n.Revoked
		return n, err
	})
}

// TerminalWithPresence implements accounts.Terminals.
func (s Terminals) TerminalWithPresence(ctx context.Context, id central.TerminalID, alive time.Time) (accounts.Terminal, error) {
	return oneRow(ctx, s.task("read terminal %s", id), scanTerminalStatus,
		`SELECT `+isOnline+`, `+terminalStatusColumns+` FROM terminals t WHERE t.id = $2`, alive, id)
}
