package store

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/central/accounts"
)

// CheckTerminals implements accounts.PresenceStore.
func (s Terminals) CheckTerminals(ctx context.Context, ids []central.TerminalID) ([]accounts.TerminalCheck, error) {
	return query(ctx, s.task("check %d terminals", len(ids)), func(c conn) ([]accounts.TerminalCheck, error) {
		return allRows(c, func(row row, t *accounts.TerminalCheck) error {
			return row.Scan(&t.Terminal, &t.Merchant, &t.Revoked, &t.OldestEvent, &t.NewestEvent)
		}, `SELECT t.id, t.merchant, CAST(CASE WHEN t.revoked_at IS NULL THEN 0 ELSE 1 END AS BIGINT),
			coalesce((SELECT min(v.cursor) FROM events v WHERE v.terminal = t.id), 0),
			coalesce((SELECT max(v.cursor) FROM events v WHERE v.terminal = t.id), 0)
			FROM terminals t WHERE t.id IN (SELECT e.value->>'id' FROM `+c.dialect.eachOf+`)`, idList(ids))
	})
}

// SpendTokens implements accounts.PresenceStore. Ids are kept for an hour after their
// tokens expire. Each call removes more older ones than it adds.
func (s Terminals) SpendTokens(ctx context.Context, tokens []accounts.TokenUse) ([]bool, error) {
	list := jsonList(tokens, func(t accounts.TokenUse) any {
		return struct {
			ID      string `json:"id"`
			Expires int64  `json:"expires"`
		}{t.ID, t.Expires.UnixMilli()}
	})
	return update(ctx, s.task("record %d tokens as spent", len(tokens)), func(c conn) ([]bool, error) {
		recorded, err := allRows(c, scanValue[string], `INSERT INTO spent_tokens (id, expires_at)
			SELECT e.value->>'id', CAST(e.value->>'expires' AS BIGINT) FROM `+c.dialect.eachOf+` WHERE true
			ON CONFLICT (id) DO NOTHING RETURNING id`, list)
		if err != nil {
			return nil, err
		}
		_, err = c.exec(`DELETE FROM spent_tokens WHERE id IN (
			SELECT id FROM spent_tokens WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2`+c.dialect.skipLocked+`)`,
			time.Now().Add(-tokenMargin), purgeLimit+2*len(tokens))
		if err != nil {
			return nil, err
		}
		added := map[string]bool{}
		for _, id := range recorded {
			added[id] = true
		}
		fresh := make([]bool, len(tokens))
		for i, t := range tokens {
			fresh[i] = added[t.ID]
			delete(added, t.ID)
		}
		return fresh, nil
	})
}

// presenceRow is a hello or an end of a connection, as the statements read it; times are
// milliseconds since 1970.
type presenceRow struct {
	ID         central.TerminalID `json:"id"`
	Connected  int64              `json:"connected"`
	Version    string             `json:"version"`
	Unresolved int                `json:"unresolved"`
	Ahead      int64              `json:"ahead"`
	At         int64              `json:"at"`
	Fault      string             `json:"fault"`
}

// RecordPresence implements accounts.PresenceStore, for this node. A hello before the time
// at which the terminal was last seen does not change that time.
func (s Terminals) RecordPresence(ctx context.Context, came []accounts.Connected, left []accounts.Disconnected) error {
	hellos := jsonList(came, func(p accounts.Connected) any {
		return presenceRow{ID: p.Terminal, Connected: p.ConnectedAt.UnixMilli(), Version: p.Version, Unresolved: p.Unresolved, Ahead: p.ClockAhead.Milliseconds()}
	})
	ends := jsonList(left, func(p accounts.Disconnected) any {
		return presenceRow{ID: p.Terminal, Connected: p.ConnectedAt.UnixMilli(), At: p.At.UnixMilli(), Fault: p.Fault}
	})
	return s.task("record %d hellos and %d ends of connections", len(came), len(left)).change(ctx, func(c conn) error {
		if err := errors.Join(lockTerminals(c, hellos), lockTerminals(c, ends)); err != nil {
			return err
		}
		if _, err := c.exec(`WITH p AS (SELECT e.value->>'id' AS id, CAST(e.value->>'connected' AS BIGINT) AS at, e.value->>'version' AS version,
				CAST(e.value->>'unresolved' AS BIGINT) AS unresolved, CAST(e.value->>'ahead' AS BIGINT) AS ahead FROM `+c.dialect.eachOf+`)
			UPDATE terminals SET seen_at = CASE WHEN seen_at >= p.at THEN seen_at ELSE p.at END, connected_at = p.at,
				node = $2, version = p.version, unresolved = p.unresolved, clock_ahead = p.ahead, disconnected_at = NULL
			FROM p WHERE terminals.id = p.id`, hellos, c.node); err != nil || len(left) == 0 {
			return err
		}
		if _, err := c.exec(`WITH p AS (SELECT e.value->>'id' AS id, CAST(e.value->>'connected' AS BIGINT) AS connected, CAST(e.value->>'at' AS BIGINT) AS at FROM `+c.dialect.eachOf+`)
			UPDATE terminals SET disconnected_at = p.at FROM p WHERE terminals.id = p.id AND terminals.node = $2 AND terminals.connected_at = p.connected`, ends, c.node); err != nil {
			return err
		}
		_, err := c.exec(`WITH p AS (SELECT e.value->>'id' AS id, CAST(e.value->>'at' AS BIGINT) AS at, e.value->>'fault' AS fault FROM `+c.dialect.eachOf+`)
			UPDATE terminals SET fault = p.fault, fault_at = p.at FROM p WHERE terminals.id = p.id AND p.fault <> ''`, ends)
		return err
	})
}

// lockTerminals locks terminals in one order, so that two nodes that record the presence of
// the same ones do not wait for each other.
func lockTerminals(c conn, list string) error {
	if c.dialect.forUpdate == "" {
		return nil
	}
	return c.Each(`SELECT 1 FROM terminals WHERE id IN (SELECT e.value->>'id' FROM `+c.dialect.eachOf+`) ORDER BY id`+c.dialect.forUpdate,
		[]any{list}, func(row) error { return nil })
}

// jsonList writes rows as a JSON array of objects, for dialect.eachOf.
func jsonList[T any](list []T, object func(T) any) string {
	objects := make([]any, len(list))
	for i, x := range list {
		objects[i] = object(x)
	}
	text, err := json.Marshal(objects, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // structs of texts and numbers always have a form
	}
	return string(text)
}

// idList writes ids as a JSON array of objects, for dialect.eachOf.
func idList[T ~string](ids []T) string {
	return jsonList(ids, func(id T) any {
		return struct {
			ID T `json:"id"`
		}{id}
	})
}

// NodeAlive implements accounts.PresenceStore.
func (s Terminals) NodeAlive(ctx context.Context, since, at time.Time, connected int) error {
	return s.task("record that this node serves terminals").exec(ctx, `INSERT INTO uplink_nodes (node, since, seen_at, terminals) VALUES ($1, $2, $3, $4)
		ON CONFLICT (node) DO UPDATE SET since = excluded.since, seen_at = excluded.seen_at, terminals = excluded.terminals`, s.node, since, at, connected)
}

// TerminalsOnline is how many terminals are connected to nodes with a heartbeat since a time,
// as each node counted them at its last one.
func (s Terminals) TerminalsOnline(ctx context.Context, alive time.Time) (int, error) {
	return query(ctx, s.task("count the terminals that are online"), func(c conn) (n int, err error) {
		err = c.one(`SELECT CAST(coalesce(sum(terminals), 0) AS BIGINT) FROM uplink_nodes WHERE seen_at >= $1`, []any{alive}, &n)
		return n, err
	})
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
	isOnline = ifOnline + `$1) THEN 1 ELSE 0 END AS BIGINT)`
	// isOnlineSecond is isOnline with the time in $2.
	isOnlineSecond = ifOnline + `$2) THEN 1 ELSE 0 END AS BIGINT)`
	ifOnline       = `CAST(CASE WHEN t.revoked_at IS NULL AND t.disconnected_at IS NULL AND EXISTS (
		SELECT 1 FROM uplink_nodes n WHERE n.node = t.node AND n.since <= t.connected_at AND n.seen_at >= `
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
			AND ($4 = '' OR t.id = $4 OR t.tid = $4 OR lower(t.name) LIKE $5 ESCAPE '!')
			ORDER BY t.id LIMIT $6`,
			f.AliveSince, f.After, f.State, f.Text, likePattern(f.Text), clampLimit(f.Limit))
	})
}

// TerminalsAmong implements accounts.Terminals. The filter's client is not read.
func (s Terminals) TerminalsAmong(ctx context.Context, ids []central.TerminalID, f accounts.TerminalFilter) ([]accounts.Terminal, error) {
	return query(ctx, s.task("list %d terminals", len(ids)), func(c conn) ([]accounts.Terminal, error) {
		return allRows(c, scanTerminalStatus, `WITH ids AS (SELECT e.value->>'id' AS id FROM `+c.dialect.eachOf+`)
			SELECT `+isOnlineSecond+`, `+terminalStatusColumns+` FROM terminals t WHERE t.id IN (SELECT id FROM ids)
			AND CASE $3 WHEN '' THEN 1 WHEN 'revoked' THEN CASE WHEN t.revoked_at IS NULL THEN 0 ELSE 1 END
				WHEN 'online' THEN `+isOnlineSecond+` ELSE CASE WHEN t.revoked_at IS NULL THEN 1 - `+isOnlineSecond+` ELSE 0 END END = 1
			AND ($4 = '' OR t.id = $4 OR t.tid = $4 OR lower(t.name) LIKE $5 ESCAPE '!') AND ($6 = '' OR t.merchant = $6)`,
			idList(ids), f.AliveSince, f.State, f.Text, likePattern(f.Text), f.Merchant)
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
			AND t.revoked_at IS NOT NULL AND ($5 = '' OR t.id = $5 OR t.tid = $5 OR lower(t.name) LIKE $6 ESCAPE '!')
			ORDER BY t.created_at DESC, t.id DESC LIMIT $7`, f.AliveSince, f.Client, at, id, f.Text, likePattern(f.Text), left)
	} else {
		revoked, err = allRows(c, scanTerminalStatus, `SELECT `+isOnline+`, `+terminalStatusColumns+` FROM terminals t WHERE t.merchant = $2 AND (t.created_at, t.id) < ($3, $4)
			AND t.revoked_at IS NOT NULL AND ($5 = '' OR t.id = $5 OR t.tid = $5 OR lower(t.name) LIKE $6 ESCAPE '!')
			ORDER BY t.created_at DESC, t.id DESC LIMIT $7`, f.AliveSince, f.Merchant, at, id, f.Text, likePattern(f.Text), left)
	}
	return append(list, revoked...), err
}

func liveTerminalsOfParty(c conn, f accounts.TerminalFilter, at int64, id string) ([]accounts.Terminal, error) {
	if f.Client != "" {
		return allRows(c, scanTerminalStatus, `SELECT `+isOnline+`, `+terminalStatusColumns+` FROM terminals t WHERE t.client = $2 AND (t.created_at, t.id) < ($3, $4)
			AND t.revoked_at IS NULL AND CASE $5 WHEN 'online' THEN `+isOnline+` WHEN 'offline' THEN 1 - `+isOnline+` ELSE 1 END = 1
			AND ($6 = '' OR t.id = $6 OR t.tid = $6 OR lower(t.name) LIKE $7 ESCAPE '!')
			ORDER BY t.created_at DESC, t.id DESC LIMIT $8`, f.AliveSince, f.Client, at, id, f.State, f.Text, likePattern(f.Text), clampLimit(f.Limit))
	}
	return allRows(c, scanTerminalStatus, `SELECT `+isOnline+`, `+terminalStatusColumns+` FROM terminals t WHERE t.merchant = $2 AND (t.created_at, t.id) < ($3, $4)
		AND t.revoked_at IS NULL AND CASE $5 WHEN 'online' THEN `+isOnline+` WHEN 'offline' THEN 1 - `+isOnline+` ELSE 1 END = 1
		AND ($6 = '' OR t.id = $6 OR t.tid = $6 OR lower(t.name) LIKE $7 ESCAPE '!')
		ORDER BY t.created_at DESC, t.id DESC LIMIT $8`, f.AliveSince, f.Merchant, at, id, f.State, f.Text, likePattern(f.Text), clampLimit(f.Limit))
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

// TerminalByName implements accounts.Terminals.
func (s Terminals) TerminalByName(ctx context.Context, name string, alive time.Time) (accounts.Terminal, error) {
	return oneRow(ctx, s.task("read a terminal by a name"), scanTerminalStatus,
		`SELECT `+isOnline+`, `+terminalStatusColumns+` FROM terminals t WHERE t.id = $2 OR t.tid = $2`, alive, name)
}
