package store

import (
	"context"
	"fmt"

	"galla/central"
)

// Session implements central.Sessions: of several, the one opened last.
func (s *DB) Session(ctx context.Context, tid string) (central.AgentSession, error) {
	session := central.AgentSession{TID: tid}
	err := s.read(ctx, func(c conn) error {
		return c.one(`SELECT opened_at, expires_at FROM agent_sessions WHERE tid = $1 ORDER BY opened_at DESC LIMIT 1`,
			[]any{tid}, moment{&session.OpenedAt}, moment{&session.ExpiresAt})
	})
	if err != nil {
		return central.AgentSession{}, fmt.Errorf("read the agent session of %s: %w", tid, err)
	}
	return session, nil
}

// OpenSession implements central.Sessions. Sessions are kept for audit; of two
// that open in one millisecond, the longer one stays.
func (s *DB) OpenSession(ctx context.Context, session central.AgentSession) error {
	if err := s.write(ctx, func(c conn) error { return openSession(c, session) }); err != nil {
		return fmt.Errorf("open the agent session of %s: %w", session.TID, err)
	}
	return nil
}

func openSession(c conn, session central.AgentSession) error {
	_, err := c.exec(`INSERT INTO agent_sessions (tid, opened_at, expires_at) VALUES ($1, $2, $3)
		ON CONFLICT (tid, opened_at) DO UPDATE SET expires_at = excluded.expires_at
		WHERE excluded.expires_at > agent_sessions.expires_at`,
		session.TID, ms(session.OpenedAt), ms(session.ExpiresAt))
	return err
}
