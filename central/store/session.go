package store

import (
	"context"

	"galla/central"
)

// Session implements central.Sessions: of several, the one opened last.
func (s Operations) Session(ctx context.Context, tid string) (central.AgentSession, error) {
	return query(ctx, s.task("read the agent session of %s", tid), func(c conn) (central.AgentSession, error) {
		x := central.AgentSession{TID: tid}
		err := c.one(`SELECT opened_at, expires_at FROM agent_sessions WHERE tid = $1 ORDER BY opened_at DESC LIMIT 1`,
			[]any{tid}, &x.OpenedAt, &x.ExpiresAt)
		return x, err
	})
}

// OpenSession implements central.Sessions. Sessions are kept for audit. Of two that open in
// one millisecond, the longer one is kept.
func (s Operations) OpenSession(ctx context.Context, session central.AgentSession) error {
	return s.task("open the agent session of %s", session.TID).change(ctx, func(c conn) error { return openSession(c, session) })
}

func openSession(c conn, session central.AgentSession) error {
	_, err := c.exec(`INSERT INTO agent_sessions (tid, opened_at, expires_at) VALUES ($1, $2, $3)
		ON CONFLICT (tid, opened_at) DO UPDATE SET expires_at = excluded.expires_at
		WHERE excluded.expires_at > agent_sessions.expires_at`,
		session.TID, session.OpenedAt, session.ExpiresAt)
	return err
}
