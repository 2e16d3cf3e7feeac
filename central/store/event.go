package store

import (
	"context"
	"fmt"
	"time"

	"galla/central"
	"galla/shared/op"
	"galla/shared/wire"
)

// addEvent writes an event under the terminal's next cursor. The counter is in the row of
// the terminal, so that the cursor of a deleted event is not used again.
func addEvent(c conn, terminal central.TerminalID, kind wire.EventKind, operation op.ID, at time.Time) error {
	var cursor int64
	err := c.one(`UPDATE terminals SET last_event = last_event + 1 WHERE id = $1 RETURNING last_event`,
		[]any{string(terminal)}, &cursor)
	if err != nil {
		return fmt.Errorf("count the events of terminal %s: %w", terminal, err)
	}
	_, err = c.exec(`INSERT INTO events (terminal, cursor, kind, operation, at) VALUES ($1, $2, $3, $4, $5)`,
		string(terminal), cursor, string(kind), orNull(operation), ms(at))
	return err
}

// EventsAfter implements central.Events, at most 1000 at a time.
func (s Terminals) EventsAfter(ctx context.Context, t central.TerminalID, cursor int64, limit int) ([]central.Event, error) {
	return query(ctx, s.connection, func(c conn) ([]central.Event, error) {
		return allRows(c, func(row row) (central.Event, error) {
			e := central.Event{Terminal: t}
			err := row.Scan(&e.Cursor, &e.Kind, scanOptional[op.ID]{&e.Operation}, scanTime{&e.At})
			return e, err
		}, `SELECT cursor, kind, operation, at FROM events
			WHERE terminal = $1 AND cursor > $2 ORDER BY cursor LIMIT $3`, string(t), cursor, clampLimit(limit))
	}, "read the events of terminal %s", t)
}

// AcknowledgeEvents implements central.Events.
func (s Terminals) AcknowledgeEvents(ctx context.Context, t central.TerminalID, cursor int64) error {
	return s.change(ctx, func(c conn) error {
		_, err := c.exec(`DELETE FROM events WHERE terminal = $1 AND cursor <= $2`, string(t), cursor)
		return err
	}, "delete the events of terminal %s", t)
}
