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
		[]any{terminal}, &cursor)
	if err != nil {
		return fmt.Errorf("count the events of terminal %s: %w", terminal, err)
	}
	_, err = c.exec(`INSERT INTO events (terminal, cursor, kind, operation, at) VALUES ($1, $2, $3, $4, $5)`,
		terminal, cursor, kind, orNull(operation), at)
	return err
}

// EventsAfter implements central.Events, at most 1000 at a time.
func (s Terminals) EventsAfter(ctx context.Context, t central.TerminalID, cursor int64, limit int) ([]central.Event, error) {
	return listRows(ctx, s.task("read the events of terminal %s", t), func(row row, e *central.Event) error {
		e.Terminal = t
		return row.Scan(&e.Cursor, &e.Kind, &e.Operation, &e.At)
	}, `SELECT cursor, kind, operation, at FROM events
		WHERE terminal = $1 AND cursor > $2 ORDER BY cursor LIMIT $3`, t, cursor, clampLimit(limit))
}

// AcknowledgeEvents implements central.Events.
func (s Terminals) AcknowledgeEvents(ctx context.Context, t central.TerminalID, cursor int64) error {
	return s.task("delete the events of terminal %s", t).exec(ctx, `DELETE FROM events WHERE terminal = $1 AND cursor <= $2`, t, cursor)
}
